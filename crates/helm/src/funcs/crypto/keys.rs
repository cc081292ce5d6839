//! Private keys: placeholders, those that a chart's values hold, and what
//! they sign.
//!
//! Making keys of RSA takes long, so all places share the same ones. Nobody
//! keeps them secret: their primes are texts of this file, hashed. The one of
//! certificates is short, where Go's has 2048 bits: signing is ten times
//! faster, and no server takes it for a real one.

use std::sync::LazyLock;

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul, Odd, Resize};
use p256::ecdsa;
use rsa::PrivateKey;
use rsa::signature::{SignatureEncoding, Signer};
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use sha2::{Digest, Sha256, Sha512};

use super::der::{self, Reader, bits, integer, sequence, value};

const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const RSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const EC_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
const NULL: [u8; 2] = [0x05, 0x00];

/// A private key.
#[derive(Clone)]
pub(super) enum Key {
    Rsa(Box<PrivateKey>),
    /// On the curve P-256.
    Ec(Box<ecdsa::SigningKey>),
    Ed25519(Box<ed25519_dalek::SigningKey>),
    /// One that signs no certificates here.
    Other,
}

/// Bytes that a text stands for.
pub(super) fn expand(text: &str, count: usize) -> Vec<u8> {
    let block = |at: u32| Sha512::digest([text.as_bytes(), &at.to_be_bytes()].concat());
    let mut out = Vec::new();
    let mut at = 0;
    while out.len() < count {
        out.extend_from_slice(&block(at));
        at += 1;
    }
    out.truncate(count);
    out
}

/// A number of a text whose last four bytes were searched so that it is what
/// it is used as.
fn searched(text: &str, count: usize, last: u32) -> Vec<u8> {
    let mut bytes = expand(&format!("fluxlint placeholder {text}"), count - 4);
    if let Some(first) = bytes.first_mut() {
        *first |= 0xc0;
    }
    bytes.extend(last.to_be_bytes());
    bytes
}

fn number(bytes: &[u8]) -> BoxedUint {
    let start = bytes
        .iter()
        .position(|byte| *byte != 0)
        .unwrap_or(bytes.len());
    BoxedUint::from_be_slice_vartime(bytes.get(start..).unwrap_or_default())
}

fn bytes_of(number: &BoxedUint) -> Box<[u8]> {
    number.to_be_bytes_trimmed_vartime()
}

fn rsa(p: Vec<u8>, q: Vec<u8>) -> Option<Key> {
    let exponent = BoxedUint::from(65_537u32);
    let key = PrivateKey::from_p_q(number(&p), number(&q), exponent).ok()?;
    Some(Key::Rsa(Box::new(key)))
}

static RSA_1024: LazyLock<Option<Key>> = LazyLock::new(|| {
    rsa(
        searched("rsa 1024 p", 64, 35),
        searched("rsa 1024 q", 64, 269),
    )
});
static RSA_4096: LazyLock<Option<Key>> = LazyLock::new(|| {
    rsa(
        searched("rsa 4096 p", 256, 741),
        searched("rsa 4096 q", 256, 1795),
    )
});
static PEM_1024: LazyLock<Option<String>> =
    LazyLock::new(|| RSA_1024.as_ref().and_then(Key::to_pem));

/// The key of certificates that are asked for without one.
pub(super) fn usual() -> Option<Key> {
    RSA_1024.clone()
}

/// A key of a type in PEM, for a place; nothing for types there are not.
pub(super) fn placeholder(ty: &str, place: &str) -> Option<String> {
    match ty {
        "" | "rsa" => RSA_4096.as_ref()?.to_pem(),
        "dsa" => Some(der::pem("DSA PRIVATE KEY", &dsa(place))),
        "ecdsa" => {
            let mut attempts = (0..8).map(|at| expand(&format!("{place} {at}"), 32));
            let key = attempts.find_map(|secret| ecdsa::SigningKey::from_slice(&secret).ok());
            Key::Ec(Box::new(key?)).to_pem()
        }
        "ed25519" => {
            let seed = expand(place, 32).try_into().ok()?;
            let key = ed25519_dalek::SigningKey::from_bytes(&seed);
            Key::Ed25519(Box::new(key)).to_pem()
        }
        _ => None,
    }
}

