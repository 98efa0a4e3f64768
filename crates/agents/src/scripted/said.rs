//! What an entry says to a question, whatever the format that it is sent in.

use super::{
    choose,
    script::{Answer, Entry, Given, Stop},
    seen::Seen,
    template::fill_json,
};
use crate::model::{Ask, Line, StopReason, TokensUsed};
use handover_core::{
    context::tokens,
    digest::Digest,
    limits::{SCRIPT_ANSWER_BYTES_MAX, SCRIPT_ARGUMENT_PIECE_CHARS, SCRIPT_PIECES_MAX},
};
use serde_json::Value;

/// An answer that is ready to be sent.
pub(super) struct Said {
    /// Hexadecimal; the same question has the same.
    pub(super) id: String,
    pub(super) model: String,
    pub(super) text: String,
    pub(super) calls: Vec<SaidCall>,
    pub(super) stop: StopReason,
    pub(super) used: TokensUsed,
}

/// A tool that is asked for.
pub(super) struct SaidCall {
    /// What follows the prefix that a format gives its ids.
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments as text, whether they are JSON or not.
    pub(super) arguments: String,
}

/// Digits of a digest that make an id.
const ID_DIGITS: usize = 12;
/// Digits that tell the calls of one conversation from those of another.
const CALL_DIGITS: usize = 6;

/// Fills in what an entry says.
pub(super) fn say(entry: &Entry, answer: &Answer, seen: &Seen<'_>) -> Said {
    let groups = choose::groups(&entry.when, seen);
    let ask = seen.ask();
    let once = answer.say.fill(seen, &groups);
    // What is filled in may be longer than the script could know.
    let repeat = answer.repeat.min((SCRIPT_ANSWER_BYTES_MAX / once.len().max(1)).max(1));
    let text = once.repeat(repeat);
    let (tag, first) = numbering(seen);
    let calls = answer.calls.iter().zip(first..).map(|((name, given), number)| {
        let arguments = match given {
            Given::Object(value) => fill_json(value, seen, &groups).to_string(),
            Given::Raw(text) => text.clone(),
        };
        SaidCall { id: format!("{tag}_{number}"), name: name.clone(), arguments }
    });
    let calls: Vec<SaidCall> = calls.collect();
    let stop = match answer.stop {
        Some(Stop::Length) => StopReason::Length,
        Some(Stop::Refused) => StopReason::Refused,
        None if answer.calls.is_empty() => StopReason::Done,
        None => StopReason::Tools,
    };
    let used = used(answer, ask, &text, &calls);
    Said { id: digits(&Digest::of_json(ask), ID_DIGITS), model: ask.model.clone(), text, calls, stop, used }
}

/// What the ids of calls of this conversation begin with, and the next number that none has yet.
fn numbering(seen: &Seen<'_>) -> (String, u64) {
    let tag = digits(&Digest::of_all([seen.agent().as_bytes(), b"\n", seen.task().as_bytes()]), CALL_DIGITS);
    let number = |id: &str| id.rsplit_once(&format!("{tag}_")).and_then(|(_, number)| number.parse::<u32>().ok());
    let calls = seen.ask().lines.iter().flat_map(|line| match line {
        Line::Model { calls, .. } => calls.as_slice(),
        Line::User(_) | Line::Results(_) => &[],
    });
    let last = calls.filter_map(|call| number(&call.id)).max().unwrap_or(0);
    (tag, u64::from(last) + 1)
}

fn digits(digest: &Digest, count: usize) -> String {
    let text = digest.to_string();
    let hex = text.rsplit(':').next().unwrap_or(&text);
    hex.chars().take(count).collect()
}

/// What the script says was used, and for the rest what a tokenizer counts.
fn used(answer: &Answer, ask: &Ask, text: &str, calls: &[SaidCall]) -> TokensUsed {
    let given = answer.usage.unwrap_or_default();
    let input = given.input.unwrap_or_else(|| asked(ask));
    let output = given.output.unwrap_or_else(|| {
        let calls = calls.iter().map(|call| tokens::count(&call.name) + tokens::count(&call.arguments));
        tokens::count(text) + calls.sum::<u64>()
    });
    TokensUsed { input, cached: given.cached, output }
}

fn asked(ask: &Ask) -> u64 {
    let json = |value: &Value| tokens::count(&value.to_string());
    let lines = ask.lines.iter().map(|line| match line {
        Line::User(text) => tokens::count(text),
        Line::Model { text, calls } => {
            let calls = calls.iter().map(|call| tokens::count(&call.name) + json(&serde_json::json!(call.arguments)));
            tokens::count(text) + calls.sum::<u64>()
        }
        Line::Results(results) => results.iter().map(|result| tokens::count(&result.content)).sum(),
    });
    let tools = ask
        .tools
        .iter()
        .map(|tool| tokens::count(&tool.name) + tokens::count(&tool.description) + json(&tool.parameters));
    tokens::count(&ask.system) + lines.sum::<u64>() + tools.sum::<u64>()
}

/// A text in the pieces that it is streamed in: its words, or more at once where there are too many.
pub(super) fn words(text: &str) -> Vec<&str> {
    let least = text.len() / SCRIPT_PIECES_MAX;
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(' ') {
        if at + 1 - start > least {
            pieces.push(&text[start..=at]);
            start = at + 1;
        }
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}

/// Arguments in the pieces that they are streamed in; a piece ends anywhere, as it does with real models.
pub(super) fn snippets(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let most = SCRIPT_ARGUMENT_PIECE_CHARS.max(text.len() / SCRIPT_PIECES_MAX);
    while !rest.is_empty() {
        let end = rest.char_indices().nth(most).map_or(rest.len(), |(at, _)| at);
        let (piece, later) = rest.split_at(end);
        pieces.push(piece);
        rest = later;
    }
    pieces
}
