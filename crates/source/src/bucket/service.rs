//! The library's requests, sent by the client that sends all others.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use ecow::EcoString;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use ureq::http::{Method, Response, header};

use crate::auth::Login;
use crate::http::{Ask, Client, Proxy, TlsFiles};
use crate::url::Url;
use crate::{Error, lock};

/// Sends requests to one server.
#[derive(Clone)]
pub(super) struct Service {
    pub client: Arc<Client>,
    pub tls: Option<TlsFiles>,
    pub proxy: Option<Proxy>,
    /// Bytes of an answer.
    pub limit: u64,
    /// The address that messages name.
    pub at: EcoString,
    /// Whose keys sign the requests, if they are signed.
    pub login: Option<Login>,
    /// What went wrong last. The library's own errors do not always tell.
    pub failure: Arc<Mutex<Option<Error>>>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Service")
    }
}

impl Service {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, Error> {
        let url = Url::parse(&request.uri().to_string())?;
        if request.method() != Method::GET {
            return Err(Error::answer(url.bare(), "buckets are only read"));
        }
        let headers = request.headers().iter().filter(|(name, _)| {
            // The client's own business.
            ![header::HOST, header::CONTENT_LENGTH, header::USER_AGENT].contains(name)
        });
        let headers: Vec<(&str, &str)> = headers
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect();
        let reply = self.client.send(&Ask {
            headers: &headers,
            tls: self.tls.as_ref(),
            proxy: self.proxy.as_ref(),
            stays: true,
            ..Ask::new(&url, self.limit)
        })?;
        // An object may be gone since it was listed.
        let is_object = !url.wire().contains("list-type=");
        if !(reply.is_success() || (reply.status == 404 && is_object)) {
            let failure = reply.failure(self.at.clone(), self.login.as_ref());
            *lock(&self.failure) = Some(failure);
        }
        let mut response = Response::builder().status(reply.status);
        let kept = reply.headers.iter().filter(|(name, _)| {
            !matches!(
                name.as_str(),
                "content-length" | "transfer-encoding" | "connection"
            )
        });
        for (name, value) in kept {
            response = response.header(name, value);
        }
        response
            .header(header::CONTENT_LENGTH, reply.body.len())
            .body(HttpResponseBody::from(reply.body))
            .map_err(|error| Error::answer(url.bare(), error))
    }
}

impl HttpService for Service {
    fn call<'life0, 'async_trait>(
        &'life0 self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        // Waits here, not in a runtime.
        let result = self.send(&request).map_err(|error| {
            let known = HttpError::new(HttpErrorKind::Unknown, error.clone());
            *lock(&self.failure) = Some(error);
            known
        });
        Box::pin(std::future::ready(result))
    }
}

impl HttpConnector for Service {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// Runs what never has to wait for a runtime.
pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
