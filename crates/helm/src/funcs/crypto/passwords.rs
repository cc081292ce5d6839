//! Passwords: derived, hashed, and as keys of AES.

use aes::Aes256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cbc::cipher::block_padding::NoPadding;
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use gotmpl::value::{Type, UintKind};
use gotmpl::{Context, Failure, Functions, Value};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::keys::expand;
use crate::funcs::{TEXT, made, unstable};

pub(super) fn add(all: &mut Functions) {
    all.add("bcrypt", &[TEXT], |cx, args| {
        let text = hashed(cx, "bcrypt", args.bytes(0));
        made(cx, text)
    });
    all.add("htpasswd", &[TEXT, TEXT], |cx, args| {
        let user = args.text(0);
        let text = match user.contains(':') {
            true => format!("invalid username: {user}"),
            false => format!("{user}:{}", hashed(cx, "htpasswd", args.bytes(1))),
        };
        made(cx, text)
    });
    let counter = Type::Uint(UintKind::Uint32);
    let params = [counter, TEXT, TEXT, TEXT, TEXT];
    all.add("derivePassword", &params, |cx, args| {
        let counter = match args.get(0) {
            Value::Uint(number, _) => u32::try_from(*number).unwrap_or_default(),
            _ => 0,
        };
        // It is made to take long.
        cx.steps(1_000_000)?;
        let of = Derived {
            counter,
            password: args.bytes(2),
            user: args.bytes(3),
            site: args.bytes(4),
        };
        let text = of.text(&args.text(1));
        made(cx, text)
    });
    all.add("encryptAES", &[TEXT, TEXT], |cx, args| {
        let text = encrypt(cx, args.bytes(0), args.bytes(1))?;
        made(cx, text)
    });
    all.add("decryptAES", &[TEXT, TEXT], |cx, args| {
        let text = decrypt(args.bytes(0), args.bytes(1))?;
        made(cx, text)
    });
}

/// What a hash of bcrypt looks like. It is none: nobody checks placeholders,
/// and making one takes long.
fn hashed(cx: &mut Context<'_>, function: &'static str, password: &[u8]) -> String {
    unstable::record(cx, function);
    if password.len() > 72 {
        return "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"
            .to_owned();
    }
    const LETTERS: &[u8] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let bytes = expand(&format!("bcrypt {}", unstable::place(cx)), 53);
    let letter = |byte: &u8| LETTERS.get(usize::from(byte % 64)).copied();
    let letters = bytes.iter().filter_map(letter).map(char::from);
    format!("$2a$10${}", letters.collect::<String>())
}

/// The characters of the letters of a pattern.
const CLASSES: &[(u8, &str)] = &[
    (b'V', "AEIOU"),
    (b'C', "BCDFGHJKLMNPQRSTVWXYZ"),
    (b'v', "aeiou"),
    (b'c', "bcdfghjklmnpqrstvwxyz"),
    (b'A', "AEIOUBCDFGHJKLMNPQRSTVWXYZ"),
    (b'a', "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz"),
    (b'n', "0123456789"),
    (b'o', "@&%?,=[]_:-+*$#!'^~;()/."),
    (
        b'x',
        "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    ),
];

/// Patterns of the types of passwords, as the Master Password algorithm has
/// them.
const PATTERNS: &[(&str, &str)] = &[
    ("maximum", "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno"),
    (
        "long",
        "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv \
         CvccCvcvCvcvno CvcvnoCvccCvcv CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc \
         CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv CvccCvccCvcvno \
         CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc \
         CvccCvcvCvccno",
    ),
    ("medium", "CvcnoCvc CvcCvcno"),
    ("short", "Cvcn"),
    ("basic", "aaanaaan aannaaan aaannaaa"),
    ("pin", "nnnn"),
];

/// What a password is derived of.
struct Derived<'a> {
    counter: u32,
    password: &'a [u8],
    user: &'a [u8],
    site: &'a [u8],
}

