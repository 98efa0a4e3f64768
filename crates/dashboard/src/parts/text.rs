//! Texts of others: shown as they are, never as part of the page, and folded where they are long.

use handover_core::limits::{FOLD_CHARS, PAGE_TEXT_CHARS_MAX};
use maud::{Markup, html};
use serde_json::Value;

/// At most this much of a text, and whether something was left out.
pub(crate) fn cut(text: &str, chars: usize) -> (&str, bool) {
    match text.char_indices().nth(chars) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// A text with its lines; what is long is folded, what is endless is cut and said so.
pub(crate) fn fold(text: &str) -> Markup {
    let (shown, more) = cut(text, FOLD_CHARS);
    if !more {
        return html! { span.words { (text) } };
    }
    let (whole, endless) = cut(text, PAGE_TEXT_CHARS_MAX);
    html! {
        details.fold {
            summary { span.words { (shown) "…" } }
            span.words { (whole) }
            @if endless { p.soft { "Cut here; the audit trail has the rest." } }
        }
    }
}

/// A text to the letter, as long as a page shows one.
pub(crate) fn cut_text(text: &str) -> &str {
    cut(text, PAGE_TEXT_CHARS_MAX).0
}

/// A short text in one line.
pub(crate) fn quoted(text: &str, chars: usize) -> Markup {
    let (shown, more) = cut(text, chars);
    let shown = shown.replace(['\n', '\r', '\t'], " ");
    html! { @if more { span title=(cut(text, 1_000).0) { (shown) "…" } } @else { (shown) } }
}

/// A name of several words that may break between them.
pub(crate) fn name(text: &str) -> Markup {
    html! { @for (at, part) in text.split_inclusive('_').enumerate() { @if at > 0 { wbr; } (part) } }
}

/// JSON, laid out and folded where it is long.
pub(crate) fn json(value: &Value) -> Markup {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let (whole, endless) = cut(&text, PAGE_TEXT_CHARS_MAX);
    let code = html! {
        pre tabindex="0" { code { (whole) } }
        @if endless { p.soft { "Cut here; the audit trail has the rest." } }
    };
    if text.chars().count() <= FOLD_CHARS {
        return code;
    }
    let lines = text.lines().count();
    html! { details.fold { summary { "JSON, " (lines) " lines" } (code) } }
}

/// What somebody gave: a text as text, all else as JSON.
pub(crate) fn body(value: &Value) -> Markup {
    match value {
        Value::Null => html! {},
        Value::String(text) => fold(text),
        other => json(other),
    }
}

/// Money: two digits, more where it is little.
pub(crate) fn money(cost: f64) -> String {
    match cost {
        _ if cost == 0.0 => "0".to_owned(),
        _ if cost.abs() < 0.01 => format!("{cost:.4}"),
        _ => format!("{cost:.2}"),
    }
}

/// Money that is counted in millionths.
#[expect(clippy::cast_precision_loss, reason = "what people read has few digits")]
pub(crate) fn micros(cost: u64) -> String {
    money(cost as f64 / 1e6)
}
