//! The network as a place where sources are looked up, behind the directories
//! of the configuration.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use flux::{
    Absence, Asked, BucketAddress, ChartContent, Choose, Grounds, HeldSecret, Introduction, Mirror,
};
use source::auth::{SshKey, docker_login};
use source::http::{Proxy, TlsFiles};
use source::{Access, Bucket, Checkout, Error, Login, Sources};
use vfs::Tree;

use crate::ahead::Ahead;

/// What is fetched, or was.
pub struct Network {
    sources: Option<Arc<Sources>>,
    ahead: Ahead,
}

impl Network {
    /// What these sources have. Without any, everything is absent: no place for
    /// a cache is known.
    pub fn new(sources: Option<Arc<Sources>>) -> Self {
        Network {
            sources,
            ahead: Ahead::default(),
        }
    }

    fn sources(&self) -> Result<&Arc<Sources>, Error> {
        self.sources.as_ref().ok_or_else(|| {
            let why = "it has no place: name a directory with --cache-dir or FLUXLINT_CACHE_DIR";
            Error::Cache(why.into())
        })
    }
}

impl Mirror for Network {
    fn git(&self, url: &str, reference: &str) -> Option<Tree> {
        let sources = self.sources().ok()?;
        tree(sources, url, reference, None).ok()
    }

    fn checkout(&self, url: &str, reference: &str, checkout: flux::Checkout) -> Option<Tree> {
        let sources = self.sources().ok()?;
        tree(sources, url, reference, Some(checkout)).ok()
    }

    fn oci(&self, url: &str, tag: &str) -> Option<Tree> {
        let sources = self.sources().ok()?;
        let tag = tag_of(sources, url, tag).ok()?;
        sources.oci_tree(url, &tag, None).ok()
    }

    fn oci_layer(&self, url: &str, tag: &str, media_type: &str) -> Option<Tree> {
        let sources = self.sources().ok()?;
        let tag = tag_of(sources, url, tag).ok()?;
        sources.oci_tree(url, &tag, Some(media_type)).ok()
    }

    fn bucket(&self, bucket: &BucketAddress) -> Option<Tree> {
        self.sources().ok()?.bucket(&of_bucket(bucket)).ok()
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        self.sources().ok()?.file(url).ok()
    }

    fn chart_versions(&self, url: &str, chart: &str) -> Vec<EcoString> {
        let index = self.sources().and_then(|sources| sources.index(url));
        let versions = index.map(|index| {
            let versions = index.versions(chart).iter();
            versions
                .map(|entry| EcoString::from(entry.version.as_str()))
                .collect()
        });
        versions.unwrap_or_default()
    }

    fn choose_version(&self, url: &str, chart: &str, choose: Choose<'_>) -> Option<EcoString> {
        let version = self.sources().ok()?.chart_version(url, chart, "", choose);
        version.ok()
    }

    fn chart(&self, url: &str, chart: &str, version: &str) -> Option<ChartContent> {
        let archive = self.sources().ok()?.chart(url, chart, version);
        archive.ok().map(ChartContent::Archive)
    }

    fn tags(&self, url: &str) -> Vec<EcoString> {
        let tags = self.sources().and_then(|sources| sources.tags(url));
        tags.unwrap_or_default()
    }

    fn choose_tag(&self, url: &str, choose: Choose<'_>) -> Option<EcoString> {
        self.sources().ok()?.oci_tag(url, "", choose).ok()
    }

    fn oci_chart(&self, url: &str, reference: &str) -> Option<ChartContent> {
        let archive = self.sources().ok()?.oci_chart(url, reference);
        archive.ok().map(ChartContent::Archive)
    }

    fn commit(&self, url: &str, reference: &str) -> Option<EcoString> {
        let sources = self.sources().ok()?;
        let commit = sources.git_commit(url, reference, &flux::artifact_tag);
        commit.ok()
    }

    fn digest(&self, url: &str, tag: &str) -> Option<EcoString> {
        self.sources().ok()?.digest(url, tag).ok()
    }

    fn absence(&self, asked: &Asked<'_>) -> Option<Absence> {
        // Asking again is free: a run keeps its answers.
        let result = self.sources().and_then(|sources| ask(sources, asked));
        let error = result.err()?;
        Some(Absence {
            reason: eco_format!("{error}"),
            grounds: match error {
                Error::Offline(_) | Error::Cache(_) => Grounds::NotAsked,
                error if error.is_missing() => Grounds::Missing,
                error if error.is_answer() => Grounds::Nothing,
                _ => Grounds::Failed,
            },
        })
    }

    fn expect(&self, asked: &Asked<'_>) -> bool {
        if let Some(sources) = &self.sources {
            self.ahead.fetch(sources, asked);
        }
        true
    }

