//! What can go wrong in a run. A fault is small, because `||` and loops may yet overrule it; its words are made at the end.

use super::{
    Place, Trouble, listed, meant,
    node::{Node, Operator},
    number::NoNumber,
    quoted,
    value::Value,
};
use crate::limits;

/// What went wrong, and where.
#[derive(Debug)]
pub(super) struct Fault<'a> {
    pub(super) at: Place,
    pub(super) why: Why<'a>,
}

pub(super) enum Why<'a> {
    /// It took too many steps. Nothing overrules this.
    Spent,
    NoRoot(&'a str),
    NoKey {
        of: &'a Node,
        map: &'a serde_json::Map<String, serde_json::Value>,
        key: Value<'a>,
    },
    NoItem {
        of: &'a Node,
        length: usize,
    },
    NoParts {
        of: &'a Node,
        value: Value<'a>,
    },
    BadIndex {
        of: Value<'a>,
        index: Value<'a>,
    },
    NotBool {
        of: &'a Node,
        value: Value<'a>,
    },
    NoLoop {
        of: &'a Node,
        value: Value<'a>,
    },
    Mixed {
        operator: Operator,
        left: Value<'a>,
        right: Value<'a>,
    },
    NoNumber(NoNumber),
    BadArgument {
        function: &'static str,
        wanted: &'static str,
        value: Value<'a>,
    },
}

impl std::fmt::Debug for Why<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.words().0)
    }
}

impl<'a> Fault<'a> {
    pub(super) fn new(node: &Node, why: Why<'a>) -> Self {
        Self { at: node.at, why }
    }

    /// Whether `||`, `&&` and loops may overrule it, when the answer does not depend on what failed.
    pub(super) fn may_be_overruled(&self) -> bool {
        !matches!(self.why, Why::Spent)
    }

    pub(super) fn trouble(&self) -> Trouble {
        let (message, hint) = self.why.words();
        Trouble { message, line: self.at.line, column: self.at.column, hint }
    }
}

impl Why<'_> {
    fn words(&self) -> (String, String) {
        match self {
            Self::Spent => (
                format!("it takes more than {} steps (EXPRESSION_STEPS_MAX)", limits::EXPRESSION_STEPS_MAX),
                "look at fewer or shorter lists and texts; a loop within a loop multiplies".to_owned(),
            ),
            Self::NoRoot(name) => {
                (format!("there is no {}", quoted(name)), "this is a name that was promised".to_owned())
            }
            Self::NoKey { of, map, key } => no_key(of, map, key),
            Self::NoItem { of, length } => (
                format!("{} has {length} items, and this one is not among them", named(of)),
                "items count from 0; write `size(list) > 0 && …` if there may be none".to_owned(),
            ),
            Self::NoParts { of, value } => (
                format!("{} is {}, which has no keys", named(of), value.words()),
                "only a map has keys; compare with `null` before if it may be null".to_owned(),
            ),
            Self::BadIndex { of, index } => (
                format!("{} cannot be the index of {}", index.words(), of.words()),
                "a list has whole numbers from 0, a map has texts".to_owned(),
            ),
            Self::NotBool { of, value } => (
                format!("{} is {}, not true or false", named(of), value.words()),
                "compare it with something".to_owned(),
            ),
            Self::NoLoop { of, value } => (
                format!("{} is {}, not a list", named(of), value.words()),
                "a loop goes through a list or the keys of a map".to_owned(),
            ),
            Self::Mixed { operator, left, right } => mixed(*operator, left, right),
            Self::NoNumber(NoNumber::ByZero) => {
                ("a number is divided by zero".to_owned(), "write `x != 0 && …` if it may be zero".to_owned())
            }
            Self::NoNumber(NoNumber::TooLarge) => {
                ("the result is too large a number".to_owned(), "use smaller numbers".to_owned())
            }
            Self::NoNumber(NoNumber::NotWhole) => {
                ("`%` is for whole numbers".to_owned(), "write `int(x) % 2`".to_owned())
            }
            Self::BadArgument { function, wanted, value } => (
                format!("{} cannot take {}", quoted(function), shown(value)),
                format!("{} takes {wanted}", quoted(function)),
            ),
        }
    }
}

fn no_key(of: &Node, map: &serde_json::Map<String, serde_json::Value>, key: &Value<'_>) -> (String, String) {
    let key = key.text().unwrap_or_default();
    let keys = || map.keys().map(String::as_str);
    let more = if map.len() > limits::EXPRESSION_KEYS_SHOWN { " and more" } else { "" };
    let has = match map.is_empty() {
        true => "it is empty".to_owned(),
        false => format!("it has {}{more}", listed(keys().take(limits::EXPRESSION_KEYS_SHOWN))),
    };
    let slip = match meant(key, keys().take(limits::EXPRESSION_KEYS_COMPARED)) {
        Some(meant) => format!("did you mean {}? ", quoted(meant)),
        None => String::new(),
    };
    let path = of.path().unwrap_or_else(|| "x".to_owned());
    let test = match key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && !key.is_empty() {
        true => quoted(&format!("has({path}.{key}) && …")),
        false => quoted(&format!("{key:?} in {path} && …")),
    };
    (format!("{} has no key {}; {has}", named(of), quoted(key)), format!("{slip}if it may be missing, write {test}"))
}

fn mixed(operator: Operator, left: &Value<'_>, right: &Value<'_>) -> (String, String) {
    let message = format!("{} cannot stand between {} and {}", quoted(operator.sign()), left.words(), right.words());
    let hint = match operator {
        Operator::In if right.text().is_some() => "write `text.contains(\"part\")`",
        Operator::In => "`in` looks into a list, or among the keys of a map",
        Operator::Add => "`+` adds numbers, joins texts and joins lists; `string(x)` makes a text of a number",
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            "compare numbers with numbers and texts with texts; `int(x)` or `double(x)` makes a number of a text"
        }
        Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
            "both must be numbers; `int(x)` or `double(x)` makes a number of a text"
        }
        Operator::Equal | Operator::Unequal => "compare values of one kind",
    };
    (message, hint.to_owned())
}

/// How a message names a value: as the source does, if it has a name there.
fn named(node: &Node) -> String {
    node.path().map_or_else(|| "this".to_owned(), |path| quoted(&path))
}

fn shown(value: &Value<'_>) -> String {
    value.text().map_or_else(|| value.words().to_owned(), |text| format!("the text {}", quoted(text)))
}
