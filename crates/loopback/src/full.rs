//! A port that takes no further connection: who asks it waits.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Connections that wait to be accepted: more than a system lets wait.
const MOST: usize = 10_000;

/// The port, while this is kept.
pub struct Full {
    listener: TcpListener,
    _waiting: Vec<TcpStream>,
}

impl Full {
    /// Fills the queue of a port. Fails where the system has no end to it.
    pub fn start() -> io::Result<Full> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let at = listener.local_addr()?;
        let mut waiting = Vec::new();
        while waiting.len() < MOST {
            match TcpStream::connect_timeout(&at, Duration::from_millis(200)) {
                Ok(stream) => waiting.push(stream),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    return Ok(Full {
                        listener,
                        _waiting: waiting,
                    });
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("nobody is ever refused"))
    }

    /// Its address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
