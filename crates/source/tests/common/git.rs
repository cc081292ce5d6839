//! Git repositories for tests, and git's own server program over HTTP.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Request, Response, status};

pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Answers with `git http-backend`, over repositories in a directory.
pub fn backend(root: &Path, request: &Request) -> Response {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env(
            "GIT_PROTOCOL",
            request.header("git-protocol").unwrap_or_default(),
        )
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", &request.method)
        .env(
            "CONTENT_TYPE",
            request.header("content-type").unwrap_or_default(),
        )
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env(
            "HTTP_CONTENT_ENCODING",
            request.header("content-encoding").unwrap_or_default(),
        )
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&request.body)
        .unwrap();
    let said = child.wait_with_output().unwrap().stdout;
    let end = said
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap();
    let mut response = status(200, &said[end + 4..]);
    for line in String::from_utf8_lossy(&said[..end]).lines() {
        let (name, value) = line.split_once(": ").unwrap();
        match name {
            "Status" => response.status = value[..3].parse().unwrap(),
            _ => response = response.with(name, value),
        }
    }
    response
}
