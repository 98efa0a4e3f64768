//! From YAML to a script. Every mistake is noted before the script is refused.

use super::{
    fields::Fields,
    mistake::{Mistake, Mistakes, ScriptError, quoted},
    pattern::Fit,
    script::{Answer, Broken, Entry, Fail, Given, Outcome, Script, Stop, Usage, When},
    template::{NAMES, Template},
    yaml::{self, Content, Node, Place},
};
use handover_core::limits::{SCRIPT_ANSWER_BYTES_MAX, SCRIPT_ENTRIES_MAX, SCRIPT_PIECES_MAX};
use serde_json::Value;
use std::time::Duration;

const SCRIPT: [&str; 3] = ["key", "models", "entries"];
const ENTRY: [&str; 11] = ["when", "times", "say", "repeat", "call", "usage", "stop", "slow", "cut", "stall", "fail"];
const WHEN: [&str; 8] = ["agent", "system", "model", "user", "turn", "after_tool", "result", "has_tool"];
const FAIL: [&str; 3] = ["status", "retry_after", "message"];
const USAGE: [&str; 3] = ["input", "cached", "output"];
/// Keys that make no sense beside `fail`, because nothing is said.
const ANSWER: [&str; 7] = ["say", "repeat", "call", "usage", "stop", "cut", "stall"];

/// Reads a script.
pub(super) fn script(file: &str, text: &str) -> Result<Script, ScriptError> {
    let mut mistakes = Mistakes::default();
    let mut script = Script { key: None, models: Vec::new(), entries: Vec::new() };
    if let Some(root) = yaml::read(text, &mut mistakes) {
        let list = match &root.content {
            Content::Map(_) => settings(&root, &mut script, &mut mistakes),
            Content::List(_) | Content::Scalar { .. } => Some(root.clone()),
        };
        if let Some(list) = list {
            script.entries = entries(&list, &mut mistakes);
        }
    }
    mistakes.verdict(file, script)
}

/// The error for a file that cannot be read.
pub(super) fn unreadable(file: &str, error: &std::io::Error) -> ScriptError {
    let message = format!("the script cannot be read: {error}");
    let hint = "give the path of a file that is there and is text".to_owned();
    let mistakes = vec![Mistake { line: 1, column: 1, message, hint }];
    ScriptError { file: file.to_owned(), mistakes, further: 0 }
}

/// Reads what stands beside the entries, and gives the list of them.
fn settings(root: &Node, script: &mut Script, mistakes: &mut Mistakes) -> Option<Node> {
    let fields = Fields::of(root, "a script", &SCRIPT, mistakes)?;
    script.key = fields.text("key", mistakes).map(str::to_owned);
    if let Some(node) = fields.get("models") {
        match &node.content {
            Content::List(names) if !names.is_empty() && names.iter().all(|name| name.text().is_some()) => {
                script.models = names.iter().filter_map(Node::text).map(str::to_owned).collect();
            }
            _ => mistakes.add(node.place, "`models` is a list of names", "write `models: [one, two]`"),
        }
    }
    let list = fields.get("entries").cloned();
    if list.is_none() {
        mistakes.add(
            root.place,
            "`entries` is missing",
            "write the entries below `entries:`, or the list of them alone",
        );
    }
    list
}

fn entries(list: &Node, mistakes: &mut Mistakes) -> Vec<Entry> {
    let Content::List(nodes) = &list.content else {
        let message = format!("expected a list of entries, found {}", list.kind());
        mistakes.add(list.place, message, "begin each entry with `- `");
        return Vec::new();
    };
    if nodes.len() > SCRIPT_ENTRIES_MAX {
        let message =
            format!("there are {} entries; at most {SCRIPT_ENTRIES_MAX} are allowed (SCRIPT_ENTRIES_MAX)", nodes.len());
        mistakes.add(list.place, message, "use several scripts");
        return Vec::new();
    }
    if nodes.is_empty() {
        mistakes.add(list.place, "there are no entries", "write at least one, such as `- say: Hello.`");
    }
    let mut found: Vec<Entry> = Vec::new();
    let (mut always, mut told) = (None, false);
    for node in nodes {
        if let Some(line) = always.filter(|_| !told) {
            told = true;
            let message = format!("this entry is never reached: the one in line {line} answers everything");
            mistakes.add(node.place, message, "move it up, or give the other one a `when` or `times`");
        }
        if let Some(entry) = entry(node, mistakes) {
            if always.is_none() && !conditional(node) {
                always = Some(entry.line);
            }
            found.push(entry);
        }
    }
    found
}