/// A key of DSA: `p` is a multiple of `q` and one.
fn dsa(place: &str) -> Vec<u8> {
    let q = number(&searched("dsa q", 32, 111));
    let k = number(&searched("dsa k", 224, 20));
    let one = BoxedUint::one();
    let p = q.concatenating_mul(&k).wrapping_add(&one);
    let x = number(&expand(place, 31));
    let Some(modulus) = Odd::new(p.clone()).into_option() else {
        return Vec::new();
    };
    let params = BoxedMontyParams::new(modulus);
    let power = |base: &BoxedUint, exponent: &BoxedUint| {
        let base = base.clone().resize(p.bits_precision());
        BoxedMontyForm::new(base, &params).pow(exponent).retrieve()
    };
    let g = power(&BoxedUint::from(2u32), &k);
    let y = power(&g, &x);
    let numbers = [&p, &q, &g, &y, &x].map(|number| integer(&bytes_of(number)));
    let mut parts = vec![integer(&[0])];
    parts.extend(numbers);
    sequence(&parts)
}

impl Key {
    /// Reads a key, with the words sprig refuses others in.
    pub(super) fn of_pem(text: &str) -> Result<Self, String> {
        if PEM_1024.as_deref() == Some(text)
            && let Some(key) = usual()
        {
            return Ok(key);
        }
        let (label, bytes) = der::unpem(text).ok_or("no PEM data in input")?;
        if label == "PRIVATE KEY" {
            return pkcs8(&bytes)
                .ok_or_else(|| "decoding PEM as PKCS#8: asn1: structure error".to_owned());
        }
        let Some(kind) = label.strip_suffix(" PRIVATE KEY") else {
            return Err(format!("no private key data in PEM block of type {label}"));
        };
        let key = match kind {
            "RSA" => pkcs1(&bytes),
            "EC" => sec1(&bytes, false),
            "DSA" => Reader::inside(&bytes).map(|_| Key::Other),
            _ => return Err(format!("invalid private key type {kind}")),
        };
        key.ok_or_else(|| format!("parsing {kind} private key from PEM: asn1: structure error"))
    }

    /// The key in PEM; nothing for those that are only read.
    pub(super) fn to_pem(&self) -> Option<String> {
        match self {
            Key::Rsa(key) => {
                let qinv = key.crt_coefficient()?;
                let [p, q] = key.primes() else {
                    return None;
                };
                let numbers = [
                    &BoxedUint::zero(),
                    key.n().as_ref(),
                    key.e(),
                    key.d(),
                    p,
                    q,
                    key.dp()?,
                    key.dq()?,
                    &qinv,
                ];
                let parts = numbers.map(|number| integer(&bytes_of(number)));
                Some(der::pem("RSA PRIVATE KEY", &sequence(&parts)))
            }
            Key::Ec(key) => {
                let parts = [
                    integer(&[1]),
                    value(der::OCTETS, &key.to_bytes()),
                    value(0xa0, &value(der::OID, P256)),
                    value(0xa1, &bits(&point(key))),
                ];
                Some(der::pem("EC PRIVATE KEY", &sequence(&parts)))
            }
            Key::Ed25519(key) => {
                let parts = [
                    integer(&[0]),
                    sequence(&[value(der::OID, ED25519)]),
                    value(der::OCTETS, &value(der::OCTETS, &key.to_bytes())),
                ];
                Some(der::pem("PRIVATE KEY", &sequence(&parts)))
            }
            Key::Other => None,
        }
    }

    /// The public key as certificates hold it, and its bits.
    pub(super) fn public(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let (algorithm, key) = match self {
            Key::Rsa(key) => (
                sequence(&[value(der::OID, RSA), NULL.to_vec()]),
                sequence(&[
                    integer(&bytes_of(key.n().as_ref())),
                    integer(&bytes_of(key.e())),
                ]),
            ),
            Key::Ec(key) => (
                sequence(&[value(der::OID, EC), value(der::OID, P256)]),
                point(key),
            ),
            Key::Ed25519(key) => (
                sequence(&[value(der::OID, ED25519)]),
                key.verifying_key().to_bytes().to_vec(),
            ),
            Key::Other => return None,
        };
        Some((sequence(&[algorithm, bits(&key)]), key))
    }

