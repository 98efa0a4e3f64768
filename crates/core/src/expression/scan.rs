//! What is checked before the parser sees an expression. The parser takes 200 KB of stack for each bracket, so a hostile
//! text must be refused by a look at its signs; and the common slips are told here, in words.

use super::{Mistake, Place, cursor::Cursor, quoted};
use crate::limits;

/// A word, a number, a text or a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind,
    pub(super) text: &'s str,
    pub(super) at: Place,
    /// How many bytes of the source are before it, which is how the parser counts.
    pub(super) start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Literal,
    Sign,
}

impl Token<'_> {
    /// Whether a value may end with it.
    pub(super) fn ends_value(&self) -> bool {
        self.kind != TokenKind::Sign || matches!(self.text, ")" | "]")
    }
}

/// The tokens of an expression that is small enough, and whose brackets match.
pub(super) fn scan(source: &str) -> Result<Vec<Token<'_>>, Mistake> {
    let mut cursor = Cursor::new(source);
    let (bytes, max) = (source.len(), limits::EXPRESSION_BYTES_MAX);
    if bytes > max {
        let message = format!("it has {bytes} bytes; at most {max} are allowed (EXPRESSION_BYTES_MAX)");
        return Err(cursor.at().mistake(message, "make several rules of it"));
    }
    let mut tokens = Vec::new();
    let mut brackets = Brackets::default();
    while let Some(token) = cursor.token()? {
        if tokens.len() == limits::EXPRESSION_TOKENS_MAX {
            let max = limits::EXPRESSION_TOKENS_MAX;
            let message = format!("it has more than {max} words and signs (EXPRESSION_TOKENS_MAX)");
            return Err(token.at.mistake(message, "make several rules of it"));
        }
        neighbours(tokens.last(), &token)?;
        brackets.see(&token)?;
        tokens.push(token);
    }
    brackets.end()?;
    match tokens.is_empty() {
        true => Err(cursor.at().mistake("it is empty", "write a condition, such as `handoff.risk == \"high\"`")),
        false => Ok(tokens),
    }
}

/// Refuses two values without an operator between them: that is where most slips show.
fn neighbours(before: Option<&Token<'_>>, token: &Token<'_>) -> Result<(), Mistake> {
    let Some(before) = before.filter(|_| token.kind != TokenKind::Sign) else { return Ok(()) };
    if before.kind == TokenKind::Name && before.text.eq_ignore_ascii_case("not") {
        return Err(before.at.mistake(no_operator(before), "write `!` for \"not\", as in `!(a == b)`"));
    }
    if !before.ends_value() {
        return Ok(());
    }
    let hint = match token.text.to_ascii_lowercase().as_str() {
        "and" => "write `&&` for \"and\"",
        "or" => "write `||` for \"or\"",
        "is" | "equals" | "eq" => "write `==` to compare",
        "not" => "write `!` for \"not\", as in `!(a in b)`",
        _ => {
            let message = format!("there is no operator between {} and {}", quoted(before.text), quoted(token.text));
            return Err(token.at.mistake(message, "join them with an operator, such as `==`, `&&` or `||`"));
        }
    };
    Err(token.at.mistake(no_operator(token), hint))
}

fn no_operator(token: &Token<'_>) -> String {
    format!("{} is no operator", quoted(token.text))
}

/// The brackets that are open, each with the `?` seen in it: both nest.
#[derive(Default)]
struct Brackets<'s> {
    open: Vec<(Token<'s>, usize)>,
    /// `?` outside of all brackets.
    outside: usize,
}

impl<'s> Brackets<'s> {
    fn see(&mut self, token: &Token<'s>) -> Result<(), Mistake> {
        if token.kind != TokenKind::Sign {
            return Ok(());
        }
        match token.text {
            "(" | "[" => self.open.push((*token, 0)),
            "?" => *self.open.last_mut().map_or(&mut self.outside, |(_, questions)| questions) += 1,
            ")" | "]" => return self.close(token),
            _ => return Ok(()),
        }
        let depth = self.outside + self.open.iter().map(|(_, questions)| 1 + questions).sum::<usize>();
        let max = limits::EXPRESSION_DEPTH_MAX;
        if depth <= max {
            return Ok(());
        }
        let message = format!("brackets and `? :` are nested more than {max} deep (EXPRESSION_DEPTH_MAX)");
        Err(token.at.mistake(message, "leave brackets away, or make several rules of it"))
    }

    fn close(&mut self, token: &Token<'s>) -> Result<(), Mistake> {
        let Some((open, _)) = self.open.pop() else {
            let message = format!("{} closes a bracket that was not opened", quoted(token.text));
            return Err(token.at.mistake(message, format!("leave this {} away", quoted(token.text))));
        };
        if matches!((open.text, token.text), ("(", ")") | ("[", "]")) {
            return Ok(());
        }
        let Place { line, column } = open.at;
        let message =
            format!("{} cannot close the {} of line {line}, column {column}", quoted(token.text), quoted(open.text));
        Err(token.at.mistake(message, format!("write {} before it", quoted(closing(open.text)))))
    }

    fn end(mut self) -> Result<(), Mistake> {
        let Some((open, _)) = self.open.pop() else { return Ok(()) };
        let message = format!("this {} is not closed", quoted(open.text));
        Err(open.at.mistake(message, format!("write the {} that belongs to it", quoted(closing(open.text)))))
    }
}

fn closing(open: &str) -> &'static str {
    if open == "(" { ")" } else { "]" }
}
