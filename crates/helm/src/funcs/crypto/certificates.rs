//! Certificates as sprig makes them, with placeholder keys.

use std::any::Any;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gotmpl::time::Time;
use gotmpl::value::{List, Object, Type};
use gotmpl::{Args, Context, Failure, Functions, Value};
use sha1::{Digest, Sha1};

use super::der::{self, Reader, bits, integer, sequence, value};
use super::keys::{self, Key};
use crate::funcs::{Answer, TEXT, unstable};

/// What the functions give: a certificate and its key, in PEM.
struct Certificate {
    cert: String,
    key: String,
}

const NAME: &str = "sprig.certificate";
const CERTIFICATE: Type = Type::Host(NAME);

impl Object for Certificate {
    fn type_name(&self) -> &'static str {
        NAME
    }

    fn fields(&self) -> &'static [&'static str] {
        &["Cert", "Key"]
    }

    fn field(&self, name: &str) -> Option<Value> {
        match name {
            "Cert" => Some(Value::from(self.cert.as_str())),
            "Key" => Some(Value::from(self.key.as_str())),
            _ => None,
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

pub(super) fn add(all: &mut Functions) {
    let (list, days) = (Type::LIST, Type::INT);
    all.add("genCA", &[TEXT, days], |cx, args| {
        ca(cx, "genCA", &args, None)
    });
    all.add("genCAWithKey", &[TEXT, days, TEXT], |cx, args| {
        ca(cx, "genCAWithKey", &args, Some(&args.text(2)))
    });
    all.add(
        "genSelfSignedCert",
        &[TEXT, list, list, days],
        |cx, args| signed(cx, "genSelfSignedCert", &args, None, None),
    );
    let with_key = [TEXT, list, list, days, TEXT];
    all.add("genSelfSignedCertWithKey", &with_key, |cx, args| {
        let name = "genSelfSignedCertWithKey";
        signed(cx, name, &args, None, Some(&args.text(4)))
    });
    let of_ca = [TEXT, list, list, days, CERTIFICATE];
    all.add("genSignedCert", &of_ca, |cx, args| {
        signed(cx, "genSignedCert", &args, Some(args.get(4)), None)
    });
    let of_ca = [TEXT, list, list, days, CERTIFICATE, TEXT];
    all.add("genSignedCertWithKey", &of_ca, |cx, args| {
        let (name, ca) = ("genSignedCertWithKey", args.get(4));
        signed(cx, name, &args, Some(ca), Some(&args.text(5)))
    });
    all.add("buildCustomCert", &[TEXT, TEXT], |cx, args| {
        custom(cx, &args)
    });
}

/// What a certificate says.
struct Wanted {
    name: String,
    serial: Vec<u8>,
    addresses: Vec<IpAddr>,
    hosts: Vec<String>,
    days: i64,
    is_ca: bool,
}

fn key_of(given: Option<&str>) -> Result<Key, String> {
    match given {
        Some(text) => Key::of_pem(text).map_err(|e| format!("parsing private key: {e}")),
        None => keys::usual().ok_or_else(|| "error generating rsa key".to_owned()),
    }
}

fn begin(cx: &mut Context<'_>, function: &'static str) -> Result<Vec<u8>, Failure> {
    unstable::record(cx, function);
    // Signing takes as long as so many actions.
    cx.steps(20_000)?;
    Ok(keys::expand(&format!("serial {}", unstable::place(cx)), 15))
}

fn ca(cx: &mut Context<'_>, function: &'static str, args: &Args<'_>, key: Option<&str>) -> Answer {
    let wanted = Wanted {
        serial: begin(cx, function)?,
        name: args.text(0).into_owned(),
        addresses: Vec::new(),
        hosts: Vec::new(),
        days: args.int(1),
        is_ca: true,
    };
    let key = key_of(key.filter(|_| !unstable::is_uniform(cx)))?;
    finish(cx, wanted, &key, None)
}

fn signed(
    cx: &mut Context<'_>,
    function: &'static str,
    args: &Args<'_>,
    ca: Option<&Value>,
    key: Option<&str>,
) -> Answer {
    let serial = begin(cx, function)?;
    let uniform = unstable::is_uniform(cx);
    let key = key_of(key.filter(|_| !uniform))?;
    let signer = ca.filter(|_| !uniform).map(Signer::of).transpose()?;
    let wanted = Wanted {
        serial,
        name: args.text(0).into_owned(),
        addresses: addresses(args.list(1))?,
        hosts: hosts(args.list(2))?,
        days: args.int(3),
        is_ca: false,
    };
    finish(cx, wanted, &key, signer.as_ref())
}

fn finish(cx: &mut Context<'_>, wanted: Wanted, key: &Key, by: Option<&Signer>) -> Answer {
    let now = unstable::now(cx);
    let wanted = match unstable::is_uniform(cx) {
        true => Wanted {
            name: "placeholder".to_owned(),
            addresses: Vec::new(),
            hosts: Vec::new(),
            days: 365,
            ..wanted
        },
        false => wanted,
    };
    let unsigned = "error creating certificate: x509: certificate private key does not implement \
                    crypto.Signer";
    let bytes = wanted.certificate(&now, key, by).ok_or(unsigned)?;
    let cert = der::pem("CERTIFICATE", &bytes);
    let key = key.to_pem().ok_or("error pem-encoding key")?;
    cx.charge(cert.len() + key.len())?;
    Ok(Value::object(Certificate { cert, key }))
}

/// Who signs a certificate that does not sign itself.
struct Signer {
    key: Key,
    /// Its subject, as it stands in its certificate.
    subject: Vec<u8>,
    /// What its certificate calls its key.
    key_id: Option<Vec<u8>>,
}

impl Signer {
    fn of(ca: &Value) -> Result<Self, String> {
        let ca = match ca {
            Value::Object(object) => object.as_any().downcast_ref::<Certificate>(),
            _ => None,
        };
        let (cert, key) = ca.map_or(("", ""), |ca| (&ca.cert, &ca.key));
        let (_, bytes) = der::unpem(cert).ok_or("unable to decode certificate")?;
        let parsed = parse(&bytes).ok_or(
            "error parsing certificate: decodedSignerCert.Bytes: x509: malformed certificate",
        )?;
        let key = Key::of_pem(key).map_err(|e| format!("error parsing private key: {e}"))?;
        Ok(Signer {
            key,
            subject: parsed.0,
            key_id: parsed.1,
        })
    }
}

/// The subject of a certificate, and what it calls its key.
fn parse(bytes: &[u8]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let mut inside = Reader::inside(Reader::inside(bytes)?.next()?.2)?;
    let (tag, ..) = inside.next()?;
    if tag == 0xa0 {
        inside.take(der::INTEGER)?;
    }
    for _ in 0..3 {
        inside.take(der::SEQUENCE)?;
    }
    let (_, _, subject) = inside.next()?;
    inside.take(der::SEQUENCE)?;
    let key_id = inside.take(0xa3).and_then(|extensions| {
        let mut extensions = Reader::inside(extensions)?;
        while let Some(extension) = extensions.take(der::SEQUENCE) {
            let mut extension = Reader::new(extension);
            if extension.take(der::OID)? == KEY_ID {
                let id = Reader::new(extension.take(der::OCTETS)?).take(der::OCTETS)?;
                return Some(id.to_vec());
            }
        }
        None
    });
    Some((subject.to_vec(), key_id))
}

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const KEY_ID: &[u8] = &[0x55, 0x1d, 0x0e];
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x0f];
const OTHER_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
const CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const ISSUER_KEY_ID: &[u8] = &[0x55, 0x1d, 0x23];
const EXTENDED_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
const SERVER: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const CLIENT: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02];
const TRUE: [u8; 3] = [0x01, 0x01, 0xff];

