//! A summary without a model: the sentences that say most, as they were said, with who said them and where.
//! The number before each sentence is the number of its message, so that the receiver can ask for the rest of it.

use super::terms::{self, Counts, Terms};
use crate::{
    handoff::Request,
    limits,
    message::{Class, Message, Role},
};

/// How much overlap with the task weighs against what the conversation is about.
const TASK_WEIGHT: f64 = 2.0;
/// Below this share of the best score, a sentence says too little to take up room.
const SCORE_MIN: f64 = 0.35;
/// Two sentences that share more of their terms than this say the same.
const SAME_MIN: f64 = 0.6;

struct Sentence<'a> {
    message: &'a Message,
    text: &'a str,
    terms: Terms,
    score: f64,
}

/// The summary of some messages; nothing when they say nothing.
pub(super) fn extract(request: &Request, messages: &[&Message]) -> Option<String> {
    let mut sentences: Vec<Sentence<'_>> = messages.iter().flat_map(|message| sentences(message)).collect();
    score(&terms::of_request(request), &mut sentences);
    let least = SCORE_MIN * sentences.iter().map(|sentence| sentence.score).fold(f64::MIN_POSITIVE, f64::max);
    let mut best: Vec<usize> = (0..sentences.len()).filter(|index| sentences[*index].score >= least).collect();
    best.sort_by(|a, b| sentences[*b].score.total_cmp(&sentences[*a].score).then(a.cmp(b)));
    let mut chosen: Vec<usize> = Vec::new();
    for index in best {
        let repeats = chosen.iter().any(|other| alike(&sentences[index].terms, &sentences[*other].terms) > SAME_MIN);
        if !repeats && chosen.len() < limits::SUMMARY_SENTENCES {
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    let lines: Vec<String> = chosen.into_iter().map(|index| line(&sentences[index])).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn line(sentence: &Sentence<'_>) -> String {
    let mut text: String = sentence.text.chars().take(limits::SUMMARY_SENTENCE_CHARS_MAX).collect();
    if text.len() < sentence.text.len() {
        text.push('…');
    }
    format!("#{} {}: {text}", sentence.message.n, speaker(sentence.message))
}

/// Who said it, on one line.
pub(super) fn speaker(message: &Message) -> String {
    match (message.said.role, &message.said.agent, &message.said.tool_name) {
        (Role::Tool, _, Some(name)) => format!("tool {}", one_line(name)),
        (Role::Tool, _, None) => "tool".to_owned(),
        (Role::System | Role::User | Role::Assistant, Some(agent), _) => agent.to_string(),
        (Role::System, None, _) => "system".to_owned(),
        (Role::User, None, _) => "user".to_owned(),
        (Role::Assistant, None, _) => "assistant".to_owned(),
    }
}

/// A name that cannot pass for more than a name.
pub(super) fn one_line(name: &str) -> String {
    const NAME_CHARS_MAX: usize = 80;
    let tame = |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
    name.chars().take(NAME_CHARS_MAX).map(tame).collect()
}

fn sentences(message: &Message) -> Vec<Sentence<'_>> {
    let content = &message.said.content;
    split(&content[..content.floor_char_boundary(limits::VIEW_BYTES_PER_MESSAGE)])
        .into_iter()
        .map(|text| Sentence { message, text, terms: Terms::of(terms::of_text(text)), score: 0.0 })
        .collect()
}

/// Splits at line ends, at the full stops of any script, and at `.`, `!`, `?` before a space.
fn split(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let spaced = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends = match c {
            '\n' | '。' | '！' | '？' | '｡' | '।' | '؟' | '۔' | '።' => true,
            '.' | '!' | '?' | '…' => spaced,
            _ => false,
        };
        if ends {
            sentences.push(&text[start..at + c.len_utf8()]);
            start = at + c.len_utf8();
        }
    }
    sentences.push(&text[start..]);
    sentences.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

/// What a sentence is about, how much that bears on the task, who says it and where it stands.
fn score(wanted: &Terms, sentences: &mut [Sentence<'_>]) {
    let mut spread = Counts::default();
    for term in sentences.iter().flat_map(|sentence| sentence.terms.iter()) {
        *spread.entry(term).or_default() += 1.0;
    }
    let all = sentences.len().max(1) as f64;
    for (index, sentence) in sentences.iter_mut().enumerate() {
        // Terms that come again carry the subject; those of every other sentence are mere grammar.
        let weight_of = |term| {
            let times = spread.get(&term).filter(|times| **times <= (all / 2.0).max(1.0))?;
            let bearing = if wanted.contains(term) { TASK_WEIGHT } else { 0.0 };
            Some(terms::weight(term) * ((1.0 + times).ln() + bearing))
        };
        let says: f64 = sentence.terms.iter().filter_map(weight_of).sum();
        let length = (sentence.terms.len().max(4) as f64).sqrt();
        // The beginning says what is wanted, the end says how things stand.
        let place = 1.0 + (2.0 * index as f64 / all - 1.0).abs() / 2.0;
        sentence.score = says / length * place * weight(sentence.message);
    }
}

/// People and agents tell the story; the output of tools and instructions to others rarely do.
fn weight(message: &Message) -> f64 {
    match (message.said.class(), message.said.role) {
        (Class::Talk, Role::User) => 1.5,
        (Class::Talk | Class::ToolCall, _) => 1.0,
        (Class::Reasoning | Class::Aside, _) => 0.6,
        (Class::ToolResult, _) => 0.5,
        (Class::System, _) => 0.3,
    }
}

/// The share of terms that two sentences have in common.
fn alike(one: &Terms, other: &Terms) -> f64 {
    let shared = one.shared_with(other);
    shared as f64 / (one.len() + other.len() - shared).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_sentences() {
        for (text, expected) in [
            ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
            ("Version 1.5 of handover.rs is out", vec!["Version 1.5 of handover.rs is out"]),
            ("第一句。第二句！", vec!["第一句。", "第二句！"]),
            ("a\n\n b ", vec!["a", "b"]),
            ("", vec![]),
        ] {
            assert_eq!(split(text), expected);
        }
    }
}
