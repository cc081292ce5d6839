//! Fetching all objects of a bucket.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use ecow::eco_format;
use flate2::Compression;
use flate2::write::GzEncoder;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{ObjectStoreExt, RetryConfig};

use super::Bucket;
use super::service::{Service, block_on};
use crate::auth::{Keys, Login};
use crate::cache::Facts;
use crate::fetch::{Fetched, Sources};
use crate::url::Url;
use crate::{Error, lock};

/// Bytes of one object; larger ones are no manifests and are left out.
const MAX_OBJECT: u64 = 64 << 20;
/// Bytes of all objects.
const MAX_ALL: u64 = 512 << 20;
/// Objects.
const MAX_OBJECTS: usize = 100_000;
/// Objects that are fetched at once; the client has limits for each host.
const PARALLEL: usize = 6;

type Builder = tar::Builder<GzEncoder<Vec<u8>>>;

/// A bucket that is being read.
struct Reader<'a> {
    bucket: &'a Bucket,
    store: AmazonS3,
    service: Service,
}

impl Sources {
    pub(super) fn fetch_bucket(&self, bucket: &Bucket, server: &Url) -> Result<Fetched, Error> {
        let reader = self.reader(bucket, server)?;
        let objects = reader.list()?;
        let bytes = reader.pack(&objects)?;
        Ok(Fetched {
            bytes,
            facts: Facts::new(),
        })
    }

    fn reader<'a>(&self, bucket: &'a Bucket, server: &Url) -> Result<Reader<'a>, Error> {
        let access = self.credentials.access(&bucket.address());
        let own = access.login.as_ref().and_then(|login| {
            let (name, secret) = login.pair()?;
            Some(Keys {
                access: name.into(),
                secret: secret.into(),
                session: None,
                whence: login.whence.clone(),
            })
        });
        let keys = own.or_else(|| self.credentials.of_bucket(server));
        let service = Service {
            client: self.client.clone(),
            tls: access.tls,
            proxy: access.proxy,
            limit: MAX_OBJECT,
            at: bucket.address(),
            login: keys.as_ref().map(|keys| {
                let (access, secret) = (&keys.access, &keys.secret);
                Login::basic(access, secret, keys.whence.clone())
            }),
            failure: Default::default(),
        };
        let region = match bucket.region.as_str() {
            "" => "us-east-1",
            region => region,
        };
        let mut builder = AmazonS3Builder::new()
            .with_endpoint(server.wire().trim_end_matches('/'))
            .with_bucket_name(bucket.name.as_str())
            .with_region(region)
            .with_allow_http(bucket.insecure)
            // The client tries again itself.
            .with_retry(RetryConfig {
                max_retries: 0,
                ..RetryConfig::default()
            })
            .with_http_connector(service.clone());
        builder = match &keys {
            Some(keys) => builder
                .with_access_key_id(keys.access.as_str())
                .with_secret_access_key(keys.secret.as_str()),
            None => builder.with_skip_signature(true),
        };
        if let Some(session) = keys.as_ref().and_then(|keys| keys.session.as_ref()) {
            builder = builder.with_token(session.as_str());
        }
        let store = builder.build();
        Ok(Reader {
            store: store.map_err(|error| Error::answer(bucket.address(), error))?,
            bucket,
            service,
        })
    }
}

impl Reader<'_> {
    /// The keys of the objects that count, sorted, and their sizes.
    fn list(&self) -> Result<Vec<(Path, u64)>, Error> {
        let prefix = Some(self.bucket.prefix.as_str()).filter(|prefix| !prefix.is_empty());
        let mut objects = Vec::new();
        let mut token = None;
        loop {
            let options = PaginatedListOptions {
                page_token: token.take(),
                ..PaginatedListOptions::default()
            };
            let page = block_on(self.store.list_paginated(prefix, options));
            let page = page.map_err(|error| self.failure(&error))?;
            let found = page.result.objects.into_iter();
            objects.extend(found.map(|object| (object.location, object.size)));
            if objects.len() > MAX_OBJECTS {
                let why = eco_format!("it has more than {MAX_OBJECTS} objects");
                return Err(Error::answer(self.bucket.address(), why));
            }
            token = page.page_token;
            if token.is_none() {
                break;
            }
        }
        objects.retain(|(_, size)| *size <= MAX_OBJECT);
        objects.sort();
        objects.dedup();
        let objects = without_directories(objects);
        let all = objects
            .iter()
            .fold(0u64, |all, (_, size)| all.saturating_add(*size));
        match all > MAX_ALL {
            true => Err(self.too_large()),
            false => Ok(objects),
        }
    }

    /// The objects as a gzipped tar file, in their order.
    fn pack(&self, objects: &[(Path, u64)]) -> Result<Vec<u8>, Error> {
        let failed = |error: io::Error| Error::answer(self.bucket.address(), error);
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut all = 0u64;
        for some in objects.chunks(PARALLEL) {
            for (path, bytes) in some.iter().map(|(path, _)| path).zip(self.get(some)?) {
                // An object that is gone since it was listed.
                let Some(bytes) = bytes else { continue };
                all = all.saturating_add(bytes.len() as u64);
                // What was listed may be a lie.
                if all > MAX_ALL {
                    return Err(self.too_large());
                }
                append(&mut archive, path.as_ref(), &bytes).map_err(failed)?;
            }
        }
        let packed = archive.into_inner().and_then(GzEncoder::finish);
        packed.map_err(failed)
    }

    /// A few objects at once, in their order.
    fn get(&self, some: &[(Path, u64)]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let got: Vec<Mutex<Option<Vec<u8>>>> = some.iter().map(|_| Mutex::default()).collect();
        let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
            let threads = some.iter().zip(&got).map(|((path, _), slot)| {
                scope.spawn(move || {
                    *lock(slot) = self.object(path)?;
                    Ok(())
                })
            });
            let threads: Vec<_> = threads.collect();
            let joined = threads.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => Err(Error::answer(self.bucket.address(), "a request was lost")),
            });
            joined.collect()
        });
        results.into_iter().collect::<Result<Vec<()>, Error>>()?;
        Ok(got.into_iter().map(|slot| lock(&slot).take()).collect())
    }

    fn object(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        let got = block_on(async { self.store.get(path).await?.bytes().await });
        match got {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failure(&error)),
        }
    }

    fn too_large(&self) -> Error {
        Error::TooLarge {
            at: self.bucket.address(),
            limit: MAX_ALL,
        }
    }

    /// What the client saw, else what the library says.
    fn failure(&self, error: &object_store::Error) -> Error {
        if let Some(error) = lock(&self.service.failure).take() {
            return error;
        }
        // Its text holds the server's answer, which may be anything.
        let text: String = error
            .to_string()
            .chars()
            .filter(|c| !c.is_control())
            .collect();
        let short = text.char_indices().nth(200);
        let short = short.map_or(text.len(), |(at, _)| at);
        let text = text.get(..short).unwrap_or_default();
        Error::answer(self.bucket.address(), text)
    }
}

/// Without the empty objects that some programs write for directories.
fn without_directories(objects: Vec<(Path, u64)>) -> Vec<(Path, u64)> {
    let directories: BTreeSet<String> = objects
        .iter()
        .filter_map(|(path, _)| Some(path.as_ref().rsplit_once('/')?.0.to_owned()))
        .collect();
    let mut objects = objects;
    objects.retain(|(path, size)| *size > 0 || !directories.contains(path.as_ref()));
    objects
}

fn append(archive: &mut Builder, path: &str, bytes: &[u8]) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, path, bytes)
}
