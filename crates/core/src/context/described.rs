//! Tool calls in words. A model tries to call what it sees called; told in words, an action is history.

use super::{
    Include, Shown,
    summary::{one_line, speaker},
};
use crate::message::{Message, NewMessage, Role};
use std::collections::HashSet;

/// What a message with tool calls, or with the result of one, says when it is told in words.
#[must_use]
pub fn described(message: &Message) -> String {
    let said = &message.said;
    let mut lines = Vec::new();
    if said.role == Role::Tool {
        let name = said
            .tool_name
            .as_deref()
            .map_or_else(|| "a tool".to_owned(), |name| format!("the tool {}", one_line(name)));
        lines.push(format!("[{name} answered]"));
        lines.push(quoted(&said.content));
    } else if !said.content.is_empty() {
        lines.push(said.content.clone());
    }
    for call in &said.tool_calls {
        lines.push(format!("[{} called the tool {} with {}]", speaker(message), one_line(&call.name), call.arguments));
    }
    lines.join("\n")
}

/// Every line of a text behind `> `. No text can leave such a quotation: whatever could start a line gets the mark too.
pub(super) fn quoted(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    text.trim_end().split(breaks).map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// Messages as the receiver sees them: as they are, but tool calls and results in words where the receiver does not
/// know the tool or does not see both of them. `whole` says that there is nothing more of the view than these messages.
pub(super) fn render(messages: &[&Message], include: Include, known: Option<&[String]>, whole: bool) -> Vec<Shown> {
    let answered: HashSet<&str> = messages.iter().filter_map(|message| message.said.tool_call_id.as_deref()).collect();
    let paired = include.tool_calls && include.tool_results;
    let knows = |name: &str| known.is_none_or(|tools| tools.iter().any(|tool| tool == name));
    let called_as_is = |said: &NewMessage| {
        paired && said.tool_calls.iter().all(|c| knows(&c.name) && (!whole || answered.contains(c.id.as_str())))
    };
    let mut callers: HashSet<&str> = HashSet::new();
    let mut strangers: HashSet<&str> = HashSet::new();
    let mut shown = Vec::with_capacity(messages.len());
    for message in messages {
        let said = &message.said;
        let as_is = if said.role == Role::Tool {
            let id = said.tool_call_id.as_deref().unwrap_or_default();
            let by_name = known.is_none() || said.tool_name.as_deref().is_some_and(knows);
            callers.contains(id) || (!whole && paired && !strangers.contains(id) && by_name)
        } else {
            let as_is = called_as_is(said);
            for call in &said.tool_calls {
                let (now, before) = if as_is { (&mut callers, &mut strangers) } else { (&mut strangers, &mut callers) };
                before.remove(call.id.as_str());
                now.insert(&call.id);
            }
            as_is || said.tool_calls.is_empty()
        };
        shown.push(if as_is { Shown::as_is(message) } else { Shown::described(message) });
    }
    shown
}
