//! `.netrc`: who asks which host, as curl and Git read it.

use ecow::EcoString;

use super::{Login, Variables, home, read_small, variable, whence};
use crate::url::Url;

/// The entries of a file.
#[derive(Default)]
pub(super) struct Netrc {
    whence: EcoString,
    entries: Vec<Entry>,
}

#[derive(Default)]
struct Entry {
    /// `None` stands for any host.
    host: Option<EcoString>,
    user: EcoString,
    password: EcoString,
}

impl Netrc {
    /// Reads the file that `NETRC` names, else that of the home directory.
    pub fn open(environment: Variables<'_>) -> Netrc {
        let named = variable(environment, "NETRC");
        let path = named.or_else(|| {
            let home = home(environment)?;
            let names = [home.join(".netrc"), home.join("_netrc")];
            names.into_iter().find(|path| path.is_file())
        });
        let Some(path) = path else {
            return Netrc::default();
        };
        let text = read_small(&path).and_then(|bytes| String::from_utf8(bytes).ok());
        Netrc {
            whence: whence(&path),
            entries: text.map(|text| entries(&text)).unwrap_or_default(),
        }
    }

    pub fn login(&self, url: &Url) -> Option<Login> {
        let of = |entry: &&Entry| match &entry.host {
            Some(host) => host.eq_ignore_ascii_case(url.host()) || *host == url.authority(),
            None => true,
        };
        let entry = self.entries.iter().find(of)?;
        Some(Login::basic(
            &entry.user,
            &entry.password,
            self.whence.clone(),
        ))
    }
}

fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let words = without_macros(text);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "machine" => entries.push(Entry {
                host: Some(words.next().cloned().unwrap_or_default()),
                ..Entry::default()
            }),
            "default" => entries.push(Entry::default()),
            "login" | "password" | "account" => {
                let (Some(value), Some(entry)) = (words.next(), entries.last_mut()) else {
                    continue;
                };
                match word.as_str() {
                    "login" => entry.user = value.clone(),
                    "password" => entry.password = value.clone(),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    entries
}

/// The words of a file. A macro goes on to the next empty line.
fn without_macros(text: &str) -> Vec<EcoString> {
    let mut words = Vec::new();
    let mut in_macro = false;
    for line in text.lines() {
        if line.trim().is_empty() {
            in_macro = false;
        }
        if in_macro || line.trim_start().starts_with('#') {
            continue;
        }
        for word in line.split_whitespace() {
            if word == "macdef" {
                in_macro = true;
                break;
            }
            words.push(word.trim_matches('"').into());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        let text = "# comment\nmachine a.example.com login me\n  password p#1\nmacdef init\nmachine x\n\n\
                    machine b.example.com login \"you\" password q account z\ndefault login any password r\n";
        let netrc = Netrc {
            whence: "netrc".into(),
            entries: entries(text),
        };
        let header = |url: &str| netrc.login(&Url::parse(url).unwrap()).unwrap();
        assert_eq!(
            header("https://A.example.com/x"),
            Login::basic("me", "p#1", "netrc")
        );
        assert_eq!(
            header("https://b.example.com"),
            Login::basic("you", "q", "netrc")
        );
        assert_eq!(header("https://x"), Login::basic("any", "r", "netrc"));
    }
}
