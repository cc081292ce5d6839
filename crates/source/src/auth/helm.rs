//! Helm's `repositories.yaml`: who asks which chart repository.

use std::path::Path;

use ecow::EcoString;
use yaml::{FileId, Node};

use super::{Login, Variables, home, read_small, variable, whence};
use crate::http::TlsFiles;
use crate::url::Url;

/// The chart repositories that the machine's Helm knows.
#[derive(Default)]
pub(super) struct HelmRepositories(Vec<Entry>);

struct Entry {
    url: Url,
    login: Option<Login>,
    tls: Option<TlsFiles>,
}

impl HelmRepositories {
    /// Reads the file that `HELM_REPOSITORY_CONFIG` names, else that of the
    /// user's configuration.
    pub fn open(environment: Variables<'_>) -> Self {
        let path = variable(environment, "HELM_REPOSITORY_CONFIG").or_else(|| {
            let config = variable(environment, "HELM_CONFIG_HOME");
            let config = config.or_else(|| {
                let base = variable(environment, "XDG_CONFIG_HOME");
                let base = base.or_else(|| Some(home(environment)?.join(".config")));
                Some(base?.join("helm"))
            });
            Some(config?.join("repositories.yaml"))
        });
        let entries = path.and_then(|path| {
            let text = String::from_utf8(read_small(&path)?).ok()?;
            let root = yaml::sigs_to_json(&text, FileId::NONE, false).ok()?;
            let entries = root.get("repositories")?.items().iter();
            Some(entries.filter_map(|node| entry(node, &path)).collect())
        });
        HelmRepositories(entries.unwrap_or_default())
    }

    pub fn login(&self, url: &Url) -> Option<Login> {
        let mut entries = self.of(url);
        entries.find_map(|entry| entry.login.clone())
    }

    pub fn tls(&self, url: &Url) -> Option<TlsFiles> {
        let mut entries = self.of(url);
        entries.find_map(|entry| entry.tls.clone())
    }

    /// Entries whose address is the same or above.
    fn of<'a>(&'a self, url: &'a Url) -> impl Iterator<Item = &'a Entry> {
        let asked = url.bare();
        self.0.iter().filter(move |entry| {
            let known = entry.url.bare();
            let known = known.trim_end_matches('/');
            let rest = asked.strip_prefix(known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

fn entry(node: &Node, path: &Path) -> Option<Entry> {
    let text = |key: &str| -> Option<EcoString> {
        let text = node.get(key)?.text()?;
        (!text.is_empty()).then(|| text.clone())
    };
    let file = |key: &str| Some(read_small(Path::new(text(key)?.as_str()))?.into());
    let login = text("username").map(|user| {
        let password = text("password").unwrap_or_default();
        Login::basic(&user, &password, whence(path))
    });
    let client = file("certFile").zip(file("keyFile"));
    let authority = file("caFile");
    let tls = (authority.is_some() || client.is_some()).then_some(TlsFiles {
        authority,
        alone: true,
        client,
    });
    Some(Entry {
        url: Url::parse(&text("url")?).ok()?,
        login,
        tls,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_found_by_address() {
        let directory = tempfile::tempdir().unwrap();
        let authority = directory.path().join("ca.crt");
        std::fs::write(&authority, "pem").unwrap();
        let file = directory.path().join("repositories.yaml");
        let text = format!(
            "apiVersion: ''\nrepositories:\n- name: a\n  url: https://charts.example.com/stable/\n  \
             username: me\n  password: secret\n  caFile: {}\n- name: b\n  url: https://open.example.com\n",
            authority.display()
        );
        std::fs::write(&file, text).unwrap();
        let path = file.into_os_string();
        let known = HelmRepositories::open(&|name| {
            (name == "HELM_REPOSITORY_CONFIG").then(|| path.clone())
        });
        let url = |text: &str| Url::parse(text).unwrap();
        let chart = url("https://charts.example.com/stable/a-1.tgz");
        let login = known.login(&chart).unwrap();
        assert_eq!(
            login,
            Login::basic("me", "secret", "Helm's repositories.yaml")
        );
        assert_eq!(format!("{login:?}"), "Login(Helm's repositories.yaml)");
        assert!(known.tls(&chart).unwrap().authority.is_some());
        for other in [
            "https://charts.example.com/stables",
            "https://open.example.com/x",
        ] {
            assert!(known.login(&url(other)).is_none());
        }
    }
}
