//! A proxy for HTTPS that is itself every host it is asked to reach.

use std::io::{self, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::http::{conversation, read};
use crate::{Request, Response};

/// A proxy that runs as long as the program.
pub struct Proxy {
    port: u16,
    certificate: String,
}

impl Proxy {
    /// Starts a proxy that answers requests to `hosts` with `answer`, which is
    /// told the host, from many threads.
    pub fn start(
        hosts: Vec<String>,
        answer: impl Fn(&str, &Request) -> Response + Send + Sync + 'static,
    ) -> io::Result<Proxy> {
        let made = rcgen::generate_simple_self_signed(hosts).map_err(io::Error::other)?;
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .map_err(io::Error::other)?;
        let (config, answer) = (Arc::new(config), Arc::new(answer));
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, answer) = (config.clone(), answer.clone());
                std::thread::spawn(move || tunnel(&stream, config, &*answer));
            }
        });
        Ok(Proxy {
            port,
            certificate: made.cert.pem(),
        })
    }

    /// What a client takes for its proxy.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The certificate of all hosts, which a client has to trust, as PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }
}

fn tunnel(
    mut stream: &TcpStream,
    config: Arc<ServerConfig>,
    answer: &dyn Fn(&str, &Request) -> Response,
) -> Option<()> {
    let asked = read(&mut BufReader::new(stream))?;
    let host = asked.target.strip_suffix(":443")?;
    stream.write_all(b"HTTP/1.1 200 X\r\n\r\n").ok()?;
    let secret = ServerConnection::new(config).ok()?;
    conversation(StreamOwned::new(secret, stream), |request| {
        answer(host, &request)
    });
    Some(())
}
