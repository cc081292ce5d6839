//! A small HTTP server on loopback, for tests.
#![allow(dead_code)]

pub mod git;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use source::http::Patience;
use source::{Options, Sources};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// What is answered.
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

pub enum Body {
    Whole(Vec<u8>),
    /// A byte, again and again, with pauses.
    Drip(Duration),
    /// Zeros without end, in chunks.
    Endless,
    /// Less than was promised.
    Cut(Vec<u8>),
    /// The head, and then nothing.
    Silence,
}

pub fn ok(body: impl Into<Vec<u8>>) -> Response {
    status(200, body)
}

pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Response {
    Response {
        status,
        headers: Vec::new(),
        body: Body::Whole(body.into()),
    }
}

impl Response {
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }
}

/// A server that runs until the test ends.
pub struct Server {
    pub port: u16,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn new(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let log: Arc<Mutex<Vec<Request>>> = Arc::default();
        let answer = Arc::new(answer);
        let seen = log.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, seen) = (answer.clone(), seen.clone());
                std::thread::spawn(move || serve(&stream, &*answer, &seen));
            }
        });
        Server { port, log }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn oci(&self, repository: &str) -> String {
        format!("oci://127.0.0.1:{}/{repository}", self.port)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().unwrap().clone()
    }

    pub fn count(&self, part: &str) -> usize {
        let requests = self.requests();
        requests.iter().filter(|r| r.path.contains(part)).count()
    }
}

fn serve(stream: &TcpStream, answer: &dyn Fn(&Request) -> Response, seen: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        seen.lock().unwrap().push(request.clone());
        let response = answer(&request);
        if write(stream, &response).is_none() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        method,
        path,
        headers,
        body,
    })
}

/// `None` when the connection ends.
fn write(mut stream: &TcpStream, response: &Response) -> Option<()> {
    let mut head = format!("HTTP/1.1 {} X\r\n", response.status);
    for (name, value) in &response.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut out = |bytes: &[u8]| stream.write_all(bytes).ok();
    match &response.body {
        Body::Whole(bytes) => {
            out(format!("{head}content-length: {}\r\n\r\n", bytes.len()).as_bytes())?;
            out(bytes)
        }
        Body::Cut(bytes) => {
            out(format!("{head}content-length: {}\r\n\r\n", bytes.len() + 1).as_bytes())?;
            out(bytes)?;
            None
        }
        Body::Drip(pause) => {
            out(format!("{head}content-length: 1000000\r\n\r\n").as_bytes())?;
            loop {
                std::thread::sleep(*pause);
                out(b"x")?;
            }
        }
        Body::Silence => {
            out(format!("{head}content-length: 1000000\r\n\r\n").as_bytes())?;
            std::thread::sleep(Duration::from_secs(60));
            None
        }
        Body::Endless => {
            out(format!("{head}transfer-encoding: chunked\r\n\r\n").as_bytes())?;
            let chunk = [b"10000\r\n".as_slice(), &[0; 0x10000], b"\r\n"].concat();
            loop {
                out(&chunk)?;
            }
        }
    }
}

/// Options with a cache in a directory, short waits and a home of its own.
pub fn options(directory: &Path) -> Options {
    let home = directory.join("home").into_os_string();
    let mut options = Options::new(directory.join("cache"));
    options.patience = Patience {
        connect: Duration::from_secs(2),
        answer: Duration::from_secs(2),
        idle: Duration::from_millis(400),
        grace: Duration::from_millis(300),
        least: 1 << 10,
        whole: Duration::from_secs(20),
        tries: 3,
        pause: Duration::from_millis(10),
        longest_pause: Duration::from_secs(2),
        parallel: 4,
    };
    options.environment = Arc::new(move |name| (name == "HOME").then(|| home.clone()));
    options
}

pub fn sources(directory: &Path) -> Sources {
    Sources::new(options(directory))
}

pub fn offline(directory: &Path) -> Sources {
    let mut options = options(directory);
    options.offline = true;
    Sources::new(options)
}

pub fn environment(pairs: &[(&str, &Path)]) -> source::auth::Environment {
    let pairs: Vec<(String, OsString)> = pairs
        .iter()
        .map(|(name, path)| ((*name).to_owned(), path.as_os_str().to_owned()))
        .collect();
    Arc::new(move |name| {
        let mut pairs = pairs.iter();
        pairs
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    })
}

/// Whether any file below a directory holds a text.
pub fn holds(directory: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(directory).unwrap().flatten();
    entries.into_iter().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}
