//! Checksums.

use gotmpl::Functions;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{TEXT, text_of};

pub(super) fn add(all: &mut Functions) {
    text_of(all, "sha1sum", &[TEXT], |args| {
        hex(&Sha1::digest(args.bytes(0)))
    });
    text_of(all, "sha256sum", &[TEXT], |args| {
        hex(&Sha256::digest(args.bytes(0)))
    });
    text_of(all, "sha512sum", &[TEXT], |args| {
        hex(&Sha512::digest(args.bytes(0)))
    });
    text_of(all, "adler32sum", &[TEXT], |args| {
        adler32(args.bytes(0)).to_string()
    });
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn adler32(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}
