//! HTTP/1.1.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::{Body, Response};

/// Bytes of a request's content.
const MAX_CONTENT: u64 = 64 << 20;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET`, `POST`.
    pub method: String,
    /// Path, with the query.
    pub target: String,
    /// Headers by lower-case name.
    pub headers: Vec<(String, String)>,
    /// Content.
    pub body: Vec<u8>,
}

impl Request {
    /// The path without the query.
    pub fn path(&self) -> &str {
        self.target
            .split_once('?')
            .map_or(&*self.target, |(path, _)| path)
    }

    /// What is behind the `?`.
    pub fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }

    /// The first header of a lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name)?;
        Some(&found.1)
    }
}

/// A request, and the status of the answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// What was asked.
    pub request: Request,
    /// How it was answered.
    pub status: u16,
}

/// A server that runs as long as the program.
pub struct Server {
    port: u16,
    log: Arc<Mutex<Vec<Exchange>>>,
}

impl Server {
    /// Starts a server that answers with `answer`, from many threads.
    pub fn start(
        answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> io::Result<Server> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let log: Arc<Mutex<Vec<Exchange>>> = Arc::default();
        let answer = Arc::new(answer);
        let seen = log.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, seen) = (answer.clone(), seen.clone());
                std::thread::spawn(move || serve(&stream, &*answer, &seen));
            }
        });
        Ok(Server { port, log })
    }

    /// `http://127.0.0.1:<port>` and a path.
    pub fn http(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// `oci://127.0.0.1:<port>` and a path.
    pub fn oci(&self, path: &str) -> String {
        format!("oci://127.0.0.1:{}{path}", self.port)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        let log = lock(&self.log);
        log.iter()
            .map(|exchange| exchange.request.clone())
            .collect()
    }

    /// How many requests had a text in their path or query.
    pub fn count(&self, part: &str) -> usize {
        let log = lock(&self.log);
        let fits = |exchange: &&Exchange| exchange.request.target.contains(part);
        log.iter().filter(fits).count()
    }

    /// What was asked since the last call.
    pub fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut *lock(&self.log))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

fn serve(stream: &TcpStream, answer: &dyn Fn(&Request) -> Response, seen: &Mutex<Vec<Exchange>>) {
    conversation(stream, |request| {
        let response = answer(&request);
        let status = response.status;
        lock(seen).push(Exchange { request, status });
        response
    });
}

/// Answers one request after the other until the other side ends.
pub(crate) fn conversation(stream: impl Read + Write, mut answer: impl FnMut(Request) -> Response) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream) {
        let is_head = request.method == "HEAD";
        let response = answer(request);
        if write(stream.get_mut(), &response, is_head).is_err() {
            return;
        }
    }
}

/// Reads a request.
pub(crate) fn read(reader: &mut BufReader<impl Read>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request {
        method,
        target,
        headers,
        body: Vec::new(),
    };
    let length = request.header("content-length");
    let length: u64 = length.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    let read = reader.take(length.min(MAX_CONTENT)).read_to_end(&mut body);
    request.body = body;
    (read.ok()? as u64 == length).then_some(request)
}

/// Fails when the connection ends.
fn write(stream: &mut impl Write, response: &Response, is_head: bool) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} X\r\n", response.status);
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = match &response.body {
        Body::Whole(bytes) => Some(bytes.len()),
        Body::Cut(bytes) => Some(bytes.len() + 1),
        Body::Drip(_) | Body::Silence => Some(1_000_000),
        Body::Endless => None,
    };
    head.push_str(&match length {
        Some(length) => format!("content-length: {length}\r\n\r\n"),
        None => "transfer-encoding: chunked\r\n\r\n".to_owned(),
    });
    stream.write_all(head.as_bytes())?;
    if is_head {
        return stream.flush();
    }
    match &response.body {
        Body::Whole(bytes) => {
            stream.write_all(bytes)?;
            stream.flush()
        }
        Body::Cut(bytes) => {
            stream.write_all(bytes)?;
            Err(io::ErrorKind::UnexpectedEof.into())
        }
        Body::Drip(pause) => loop {
            std::thread::sleep(*pause);
            stream.write_all(b"x")?;
        },
        Body::Silence => {
            std::thread::sleep(Duration::from_secs(60));
            Err(io::ErrorKind::TimedOut.into())
        }
        Body::Endless => {
            let chunk = [b"10000\r\n".as_slice(), &[0; 0x10000], b"\r\n"].concat();
            loop {
                stream.write_all(&chunk)?;
            }
        }
    }
}
