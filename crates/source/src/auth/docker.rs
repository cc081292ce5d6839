//! Docker's `config.json` and those that look like it: who asks which
//! registry, written there or told by a helper program.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use ecow::{EcoString, eco_format};
use serde_json::Value;

use super::{Login, Variables, decoded_pair, home, read_small, variable, whence};

/// The name Docker's own registry has in such files.
const DOCKER_HUB: &str = "https://index.docker.io/v1/";

/// The files, the first of which counts.
#[derive(Default)]
pub(super) struct DockerConfig {
    files: Vec<(EcoString, Value)>,
    path: Option<std::ffi::OsString>,
}

impl DockerConfig {
    /// Reads the files that the environment names, and those in their usual
    /// places: Docker's, Podman's, Helm's.
    pub fn open(environment: Variables<'_>) -> Self {
        let files = places(environment).into_iter().filter_map(|path| {
            let value = serde_json::from_slice(&read_small(&path)?).ok()?;
            Some((whence(&path), value))
        });
        DockerConfig {
            files: files.collect(),
            path: environment("PATH"),
        }
    }

    pub fn login(&self, registry: &str) -> Option<Login> {
        let mut files = self.files.iter();
        files.find_map(|(whence, file)| {
            helper(file, registry)
                .and_then(|name| self.ask_helper(&name, registry))
                .or_else(|| written(file, registry, whence))
        })
    }

    /// What `docker-credential-<name> get` says.
    fn ask_helper(&self, name: &str, registry: &str) -> Option<Login> {
        // A name is a part of a program's name, not a path.
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let program = format!("docker-credential-{name}");
        let paths = std::env::split_paths(self.path.as_ref()?);
        let program = paths.map(|dir| dir.join(&program)).find(|p| p.is_file())?;
        let server = if is_docker_hub(registry) {
            DOCKER_HUB
        } else {
            registry
        };
        let mut child = Command::new(program)
            .arg("get")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(server.as_bytes()).ok()?;
        let said = child.wait_with_output().ok()?;
        if !said.status.success() {
            return None;
        }
        let said: Value = serde_json::from_slice(&said.stdout).ok()?;
        let text = |key: &str| said.get(key).and_then(Value::as_str);
        let (user, secret) = (text("Username")?, text("Secret")?);
        let whence = eco_format!("the credential helper {name}");
        Some(match user {
            "<token>" => Login::identity(secret, whence),
            user => Login::basic(user, secret, whence),
        })
    }
}

fn places(environment: Variables<'_>) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let home = home(environment);
    let config = variable(environment, "XDG_CONFIG_HOME")
        .or_else(|| home.as_ref().map(|home| home.join(".config")));
    places.extend(variable(environment, "DOCKER_CONFIG").map(|dir| dir.join("config.json")));
    places.extend(variable(environment, "REGISTRY_AUTH_FILE"));
    places.extend(home.map(|home| home.join(".docker/config.json")));
    let runtime = variable(environment, "XDG_RUNTIME_DIR");
    places.extend(runtime.map(|dir| dir.join("containers/auth.json")));
    places.extend(variable(environment, "HELM_REGISTRY_CONFIG"));
    if let Some(config) = config {
        places.push(config.join("containers/auth.json"));
        places.push(config.join("helm/registry/config.json"));
    }
    places
}

/// The helper program that a registry's credentials are with.
fn helper(file: &Value, registry: &str) -> Option<String> {
    let own = file.get("credHelpers").and_then(Value::as_object);
    let own = own.and_then(|helpers| {
        let mut found = helpers.iter();
        found.find(|(server, _)| is_server(server, registry))
    });
    let name = match own {
        Some((_, name)) => name.as_str(),
        None => file.get("credsStore").and_then(Value::as_str),
    };
    name.filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Credentials written into a file.
fn written(file: &Value, registry: &str, whence: &EcoString) -> Option<Login> {
    let servers = file.get("auths")?.as_object()?;
    let mut found = servers.iter();
    let (_, entry) = found.find(|(server, _)| is_server(server, registry))?;
    let text = |key: &str| {
        let text = entry.get(key).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    };
    if let Some(token) = text("identitytoken") {
        return Some(Login::identity(token, whence.clone()));
    }
    if let Some(token) = text("registrytoken") {
        return Some(Login::bearer(token, whence.clone()));
    }
    let pair = text("auth").and_then(decoded_pair);
    let pair = pair.or_else(|| Some((text("username")?.into(), text("password")?.into())));
    let (user, password) = pair?;
    Some(Login::basic(&user, &password, whence.clone()))
}

/// Whether an entry's name stands for a registry: its host, with a scheme and a
/// path or not.
fn is_server(name: &str, registry: &str) -> bool {
    let bare = name.split_once("://").map_or(name, |(_, rest)| rest);
    let host = bare.split('/').next().unwrap_or_default();
    host.eq_ignore_ascii_case(registry) || (is_docker_hub(host) && is_docker_hub(registry))
}

fn is_docker_hub(host: &str) -> bool {
    let names = ["docker.io", "index.docker.io", "registry-1.docker.io"];
    names.contains(&host) || host == DOCKER_HUB
}

/// The credentials of a Secret of type `kubernetes.io/dockerconfigjson`.
pub(super) fn of_secret(json: &[u8], registry: &str, whence: &EcoString) -> Option<Login> {
    let file: Value = serde_json::from_slice(json).ok()?;
    written(&file, registry, whence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(json: &str, registry: &str) -> Option<Login> {
        of_secret(json.as_bytes(), registry, &"file".into())
    }

    #[test]
    fn credentials_are_found_by_host() {
        // `me:p:w` in Base64.
        let json = r#"{"auths": {"https://ghcr.io/v2/": {"auth": "bWU6cDp3"},
            "r.example.com:5000": {"username": "u", "password": "p"},
            "https://index.docker.io/v1/": {"identitytoken": "t"}, "empty.example.com": {}}}"#;
        assert_eq!(
            login(json, "ghcr.io"),
            Some(Login::basic("me", "p:w", "file"))
        );
        assert_eq!(
            login(json, "r.example.com:5000"),
            Some(Login::basic("u", "p", "file"))
        );
        assert_eq!(login(json, "docker.io"), Some(Login::identity("t", "file")));
        for other in ["r.example.com", "empty.example.com", "io"] {
            assert_eq!(login(json, other), None, "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_helper_is_asked() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("docker-credential-test");
        let script = "#!/bin/sh\nread server\nprintf '{\"Username\": \"%s\", \"Secret\": \"s\"}' \"$server\"\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let config = |json: &str| DockerConfig {
            files: vec![("file".into(), serde_json::from_str(json).unwrap())],
            path: Some(directory.path().as_os_str().to_owned()),
        };
        let helper = "the credential helper test";
        let own = config(r#"{"credHelpers": {"ghcr.io": "test"}}"#);
        assert_eq!(
            own.login("ghcr.io"),
            Some(Login::basic("ghcr.io", "s", helper))
        );
        assert_eq!(own.login("quay.io"), None);
        let store = config(r#"{"credsStore": "test"}"#);
        assert_eq!(
            store.login("docker.io"),
            Some(Login::basic(DOCKER_HUB, "s", helper))
        );
        let path = config(r#"{"credsStore": "../test"}"#);
        assert_eq!(path.login("docker.io"), None);
    }
}
