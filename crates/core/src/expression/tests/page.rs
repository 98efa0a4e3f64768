//! The page for authors says what is so.

use super::answer;
use crate::limits;

const PAGE: &str = include_str!("../../../../../docs/reference/expressions.md");

#[test]
fn its_examples_run() {
    let block = PAGE.split("```cel\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let answers: Vec<_> = block.lines().map(answer).collect();
    // The third one chooses its second half, since there is no deadline.
    assert_eq!(answers, [Ok(false), Ok(true), Ok(true), Ok(true), Ok(true)]);
}

#[test]
fn its_bounds_and_functions_are_the_real_ones() {
    for (words, value) in [
        ("2,000 bytes", limits::EXPRESSION_BYTES_MAX),
        ("400 words", limits::EXPRESSION_TOKENS_MAX),
        ("16 nested", limits::EXPRESSION_DEPTH_MAX),
        ("250,000 steps", limits::EXPRESSION_STEPS_MAX),
    ] {
        let number: String = words.chars().filter(char::is_ascii_digit).collect();
        assert!(PAGE.contains(words) && number == value.to_string(), "{words}");
    }
    for name in crate::expression::functions::names() {
        assert!(PAGE.contains(&format!("{name}(")), "{name}");
    }
}
