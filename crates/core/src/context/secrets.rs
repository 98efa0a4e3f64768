//! Secrets by their looks: keys and tokens of well-known services, private keys, passwords in assignments and addresses.
//! A pattern that needs more than its looks has a second check, so that ordinary prose and code stay as they are.

use regex::{Captures, Regex, RegexSet};
use std::{collections::BTreeMap, sync::LazyLock};

/// How often what is left is looked at again. One round is enough for anything but text that was made to defeat it.
const ROUNDS_MAX: usize = 8;
/// What stands where something was; never a secret itself.
const PLACEHOLDER: &str = "[redacted:";

/// A secret: its kind, its looks (group `s` is what goes, else all of it), and what else must be true of it.
type Pattern = (&'static str, &'static str, fn(&str) -> bool);

// Word boundaries are those of ASCII: they keep the automaton fast on any text.
const PATTERNS: &[Pattern] = &[
    (
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-[^-])*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)",
        always,
    ),
    ("url_password", r"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/:@]{0,256}:(?<s>[^\s/@]{1,256})@", always),
    ("anthropic_key", r"(?-u:\b)sk-ant-[A-Za-z0-9_-]{16,}", always),
    ("openai_key", r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}", has_digit),
    ("stripe_key", r"(?-u:\b)[rs]k_(?:live|test)_[A-Za-z0-9]{16,}", always),
    ("aws_access_key", r"(?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)", always),
    ("github_token", r"(?-u:\b)(?:gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})", always),
    ("gitlab_token", r"(?-u:\b)glpat-[A-Za-z0-9_-]{20,}", always),
    ("slack_token", r"(?-u:\b)xox[abeprs]-[A-Za-z0-9-]{10,}", always),
    ("google_api_key", r"(?-u:\b)AIza[A-Za-z0-9_-]{30,}", always),
    ("jwt", r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", always),
    ("bearer_token", r"(?-u:\b)(?i-u:bearer)[ \t]+(?<s>[A-Za-z0-9._~+/=-]{16,})", has_digit),
    (
        "basic_credentials",
        r"(?i-u:authorization)[\x22']?:[ \t]*[\x22']?(?i-u:basic)[ \t]+(?<s>[A-Za-z0-9+/=]{8,})",
        always,
    ),
];

/// A name that ends like the name of a secret, a colon or an equals sign, and a value: quoted, quoted inside a quoted
/// text, or bare.
const ASSIGNMENT: &str = concat!(
    r"(?-u:\b)(?<key>[A-Za-z0-9_.-]{0,64}(?i-u:password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|",
    r"secret[_-]?key|private[_-]?key|account[_-]?key|token))\\?[\x22'`]?(?<sep>[ \t]{0,8}(?::=|[:=])[ \t]{0,8})",
    r"(?:\x22(?<double>(?:[^\x22\\\n]|\\.)+)|'(?<single>(?:[^'\\\n]|\\.)+)|\\\x22(?<inner>[^\x22\\\n]+)|",
    r"(?<bare>[^\s\x22'`,;&<>(){}\]=\\][^\s\x22'`,;&<>(){}\]\\]*)(?<call>\(?))",
);

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    let all = PATTERNS.iter().map(|(_, looks, _)| *looks).chain([ASSIGNMENT]);
    // A pattern that does not compile is a mistake that the tests find; nothing is redacted then.
    RegexSet::new(all).unwrap_or_else(|_| RegexSet::empty())
});
static COMPILED: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    PATTERNS.iter().map(|(_, looks, _)| *looks).chain([ASSIGNMENT]).map(|p| Regex::new(p).ok()).collect()
});

/// Takes the secrets out of a text and counts them by kind.
pub(super) fn redact(mut text: String, redacted: &mut BTreeMap<String, u64>) -> String {
    for _ in 0..ROUNDS_MAX {
        match round(&text, redacted) {
            Some(changed) => text = changed,
            None => return text,
        }
    }
    // What still changes was made to defeat this. None of it passes.
    *redacted.entry("tangled_text".to_owned()).or_default() += 1;
    placeholder("tangled_text")
}

