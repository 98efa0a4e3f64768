//! Reading the keys of an object one by one. Whatever is wrong is noted and left out, so that the rest is read too.

use super::{
    mistake::{Mistakes, meant, quoted},
    pattern::{Fit, Pattern},
    yaml::{Content, Node, Place},
};
use handover_core::limits::SCRIPT_WAIT_MS_MAX;
use std::time::Duration;

/// An object with names that are known.
pub(super) struct Fields<'n> {
    entries: Vec<(&'n str, &'n Node)>,
    pub(super) place: Place,
    /// Whether every key could be read.
    pub(super) whole: bool,
}

impl<'n> Fields<'n> {
    /// Looks at a value as an object with no other keys than these.
    pub(super) fn of(node: &'n Node, what: &str, names: &[&str], mistakes: &mut Mistakes) -> Option<Self> {
        let Content::Map(entries) = &node.content else {
            let message = format!("expected {what} with keys, found {}", node.kind());
            mistakes.add(node.place, message, format!("write `key: value`; the keys are {}", names.join(", ")));
            return None;
        };
        let mut fields = Self { entries: Vec::new(), place: node.place, whole: true };
        for (key, value) in entries {
            let name = key.text().unwrap_or_default();
            if !names.contains(&name) {
                mistakes.add(key.place, format!("{} is no key of {what}", quoted(name)), meant(name, names));
            } else if value.is_nothing() {
                mistakes.add(key.place, format!("`{name}` has no value"), "write one after the colon, or leave it out");
            } else {
                fields.entries.push((name, value));
            }
        }
        fields.whole = fields.entries.len() == entries.len();
        Some(fields)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(other, _)| *other == name).map(|(_, node)| *node)
    }

    /// The first of these keys that is given.
    pub(super) fn first_of(&self, names: &[&'static str]) -> Option<(&'static str, &'n Node)> {
        names.iter().find_map(|name| self.get(name).map(|node| (*name, node)))
    }

    pub(super) fn text(&self, name: &str, mistakes: &mut Mistakes) -> Option<&'n str> {
        let node = self.get(name)?;
        if node.text().is_none() {
            let hint = "put quotes around a text that begins with a bracket, such as \"{{user}}\"";
            mistakes.add(node.place, format!("`{name}` is a text, not {}", node.kind()), hint);
        }
        node.text()
    }

    pub(super) fn pattern(&self, name: &str, fit: Fit, mistakes: &mut Mistakes) -> Option<Pattern> {
        let text = self.text(name, mistakes)?;
        let place = self.get(name)?.place;
        if text.trim().is_empty() {
            mistakes.add(place, format!("`{name}` is an empty text"), "write what to look for, or leave the key out");
            return None;
        }
        let pattern = Pattern::parse(text, fit);
        pattern.map_err(|why| mistakes.add(place, why, "mend it, or leave out the slashes to look for a text")).ok()
    }

    /// A whole number from a least to a most.
    pub(super) fn number(&self, name: &str, range: (u64, u64), mistakes: &mut Mistakes) -> Option<u64> {
        let node = self.get(name)?;
        let (least, most) = range;
        let number = node.text().and_then(|text| text.parse().ok()).filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let found = node.text().map_or_else(|| node.kind().to_owned(), quoted);
            let range = match most {
                u64::MAX => format!(", at least {least}"),
                _ => format!(" from {least} to {most}"),
            };
            let message = format!("`{name}` is a whole number{range}, not {found}");
            mistakes.add(node.place, message, "write such a number");
        }
        number
    }

    /// A duration: `250ms`, `2s`, `1m`, or a number of seconds.
    pub(super) fn duration(&self, name: &str, mistakes: &mut Mistakes) -> Option<Duration> {
        let node = self.get(name)?;
        let milliseconds = node.text().and_then(milliseconds);
        if milliseconds.is_none() {
            let found = node.text().map_or_else(|| node.kind().to_owned(), quoted);
            let message =
                format!("`{name}` is a duration up to {SCRIPT_WAIT_MS_MAX} ms (SCRIPT_WAIT_MS_MAX), not {found}");
            mistakes.add(node.place, message, "write `250ms`, `2s`, `1m` or a number of seconds");
        }
        milliseconds.map(Duration::from_millis)
    }
}

fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let unit = match text[end..].trim_start() {
        "ms" => 1.0,
        "s" | "" => 1_000.0,
        "m" => 60_000.0,
        _ => return None,
    };
    let milliseconds = (number * unit).round();
    (milliseconds <= SCRIPT_WAIT_MS_MAX as f64).then_some(milliseconds as u64)
}
