//! Files that mean harm, and files that a slip of the keyboard has changed.

use super::EXAMPLE;
use handover::{
    Code,
    core::limits::{FILE_BYTES_MAX, FILE_LEVELS_MAX},
    settings,
};
use std::fmt::Write;

/// The first code that a text is refused with.
fn code(text: &str) -> Code {
    settings::parse("x", text).expect_err("it is refused").mistakes[0].code
}

#[test]
fn nothing_grows_without_a_bound() {
    let mut bomb = "agents:\n  - id: a\n    examples:\n      - &x0 [a, a, a, a, a, a, a, a]\n".to_owned();
    for i in 1..20 {
        let _ = writeln!(bomb, "      - &x{i} [{}]", vec![format!("*x{}", i - 1); 8].join(", "));
    }
    let deep = FILE_LEVELS_MAX + 1;
    let cases = [
        (bomb, Code::TooLarge),
        (format!("agents: {}", "[".repeat(100_000)), Code::TooDeep),
        (format!("agents: {}{}", "[".repeat(deep), "]".repeat(deep)), Code::TooDeep),
        (format!("agents: {}a", "{a: ".repeat(100_000)), Code::TooDeep),
        (format!("agents:\n{}a", "- ".repeat(100_000)), Code::TooDeep),
        (" ".repeat(FILE_BYTES_MAX + 1), Code::TooLarge),
        (format!("agents: [{}]", "a,".repeat(500_001)), Code::TooLarge),
        (format!("agents: [{}]", "{},".repeat(100_001)), Code::TooLarge),
        (format!("agents: [{}]", "{id: a},".repeat(5_000)), Code::DuplicateId),
        (format!("{}: a", "k".repeat(1_000_000)), Code::NotYaml),
    ];
    for (text, expected) in cases {
        assert_eq!(code(&text), expected, "{}", &text[..40]);
    }
}

#[test]
fn what_a_terminal_would_obey_is_not_shown() {
    let text = "agents:\n  - id: a\n    kind: \"\\e[2J\"\n  - id: b\n    \"\\e]0;x\\a\": 1\n";
    let shown = settings::parse("x\u{1b}[2J", text).unwrap_err().to_string();
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
}

#[test]
fn a_long_line_is_cut_around_the_mistake() {
    let text = format!(
        "agents:\n  - {{id: a, name: {}, kind: robot, description: {}}}\n",
        "n".repeat(15_000),
        "d".repeat(5_000)
    );
    let shown = settings::parse("x", &text).unwrap_err().to_string();
    assert!(shown.lines().all(|line| line.chars().count() < 140), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let caret = lines[4].find('^').unwrap();
    assert_eq!(&lines[3][caret..caret + 5], "robot");
}

/// A small generator whose numbers are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, max: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % max.max(1) as u64).unwrap_or_default()
    }
}

const PIECES: [&str; 28] = [
    "\t", " ", "\n", "\r", ":", "- ", "{", "}", "[", "]", "\"", "'", "&a ", "*a", "!!int ", "#", "|", ">", "%",
    "---\n", "? ", "<<: ", "é", "\u{feff}", "\0", "~", "010", "\u{2028}",
];

/// The example with a few places changed.
fn slip(dice: &mut Dice) -> String {
    let mut chars: Vec<char> = EXAMPLE.chars().collect();
    for _ in 0..=dice.below(4) {
        let at = dice.below(chars.len());
        match dice.below(4) {
            0 => drop(chars.remove(at)),
            1 => drop(chars.drain(at..(at + dice.below(60)).min(chars.len()))),
            2 => drop(chars.splice(at..at, PIECES[dice.below(PIECES.len())].chars())),
            _ => {
                let from = dice.below(chars.len());
                let piece: Vec<char> = chars[from..(from + dice.below(60)).min(chars.len())].to_vec();
                drop(chars.splice(at..at, piece));
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn a_slip_of_the_keyboard_is_read_or_refused_with_its_place() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..1_500 {
        let text = slip(&mut dice);
        match settings::parse("x", &text) {
            Ok(_) => good += 1,
            Err(error) => {
                bad += 1;
                assert!(!error.to_string().is_empty() && !error.mistakes.is_empty());
                for mistake in &error.mistakes {
                    // A text that is not closed is missed at the end, after the last line.
                    assert!((1..=text.lines().count() + 2).contains(&mistake.line), "{error}\n{text}");
                    assert!(!mistake.hint.is_empty() && !mistake.message.is_empty(), "{error}");
                }
            }
        }
    }
    assert!(good > 50 && bad > 500, "{good} good, {bad} bad");
}
