//! Subjects. A tenant, a session or a type may have characters that mean something to NATS; each becomes one safe part.

use handover_engine::BusMessage;

/// The subject of a message of the feed: `handover.feed.<tenant>.<session>.<type>`.
pub fn of_message(prefix: &str, message: &BusMessage) -> String {
    let context = &message.context;
    let parts = [context.tenant.as_str(), context.session_id.as_str(), message.kind.as_str()].map(encoded);
    format!("{prefix}.feed.{}", parts.join("."))
}

/// All subjects of the feed. A filter of one consumer must lie within: one that ends with `>` does so here.
pub fn of_feed(prefix: &str) -> String {
    format!("{prefix}.feed.>")
}

/// All subjects of events from outside.
pub fn of_events(prefix: &str) -> String {
    format!("{prefix}.events.>")
}

/// The subject of the bells of a store.
pub fn of_bell(prefix: &str, store: &str) -> String {
    format!("{prefix}.bell.{}", encoded(store))
}

/// The tenant and the type of an event, from `handover.events.<tenant>.<type>`. A type may have several parts.
pub fn of_event(prefix: &str, subject: &str) -> Option<(String, String)> {
    let rest = subject.strip_prefix(prefix)?.strip_prefix(".events.")?;
    let (tenant, kind) = rest.split_once('.')?;
    let kind: Option<Vec<String>> = kind.split('.').map(decoded).collect();
    Some((decoded(tenant)?, kind?.join(".")))
}

/// A text as one part of a subject: `.`, `*`, `>`, `%`, blanks and control characters become `%` and their bytes in
/// hexadecimal digits; an empty text becomes `%`.
#[must_use]
pub fn encoded(text: &str) -> String {
    if text.is_empty() {
        return "%".to_owned();
    }
    let mut part = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '.' | '*' | '>' | '%') || c.is_whitespace() || c.is_control() {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                part += &format!("%{byte:02X}");
            }
        } else {
            part.push(c);
        }
    }
    part
}

/// The text of such a part; nothing where it is none.
#[must_use]
pub fn decoded(part: &str) -> Option<String> {
    if part == "%" {
        return Some(String::new());
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(part.len()), part.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(more.get(..2)?).ok()?;
        let digits = Some(digits).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &more[2..];
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_one_part_and_comes_back() {
        for text in ["acme", "a.b", "*", ">", "100 %", "", "tab\there", "größe/7:x", "\u{2028}", "%41"] {
            let part = encoded(text);
            assert!(!part.is_empty() && !part.contains(['.', '*', '>', ' ', '\t']), "{part}");
            assert!(part.chars().all(|c| !c.is_whitespace() && !c.is_control()), "{part}");
            assert_eq!(decoded(&part).as_deref(), Some(text), "{part}");
        }
        assert_eq!(encoded("v1.2"), "v1%2E2");
    }

    #[test]
    fn what_nobody_encoded_is_not_decoded() {
        for part in ["%4", "%ZZ", "a%", "%+1", "", "%FF"] {
            assert_eq!(decoded(part), None, "{part}");
        }
    }

    #[test]
    fn an_event_has_a_tenant_and_a_type_of_any_number_of_parts() {
        let of = |subject: &str| of_event("handover", subject);
        assert_eq!(of("handover.events.acme.security.alert"), Some(("acme".into(), "security.alert".into())));
        assert_eq!(of("handover.events.a%2Eb.alert"), Some(("a.b".into(), "alert".into())));
        for subject in
            ["handover.events.acme", "handover.feed.acme.alert", "other.events.acme.alert", "handover.events.%.a%"]
        {
            assert_eq!(of(subject), None, "{subject}");
        }
    }
}
