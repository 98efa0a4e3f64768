//! Addresses of servers: one or several, with a name and a password that nobody gets to see again.

use crate::subject::decoded;
use async_nats::ServerAddr;
use std::fmt;

/// Where the bus is: `nats://host:port`, several with commas between them, `tls://` where the way is to be secret, with
/// `name:password@` or `token@` before the host where the server asks for it.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
}

impl Address {
    /// Takes an address.
    ///
    /// # Errors
    /// When it is none. What is said does not repeat what may be a password.
    pub fn new(text: &str) -> Result<Self, String> {
        let address = Self { text: text.trim().to_owned() };
        if address.text.is_empty() {
            return Err("it is empty; an address is as nats://localhost:4222".to_owned());
        }
        for part in address.parts() {
            let scheme = part.split_once("://").map(|(scheme, _)| scheme);
            if !matches!(scheme, Some("nats" | "tls")) {
                return Err("the bus is a server of NATS: nats://host:port, or tls://host:port".to_owned());
            }
        }
        address.servers()?;
        Ok(address)
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        self.text.split(',').map(str::trim)
    }

    /// The servers.
    pub(crate) fn servers(&self) -> Result<Vec<ServerAddr>, String> {
        let server = |part: &str| part.parse::<ServerAddr>().map_err(|_| "it is no address of a server".to_owned());
        self.parts().map(server).collect()
    }

    /// Who comes in: the first part that says so holds for all servers. The client does not look for it by itself.
    pub(crate) fn login(&self) -> Login {
        let plain = |text: &str| decoded(text).unwrap_or_else(|| text.to_owned());
        for server in self.servers().unwrap_or_default() {
            match (server.username(), server.password()) {
                (Some(user), Some(password)) => return Login::Person(plain(user), plain(password)),
                (Some(token), None) => return Login::Token(plain(token)),
                (None, _) => {}
            }
        }
        Login::Anybody
    }
}

/// Who comes in, as the address says.
pub(crate) enum Login {
    Anybody,
    Token(String),
    Person(String, String),
}

/// Without names and passwords: this is what is shown and logged.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = |part: &str| {
            let (scheme, rest) = part.split_once("://").unwrap_or(("nats", part));
            format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, host)| host))
        };
        f.write_str(&self.parts().map(bare).collect::<Vec<_>>().join(","))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let address = Address::new("nats://ada:lovelace@one:4222, tls://token@two:4223").unwrap();
        assert_eq!(address.to_string(), "nats://one:4222,tls://two:4223");
        assert_eq!(format!("{address:?}"), "Address(nats://one:4222,tls://two:4223)");
        assert_eq!(address.servers().unwrap().len(), 2);
        assert!(address.servers().unwrap()[1].tls_required());
    }

    #[test]
    fn whoever_comes_in_is_found() {
        let login = |text: &str| match Address::new(text).unwrap().login() {
            Login::Anybody => String::new(),
            Login::Token(token) => token,
            Login::Person(name, password) => format!("{name} {password}"),
        };
        assert_eq!(login("nats://one"), "");
        assert_eq!(login("nats://one,nats://token@two"), "token");
        assert_eq!(login("nats://ada:love%2Flace@one"), "ada love/lace");
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_repeated() {
        for text in
            ["", "localhost:4222", "http://ada:lovelace@one", "nats://ada:lovelace@:x", "nats://one,kafka://two"]
        {
            let said = Address::new(text).unwrap_err();
            assert!(!said.contains("lovelace"), "{said}");
        }
    }
}
