//! Counting tokens with a real tokenizer (`o200k_base`), so that the token overhead of a handoff is a figure, not a guess.

use crate::message::NewMessage;
use tiktoken_rs::o200k_base_singleton;

/// Longest piece that is handed to the tokenizer at once, in bytes.
///
/// Its regular expression gives up with a panic on about a million spaces in a row, so it never sees so many.
/// A cut can split a token in two: at most one token too many for each piece.
const PIECE_BYTES_MAX: usize = 4 * 1024;

/// Tokens of a text. Names of special tokens in it count as the plain text that they are.
#[must_use]
pub fn count(text: &str) -> u64 {
    let mut tokens = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(cut(rest));
        tokens += o200k_base_singleton().count_ordinary(piece) as u64;
        rest = later;
    }
    tokens
}

/// About how many tokens a text has, where nobody said and it need not be exact: four bytes to a token.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// Where to cut: after the last line or word that fits, where there is one, else between two characters.
fn cut(text: &str) -> usize {
    if text.len() <= PIECE_BYTES_MAX {
        return text.len();
    }
    let head = &text[..text.floor_char_boundary(PIECE_BYTES_MAX)];
    match head.rfind(['\n', ' ']) {
        // The tokenizer puts a space with the word that follows it, so the cut is before the space.
        Some(at) if at > 0 => at,
        Some(_) | None => head.len(),
    }
}

/// Tokens of a message: what is said, and the tools that are asked for.
#[must_use]
pub fn of_message(said: &NewMessage) -> u64 {
    let calls = said.tool_calls.iter().map(|call| count(&call.name) + count(&call.arguments.to_string()));
    count(&said.content) + calls.sum::<u64>()
}

/// Loads the vocabulary, so that the first message does not wait for it.
pub fn warm_up() {
    let _ = o200k_base_singleton();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Role, ToolCall};
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn texts_have_their_tokens() {
        for (text, expected) in
            [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("你好，世界", 3), ("\u{0}\u{feff}", 2)]
        {
            assert_eq!(count(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_message_counts_its_tool_calls() {
        let mut said = NewMessage::new(Role::Assistant, "hello world");
        said.tool_calls.push(ToolCall { id: "1".into(), name: "search".into(), arguments: json!({"q": "rust"}) });
        assert!(of_message(&said) > count("hello world") + count("search"));
    }

    /// A million spaces are fatal when they are handed over whole.
    #[test]
    fn long_texts_without_words_are_counted_quickly() {
        for unit in [" ", "a", "\n", "\t", "é", "🙂", "a1", "-", "\u{200d}", "한"] {
            let text = unit.repeat(1024 * 1024 / unit.len()) + "x";
            let started = std::time::Instant::now();
            assert!(count(&text) > 0);
            assert!(started.elapsed().as_secs() < 20, "{unit:?} took {:?}", started.elapsed());
        }
    }

    #[test]
    fn cutting_changes_the_count_little() {
        let text = "The agent handed the task over, and nobody lost a word of it. ".repeat(400);
        let whole = o200k_base_singleton().count_ordinary(&text) as u64;
        assert!(count(&text).abs_diff(whole) <= text.len() as u64 / PIECE_BYTES_MAX as u64 + 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_text_is_too_much(text in any::<String>()) {
            prop_assert!(count(&text) <= text.len() as u64);
        }
    }
}