    fn introduce(&self, source: &Introduction<'_>) {
        let Ok(sources) = self.sources() else { return };
        let access = Access {
            insecure: source.insecure,
            pass_credentials: source.pass_credentials,
            login: source
                .secrets
                .iter()
                .find_map(|secret| login(secret, source.url)),
            tls: source.secrets.iter().find_map(certificates),
            ssh: source.secrets.iter().find_map(ssh_key),
            proxy: source.proxy.and_then(proxy),
            provider: match source.provider {
                "" | "generic" => None,
                provider => Some(provider.into()),
            },
        };
        sources.tell(source.url, access);
    }
}

/// Has something, or says why not.
pub(crate) fn ask(sources: &Sources, asked: &Asked<'_>) -> Result<(), Error> {
    match asked {
        Asked::Git(url, reference) => tree(sources, url, reference, None).map(|_| ()),
        Asked::Checkout(url, reference, checkout) => {
            tree(sources, url, reference, Some(*checkout)).map(|_| ())
        }
        Asked::Layer(url, reference, media_type) => {
            let tag = tag_of(sources, url, reference)?;
            let layer = sources.oci_layer(url, &tag, Some(media_type));
            layer.map(|_| ())
        }
        Asked::Bucket(bucket) => sources.bucket(&of_bucket(bucket)).map(|_| ()),
        Asked::Oci(url, reference) => {
            let tag = tag_of(sources, url, reference)?;
            sources.oci_chart(url, &tag).map(|_| ())
        }
        Asked::File(url) => sources.file(url).map(|_| ()),
        Asked::Chart(url, chart, version) => {
            let choose = |versions: &[EcoString]| flux::chart_version(versions, version);
            let version = sources.chart_version(url, chart, version, &choose)?;
            sources.chart(url, chart, &version).map(|_| ())
        }
    }
}

/// The files of a Git repository: those of an artifact, or more.
fn tree(
    sources: &Sources,
    url: &str,
    reference: &str,
    checkout: Option<flux::Checkout>,
) -> Result<Tree, Error> {
    let checkout = Checkout {
        submodules: checkout.is_some(),
        links: checkout == Some(flux::Checkout::Clone),
    };
    sources.git(url, reference, checkout, &flux::artifact_tag)
}

fn of_bucket(bucket: &BucketAddress) -> Bucket {
    Bucket {
        endpoint: bucket.endpoint.clone(),
        name: bucket.name.clone(),
        prefix: bucket.prefix.clone(),
        region: bucket.region.clone(),
        insecure: bucket.insecure,
    }
}

/// The tag that a reference means: itself, or the highest that a range takes.
fn tag_of(sources: &Sources, url: &str, reference: &str) -> Result<EcoString, Error> {
    let Some(range) = reference.strip_prefix("semver:") else {
        let tag = if reference.is_empty() {
            "latest"
        } else {
            reference
        };
        return Ok(tag.into());
    };
    sources.oci_tag(url, range, &|tags| flux::artifact_tag(tags, range))
}

/// What a Secret of a source says about who asks.
fn login(secret: &HeldSecret, url: &str) -> Option<Login> {
    let whence = format!("Secret {}", secret.name);
    let text = |key: &str| std::str::from_utf8(secret.get(key)?).ok();
    if let Some(token) = text("bearerToken") {
        return Some(Login::bearer(token.trim(), whence));
    }
    if let Some((user, password)) = text("username").zip(text("password")) {
        return Some(Login::basic(user.trim(), password.trim(), whence));
    }
    if let Some((key, secret)) = text("accesskey").zip(text("secretkey")) {
        return Some(Login::basic(key.trim(), secret.trim(), whence));
    }
    let registry = url.strip_prefix("oci://")?.split('/').next()?;
    docker_login(secret.get(".dockerconfigjson")?, registry, &whence)
}

/// The key for SSH of a Secret. Flux takes none without the hosts it is for.
fn ssh_key(secret: &HeldSecret) -> Option<SshKey> {
    let filled = |key: &str| secret.get(key).filter(|value| !value.is_empty());
    let passphrase = filled("password").and_then(|text| std::str::from_utf8(text).ok());
    Some(SshKey {
        identity: filled("identity")?.into(),
        known_hosts: filled("known_hosts")?.into(),
        passphrase: passphrase.map(EcoString::from),
        whence: eco_format!("Secret {}", secret.name),
    })
}

/// The proxy that a Secret names.
fn proxy(secret: &HeldSecret) -> Option<Proxy> {
    let text = |key: &str| std::str::from_utf8(secret.get(key)?).ok();
    let user = text("username").zip(text("password"));
    Some(Proxy::new(text("address")?, user))
}

/// The certificates of a Secret, by their names of today or of old.
fn certificates(secret: &HeldSecret) -> Option<TlsFiles> {
    let file = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| secret.get(name))?;
        Some(Arc::from(found))
    };
    let authority = file(["ca.crt", "caFile"]);
    let client = file(["tls.crt", "certFile"]).zip(file(["tls.key", "keyFile"]));
    let any = authority.is_some() || client.is_some();
    any.then_some(TlsFiles {
        authority,
        alone: false,
        client,
    })
}
