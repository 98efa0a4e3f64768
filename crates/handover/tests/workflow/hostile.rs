//! Files that mean harm, and files that a slip of the keyboard has changed.

use super::EVERYTHING;
use handover::{
    Code,
    core::limits::{FILE_LEVELS_MAX, MISTAKES_MAX, STATE_CHARS_MAX, WORKFLOW_RULES_MAX, WORKFLOW_STATES_MAX},
    workflow,
};

#[test]
fn nothing_grows_without_a_bound() {
    let head = "name: x\nagents: {a: {}}\nstart: A\n";
    let states = |n: usize| (0..n).map(|i| format!("A{i}: {{agent: a}}, ")).collect::<String>();
    let rules = |n: usize| "{id: a},".repeat(n);
    let cases = [
        (format!("{head}states: {}", "[".repeat(FILE_LEVELS_MAX + 1)), Code::TooDeep),
        (format!("{head}states: {{{}}}\nrules: []", states(WORKFLOW_STATES_MAX + 1)), Code::TooLarge),
        (format!("{head}rules: [{}]\nstates: {{A: {{agent: a}}}}", rules(WORKFLOW_RULES_MAX + 1)), Code::TooLarge),
        (
            format!("{head}states: {{A: {{agent: a}}, {}: {{agent: a}}}}\nrules: []", "s".repeat(STATE_CHARS_MAX + 1)),
            Code::TooLarge,
        ),
    ];
    for (text, expected) in cases {
        let found = workflow::parse("x", &text).expect_err("it is refused").mistakes;
        assert!(found.iter().any(|mistake| mistake.code == expected), "{}: {found:?}", &text[..80]);
    }
}

/// A file with as many rules as there may be, each with something of its own.
fn with_rules(each: impl Fn(usize) -> String) -> String {
    let head = "name: x\nagents: {a: {}}\nstart: A\nstates: {A: {agent: a}, DONE: {end: completed}}\nrules:\n";
    let rule = |i| format!("- {{id: r{i}, from: a, reason: r, next_state: DONE, trigger_state: T{i}, {}}}\n", each(i));
    head.to_owned() + &(0..WORKFLOW_RULES_MAX).map(rule).collect::<String>()
}

#[test]
fn what_would_take_long_to_check_is_refused_by_the_name_of_its_bound() {
    type Each<'a> = &'a dyn Fn(usize) -> String;
    let table: [(Each<'_>, &str); 5] = [
        (&|i| format!("condition: '{}{i}>0'", "1+".repeat(198)), "CONDITION_TOKENS_MAX"),
        (&|i| format!("condition: 'session.id.matches(\"a{i}\")'"), "CONDITION_PATTERNS_MAX"),
        (&|i| format!("payload: {{schema: {{pattern: 'a{i}'}}}}"), "SCHEMA_PATTERNS_MAX"),
        (&|i| format!("payload: {{schema: {{pattern: '{}{i}'}}}}", "a".repeat(500)), "SCHEMA_PATTERN_TEXT_BYTES_MAX"),
        (&|i| format!("payload: {{schema: {{mininum: {i}}}}}"), "did you mean `minimum`?"),
    ];
    for (each, bound) in table {
        let error = workflow::parse("x", &with_rules(each)).unwrap_err();
        assert!(error.mistakes[0].message.contains(bound), "{bound}: {}", error.mistakes[0].message);
        assert!(error.mistakes.len() <= MISTAKES_MAX, "{bound}");
    }
}

#[test]
fn what_is_the_same_in_every_rule_counts_once() {
    let text = with_rules(|_| {
        let long = "outcome.ok && session.id.matches('a') && ".repeat(10) + "outcome.ok";
        format!("condition: \"{long}\", payload: {{schema: {{pattern: 'a'}}}}")
    });
    assert_eq!(workflow::parse("x", &text).unwrap().workflow.rules.len(), WORKFLOW_RULES_MAX);
}

#[test]
fn mistakes_beyond_the_bound_are_counted() {
    let rules: String = (0..500).map(|i| format!("  - {{id: {i}, from: nobody, reason: r}}\n")).collect();
    let text = format!("name: x\nagents: {{a: {{}}}}\nstart: A\nstates: {{A: {{agent: a}}}}\nrules:\n{rules}");
    let error = workflow::parse("x", &text).unwrap_err();
    assert_eq!((error.mistakes.len(), error.count()), (MISTAKES_MAX, 500));
}

#[test]
fn what_a_terminal_would_obey_is_not_shown() {
    let text = "name: \"\\e[2J\"\nagents: {a: {}}\nstart: \"\\e]0;x\\a\"\nstates: {\"\\e[1m\": {}}\nrules: []\n";
    let shown = workflow::parse("x\u{1b}[2J", text).unwrap_err().to_string();
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
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

const PIECES: [&str; 26] = [
    "\t",
    " ",
    "\n",
    ":",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "&a ",
    "*a",
    "!!int ",
    "#",
    "|",
    ">",
    "~",
    "010",
    "é",
    "writer",
    "DONE",
    "&&",
    "(",
    "to: ",
    "end: failed",
];

/// The text with a few places changed.
fn slip(text: &str, dice: &mut Dice) -> String {
    let mut chars: Vec<char> = text.chars().collect();
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

/// Whether a text is read as a workflow that can be, or refused with the place of every mistake. Gives which.
fn sound(text: &str) -> bool {
    match workflow::parse("x", text) {
        Ok(file) => {
            assert!(file.workflow.check().is_ok(), "{text}");
            true
        }
        Err(error) => {
            assert!(!error.mistakes.is_empty(), "{text}");
            for mistake in &error.mistakes {
                assert!((1..=text.lines().count() + 2).contains(&mistake.line), "{error}\n{text}");
                assert!(!mistake.hint.is_empty() && !mistake.message.is_empty(), "{error}");
            }
            false
        }
    }
}

#[test]
fn a_slip_of_the_keyboard_is_read_or_refused_with_its_place() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let all = 700;
    let good = (0..all).filter(|_| sound(&slip(EVERYTHING, &mut dice))).count();
    assert!(good > 10 && all - good > 300, "{good} of {all} are good");
}

#[test]
fn a_file_that_is_cut_is_refused_with_its_place() {
    let places = EVERYTHING.char_indices().map(|(at, _)| at).step_by(17);
    let good = places.filter(|at| sound(&EVERYTHING[..*at])).count();
    // Without its last lines it is a workflow like any other.
    assert!(good < 40, "{good}");
}
