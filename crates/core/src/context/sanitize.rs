//! Cleaning what is said before it is stored: characters that no reader sees, and secrets. What was taken out is counted.
//!
//! Characters that go, because they hide text from a person while a model still reads it, or change how it is shown:
//! - control characters, except line feed and tab; line ends of every kind become a line feed; terminal colours go whole;
//! - overrides of the writing direction (U+202A–202E, U+2066–2069). Plain direction marks stay: Hebrew and Arabic need them;
//! - characters without width (U+200B, U+2060–2064, U+FEFF, U+00AD, U+180E, U+206A–206F, U+FFF9–FFFB) and the invisible
//!   copies of ASCII (U+E0000–E007F). U+200C and U+200D stay: Persian, the scripts of India and emoji need them;
//! - a variation selector that follows another one: one chooses a glyph, a row of them carries hidden bytes.

use super::secrets;
use crate::{limits, message::NewMessage};
use serde_json::Value;
use std::{collections::BTreeMap, iter::Peekable, str::Chars};

/// What was taken out, by kind.
pub type Redacted = BTreeMap<String, u64>;

/// A message as it may be stored, and what was taken out. To clean it again changes nothing.
#[must_use]
pub fn clean(mut said: NewMessage) -> (NewMessage, Redacted) {
    let mut redacted = Redacted::new();
    said.content = clean_text(said.content, &mut redacted);
    for call in &mut said.tool_calls {
        call.id = clean_text(std::mem::take(&mut call.id), &mut redacted);
        call.name = clean_text(std::mem::take(&mut call.name), &mut redacted);
        call.arguments = clean_json(call.arguments.take(), &mut redacted);
    }
    said.tool_call_id = said.tool_call_id.map(|id| clean_text(id, &mut redacted));
    said.tool_name = said.tool_name.map(|name| clean_text(name, &mut redacted));
    (said, redacted)
}

/// A text as it may be stored.
#[must_use]
pub fn clean_text(text: String, redacted: &mut Redacted) -> String {
    secrets::redact(clean_characters(text, redacted), redacted)
}

/// A value as it may be stored: every text in it is cleaned, and the value of a key like `password` goes whole.
#[must_use]
pub fn clean_json(value: Value, redacted: &mut Redacted) -> Value {
    clean_value(value, limits::JSON_DEPTH_MAX, redacted)
}

fn clean_value(value: Value, depth: usize, redacted: &mut Redacted) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
        Value::String(text) => Value::String(clean_text(text, redacted)),
        // Deeper than anything that is accepted: it cannot be looked through, so it does not pass.
        Value::Array(_) | Value::Object(_) if depth == 0 => {
            count("nested_too_deep", redacted);
            Value::String(secrets::placeholder("nested_too_deep"))
        }
        Value::Array(items) => items.into_iter().map(|item| clean_value(item, depth - 1, redacted)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| clean_field(key, value, depth - 1, redacted)).collect()
        }
    }
}

fn clean_field(key: String, value: Value, depth: usize, redacted: &mut Redacted) -> (String, Value) {
    let key = clean_text(key, redacted);
    let value = clean_value(value, depth, redacted);
    match (secrets::sensitive(&key), &value) {
        (Some(kind), Value::String(text)) if !text.is_empty() && secrets::is_secret_value(&key, text) => {
            count(kind, redacted);
            (key, Value::String(secrets::placeholder(kind)))
        }
        (Some(_) | None, _) => (key, value),
    }
}

fn count(kind: &str, redacted: &mut Redacted) {
    *redacted.entry(kind.to_owned()).or_default() += 1;
}

fn clean_characters(text: String, redacted: &mut Redacted) -> String {
    if text.bytes().all(|b| matches!(b, b'\n' | b'\t' | b' '..=b'~')) || !text.chars().any(is_suspect) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match fate(character, out.chars().next_back()) {
            Fate::Stays => out.push(character),
            Fate::LineEnd => {
                if character == '\r' && rest.peek() == Some(&'\n') {
                    rest.next();
                }
                out.push('\n');
            }
            Fate::Goes(kind) => {
                count(kind, redacted);
                if character == '\u{1b}' {
                    skip_terminal_sequence(&mut rest);
                }
            }
        }
    }
    out
}

