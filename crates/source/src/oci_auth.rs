//! How a registry is told who asks.

use ecow::{EcoString, eco_format};
use serde::Deserialize;

use crate::auth::Login;
use crate::fetch::Sources;
use crate::http::{Ask, Reply};
use crate::oci::Place;
use crate::url::Url;
use crate::{Error, lock};

/// Bytes of a token's answer.
const MAX_TOKEN: u64 = 1 << 20;

/// What a `WWW-Authenticate` header asks for.
#[derive(Debug, PartialEq, Eq)]
enum Challenge {
    Basic,
    Bearer {
        realm: String,
        service: Option<String>,
        scope: Option<String>,
    },
}

#[derive(Deserialize)]
struct Answer {
    token: Option<String>,
    access_token: Option<String>,
}

impl Sources {
    /// Asks a registry, and says who asks when it wants to know. The answer
    /// may have any status but 401.
    pub(crate) fn ask_registry(
        &self,
        place: &Place,
        path: &str,
        accept: &str,
        limit: u64,
    ) -> Result<Reply, Error> {
        let url = place
            .server
            .with_path(&format!("/v2/{}/{path}", place.repository));
        self.ask_registry_at(place, &url, accept, limit)
    }

    pub(crate) fn ask_registry_at(
        &self,
        place: &Place,
        url: &Url,
        accept: &str,
        limit: u64,
    ) -> Result<Reply, Error> {
        let headers = [("accept", accept)];
        let send = |login: Option<&Login>| {
            self.client.send(&Ask {
                headers: &headers,
                login,
                tls: place.access.tls.as_ref(),
                proxy: place.access.proxy.as_ref(),
                ..Ask::new(url, limit)
            })
        };
        let slot = (place.registry.clone(), place.repository.clone());
        let known = lock(&self.tokens).get(&slot).cloned();
        let reply = send(known.as_ref())?;
        if reply.status != 401 {
            return Ok(reply);
        }
        let own = place.access.login.clone();
        let own = own.or_else(|| self.credentials.of_registry(&place.registry));
        let refused = |sent: bool| Error::Unauthorized {
            at: place.shown(),
            sent: own
                .as_ref()
                .filter(|_| sent)
                .map(|login| login.whence.clone()),
        };
        let challenge = reply.header("www-authenticate").and_then(challenge);
        let login = match challenge {
            Some(Challenge::Bearer {
                realm,
                service,
                scope,
            }) => {
                let scope =
                    scope.unwrap_or_else(|| format!("repository:{}:pull", place.repository));
                self.token(place, &realm, service.as_deref(), &scope, own.as_ref())?
            }
            Some(Challenge::Basic) | None => own.clone().ok_or_else(|| refused(false))?,
        };
        let reply = send(Some(&login))?;
        if matches!(reply.status, 401 | 403) {
            return Err(refused(true));
        }
        lock(&self.tokens).insert(slot, login);
        Ok(reply)
    }

    /// A token for reading a repository.
    fn token(
        &self,
        place: &Place,
        realm: &str,
        service: Option<&str>,
        scope: &str,
        own: Option<&Login>,
    ) -> Result<Login, Error> {
        let realm = place.server.join(realm)?;
        if own.is_some() && place.server.is_secure() && !realm.is_secure() {
            let why = eco_format!(
                "it asks for credentials to be sent to the insecure {}",
                realm.bare()
            );
            return Err(Error::answer(place.shown(), why));
        }
        let exchanged = own.and_then(Login::identity_token);
        let reply = match exchanged {
            Some(refresh) => {
                let form = [
                    ("grant_type", "refresh_token"),
                    ("client_id", "fluxlint"),
                    ("service", service.unwrap_or_default()),
                    ("scope", scope),
                    ("refresh_token", refresh),
                ];
                let form = query(form);
                self.client.send(&Ask {
                    content: Some(("application/x-www-form-urlencoded", form.as_bytes())),
                    proxy: place.access.proxy.as_ref(),
                    ..Ask::new(&realm, MAX_TOKEN)
                })?
            }
            None => {
                let service = service.map(|service| ("service", service));
                let asked = service.into_iter().chain([("scope", scope)]);
                let joint = if realm.wire().contains('?') { '&' } else { '?' };
                let url = Url::parse(&format!("{}{joint}{}", realm.wire(), query(asked)))?;
                self.client.send(&Ask {
                    login: own,
                    proxy: place.access.proxy.as_ref(),
                    ..Ask::new(&url, MAX_TOKEN)
                })?
            }
        };
        if !reply.is_success() {
            return Err(reply.failure(place.shown(), own));
        }
        let wrong = || Error::answer(realm.bare(), "it holds no token");
        let answer: Answer = serde_json::from_slice(&reply.body).map_err(|_| wrong())?;
        let token = answer.token.or(answer.access_token);
        let token = token.filter(|token| !token.is_empty()).ok_or_else(wrong)?;
        let whence = own.map_or_else(|| EcoString::from("nobody"), |own| own.whence.clone());
        Ok(Login::bearer(&token, whence))
    }
}

/// `a=b&c=d`, escaped.
fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let pairs = pairs.into_iter().map(|(key, value)| {
        let value: String = value
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z'
                | b'A'..=b'Z'
                | b'0'..=b'9'
                | b'-'
                | b'_'
                | b'.'
                | b'~'
                | b'/'
                | b':' => char::from(byte).to_string(),
                byte => format!("%{byte:02X}"),
            })
            .collect();
        format!("{key}={value}")
    });
    pairs.collect::<Vec<_>>().join("&")
}

fn challenge(header: &str) -> Option<Challenge> {
    let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
    if scheme.eq_ignore_ascii_case("basic") {
        return Some(Challenge::Basic);
    }
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let find = |wanted: &str| {
        let mut rest = rest;
        while let Some((name, after)) = rest.split_once('=') {
            let name = name.trim_matches([' ', ',']);
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => after.split_once(',').unwrap_or((after, "")),
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(value.to_owned());
            }
            rest = after;
        }
        None
    };
    Some(Challenge::Bearer {
        realm: find("realm")?,
        service: find("service"),
        scope: find("scope"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let header = r#"Bearer realm="https://auth.example.com/token",service="r.example.com",scope="repository:a/b:pull,push""#;
        assert_eq!(
            challenge(header),
            Some(Challenge::Bearer {
                realm: "https://auth.example.com/token".into(),
                service: Some("r.example.com".into()),
                scope: Some("repository:a/b:pull,push".into()),
            })
        );
        assert_eq!(challenge(r#"basic realm="x""#), Some(Challenge::Basic));
        assert_eq!(challenge("Bearer service=x"), None);
        assert_eq!(challenge("Negotiate"), None);
        assert_eq!(query([("a", "b c"), ("d", "x:y/z")]), "a=b%20c&d=x:y/z");
    }
}
