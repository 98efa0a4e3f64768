//! The variables that a program gets: a small part of ours that holds no secrets, and what its configuration lists.

use std::{collections::BTreeMap, ffi::OsString};

/// Variables of ours that every program gets. A name that ends with `*` stands for all that begin so.
///
/// They say where things are and how people write here. Keys and tokens are in none of them. Proxies are not here
/// either: their address may hold a password.
pub const SAFE: [&str; 34] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "NO_COLOR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "HOMEDRIVE",
    "HOMEPATH",
];

/// The variable that tells a program where it stands in a trace.
pub const TRACEPARENT: &str = "TRACEPARENT";

/// What a program's configuration says of its variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// Variables with their values.
    pub set: BTreeMap<String, String>,
    /// Names of variables of ours that it gets as well. A name that ends with `*` stands for all that begin so.
    pub pass: Vec<String>,
}

impl Environment {
    /// What a program gets of these variables of ours.
    pub fn of(&self, ours: impl IntoIterator<Item = (OsString, OsString)>) -> BTreeMap<OsString, OsString> {
        let passes = |name: &str| {
            let listed = self.pass.iter().map(String::as_str);
            listed.chain(SAFE).any(|one| fits(one, name))
        };
        let passed = ours.into_iter().filter(|(name, _)| name.to_str().is_some_and(passes));
        passed.chain(self.set.iter().map(|(name, value)| (name.into(), value.into()))).collect()
    }

    /// The same with a variable more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.set.insert(name.to_owned(), value.into());
        self
    }
}

fn fits(listed: &str, name: &str) -> bool {
    match listed.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        // Names of variables are the same in capital letters and in small ones where these come from.
        None if cfg!(windows) => listed.eq_ignore_ascii_case(name),
        None => listed == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_here_unless_they_are_listed() {
        let ours = ["PATH", "LC_ALL", "OPENAI_API_KEY", "AWS_A", "AWS_B", "GITHUB_TOKEN", "PATHS", "HTTPS_PROXY"];
        let listed = |pass: &[&str], set: &[(&str, &str)]| {
            let environment = Environment {
                set: set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
                pass: pass.iter().map(|name| (*name).to_owned()).collect(),
            };
            let all = environment.of(ours.map(|name| (name.into(), "x".into())));
            all.iter()
                .map(|(name, value)| format!("{}={}", name.display(), value.display()))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let table = [
            (listed(&[], &[]), "LC_ALL=x PATH=x"),
            (listed(&["GITHUB_TOKEN", "NOT_SET"], &[]), "GITHUB_TOKEN=x LC_ALL=x PATH=x"),
            (listed(&["AWS_*"], &[]), "AWS_A=x AWS_B=x LC_ALL=x PATH=x"),
            (listed(&[], &[("PATH", "/bin"), ("A", "")]), "A= LC_ALL=x PATH=/bin"),
        ];
        for (given, expected) in table {
            assert_eq!(given, expected);
        }
    }
}
