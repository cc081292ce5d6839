//! Git's smart HTTP, by the program that Git brings for it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Request, Response};

/// Answers a request with `git http-backend`. `path` is that of the repository,
/// below `root`, and what is asked of it. Fails when the program does.
pub fn backend(root: &Path, path: &str, request: &Request) -> std::io::Result<Response> {
    let mut command = Command::new("git");
    command
        .args(["-c", "uploadpack.allowAnySHA1InWant=true"])
        // Whoever made the repositories.
        .args(["-c", "safe.directory=*"])
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", request.query())
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("CONTENT_LENGTH", request.body.len().to_string());
    for (header, variable) in [
        ("content-type", "CONTENT_TYPE"),
        ("git-protocol", "GIT_PROTOCOL"),
        ("content-encoding", "HTTP_CONTENT_ENCODING"),
    ] {
        if let Some(value) = request.header(header) {
            command.env(variable, value);
        }
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&request.body)?;
    }
    let printed = child.wait_with_output()?.stdout;
    Ok(read(&printed))
}

/// What a CGI program printed: headers, an empty line, content.
fn read(printed: &[u8]) -> Response {
    let mut response = Response::ok(Vec::new());
    let mut rest = printed;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (line, after) = rest.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.eq_ignore_ascii_case("status") {
            true => {
                let status = value.split(' ').next().and_then(|code| code.parse().ok());
                response.status = status.unwrap_or(500);
            }
            false => response = response.with(name, value),
        }
    }
    response.body = rest.into();
    response
}
