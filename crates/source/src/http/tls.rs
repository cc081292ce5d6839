//! Whom to trust, and how to prove who asks.

use std::path::Path;
use std::sync::Arc;

use ecow::eco_format;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

use crate::Error;
use crate::url::Url;

/// A file in PEM form.
pub type Pem = Arc<[u8]>;

/// Certificates and a key in PEM form.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct TlsFiles {
    /// Authorities to trust besides the machine's, as source-controller does;
    /// `None` stands for the machine's.
    pub authority: Option<Pem>,
    /// Those alone are trusted, as Helm does.
    pub alone: bool,
    /// What proves who asks, with its key.
    pub client: Option<(Pem, Pem)>,
}

impl TlsFiles {
    /// The same trust, without what proves who asks.
    pub(super) fn without_client(&self) -> TlsFiles {
        TlsFiles {
            client: None,
            ..self.clone()
        }
    }
}

impl TlsFiles {
    /// All authorities to trust; `None` stands for the machine's. Of a machine
    /// that keeps its own in no file, they are not among them.
    pub(crate) fn trusted(&self) -> Option<Vec<u8>> {
        let mut trusted = self.authority.as_deref()?.to_vec();
        if !self.alone
            && !certificates(&trusted).is_empty()
            && let Some(bundle) = machine_bundle()
        {
            trusted.push(b'\n');
            trusted.extend(bundle);
        }
        Some(trusted)
    }
}

/// Says what there is, not what it is.
impl std::fmt::Debug for TlsFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let client = self.client.is_some();
        write!(
            f,
            "authority: {}, client: {client}",
            self.authority.is_some()
        )
    }
}

/// Where systems keep the authorities they trust.
const BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];
/// A bundle has a few hundred certificates.
const MAX_BUNDLE: u64 = 16 << 20;

pub(super) fn config(files: Option<&TlsFiles>, at: &Url) -> Result<TlsConfig, Error> {
    let refuse = |why: &str| Error::Tls {
        host: at.authority(),
        why: eco_format!("{why}"),
    };
    let roots = match files.and_then(TlsFiles::trusted) {
        Some(pem) => {
            let found = certificates(&pem);
            if found.is_empty() {
                return Err(refuse("the file of authorities holds no certificate"));
            }
            RootCerts::new_with_certs(&found)
        }
        None => machine_roots(),
    };
    let client = match files.and_then(|files| files.client.as_ref()) {
        Some((chain, key)) => {
            let key = PrivateKey::from_pem(key).map_err(|_| refuse("the key is no PEM key"))?;
            Some(ClientCert::new_with_certs(&certificates(chain), key))
        }
        None => None,
    };
    Ok(TlsConfig::builder()
        .root_certs(roots)
        .client_cert(client)
        .build())
}

/// `SSL_CERT_FILE`, else what the system trusts, else Mozilla's list.
fn machine_roots() -> RootCerts {
    let bundle = machine_bundle();
    let found = bundle.map(|pem| certificates(&pem)).unwrap_or_default();
    match found.is_empty() {
        true => RootCerts::WebPki,
        false => RootCerts::new_with_certs(&found),
    }
}

fn machine_bundle() -> Option<Vec<u8>> {
    let named = std::env::var_os("SSL_CERT_FILE").filter(|name| !name.is_empty());
    match &named {
        Some(name) => read(Path::new(name)),
        None => BUNDLES.iter().find_map(|name| read(Path::new(name))),
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let size = std::fs::metadata(path).ok()?.len();
    (size <= MAX_BUNDLE).then(|| std::fs::read(path).ok())?
}

fn certificates(pem: &[u8]) -> Vec<Certificate<'static>> {
    let items = parse_pem(pem).filter_map(Result::ok);
    let certificates = items.filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    certificates.collect()
}