/// Whether an entry has conditions, even some that could not be read.
fn conditional(node: &Node) -> bool {
    let Content::Map(entries) = &node.content else { return true };
    let empty = |value: &Node| matches!(&value.content, Content::Map(inner) if inner.is_empty());
    entries.iter().any(|(key, value)| match key.text() {
        Some("when" | "times") => !empty(value),
        // It may be one of those, with a slip.
        other => !ENTRY.iter().any(|name| other == Some(name)),
    })
}

fn entry(node: &Node, mistakes: &mut Mistakes) -> Option<Entry> {
    let fields = Fields::of(node, "an entry", &ENTRY, mistakes)?;
    let when = fields.get("when").and_then(|node| when(node, mistakes)).unwrap_or_default();
    let times = fields.number("times", (1, u64::MAX), mistakes);
    let slow = fields.duration("slow", mistakes).unwrap_or(Duration::ZERO);
    let outcome = match fields.get("fail") {
        Some(node) => {
            if let Some((name, other)) = fields.first_of(&ANSWER) {
                mistakes.add(
                    other.place,
                    format!("`{name}` stands beside `fail`"),
                    "an entry that fails says nothing: make two entries of it",
                );
            }
            Outcome::Fail(fail(node, mistakes)?)
        }
        None => Outcome::Answer(Box::new(answer(&fields, &when, mistakes))),
    };
    Some(Entry { line: node.place.line, when, times, outcome, slow })
}

fn when(node: &Node, mistakes: &mut Mistakes) -> Option<When> {
    let fields = Fields::of(node, "`when`", &WHEN, mistakes)?;
    Some(When {
        agent: fields.pattern("agent", Fit::Start, mistakes),
        system: fields.pattern("system", Fit::Within, mistakes),
        model: fields.pattern("model", Fit::Whole, mistakes),
        user: fields.pattern("user", Fit::Within, mistakes),
        turn: fields.number("turn", (1, u64::MAX), mistakes),
        after_tool: fields.pattern("after_tool", Fit::Whole, mistakes),
        result: fields.pattern("result", Fit::Within, mistakes),
        has_tool: fields.pattern("has_tool", Fit::Whole, mistakes),
    })
}

fn fail(node: &Node, mistakes: &mut Mistakes) -> Option<Fail> {
    let fields = Fields::of(node, "`fail`", &FAIL, mistakes)?;
    let retry_after = fields.duration("retry_after", mistakes);
    let message = fields.text("message", mistakes).map(str::to_owned);
    if fields.get("status").is_none() {
        mistakes.add(fields.place, "`status` is missing", "write `fail: {status: 429}`");
    }
    let status = fields.number("status", (400, 599), mistakes).and_then(|status| u16::try_from(status).ok())?;
    Some(Fail { status, retry_after, message })
}

fn answer(fields: &Fields<'_>, when: &When, mistakes: &mut Mistakes) -> Answer {
    if fields.whole && fields.first_of(&["say", "call", "cut", "stall"]).is_none() {
        mistakes.add(fields.place, "this entry does nothing", "give it `say`, `call`, `fail`, `cut` or `stall`");
    }
    let groups = when.user.as_ref().map_or(0, super::pattern::Pattern::group_count);
    let say = fields.text("say", mistakes).unwrap_or_default();
    let place = fields.get("say").map_or(fields.place, |node| node.place);
    let most = (SCRIPT_ANSWER_BYTES_MAX / say.len().max(1)).max(1) as u64;
    let repeat = fields.number("repeat", (1, most), mistakes).unwrap_or(1);
    if let Some(node) = fields.get("repeat").filter(|_| fields.get("say").is_none()) {
        mistakes.add(node.place, "`repeat` stands without `say`", "write what is said so often");
    }
    Answer {
        say: template(say, place, groups, mistakes),
        repeat: usize::try_from(repeat).unwrap_or(1),
        calls: fields.get("call").map(|node| calls(node, groups, mistakes)).unwrap_or_default(),
        usage: fields.get("usage").and_then(|node| usage(node, mistakes)),
        stop: stop(fields, mistakes),
        broken: broken(fields, mistakes),
    }
}

