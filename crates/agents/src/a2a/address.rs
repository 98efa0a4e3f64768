//! Where a remote agent may be. Whoever registers an agent names one place, and means it. A card may point anywhere: never to
//! a place that only this machine or its network can reach, unless that is allowed. It is looked at again when a connection
//! is made, since a name may lead elsewhere by then.

use handover_core::net::{is_private, is_private_host};
use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};
use std::{net::SocketAddr, sync::Arc};

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
    // Whatever a number was written like, it has one form by now.
    let host = url.host_str().unwrap_or_default();
    is_private_host(host).then(|| forbidden(host))
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
