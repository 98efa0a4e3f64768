//! Addresses of resources: `handover://sessions/{id}` and others. Names are written with `%` where they must be.

use form_urlencoded::byte_serialize;

/// What an address is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Sessions,
    Session(String),
    Messages { session: String, first: Option<u64>, last: Option<u64> },
    Handoff(String),
    Agents,
    Inbox,
    Agent(String),
    Audit { session: String, after: Option<u64> },
}

/// Reads an address; nothing where it is none of ours.
pub(crate) fn read(uri: &str) -> Option<Place> {
    let rest = uri.strip_prefix("handover://")?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut parts = Vec::new();
    for part in path.split('/') {
        parts.push(decoded(part)?);
    }
    let number = |name: &str| -> Option<u64> {
        form_urlencoded::parse(query.as_bytes()).find(|(found, _)| found == name)?.1.parse().ok()
    };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["sessions"] => Some(Place::Sessions),
        ["sessions", id] if !id.is_empty() => Some(Place::Session((*id).to_owned())),
        ["sessions", id, "messages"] if !id.is_empty() => {
            Some(Place::Messages { session: (*id).to_owned(), first: number("first"), last: number("last") })
        }
        ["handoffs", id] if !id.is_empty() => Some(Place::Handoff((*id).to_owned())),
        ["agents"] => Some(Place::Agents),
        ["inbox"] => Some(Place::Inbox),
        ["agents", id] if !id.is_empty() => Some(Place::Agent((*id).to_owned())),
        ["audit", id] if !id.is_empty() => Some(Place::Audit { session: (*id).to_owned(), after: number("after") }),
        _ => None,
    }
}

/// The address of something with a name.
pub(crate) fn of(kind: &str, name: &str) -> String {
    format!("handover://{kind}/{}", encoded(name))
}

fn encoded(name: &str) -> String {
    // A space is written as `+` by forms, and names have none.
    byte_serialize(name.as_bytes()).collect()
}

fn decoded(part: &str) -> Option<String> {
    let bytes = part.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let digits = std::str::from_utf8(bytes.get(at + 1..at + 3)?).ok()?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for name in ["trip-1", "event/7/house", "mcp:é.1"] {
            assert_eq!(read(&of("sessions", name)), Some(Place::Session(name.into())), "{name}");
        }
        for (uri, place) in [
            ("handover://sessions", Some(Place::Sessions)),
            ("handover://agents/a", Some(Place::Agent("a".into()))),
            (
                "handover://sessions/s/messages?first=2&last=5",
                Some(Place::Messages { session: "s".into(), first: Some(2), last: Some(5) }),
            ),
            ("handover://audit/s?after=9", Some(Place::Audit { session: "s".into(), after: Some(9) })),
            ("handover://sessions/", None),
            ("handover://sessions/%zz", None),
            ("handover://nothing", None),
            ("file:///etc/passwd", None),
        ] {
            assert_eq!(read(uri), place, "{uri}");
        }
    }
}