/// The text after one look at each pattern; nothing when there was nothing to take out.
fn round(text: &str, redacted: &mut BTreeMap<String, u64>) -> Option<String> {
    let mut changed: Option<String> = None;
    for index in SET.matches(text) {
        let Some(Some(looks)) = COMPILED.get(index) else { continue };
        let now = changed.as_deref().unwrap_or(text);
        let next = match PATTERNS.get(index) {
            Some((kind, _, check)) => replace(looks, now, redacted, |found| {
                let secret = found.name("s").or_else(|| found.get(0))?;
                let genuine = check(secret.as_str()) && !secret.as_str().starts_with(PLACEHOLDER);
                genuine.then(|| (secret.range(), *kind))
            }),
            None => replace(looks, now, redacted, assigned),
        };
        changed = next.or(changed);
    }
    changed
}

/// Puts a placeholder where `judge` finds a secret in a match; nothing when it finds none.
fn replace(
    looks: &Regex,
    text: &str,
    redacted: &mut BTreeMap<String, u64>,
    judge: impl Fn(&Captures<'_>) -> Option<(std::ops::Range<usize>, &'static str)>,
) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (range, kind) in looks.captures_iter(text).filter_map(|found| judge(&found)) {
        out.push_str(&text[done..range.start]);
        out.push_str(&placeholder(kind));
        *redacted.entry(kind.to_owned()).or_default() += 1;
        done = range.end;
    }
    (done > 0).then(|| out + &text[done..])
}

pub(super) fn placeholder(kind: &str) -> String {
    format!("{PLACEHOLDER}{kind}]")
}

/// The secret in an assignment, if it is one.
fn assigned(found: &Captures<'_>) -> Option<(std::ops::Range<usize>, &'static str)> {
    let key = found.name("key")?.as_str();
    let kind = sensitive(key)?;
    let quoted = found.name("double").or_else(|| found.name("single")).or_else(|| found.name("inner"));
    let value = quoted.or_else(|| found.name("bare"))?;
    let text = value.as_str();
    let called = found.name("call").is_some_and(|paren| !paren.is_empty());
    // `password=x` in a command line is a password; `password: x` and `password = x` may be prose or code.
    let sure = quoted.is_some() || found.name("sep")?.as_str() == "=";
    let secret = is_secret_value(key, text) && !called && (sure || looks_chosen(text));
    secret.then(|| (value.range(), kind))
}

/// The kind of secret that a name stands for, if it stands for one.
pub(super) fn sensitive(key: &str) -> Option<&'static str> {
    const ENDINGS: &[&str] = &["password", "passwd", "passphrase", "pwd"];
    const OTHERS: &[&str] = &[
        "secret",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "accountkey",
        "apitoken",
        "accesstoken",
        "authtoken",
        "refreshtoken",
        "bearertoken",
        "sessiontoken",
        "bottoken",
    ];
    let name: String = key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return Some("password");
    }
    // A bare `token` may be a secret; a `next_page_token` is not.
    (name == "token" || OTHERS.iter().any(|ending| name.ends_with(ending))).then_some("secret")
}

/// Whether a value under such a name is a secret, and not a placeholder, a variable or a word of a schema.
pub(super) fn is_secret_value(key: &str, value: &str) -> bool {
    const WORDS: &[&str] =
        &["string", "null", "nil", "none", "true", "false", "required", "optional", "undefined", "empty", "redacted"];
    let value = value.trim();
    let (key, word) = (key.to_ascii_lowercase(), value.to_ascii_lowercase());
    let masked = value.chars().all(|c| matches!(c, '*' | '.' | '•' | 'x' | 'X' | '…' | '?' | '-' | '_'));
    // `password=password` passes an argument on.
    let echo = key.strip_suffix(&word).is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', '.']));
    let weak = key.ends_with("token") && !(value.len() >= 16 && has_digit(value));
    let word = WORDS.contains(&word.as_str()) || word.contains("environ") || word.contains("process.env");
    !(masked || echo || weak || word || is_variable(value) || value.starts_with(PLACEHOLDER))
}

/// Whether a value stands for another one: `$NAME`, `%NAME%`, `{name}`, `<name>`.
fn is_variable(value: &str) -> bool {
    let mut characters = value.chars();
    match (characters.next(), characters.next_back()) {
        (Some('$'), None) => true,
        (Some('$'), Some(_)) => {
            value[1..].starts_with(|c: char| c.is_ascii_uppercase() || matches!(c, '{' | '(' | '_'))
        }
        (Some('%'), Some('%' | 's')) | (Some('{'), Some('}')) | (Some('<'), Some('>')) => true,
        (Some(_) | None, _) => false,
    }
}

