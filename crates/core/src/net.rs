//! Addresses (pure): which of them only this machine or its own network can reach, since whoever is told one by somebody
//! else must not be led there; and how a name is written in one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether only this machine, its network or nobody at all can reach this address.
#[must_use]
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

/// Whether a host, as an address names it, is private by its own words: a number that is, or a name of this machine. What
/// other names lead to is known only when they are looked up.
#[must_use]
pub fn is_private_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return is_private(address);
    }
    let name = bare.trim_end_matches('.').to_ascii_lowercase();
    name.is_empty() || name == "localhost" || name.ends_with(".localhost")
}

/// A name as a part of an address.
#[must_use]
pub fn encoded(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation();
    // This network and what is reserved; what providers share among customers; tests of networks; protocols' own.
    let reserved = a == 0 || a >= 240 || (a == 100 && (64..128).contains(&b)) || (a == 198 && (b == 18 || b == 19));
    special || reserved || [a, b, c] == [192, 0, 0]
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    // An address of the older kind in the dress of a newer one is what it is.
    let older = match parts {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((high, low)),
        [0x2002, high, low, ..] => Some((high, low)),
        _ => None,
    };
    if let Some((high, low)) = older {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        return is_private_v4(Ipv4Addr::new(a, b, c, d));
    }
    // What can be reached by all begins with 001; a part of it is for examples in papers.
    parts[0] & 0xe000 != 0x2000 || (parts[0] == 0x2001 && parts[1] == 0x0db8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_every_kind() {
        let private = [
            "127.0.0.1",
            "127.8.8.8",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.0.8",
            "224.0.0.1",
            "255.255.255.255",
            "203.0.113.7",
            "240.0.0.1",
            "[::1]",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "",
        ];
        let open = [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "198.20.0.1",
            "example.org",
            "2606:4700::1111",
            "[2a00::1]",
            "::ffff:8.8.8.8",
            "2002:101:101::",
        ];
        for host in private {
            assert!(is_private_host(host), "{host}");
        }
        for host in open {
            assert!(!is_private_host(host), "{host}");
        }
    }
}
