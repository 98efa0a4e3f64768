//! The parser of the crate `cel`, and its complaints in words that help.

use super::{
    Mistake, Place, quoted,
    scan::{Token, TokenKind},
};
use cel::{Env, IdedExpr, ParseError, common::ast::SourceInfo};
use std::collections::HashMap;

/// A tree as it was written: macros such as `all` are still calls.
pub(super) struct Tree {
    pub(super) expression: IdedExpr,
    info: SourceInfo,
    places: HashMap<usize, Place>,
}

impl Tree {
    /// Where a part of it stands.
    pub(super) fn place(&self, part: &IdedExpr) -> Place {
        let start = self.info.offset_for(part.id).and_then(|(start, _)| usize::try_from(start).ok());
        start.and_then(|start| self.places.get(&start)).copied().unwrap_or(Place { line: 1, column: 1 })
    }
}

/// Parses an expression that was scanned before. This needs a large stack.
pub(super) fn parse(source: &str, tokens: &[Token<'_>]) -> Result<Tree, Mistake> {
    let parser = Env::default().with_optional_support(false).parser().error_recovery_limit(1);
    match parser.parse_with_source_info(source) {
        Ok((expression, info)) => Ok(Tree { expression, info, places: places(tokens) }),
        Err(all) => {
            // What the parser itself says comes before what follows from it.
            let syntax = all.errors.iter().find(|error| error.msg.starts_with("Syntax error"));
            Err(mistake(syntax.or(all.errors.first()), tokens))
        }
    }
}

/// Where each token stands. The parser knows a call by its bracket and a key by its dot; people look for the name.
fn places(tokens: &[Token<'_>]) -> HashMap<usize, Place> {
    let mut places: HashMap<usize, Place> = tokens.iter().map(|token| (token.start, token.at)).collect();
    for pair in tokens.windows(2) {
        match (pair[0].text, pair[1].text) {
            (_, "(") if pair[0].kind == TokenKind::Name => places.insert(pair[1].start, pair[0].at),
            (".", _) => places.insert(pair[0].start, pair[1].at),
            _ => None,
        };
    }
    places
}

fn mistake(error: Option<&ParseError>, tokens: &[Token<'_>]) -> Mistake {
    let position = error.map_or((1, 1), |error| error.pos);
    let number = |number: isize| u32::try_from(number).unwrap_or(1);
    let place = Place { line: number(position.0), column: number(position.1) };
    let index = tokens.iter().position(|token| token.at == place).unwrap_or(tokens.len());
    let before = index.checked_sub(1).and_then(|index| tokens.get(index));
    let Some(token) = tokens.get(index) else { return unfinished(place, before) };
    match error.map_or("", |error| error.msg.as_str()) {
        message if message.starts_with("reserved identifier") => {
            place.mistake(format!("{} is a word that CEL keeps for itself", quoted(token.text)), "use another name")
        }
        message if message.starts_with("invalid int") || message.starts_with("invalid double") => {
            place.mistake(format!("{} is too large a number", quoted(token.text)), "use a smaller one")
        }
        message if message.starts_with("invalid string") => {
            place.mistake(format!("{} is no text", quoted(token.text)), "look at what follows each `\\`")
        }
        message if message.starts_with("unsupported syntax") => {
            place.mistake("`?` cannot stand here", "write `has(a.b) && a.b == 1` for a key that may be missing")
        }
        _ => misplaced(token, before),
    }
}

fn unfinished(place: Place, before: Option<&Token<'_>>) -> Mistake {
    let after = before.map(|token| format!(" after {}", quoted(token.text))).unwrap_or_default();
    let hint = match before {
        Some(before) if before.ends_value() => "`a ? b : c` has three parts",
        _ => "write the value that is missing",
    };
    place.mistake(format!("it ends too early{after}"), hint)
}

fn misplaced(token: &Token<'_>, before: Option<&Token<'_>>) -> Mistake {
    let message = format!("{} cannot stand here", quoted(token.text));
    let hint = match before {
        Some(before) if (before.text, token.text) == ("<", ">") => "write `!=` for \"not equal\"".to_owned(),
        Some(before) if before.text == "." => "write a name after `.`, or `[\"key\"]`".to_owned(),
        Some(before) if (before.text, token.text) == ("[", "]") => "write an index between `[` and `]`".to_owned(),
        Some(before) if before.ends_value() && token.kind == TokenKind::Sign => {
            "an operator or the end is expected".to_owned()
        }
        Some(before) => format!("a value is expected after {}", quoted(before.text)),
        None => "an expression begins with a value".to_owned(),
    };
    token.at.mistake(message, hint)
}