    /// The algorithm that the key signs with.
    pub(super) fn algorithm(&self) -> Option<Vec<u8>> {
        Some(match self {
            Key::Rsa(_) => sequence(&[value(der::OID, RSA_SHA256), NULL.to_vec()]),
            Key::Ec(_) => sequence(&[value(der::OID, EC_SHA256)]),
            Key::Ed25519(_) => sequence(&[value(der::OID, ED25519)]),
            Key::Other => return None,
        })
    }

    /// Signs what stands in a certificate.
    pub(super) fn sign(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Key::Rsa(key) => {
                let signer = rsa::pkcs1v15::SigningKey::<Sha256>::new((**key).clone());
                Some(signer.try_sign(bytes).ok()?.to_vec())
            }
            Key::Ec(key) => {
                let signature: ecdsa::Signature = key.try_sign(bytes).ok()?;
                Some(signature.to_der().as_bytes().to_vec())
            }
            Key::Ed25519(key) => Some(key.try_sign(bytes).ok()?.to_bytes().to_vec()),
            Key::Other => None,
        }
    }
}

/// The public point of a key, not compressed.
fn point(key: &ecdsa::SigningKey) -> Vec<u8> {
    key.verifying_key().to_sec1_point(false).as_bytes().to_vec()
}

fn pkcs1(bytes: &[u8]) -> Option<Key> {
    let [_, _, _, _, p, q] = Reader::inside(bytes)?.integers()?;
    rsa(p.to_vec(), q.to_vec())
}

fn sec1(bytes: &[u8], is_p256: bool) -> Option<Key> {
    let mut reader = Reader::inside(bytes)?;
    reader.take(der::INTEGER)?;
    let secret = reader.take(der::OCTETS)?;
    let named = reader
        .take(0xa0)
        .and_then(|inner| Reader::new(inner).take(der::OID));
    if !is_p256 && named != Some(P256) {
        return Some(Key::Other);
    }
    let key = ecdsa::SigningKey::from_slice(secret).ok()?;
    Some(Key::Ec(Box::new(key)))
}

fn pkcs8(bytes: &[u8]) -> Option<Key> {
    let mut reader = Reader::inside(bytes)?;
    reader.take(der::INTEGER)?;
    let mut algorithm = Reader::new(reader.take(der::SEQUENCE)?);
    let id = algorithm.take(der::OID)?;
    let inner = reader.take(der::OCTETS)?;
    match id {
        RSA => pkcs1(inner),
        EC => sec1(inner, algorithm.take(der::OID) == Some(P256)),
        ED25519 => {
            let seed = Reader::new(inner).take(der::OCTETS)?.try_into().ok()?;
            let key = ed25519_dalek::SigningKey::from_bytes(seed);
            Some(Key::Ed25519(Box::new(key)))
        }
        _ => Some(Key::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_back() {
        for ty in ["rsa", "ecdsa", "ed25519"] {
            let text = placeholder(ty, "here").unwrap();
            let key = Key::of_pem(&text).unwrap();
            assert_eq!(key.to_pem().as_deref(), Some(text.as_str()), "{ty}");
            assert!(key.sign(b"text").is_some(), "{ty}");
        }
        assert!(Key::of_pem(&placeholder("dsa", "here").unwrap()).is_ok());
        assert_eq!(placeholder("bad", "here"), None);
        assert_ne!(placeholder("ecdsa", "a"), placeholder("ecdsa", "b"));
    }

    #[test]
    fn texts_that_are_no_keys() {
        let error = |text: &str| Key::of_pem(text).err().unwrap_or_default();
        assert_eq!(error("x"), "no PEM data in input");
        assert_eq!(
            error(&der::pem("CERTIFICATE", b"x")),
            "no private key data in PEM block of type CERTIFICATE"
        );
        assert!(error(&der::pem("RSA PRIVATE KEY", b"x")).starts_with("parsing RSA"));
    }
}