/// Whether somebody chose this as a password, rather than wrote it as a word.
fn looks_chosen(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?', ':']);
    let letter = value.chars().any(char::is_alphabetic);
    let symbol = value.contains(['@', '#', '$', '%', '^', '&', '*', '!', '+', '~']);
    let digits = value.len() >= 6 && value.bytes().all(|b| b.is_ascii_digit());
    digits || (value.chars().count() >= 4 && letter && (has_digit(value) || symbol))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

fn always(_: &str) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        redact(text.to_owned(), &mut BTreeMap::new())
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(SET.len(), PATTERNS.len() + 1);
        assert!(COMPILED.iter().all(Option::is_some));
    }

    #[test]
    fn secrets_go() {
        for (text, expected) in [
            ("key sk-ant-api03-AbCdEfGhIjKlMnOp_123 end", "key [redacted:anthropic_key] end"),
            ("sk-proj-abcdefghij0123456789XYZ", "[redacted:openai_key]"),
            ("(AKIAIOSFODNN7EXAMPLE)", "([redacted:aws_access_key])"),
            (
                "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "aws_secret_access_key = [redacted:secret]",
            ),
            ("ghp_0123456789abcdefghij0123456789abcdef", "[redacted:github_token]"),
            ("gho_0123456789abcdefghij0123456789abcdef", "[redacted:github_token]"),
            ("github_pat_11ABCDEFG0123456789_abcdef", "[redacted:github_token]"),
            ("xoxb-123456789012-abcdef", "[redacted:slack_token]"),
            ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "[redacted:google_api_key]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "[redacted:jwt]"),
            ("Authorization: Bearer abcdef0123456789.xyz", "Authorization: Bearer [redacted:bearer_token]"),
            ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:basic_credentials]"),
            ("postgres://ann:hunter2@db:5432/x", "postgres://ann:[redacted:url_password]@db:5432/x"),
            ("redis://:hunter2@cache", "redis://:[redacted:url_password]@cache"),
            ("password=opensesame&user=ann", "password=[redacted:password]&user=ann"),
            ("DB_PASSWORD=opensesame make run", "DB_PASSWORD=[redacted:password] make run"),
            ("password: hunter2", "password: [redacted:password]"),
            ("Password: 12345678.", "Password: [redacted:password]"),
            ("pwd='$ecret1'", "pwd='[redacted:password]'"),
            ("password=d", "password=[redacted:password]"),
            ("api_key: 9f8e7d6c5b4a", "api_key: [redacted:secret]"),
            ("client_secret = \"open sesame\"", "client_secret = \"[redacted:secret]\""),
            (r#"{"password": "open \"sesame\"", "a": 1}"#, r#"{"password": "[redacted:password]", "a": 1}"#),
            (r#""{\"api_key\":\"opensesame\"}""#, r#""{\"api_key\":\"[redacted:secret]\"}""#),
            ("api_key=AKIAIOSFODNN7EXAMPLE", "api_key=[redacted:aws_access_key]"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nbye",
                "[redacted:private_key]\nbye",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIEabc\n", "[redacted:private_key]"),
            ("Пароль тут: token=abcdefgh12345678ijkl", "Пароль тут: token=[redacted:secret]"),
        ] {
            assert_eq!(redacted(text), expected, "{text:?}");
            assert_eq!(redacted(expected), expected, "again: {expected:?}");
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "the password is wrong",
            "Please reset my password: it no longer works",
            "password: required",
            "password: 12-64 characters",
            "password = os.getenv(\"PASSWORD\")",
            "let password = read_line();",
            "login(user=user, password=password)",
            "password=$PASSWORD or password=${PASSWORD}",
            r#""password": "<your password>""#,
            "db_password=password",
            "password=********",
            r#"{"password": {"type": "string"}, "api_key": "string"}"#,
            "next_page_token=abcdefgh12345678ijkl",
            "max_tokens: 4096",
            "the token: a word that a lexer finds",
            "sk-learn-is-a-nice-library-for-everybody",
            "the bearer of this letter, and bearer bonds",
            "bearer authentication-is-a-scheme",
            "see https://example.com:8080/path@2x.png or mail ann@example.com",
            "http://[::1]:8080/@x",
            "task-force, risk-averse, AKIA, eyJ.a.b",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "secret santa: Friday at 5",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn they_are_counted_by_kind() {
        let mut counts = BTreeMap::new();
        redact("a://b:c1@d e://f:g2@h password=xyz".to_owned(), &mut counts);
        assert_eq!(counts, BTreeMap::from([("url_password".to_owned(), 2), ("password".to_owned(), 1)]));
    }
}
