//! What pages are made of: times, badges, names that lead on, folded texts, lists with pages, forms.

mod asked;
mod forms;
mod text;
mod time;

pub(crate) use asked::{
    agent_list, crossing, crossing_line, priority, priority_word, risk, risk_word, share, why_words,
};
pub(crate) use forms::{form, form_of, hidden, reason_field};
pub(crate) use handover_core::{
    net::encoded,
    words::{grouped as number, length, standing as status_words},
};
pub(crate) use text::{body, cut, cut_text, fold, json, micros, money, name, quoted};
pub(crate) use time::{ago, clock, hour, hour_words, moment, until};

use crate::people::Count;
use handover_core::{
    graph::{self, Graph},
    handoff::{Handoff, Kind, Status},
    ids::{AgentId, HandoffId, SessionId},
    limits::PAGE_ROWS,
    time::Timestamp,
};
use maud::{Markup, PreEscaped, html};

/// A count that may have ended at a bound. More than a page is not counted out.
pub(crate) fn at_least(count: Count) -> String {
    match count {
        Count { found, .. } if found > PAGE_ROWS => format!("{PAGE_ROWS}+"),
        Count { found, more: true } => format!("{found}+"),
        Count { found, more: false } => found.to_string(),
    }
}

/// An agent, leading to it.
pub(crate) fn agent(id: &AgentId) -> Markup {
    html! { a.agent href=(agent_url(id)) { (id) } }
}

pub(crate) fn agent_url(id: &AgentId) -> String {
    format!("/team/{}", encoded(id.as_str()))
}

pub(crate) fn session_url(id: &SessionId) -> String {
    format!("/sessions/{}", encoded(id.as_str()))
}

pub(crate) fn handoff_url(id: HandoffId) -> String {
    format!("/handoffs/{id}")
}

/// Where somebody says yes or no to a handoff: it is shown first there.
pub(crate) fn approval_url(id: HandoffId) -> String {
    format!("/approvals?at={id}#{id}")
}

/// Where a person takes it, answers what is asked of it, or looks at what became of it: it is shown first there.
pub(crate) fn inbox_url(id: HandoffId) -> String {
    format!("/inbox?at={id}#{id}")
}

/// How long a handoff still has: one answer for all pages.
pub(crate) fn left(handoff: &Handoff, now: Timestamp) -> Markup {
    handoff.phase.left_until().map(|end| until(end, now)).unwrap_or_default()
}

/// The first part of an id: enough for people.
pub(crate) fn short(id: HandoffId) -> String {
    id.to_string().chars().take(8).collect()
}

/// Whose key it was, without its id: nobody where the engine itself did it, or a program of this very machine.
pub(crate) fn key_name(caller: &str) -> Option<&str> {
    let name = caller.rsplit_once(" (").map_or(caller, |(name, _)| name);
    Some(name).filter(|name| !name.is_empty() && !["engine", "local"].contains(name))
}

/// A session, leading to it.
pub(crate) fn session(id: &SessionId) -> Markup {
    let text = id.as_str();
    let shown: String =
        if text.chars().count() > 28 { text.chars().take(27).chain(['…']).collect() } else { text.to_owned() };
    html! { a href=(session_url(id)) title=(text) { (shown) } }
}

/// The tone of a status: what colours mean everywhere.
pub(crate) fn tone(status: Status) -> &'static str {
    match status {
        Status::AwaitingApproval => "wait",
        Status::Offered | Status::Deferred => "idle",
        Status::Running => "run",
        Status::Completed => "good",
        Status::Failed | Status::TimedOut => "bad",
        Status::Escalated => "wait",
        Status::Cancelled => "off",
    }
}

/// A word in the colour of its meaning: `run`, `wait`, `good`, `bad`, `idle` or `off`.
pub(crate) fn badge(tone: &str, words: &str) -> Markup {
    html! { span class=(format!("badge {tone}")) { (words) } }
}

/// Where a handoff stands.
pub(crate) fn standing(handoff: &Handoff) -> Markup {
    let words = match handoff.open_question() {
        Some(_) => "asks something",
        None => status_words(handoff.status()),
    };
    let tone = if handoff.open_question().is_some() { "wait" } else { tone(handoff.status()) };
    badge(tone, words)
}

/// From whom to whom.
pub(crate) fn between(handoff: &Handoff) -> Markup {
    html! {
        span.between {
            (agent(&handoff.request.from_agent))
            span.arrow aria-label="to" role="img" { "→" }
            (agent(&handoff.to_agent))
        }
    }
}

pub(crate) fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Sequential => "handed on",
        Kind::Delegation => "delegated",
        Kind::Escalation => "escalated",
        Kind::Broadcast => "broadcast",
    }
}

/// A list of names and values.
pub(crate) fn facts(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in rows.iter().filter(|(_, value)| !value.0.is_empty()) {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// What stands where nothing is yet: why, and what to do next.
pub(crate) fn empty(title: &str, words: &str, command: Option<&str>) -> Markup {
    html! {
        div.empty {
            p { strong { (title) } }
            p { (words) }
            @if let Some(command) = command { pre { code { (command) } } }
        }
    }
}

/// The way to earlier and later pages of a list.
pub(crate) fn pager(later: Option<String>, earlier: Option<String>) -> Markup {
    ways("More", (later, "← Later"), (earlier, "Earlier →"))
}

/// The same for a list that has no order in time.
pub(crate) fn pages(before: Option<String>, further: Option<String>) -> Markup {
    ways("Further rows", (before, "← Before"), (further, "Further →"))
}

fn ways(name: &str, back: (Option<String>, &str), on: (Option<String>, &str)) -> Markup {
    html! {
        @if back.0.is_some() || on.0.is_some() {
            nav.pager aria-label=(name) {
                @if let Some(href) = back.0 { a href=(href) rel="prev" { (back.1) } }
                @if let Some(href) = on.0 { a href=(href) rel="next" { (on.1) } }
            }
        }
    }
}

/// How much of a hundred, as a bar inside of what names it.
pub(crate) fn bar(share: u64) -> Markup {
    html! { svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" { rect width=(share.min(100)) height="8" {} } }
}

/// A drawing. One that is wider than the window can be moved, and says so.
pub(crate) fn picture(graph: &Graph, name: &str) -> Markup {
    html! {
        p.sideways { "The drawing is wider than the window: move it sideways." }
        div.picture tabindex="0" role="region" aria-label=(name) { (PreEscaped(graph::svg_for_page(graph))) }
    }
}

/// Turns the letters that move and decide off and on: not everybody can do without pressing one by mistake.
pub(crate) fn keys_switch() -> Markup {
    html! {
        button.plain type="button" data-switch="keys" {
            span.on { "Turn the keys off" }
            span.off { "The keys are off: turn them on" }
        }
    }
}

/// The head of a page: what it is, and what stands beside it.
pub(crate) fn head(title: Markup, beside: Markup) -> Markup {
    html! { header.head { h1 { (title) } (beside) } }
}
