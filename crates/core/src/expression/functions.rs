//! The functions that an expression may call. All of them are pure: none reads the clock, and none draws lots.

use super::{
    Mistake, Place, listed, meant,
    node::{Function, LoopKind},
    quoted,
};
use Callee::{Has, Loop, Matches, Plain};
use Style::{Either, Global, Member};

/// What a name means when it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callee {
    Plain(Function),
    Has,
    Matches,
    Loop(LoopKind),
}

/// How a function is called: as `f(x)`, as `x.f()`, or as either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Global,
    Member,
    Either,
}

/// One function. The counts include the value before the dot.
struct Entry {
    name: &'static str,
    callee: Callee,
    style: Style,
    least: usize,
    most: usize,
    usage: &'static str,
}

const fn entry(
    (name, usage): (&'static str, &'static str),
    callee: Callee,
    style: Style,
    (least, most): (usize, usize),
) -> Entry {
    Entry { name, callee, style, least, most, usage }
}

#[rustfmt::skip]
const FUNCTIONS: [Entry; 15] = [
    entry(("has", "`has(handoff.deadline)`, with a name and a dot"), Has, Global, (1, 1)),
    entry(("size", "`size(list)` or `list.size()`"), Plain(Function::Size), Either, (1, 1)),
    entry(("contains", "`text.contains(\"part\")`"), Plain(Function::Contains), Member, (2, 2)),
    entry(("startsWith", "`text.startsWith(\"part\")`"), Plain(Function::StartsWith), Member, (2, 2)),
    entry(("endsWith", "`text.endsWith(\"part\")`"), Plain(Function::EndsWith), Member, (2, 2)),
    entry(("matches", "`text.matches(\"pattern\")`"), Matches, Either, (2, 2)),
    entry(("all", "`list.all(x, x > 0)`"), Loop(LoopKind::All), Member, (3, 3)),
    entry(("exists", "`list.exists(x, x > 0)`"), Loop(LoopKind::Exists), Member, (3, 3)),
    entry(("exists_one", "`list.exists_one(x, x > 0)`"), Loop(LoopKind::ExistsOne), Member, (3, 3)),
    entry(("map", "`list.map(x, x.name)` or `list.map(x, x.size > 0, x.name)`"), Loop(LoopKind::Map), Member, (3, 4)),
    entry(("filter", "`list.filter(x, x > 0)`"), Loop(LoopKind::Filter), Member, (3, 3)),
    entry(("int", "`int(value)`"), Plain(Function::Int), Global, (1, 1)),
    entry(("double", "`double(value)`"), Plain(Function::Double), Global, (1, 1)),
    entry(("string", "`string(value)`"), Plain(Function::String), Global, (1, 1)),
    entry(("bool", "`bool(value)`"), Plain(Function::Bool), Global, (1, 1)),
];

/// What other languages call them.
const ALIASES: [(&str, &str); 9] = [
    ("length", "size"),
    ("len", "size"),
    ("count", "size"),
    ("includes", "contains"),
    ("any", "exists"),
    ("some", "exists"),
    ("every", "all"),
    ("float", "double"),
    ("str", "string"),
];

/// The names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|entry| entry.name)
}

/// The function that is called, if there is one and it is called as it should be.
pub(super) fn callee(at: Place, name: &str, on_value: bool, count: usize) -> Result<Callee, Mistake> {
    let Some(entry) = FUNCTIONS.iter().find(|entry| entry.name == name) else {
        let alias = ALIASES.iter().find(|(alias, _)| meant(name, [*alias]).is_some()).map(|(_, meant)| *meant);
        let slip = meant(name, names()).or(alias);
        let slip = slip.map(|meant| format!("did you mean {}? ", quoted(meant))).unwrap_or_default();
        let hint = format!("{slip}the functions are {}", listed(names()));
        return Err(at.mistake(format!("there is no function {}", quoted(name)), hint));
    };
    let style = match entry.style {
        Either => true,
        Global => !on_value,
        Member => on_value,
    };
    if style && (entry.least..=entry.most).contains(&count) {
        return Ok(entry.callee);
    }
    Err(misused(at, name))
}

/// The mistake of calling a known function in another way than it is meant.
pub(super) fn misused(at: Place, name: &str) -> Mistake {
    let usage = FUNCTIONS.iter().find(|entry| entry.name == name).map_or("", |entry| entry.usage);
    at.mistake(format!("{} is not called like this", quoted(name)), format!("write {usage}"))
}