enum Fate {
    Stays,
    LineEnd,
    Goes(&'static str),
}

fn fate(character: char, before: Option<char>) -> Fate {
    match character {
        '\n' | '\t' => Fate::Stays,
        '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Fate::LineEnd,
        c if c.is_control() => Fate::Goes("control_characters"),
        c if is_hidden(c) => Fate::Goes("hidden_characters"),
        c if is_selector(c) && before.is_some_and(is_selector) => Fate::Goes("hidden_characters"),
        _ => Fate::Stays,
    }
}

/// Whether a text with this character needs a closer look.
fn is_suspect(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{2028}' | '\u{2029}')
        || is_hidden(c)
        || is_selector(c)
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Skips what follows an escape: `[31m` would be left as litter otherwise.
fn skip_terminal_sequence(rest: &mut Peekable<Chars<'_>>) {
    if rest.next_if_eq(&'[').is_some() {
        while rest.next_if(|c| matches!(c, '0'..='?')).is_some() {}
        rest.next_if(|c| matches!(c, '@'..='~'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Role, ToolCall};
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_no_reader_sees_goes() {
        for (text, expected, kind, times) in [
            ("plain\n\ttext", "plain\n\ttext", "", 0),
            ("a\r\nb\rc\u{2028}d", "a\nb\nc\nd", "", 0),
            ("a\0b\u{7}c\u{9b}", "abc", "control_characters", 3),
            ("\u{1b}[1;31mred\u{1b}[0m", "red", "control_characters", 2),
            ("safe\u{202e}txt.exe\u{202c}", "safetxt.exe", "hidden_characters", 2),
            ("ig\u{200b}no\u{2060}re\u{feff}", "ignore", "hidden_characters", 3),
            ("hi\u{e0041}\u{e0042}", "hi", "hidden_characters", 2),
            ("❤\u{fe0f}\u{fe01}\u{e0100}!", "❤\u{fe0f}!", "hidden_characters", 2),
            ("👩\u{200d}💻 می\u{200c}خواهم \u{200f}שלום", "👩\u{200d}💻 می\u{200c}خواهم \u{200f}שלום", "", 0),
            ("AKIA\u{200b}IOSFODNN7EXAMPLE", "[redacted:aws_access_key]", "hidden_characters", 1),
        ] {
            let mut redacted = Redacted::new();
            assert_eq!(clean_text(text.to_owned(), &mut redacted), expected, "{text:?}");
            assert_eq!(redacted.get(kind).copied().unwrap_or(0), times, "{text:?}: {redacted:?}");
        }
    }

    #[test]
    fn every_part_of_a_message_is_cleaned() {
        let mut said = NewMessage::new(Role::Tool, "ghp_0123456789abcdefghij0123456789abcdef");
        said.tool_name = Some("se\0arch".into());
        said.tool_calls.push(ToolCall {
            id: "1\u{202e}".into(),
            name: "log\u{7}in".into(),
            arguments: json!({"user": "ann", "password": "opensesame", "deep": [{"note": "redis://:pw1@h"}], "pin": 7}),
        });
        let (said, redacted) = clean(said);
        assert_eq!((said.content.as_str(), said.tool_name.as_deref()), ("[redacted:github_token]", Some("search")));
        assert_eq!((said.tool_calls[0].id.as_str(), said.tool_calls[0].name.as_str()), ("1", "login"));
        assert_eq!(
            said.tool_calls[0].arguments,
            json!({"user": "ann", "password": "[redacted:password]", "deep": [{"note": "redis://:[redacted:url_password]@h"}], "pin": 7})
        );
        assert_eq!(redacted["control_characters"], 2);
        assert_eq!(redacted["password"], 1);
    }

    #[test]
    fn nothing_hides_below_the_deepest_level() {
        let mut value = json!("ghp_0123456789abcdefghij0123456789abcdef");
        for _ in 0..100 {
            value = json!([value]);
        }
        let mut redacted = Redacted::new();
        assert!(clean_json(value, &mut redacted).to_string().contains("nested_too_deep"));
    }

    /// Pieces that make up secrets, so that generated texts are full of near misses and joints.
    fn tricky() -> impl Strategy<Value = String> {
        let pieces = [
            "password",
            "=",
            ":",
            " ",
            "\"",
            "'",
            "\\",
            "[redacted:",
            "password]",
            "jwt]",
            "sk-",
            "sk-ant-",
            "AKIAIOSFODNN7EXAMPLE",
            "abcdef0123456789abcdef",
            "://",
            "user",
            "@",
            "/",
            "Bearer ",
            "eyJhbGciOiJI.",
            "\0",
            "\r",
            "\n",
            "\u{202e}",
            "\u{200b}",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "token",
            "api_key",
            "é",
            "[",
            "]",
            "\u{1b}[1",
            "-",
            ".",
            "\u{fe0f}",
            "xoxb-",
            "$",
            "(",
            "authorization: basic ",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn cleaning_again_changes_nothing(text in prop_oneof![tricky(), any::<String>()], key in tricky()) {
            let mut said = NewMessage::new(Role::User, text.clone());
            said.tool_calls.push(ToolCall { id: key.clone(), name: text.clone(), arguments: json!({ key: [text] }) });
            let (once, _) = clean(said);
            let (twice, redacted) = clean(once.clone());
            prop_assert_eq!(once, twice);
            prop_assert!(redacted.is_empty(), "{:?}", redacted);
        }
    }
}
