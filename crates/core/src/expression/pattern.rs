//! The patterns of `matches`. They are plain text and compiled once, so that a run never pays for a compilation.
//!
//! As CEL has it, `\d`, `\w`, `\s` and `\b` are about ASCII. That keeps patterns small too: a `\w` of all alphabets
//! takes 40 KB. A match takes time in proportion to the text and to the size of the pattern; both are bounded.

use super::{Mistake, Place};
use crate::limits;
use regex::{Regex, RegexBuilder};

/// Compiles a pattern that is right and small enough.
pub(super) fn compile(at: Place, pattern: &str) -> Result<Regex, Mistake> {
    let max = limits::EXPRESSION_PATTERN_BYTES_MAX;
    let compiled = RegexBuilder::new(&ascii(pattern)).size_limit(max).dfa_size_limit(16 * max).build();
    compiled.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            let message =
                format!("the pattern of `matches` takes more than {max} bytes (EXPRESSION_PATTERN_BYTES_MAX)");
            at.mistake(message, "make it simpler; repetitions such as `{1,100}` are costly")
        }
        error => {
            let told = error.to_string();
            let reason = told.lines().last().unwrap_or_default().trim_start_matches("error: ");
            at.mistake(
                format!("the pattern of `matches` is wrong: {reason}"),
                "write `\\\\` before a sign that stands for itself",
            )
        }
    })
}

/// The same pattern, with the classes of ASCII written out. They may stand within brackets as well.
fn ascii(pattern: &str) -> String {
    let mut written = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match (letter, if letter == '\\' { letters.next() } else { None }) {
            ('\\', Some('d')) => written.push_str("[0-9]"),
            ('\\', Some('D')) => written.push_str("[^0-9]"),
            ('\\', Some('w')) => written.push_str("[0-9A-Za-z_]"),
            ('\\', Some('W')) => written.push_str("[^0-9A-Za-z_]"),
            ('\\', Some('s')) => written.push_str(r"[\t\n\x0C\r ]"),
            ('\\', Some('S')) => written.push_str(r"[^\t\n\x0C\r ]"),
            ('\\', Some('b')) => written.push_str(r"(?-u:\b)"),
            (letter, escaped) => written.extend([letter].into_iter().chain(escaped)),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_every_day_fit_and_are_about_ascii() {
        let table = [
            (r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$", "mia@example.org", "mia"),
            (r"(?i)\b(delete|drop|truncate)\s+(table|database)\b", "please DROP  table x", "drop tables"),
            (r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
            (r"^/etc/.*\.conf$", "/etc/x/ü.conf", "/etc/x.config"),
            (r"^\d{4}-\d\d-\d\d$", "2025-01-31", "٢٠٢٥-01-31"),
            (r"^[\w.-]+$", "a_1.b-c", "übung"),
            (r"^\W\S\D\\d$", r"ü.x\d", "aaaa"),
            (r"^.{3}$", "üüü", "üü"),
            (r"\bbung", "übung", "aabung"),
        ];
        for (pattern, matching, other) in table {
            let compiled = compile(Place { line: 1, column: 1 }, pattern).unwrap();
            assert_eq!((compiled.is_match(matching), compiled.is_match(other)), (true, false), "{pattern}");
        }
    }
}