fn extension(id: &[u8], critical: bool, content: &[u8]) -> Vec<u8> {
    let mut parts = vec![value(der::OID, id)];
    if critical {
        parts.push(TRUE.to_vec());
    }
    parts.push(value(der::OCTETS, content));
    sequence(&parts)
}

impl Wanted {
    fn certificate(&self, now: &Time, key: &Key, by: Option<&Signer>) -> Option<Vec<u8>> {
        let signing = by.map_or(key, |by| &by.key);
        let algorithm = signing.algorithm()?;
        let (public, public_bits) = key.public()?;
        let subject = self.subject();
        let issuer = by.map_or(&subject, |by| &by.subject);
        let nanos = self.days.wrapping_mul(86_400_000_000_000);
        let validity = [date(now), date(&now.add(nanos))];
        let extensions = self.extensions(&public_bits, by);
        let body = sequence(&[
            value(0xa0, &integer(&[2])),
            integer(&self.serial),
            algorithm.clone(),
            issuer.clone(),
            sequence(&validity),
            subject.clone(),
            public,
            value(0xa3, &sequence(&extensions)),
        ]);
        let signature = signing.sign(&body)?;
        Some(sequence(&[body, algorithm, bits(&signature)]))
    }

    fn subject(&self) -> Vec<u8> {
        let is_printable =
            |byte: u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&byte);
        let tag = match self.name.bytes().all(is_printable) {
            true => 0x13,
            false => 0x0c,
        };
        if self.name.is_empty() {
            return sequence(&[]);
        }
        let name = sequence(&[
            value(der::OID, COMMON_NAME),
            value(tag, self.name.as_bytes()),
        ]);
        sequence(&[value(der::SET, &name)])
    }

    fn extensions(&self, public: &[u8], by: Option<&Signer>) -> Vec<Vec<u8>> {
        // Digital signature and key encipherment; a CA signs certificates, too.
        let usage: &[u8] = match self.is_ca {
            true => &[2, 0xa4],
            false => &[5, 0xa0],
        };
        let constraints = match self.is_ca {
            true => sequence(&[TRUE.to_vec()]),
            false => sequence(&[]),
        };
        let extended = sequence(&[value(der::OID, SERVER), value(der::OID, CLIENT)]);
        let mut all = vec![
            extension(KEY_USAGE, true, &value(der::BITS, usage)),
            extension(EXTENDED_USAGE, false, &extended),
            extension(CONSTRAINTS, true, &constraints),
        ];
        if self.is_ca {
            let id = value(der::OCTETS, &Sha1::digest(public));
            all.push(extension(KEY_ID, false, &id));
        }
        if let Some(id) = by.and_then(|by| by.key_id.as_deref()) {
            let id = sequence(&[value(0x80, id)]);
            all.push(extension(ISSUER_KEY_ID, false, &id));
        }
        let hosts = self.hosts.iter().map(|host| value(0x82, host.as_bytes()));
        let addresses = self.addresses.iter().map(|address| match address {
            IpAddr::V4(address) => value(0x87, &address.octets()),
            IpAddr::V6(address) => value(0x87, &address.octets()),
        });
        let names: Vec<Vec<u8>> = hosts.chain(addresses).collect();
        if !names.is_empty() {
            all.push(extension(OTHER_NAMES, false, &sequence(&names)));
        }
        all
    }
}

