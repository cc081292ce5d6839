//! What a server says: an answer, or what only hostile ones send.

use std::sync::Arc;
use std::time::Duration;

/// What is answered.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Headers but the length.
    pub headers: Vec<(String, String)>,
    /// Content.
    pub body: Body,
}

/// The content of an answer.
#[derive(Clone, Debug)]
pub enum Body {
    /// All of it.
    Whole(Arc<[u8]>),
    /// A byte, again and again, with pauses.
    Drip(Duration),
    /// Zeros without end, in chunks.
    Endless,
    /// Less than was promised.
    Cut(Vec<u8>),
    /// The head, and then nothing.
    Silence,
}

impl Response {
    /// A status and content.
    pub fn new(status: u16, body: impl Into<Body>) -> Self {
        Response {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// What was asked for.
    pub fn ok(body: impl Into<Body>) -> Self {
        Response::new(200, body)
    }

    /// Adds a header.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// With other content.
    pub fn body(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }
}

impl From<Arc<[u8]>> for Body {
    fn from(bytes: Arc<[u8]>) -> Self {
        Body::Whole(bytes)
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Body::Whole(bytes.into())
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&[u8]> for Body {
    fn from(bytes: &[u8]) -> Self {
        Body::Whole(bytes.into())
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl<const N: usize> From<&[u8; N]> for Body {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.as_slice().into()
    }
}
