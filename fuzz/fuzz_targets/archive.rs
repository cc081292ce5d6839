//! Archives of any bytes: limits hold, no path leaves the tree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vfs::ArchiveLimits;

fuzz_target!(|bytes: &[u8]| {
    let limits = ArchiveLimits::default();
    if let Ok(tree) = vfs::unpack_tar_gz(bytes, limits) {
        let _ = tree.len();
    }
});
