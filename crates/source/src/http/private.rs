//! Networks that are nobody else's business: loopback, private, link-local.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Looks names up and leaves out addresses in private networks, if told. The
/// address of the machine's own proxy is always taken: its owner chose it.
#[derive(Debug)]
pub(super) struct Guarded {
    inner: DefaultResolver,
    refuse: bool,
    own_proxy: bool,
}

impl Guarded {
    /// `own_proxy`: the proxy, if there is one, is the machine's.
    pub fn new(refuse: bool, own_proxy: bool) -> Self {
        Guarded {
            inner: DefaultResolver::default(),
            refuse,
            own_proxy,
        }
    }
}

/// That a name stands for private addresses only.
#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("private network")
    }
}

impl std::error::Error for Refused {}

/// Whether an error is this resolver's refusal.
pub(super) fn is_refusal(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Refused>())
}

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        let is_proxy = config
            .proxy()
            .is_some_and(|proxy| Some(proxy.host()) == uri.host());
        if !self.refuse || (is_proxy && self.own_proxy) {
            return Ok(found);
        }
        let mut public = self.inner.empty();
        for address in found.iter().filter(|address| !is_private(address.ip())) {
            public.push(*address);
        }
        match public.is_empty() {
            true => Err(ureq::Error::Io(io::Error::other(Refused))),
            false => Ok(public),
        }
    }
}

/// Whether a host name is a private address, or one that can be nothing else.
/// Through a proxy no name is looked up here, so this is all there is.
pub(super) fn is_private_name(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<IpAddr>() {
        Ok(address) => is_private(address),
        Err(_) => {
            let host = host.trim_end_matches('.');
            host == "localhost"
                || [
                    ".localhost",
                    ".local",
                    ".internal",
                    ".svc",
                    ".cluster.local",
                ]
                .iter()
                .any(|suffix| host.ends_with(suffix))
        }
    }
}

/// Whether an address is in a private network.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || a == 0
        // Carrier-grade NAT, IETF protocols, benchmarks, reserved.
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_private_v4(inner);
    }
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    // Translated addresses (64:ff9b::/96), 6to4, and IPv4 in the last bits.
    let translated = [a, b, c, d, e, f] == [0x64, 0xff9b, 0, 0, 0, 0] && is_private_v4(v4(g, h));
    let six_to_four = a == 0x2002 && is_private_v4(v4(b, c));
    let compatible = [a, b, c, d, e, f] == [0; 6];
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || (a & 0xfe00) == 0xfc00
        || (a & 0xffc0) == 0xfe80
        || translated
        || six_to_four
        || compatible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_networks_are_known() {
        for host in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "[::1]",
            "[fe80::1]",
            "[fd00::1]",
            "[::ffff:10.0.0.1]",
            "[64:ff9b::a00:1]",
            "[2002:a00:1::]",
            "[::]",
            "localhost",
            "registry.default.svc",
            "a.localhost",
        ] {
            assert!(is_private_name(host), "{host}");
        }
        for host in [
            "8.8.8.8",
            "172.32.0.1",
            "[2606:4700::1111]",
            "ghcr.io",
            "100.128.0.1",
        ] {
            assert!(!is_private_name(host), "{host}");
        }
    }
}