fn template(text: &str, place: Place, groups: usize, mistakes: &mut Mistakes) -> Template {
    let (template, unknown) = Template::parse(text, groups);
    for name in unknown {
        let message = format!("{} cannot be filled in", quoted(&format!("{{{{{name}}}}}")));
        let hint = match name.parse::<usize>() {
            Ok(_) => format!("the pattern of `user` has {groups} groups"),
            Err(_) => format!("use one of {}, result.some.path", NAMES.join(", ")),
        };
        mistakes.add(place, message, hint);
    }
    template
}

fn calls(node: &Node, groups: usize, mistakes: &mut Mistakes) -> Vec<(String, Given)> {
    let Content::List(entries) = &node.content else {
        mistakes.add(
            node.place,
            format!("`call` is a list, not {}", node.kind()),
            "write `- tool: {argument: value}` below it",
        );
        return Vec::new();
    };
    entries.iter().filter_map(|entry| call(entry, groups, mistakes)).collect()
}

fn call(node: &Node, groups: usize, mistakes: &mut Mistakes) -> Option<(String, Given)> {
    let (name, given) = match &node.content {
        Content::Map(entries) if entries.len() == 1 => (entries[0].0.text()?.to_owned(), &entries[0].1),
        // A tool alone is called with nothing.
        Content::Scalar { .. } => return Some((node.text()?.to_owned(), Given::Object(Value::Object(<_>::default())))),
        Content::Map(_) | Content::List(_) => {
            mistakes.add(node.place, "a call is one tool and its arguments", "write `- tool: {argument: value}`");
            return None;
        }
    };
    match &given.content {
        Content::Map(_) => {
            templates(given, groups, mistakes);
            Some((name, Given::Object(given.json())))
        }
        Content::Scalar { text, .. } if !given.is_nothing() => Some((name, Given::Raw(text.clone()))),
        Content::Scalar { .. } => Some((name, Given::Object(Value::Object(<_>::default())))),
        Content::List(_) => {
            let hint = "write `{argument: value}`; a text is sent as it is, to try what is no JSON";
            mistakes.add(given.place, "the arguments of a tool are an object, not a list", hint);
            None
        }
    }
}

/// Looks at every text inside of a value as a template.
fn templates(node: &Node, groups: usize, mistakes: &mut Mistakes) {
    match &node.content {
        Content::Scalar { text, .. } => drop(template(text, node.place, groups, mistakes)),
        Content::List(entries) => entries.iter().for_each(|entry| templates(entry, groups, mistakes)),
        Content::Map(entries) => entries.iter().for_each(|(_, value)| templates(value, groups, mistakes)),
    }
}

fn usage(node: &Node, mistakes: &mut Mistakes) -> Option<Usage> {
    let fields = Fields::of(node, "`usage`", &USAGE, mistakes)?;
    let mut number = |name| fields.number(name, (0, u64::from(u32::MAX)), mistakes);
    let usage = Usage { input: number("input"), cached: number("cached").unwrap_or(0), output: number("output") };
    if usage.input.unwrap_or(0) < usage.cached {
        mistakes.add(
            node.place,
            "`cached` is more than `input`, which it is a part of",
            "give an `input` that is no less",
        );
    }
    Some(usage)
}

fn stop(fields: &Fields<'_>, mistakes: &mut Mistakes) -> Option<Stop> {
    match fields.text("stop", mistakes)? {
        "length" => Some(Stop::Length),
        "refused" => Some(Stop::Refused),
        other => {
            let place = fields.get("stop").map_or(fields.place, |node| node.place);
            mistakes.add(
                place,
                format!("{} is no reason to stop", quoted(other)),
                "write `length` or `refused`, or leave it out",
            );
            None
        }
    }
}

fn broken(fields: &Fields<'_>, mistakes: &mut Mistakes) -> Option<Broken> {
    if let (Some(_), Some(node)) = (fields.get("cut"), fields.get("stall")) {
        mistakes.add(node.place, "`stall` stands beside `cut`", "an answer ends one way: leave one out");
    }
    let mut number =
        |name| fields.number(name, (0, SCRIPT_PIECES_MAX as u64), mistakes).and_then(|n| usize::try_from(n).ok());
    number("cut").map(Broken::Cut).or(number("stall").map(Broken::Stall))
}
