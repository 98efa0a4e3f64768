//! Texts without quotes: what is a number or a truth, and what only looks like one.

use super::{notes::quoted, wrong::Wrong};
use handover_core::refusal::{Code, Refusal};

/// What a text without quotes is where nothing says what is expected.
pub(super) enum Plain {
    Truth(bool),
    Whole(i128),
    Number(f64),
    Text,
}

/// The types of YAML 1.2. A text that other versions read as something else is a mistake.
pub(super) fn any(text: &str) -> Result<Plain, Wrong> {
    if let Some(truth) = as_truth(text) {
        return Ok(Plain::Truth(truth));
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return Ok(Plain::Text);
    }
    if octal_or_not(text) {
        return Err(ambiguous(text));
    }
    if let Some(number) = as_whole(text) {
        return Ok(Plain::Whole(number));
    }
    Ok(as_number(text).map_or(Plain::Text, Plain::Number))
}

/// `true` or `false`.
pub(super) fn truth(text: &str) -> Result<bool, Wrong> {
    as_truth(text).ok_or_else(|| {
        let refusal = expected("true or false", text);
        match text.to_ascii_lowercase().as_str() {
            "yes" | "y" | "on" | "1" => Wrong::is(refusal.hint("write `true`")),
            "no" | "n" | "off" | "0" => Wrong::is(refusal.hint("write `false`")),
            _ => Wrong::is(refusal.hint("write `true` or `false`")),
        }
    })
}

/// A whole number between these two.
pub(super) fn whole(text: &str, min: i128, max: i128) -> Result<i128, Wrong> {
    if octal_or_not(text) {
        return Err(ambiguous(text));
    }
    let range = || match max {
        // Nobody wants to know how large the largest of all is.
        max if max >= i128::from(i64::MAX) => "write digits alone, such as `30000`".to_owned(),
        max => format!("write a whole number from {min} to {max}"),
    };
    match as_whole(text) {
        Some(number) if (min..=max).contains(&number) => Ok(number),
        Some(_) => {
            let message = format!("{} is not between {min} and {max}", quoted(text));
            Err(Wrong::is(Refusal::new(Code::OutOfRange, message).hint(range())))
        }
        None => {
            let digits: String = text.chars().filter(|c| !matches!(c, '_' | ',' | '\'' | ' ')).collect();
            let meant = as_whole(&digits).filter(|_| !octal_or_not(&digits));
            let hint = meant.map_or_else(range, |_| format!("write `{digits}`"));
            Err(Wrong::is(expected("a whole number", text).hint(hint)))
        }
    }
}

/// Any finite number.
pub(super) fn number(text: &str) -> Result<f64, Wrong> {
    if octal_or_not(text) {
        return Err(ambiguous(text));
    }
    as_number(text).ok_or_else(|| {
        let refusal = expected("a number", text);
        let point = text.replacen(',', ".", 1);
        let percent = text.strip_suffix('%').and_then(|rest| as_number(rest.trim()));
        let hint = match percent {
            Some(percent) => format!("write `{}`", percent / 100.0),
            None if as_number(&point).is_some() => format!("write `{point}`"),
            None => "write it with digits and a point, such as `0.9`".to_owned(),
        };
        Wrong::is(refusal.hint(hint))
    })
}

pub(super) fn expected(what: &str, text: &str) -> Refusal {
    Refusal::new(Code::WrongType, format!("expected {what}, found {}", quoted(text)))
}

fn as_truth(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

fn as_whole(text: &str) -> Option<i128> {
    let radix = |digits: &str, radix| {
        let ok = digits.starts_with(|c: char| c.is_ascii_alphanumeric());
        ok.then(|| i128::from_str_radix(digits, radix).ok()).flatten()
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    text.parse().ok()
}

fn as_number(text: &str) -> Option<f64> {
    // Rust also reads `inf`, `nan` and `infinity`; none of them is a setting.
    let numeric = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E'));
    let digit = text.contains(|c: char| c.is_ascii_digit());
    let number = if numeric && digit { text.parse().ok() } else { as_whole(text).map(|number| number as f64) };
    number.filter(|number: &f64| number.is_finite())
}

/// Digits after a leading zero: 8 to some readers of `010`, 10 to others.
fn octal_or_not(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit())
}

fn ambiguous(text: &str) -> Wrong {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let plain = text.trim_start_matches(['+', '-']).trim_start_matches('0');
    let plain = if plain.starts_with(|c: char| c.is_ascii_digit()) { plain.to_owned() } else { format!("0{plain}") };
    let refusal =
        Refusal::new(Code::WrongType, format!("{} begins with a zero, which some read as octal", quoted(text)));
    Wrong::is(refusal.hint(format!("write `{sign}{plain}`, or put a text in quotes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_what_yaml_says_and_nothing_else() {
        let whole = |text| whole(text, -10, 1_000).ok();
        let cases =
            [("7", Some(7)), ("-7", Some(-7)), ("+7", Some(7)), ("0x1f", Some(31)), ("0o10", Some(8)), ("0", Some(0))];
        for (text, expected) in cases {
            assert_eq!(whole(text), expected, "{text}");
        }
        for text in ["", "010", "-010", "1_000", "1,000", "7.0", "1e2", "0x", "0x-1", "seven", "1001", "-11"] {
            assert_eq!(whole(text), None, "{text}");
        }
        for (text, expected) in
            [("0.5", Some(0.5)), (".5", Some(0.5)), ("5e-1", Some(0.5)), ("1", Some(1.0)), ("-1.", Some(-1.0))]
        {
            assert_eq!(number(text).ok(), expected, "{text}");
        }
        for text in ["", ".", "e", "inf", ".inf", "nan", ".nan", "infinity", "0,5", "50%", "00.5", "1e999"] {
            assert_eq!(number(text).ok(), None, "{text}");
        }
    }

    #[test]
    fn a_hint_says_what_was_most_likely_meant() {
        let hint = |wrong: Wrong| match wrong.kind {
            super::super::wrong::Kind::Is(refusal) => refusal.hint,
            _ => String::new(),
        };
        assert_eq!(hint(truth("No").unwrap_err()), "write `false`");
        assert_eq!(hint(whole("010", 0, 99).unwrap_err()), "write `10`, or put a text in quotes");
        assert_eq!(hint(whole("-00", 0, 99).unwrap_err()), "write `-0`, or put a text in quotes");
        assert_eq!(hint(whole("30_000", 0, 99_999).unwrap_err()), "write `30000`");
        assert_eq!(hint(number("0,9").unwrap_err()), "write `0.9`");
        assert_eq!(hint(number("90%").unwrap_err()), "write `0.9`");
    }
}
