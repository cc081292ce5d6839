//! The keys that a machine has for buckets, as Amazon's tools read them.

use ecow::EcoString;

use super::{Variables, home, read_small, variable, whence};
use crate::url::Url;

/// What requests to a bucket are signed with.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Keys {
    pub access: EcoString,
    pub secret: EcoString,
    pub session: Option<EcoString>,
    /// Where they come from, as messages name it.
    pub whence: EcoString,
}

/// The keys of the environment, else those of the credentials file. They are
/// for Amazon's servers, and for the one that the environment names instead.
pub(super) fn keys(environment: Variables<'_>, server: &Url) -> Option<Keys> {
    if !is_theirs(environment, server) {
        return None;
    }
    of_environment(environment).or_else(|| of_file(environment))
}

fn is_theirs(environment: Variables<'_>, server: &Url) -> bool {
    let host = server.host();
    let named = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
    let named = named.iter().find_map(|name| text(environment, name));
    let named = named.and_then(|url| Url::parse(&url).ok());
    named.is_some_and(|named| named.same_server(server))
        || [".amazonaws.com", ".amazonaws.com.cn"]
            .iter()
            .any(|suffix| host.ends_with(suffix))
}

fn text(environment: Variables<'_>, name: &str) -> Option<EcoString> {
    let value = environment(name)?.into_string().ok()?;
    (!value.is_empty()).then(|| value.into())
}

fn of_environment(environment: Variables<'_>) -> Option<Keys> {
    Some(Keys {
        access: text(environment, "AWS_ACCESS_KEY_ID")?,
        secret: text(environment, "AWS_SECRET_ACCESS_KEY")?,
        session: text(environment, "AWS_SESSION_TOKEN"),
        whence: "AWS_ACCESS_KEY_ID".into(),
    })
}

fn of_file(environment: Variables<'_>) -> Option<Keys> {
    let path = variable(environment, "AWS_SHARED_CREDENTIALS_FILE")
        .or_else(|| Some(home(environment)?.join(".aws/credentials")))?;
    let file = String::from_utf8(read_small(&path)?).ok()?;
    let profile = text(environment, "AWS_PROFILE").unwrap_or_else(|| "default".into());
    let mut keys = Keys {
        access: EcoString::new(),
        secret: EcoString::new(),
        session: None,
        whence: whence(&path),
    };
    let mut here = false;
    for line in file.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            here = name.trim_end_matches(']').trim() == profile;
        } else if let Some((name, value)) = line.split_once('=').filter(|_| here) {
            let value: EcoString = value.trim().into();
            match name.trim() {
                "aws_access_key_id" => keys.access = value,
                "aws_secret_access_key" => keys.secret = value,
                "aws_session_token" => keys.session = Some(value),
                _ => {}
            }
        }
    }
    (!keys.access.is_empty() && !keys.secret.is_empty()).then_some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pairs: &[(&str, &str)], server: &str) -> Option<(String, String)> {
        let environment = |name: &str| {
            let mut pairs = pairs.iter();
            let found = pairs.find(|(known, _)| *known == name);
            found.map(|(_, value)| std::ffi::OsString::from(value))
        };
        let keys = keys(&environment, &Url::parse(server).unwrap())?;
        Some((keys.access.into(), keys.secret.into()))
    }

    #[test]
    fn keys_are_for_their_servers() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("credentials");
        let text = "[default]\naws_access_key_id = a\naws_secret_access_key=b\n[ci]\n\
                    aws_access_key_id=c\naws_secret_access_key = d\n";
        std::fs::write(&file, text).unwrap();
        let file = ("AWS_SHARED_CREDENTIALS_FILE", file.to_str().unwrap());
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        let amazon = "https://s3.eu-west-1.amazonaws.com";
        assert_eq!(found(&[file], amazon), pair("a", "b"));
        assert_eq!(
            found(&[file, ("AWS_PROFILE", "ci")], amazon),
            pair("c", "d")
        );
        let own = [("AWS_ACCESS_KEY_ID", "x"), ("AWS_SECRET_ACCESS_KEY", "y")];
        assert_eq!(found(&[own[0], own[1], file], amazon), pair("x", "y"));
        for other in [
            "https://minio.example.com",
            "https://amazonaws.com.example.com",
        ] {
            assert_eq!(found(&[file], other), None, "{other}");
        }
        let named = ("AWS_ENDPOINT_URL_S3", "https://minio.example.com");
        assert_eq!(
            found(&[file, named], "https://minio.example.com"),
            pair("a", "b")
        );
    }
}
