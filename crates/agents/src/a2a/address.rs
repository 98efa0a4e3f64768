//! Where a remote agent may be. Whoever registers an agent names one place, and means it. A card may point anywhere: never to
//! a place that only this machine or its network can reach, unless that is allowed. It is looked at again when a connection
//! is made, since a name may lead elsewhere by then.

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

/// Whether only this machine, its network or nobody at all can reach this address.
#[must_use]
pub fn is_private(address: IpAddr) -> bool {
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
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        // Shared by the customers of a provider; tests of networks; assignments of protocols.
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0)
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    // An address of the older kind in another dress is what it is.
    let dressed = match parts {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((high, low)),
        [0x2002, high, low, ..] => Some((high, low)),
        _ => None,
    };
    if let Some((high, low)) = dressed {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        return is_private_v4(Ipv4Addr::new(a, b, c, d));
    }
    // Of the newer kind, what is given out to be reached by all begins with 001.
    parts[0] & 0xe000 != 0x2000 || (parts[0] == 0x2001 && parts[1] == 0xdb8)
}

/// Why a card may not point there; nothing when it may. `home` is the place that was configured.
#[must_use]
pub fn trouble(url: &Url, home: &Url, allow_private: bool) -> Option<String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Some("it begins with neither http:// nor https://".to_owned());
    }
    if is_home(url, home) || allow_private {
        return None;
    }
    if home.scheme() == "https" && url.scheme() == "http" {
        return Some("the card comes by https, and this address is plain http".to_owned());
    }
    let host = url.host_str().unwrap_or_default();
    // Whatever a number was written like, it has one form by now.
    let private = match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(address) => is_private(address),
        Err(_) => is_here(host),
    };
    private.then(|| forbidden(host))
}

/// Names of this machine, whatever a resolver says.
fn is_here(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn forbidden(host: &str) -> String {
    format!("{host} is a private address; it is refused unless `a2a: {{ allow_private: true }}` is set")
}

/// Whether this is the place that was configured: the same scheme, host and port.
#[must_use]
pub fn is_home(url: &Url, home: &Url) -> bool {
    url.origin() == home.origin()
}

/// Looks names up, and leaves out what is private.
pub(super) struct Public;

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let open = public(&host, found)?;
            Ok(Box::new(open.into_iter()) as Addrs)
        })
    }
}

fn public(host: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let open: Vec<SocketAddr> = found.into_iter().filter(|address| !is_private(address.ip())).collect();
    if open.is_empty() { Err(forbidden(host).into()) } else { Ok(open) }
}

/// As reqwest wants it.
pub(super) fn resolver() -> Arc<Public> {
    Arc::new(Public)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_every_kind() {
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
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "fec0::1",
        ];
        for address in private {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        let open = [
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "2002:808:808::",
        ];
        for address in open {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_card_points_only_where_it_may() {
        let home = |text: &str| Url::parse(text).unwrap();
        let (outside, here) = (home("https://agents.example.org/x"), home("http://127.0.0.1:9000"));
        let table = [
            ("https://agents.example.org/a2a", &outside, true),
            ("https://other.example.org/a2a", &outside, true),
            ("https://8.8.8.8/a2a", &outside, true),
            ("http://other.example.org/a2a", &outside, false),
            ("https://127.0.0.1/a2a", &outside, false),
            ("https://[::1]/a2a", &outside, false),
            ("https://0x7f.1/a2a", &outside, false),
            ("https://2130706433/a2a", &outside, false),
            ("https://localhost/a2a", &outside, false),
            ("https://LOCALHOST./a2a", &outside, false),
            ("https://a.localhost/a2a", &outside, false),
            ("https://169.254.169.254/latest", &outside, false),
            ("ftp://agents.example.org/a2a", &outside, false),
            ("http://127.0.0.1:9000/a2a", &here, true),
            ("http://127.0.0.1:9001/a2a", &here, false),
            ("http://10.0.0.1:9000/a2a", &here, false),
            ("http://other.example.org/a2a", &here, true),
        ];
        for (url, home, may) in table {
            let told = trouble(&Url::parse(url).unwrap(), home, false);
            assert_eq!(told.is_none(), may, "{url}: {told:?}");
            let allowed = trouble(&Url::parse(url).unwrap(), home, true);
            assert_eq!(allowed.is_none(), !url.starts_with("ftp"), "{url}");
        }
    }

    #[test]
    fn a_name_that_leads_to_a_private_address_is_refused() {
        let at = |address: &str| SocketAddr::new(address.parse().unwrap(), 0);
        let told = public("inside.example.org", vec![at("10.0.0.1"), at("::1")]).unwrap_err().to_string();
        assert!(told.contains("allow_private"), "{told}");
        assert_eq!(public("both.example.org", vec![at("10.0.0.1"), at("8.8.8.8")]).unwrap(), [at("8.8.8.8")]);
        assert!(public("nowhere.example.org", Vec::new()).is_err());
    }

    #[tokio::test]
    async fn a_name_is_looked_at_when_the_connection_is_made() {
        crate::crypto::install();
        let client = reqwest::Client::builder().no_proxy().dns_resolver(resolver()).build().unwrap();
        // Nobody listens there: a connection that is tried fails in another way.
        let error = client.get("http://localhost:1/").send().await.unwrap_err();
        let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
        let told: Vec<String> = causes.map(ToString::to_string).collect();
        assert!(told.iter().any(|cause| cause.contains("localhost is a private address")), "{told:?}");
    }
}