/// Dates until 2049 have two digits of their year.
fn date(time: &Time) -> Vec<u8> {
    let year = time.format(b"2006");
    let is_short = matches!(year.as_slice(), [b'2', b'0', b'0'..=b'4', _])
        || matches!(year.as_slice(), [b'1', b'9', b'5'..=b'9', _]);
    match is_short {
        true => value(0x17, &time.format(b"060102150405Z")),
        false => value(0x18, &time.format(b"20060102150405Z")),
    }
}

fn texts<'l>(
    list: Option<&'l List>,
    words: &'l str,
) -> impl Iterator<Item = Result<String, String>> + 'l {
    let items = list.map_or(&[][..], List::items).iter();
    items.map(move |item| match item {
        Value::String(text) => Ok(text.text().into_owned()),
        other => {
            let shown = gotmpl::fmt::sprintf(b"%v", std::slice::from_ref(other));
            let shown = String::from_utf8_lossy(&shown).into_owned();
            Err(format!("error {words}: {shown} is not a string"))
        }
    })
}

fn addresses(list: Option<&List>) -> Result<Vec<IpAddr>, String> {
    let address = |text: Result<String, String>| {
        let text = text?;
        text.parse()
            .map_err(|_| format!("error parsing ip: {text}"))
    };
    texts(list, "parsing ip").map(address).collect()
}

fn hosts(list: Option<&List>) -> Result<Vec<String>, String> {
    texts(list, "processing alternate dns name").collect()
}

fn custom(_: &mut Context<'_>, args: &Args<'_>) -> Answer {
    let text = |at: usize, what: &str| {
        let bytes = STANDARD.decode(args.bytes(at));
        let bytes = bytes.map_err(|_| format!("unable to decode base64 {what}"))?;
        Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (cert, key) = (text(0, "certificate")?, text(1, "private key")?);
    let (_, bytes) = der::unpem(&cert).ok_or("unable to decode certificate")?;
    parse(&bytes)
        .ok_or("error parsing certificate: decodedCert.Bytes: x509: malformed certificate")?;
    Key::of_pem(&key).map_err(|e| format!("error parsing private key: {e}"))?;
    Ok(Value::object(Certificate { cert, key }))
}