impl Derived<'_> {
    fn text(&self, ty: &str) -> String {
        let Some((_, patterns)) = PATTERNS.iter().find(|(known, _)| *known == ty) else {
            return format!("cannot find password template {ty}");
        };
        let Some(seed) = self.seed() else {
            return "failed to derive password".to_owned();
        };
        let patterns: Vec<&str> = patterns.split(' ').collect();
        let mut seed = seed.into_iter().map(usize::from);
        let chosen = seed.next().unwrap_or_default() % patterns.len().max(1);
        let pattern = patterns.get(chosen).copied().unwrap_or_default();
        let character = |(letter, at): (u8, usize)| {
            let (_, class) = CLASSES.iter().find(|(known, _)| *known == letter)?;
            let class = class.as_bytes();
            class.get(at % class.len().max(1)).copied().map(char::from)
        };
        pattern.bytes().zip(seed).filter_map(character).collect()
    }

    fn seed(&self) -> Option<Vec<u8>> {
        let sized = |text: &[u8]| {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            [&length.to_be_bytes(), text].concat()
        };
        const SCOPE: &[u8] = b"com.lyndir.masterpassword";
        let salt = [SCOPE, &sized(self.user)].concat();
        let params = scrypt::Params::new(15, 8, 2).ok()?;
        let mut key = [0; 64];
        scrypt::scrypt(self.password, &salt, &params, &mut key).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(&[SCOPE, &sized(self.site), &self.counter.to_be_bytes()].concat());
        Some(mac.finalize().into_bytes().to_vec())
    }
}

/// The first 32 bytes of a password, filled up with zeros.
fn key_of(password: &[u8]) -> [u8; 32] {
    let mut key = [0; 32];
    for (to, from) in key.iter_mut().zip(password) {
        *to = *from;
    }
    key
}

fn encrypt(cx: &mut Context<'_>, password: &[u8], text: &[u8]) -> Result<String, Failure> {
    if text.is_empty() {
        return Ok(String::new());
    }
    unstable::record(cx, "encryptAES");
    let start = expand(&format!("iv {}", unstable::place(cx)), 16);
    let password = if unstable::is_uniform(cx) {
        b""
    } else {
        password
    };
    let cipher = cbc::Encryptor::<Aes256>::new_from_slices(&key_of(password), &start);
    let cipher = cipher.map_err(|e| Failure::from(e.to_string()))?;
    let uniform = unstable::is_uniform(cx);
    let text = if uniform { b"placeholder" } else { text };
    let padding = 16 - text.len() % 16;
    let mut content = text.to_vec();
    content.resize(
        text.len() + padding,
        u8::try_from(padding).unwrap_or_default(),
    );
    let content = cipher.encrypt_padded_vec::<NoPadding>(&content);
    Ok(STANDARD.encode([start, content].concat()))
}

fn decrypt(password: &[u8], text: &[u8]) -> Result<Vec<u8>, Failure> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = STANDARD
        .decode(text)
        .map_err(|_| Failure::from("illegal base64 data"))?;
    let Some((start, content)) = bytes.split_at_checked(16) else {
        let words = format!(
            "slice bounds out of range [:16] with capacity {}",
            bytes.len()
        );
        return Err(format!("runtime error: {words}").into());
    };
    let cipher = cbc::Decryptor::<Aes256>::new_from_slices(&key_of(password), start);
    let cipher = cipher.map_err(|e| Failure::from(e.to_string()))?;
    let plain = cipher
        .decrypt_padded_vec::<NoPadding>(content)
        .map_err(|_| Failure::from("crypto/cipher: input not full blocks"))?;
    let padding = plain.last().map_or(0, |byte| usize::from(*byte));
    match plain.len().checked_sub(padding) {
        Some(end) if !plain.is_empty() => Ok(plain.get(..end).unwrap_or_default().to_vec()),
        _ => Err("runtime error: slice bounds out of range".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_passwords_are_sprigs() {
        let text = |counter, ty| {
            let of = Derived {
                counter,
                password: b"password",
                user: b"user",
                site: b"example.com",
            };
            of.text(ty)
        };
        assert_eq!(text(1, "long"), "ZedaFaxcZaso9*");
        assert_eq!(text(2, "long"), "Fovi2@JifpTupx");
        assert_eq!(text(1, "maximum"), "pf4zS1LjCg&LjhsZ7T2~");
        assert_eq!(text(1, "pin"), "6685");
        assert_eq!(text(1, "x"), "cannot find password template x");
    }
}
