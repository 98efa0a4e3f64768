//! What somebody is asked to decide or to do, in parts: how risky, how urgent, what is set aside for it, what would cross.

use super::{badge, body, fold, micros, number, quoted};
use handover_core::{
    agent::{Agent, Risk, Standing},
    budget::Share,
    context::{TransferMode, View, Why},
    handoff::{Priority, Request},
    limits::{PAGE_CROSSING, SUGGESTED_AGENTS},
    message::Role,
};
use handover_engine::Engine;
use maud::{Markup, html};

/// A risk in a word.
pub(crate) fn risk_word(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}

/// A risk in the colour of its meaning.
pub(crate) fn risk(risk: Risk) -> Markup {
    let tone = match risk {
        Risk::Low => "off",
        Risk::Medium => "wait",
        Risk::High => "bad",
    };
    badge(tone, &format!("{} risk", risk_word(risk)))
}

/// A priority in a word, as forms send it.
pub(crate) fn priority_word(priority: Priority) -> &'static str {
    match priority {
        Priority::Urgent => "urgent",
        Priority::High => "high",
        Priority::Normal => "normal",
        Priority::Low => "low",
    }
}

/// A priority where it is not the usual one.
pub(crate) fn priority(priority: Priority) -> Markup {
    match priority {
        Priority::Urgent => badge("bad", "urgent"),
        Priority::High => badge("wait", "high priority"),
        Priority::Normal => html! {},
        Priority::Low => badge("off", "low priority"),
    }
}

/// What may be used: tokens, money, time.
pub(crate) fn share(share: &Share) -> String {
    let parts = [
        share.tokens.map(|tokens| format!("{} tokens", number(tokens))),
        share.micros.map(|cost| format!("cost {}", micros(cost))),
        share.ms.map(super::length),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What would cross in one line: so many messages of so many, and what is held back.
pub(crate) fn crossing_line(view: &View) -> String {
    let manifest = &view.manifest;
    if manifest.total_messages == 0 {
        return "no conversation: the task alone".to_owned();
    }
    let tokens = manifest.shown_tokens + manifest.summary_tokens;
    let summed = if manifest.summary_tokens > 0 { " and a summary" } else { "" };
    format!(
        "{} of {} messages{summed}, about {} tokens",
        number(manifest.shown_messages),
        number(manifest.total_messages),
        number(tokens)
    )
}

/// What would cross, and what would not and why.
pub(crate) fn crossing(request: &Request, view: &View) -> Markup {
    let manifest = &view.manifest;
    let latest = view.items.len().saturating_sub(PAGE_CROSSING);
    html! {
        @if manifest.total_messages > 0 {
            p.soft { (mode_words(manifest.mode)) }
        }
        @for held in &manifest.withheld {
            p.withheld { (number(held.messages)) " withheld (" (number(held.tokens)) " tokens): " (why_words(held.why)) }
        }
        @if let Some(summary) = &view.summary { p.name { "Summary" } (fold(summary)) }
        @if !view.items.is_empty() {
            p.name { @if latest > 0 { "The latest of the messages" } @else { "Messages" } }
            ul.crossing {
                @for item in &view.items[latest..] {
                    li {
                        b { @if let Some(agent) = &item.said.agent { (agent) } @else { (role_words(item.said.role)) } }
                        " " (fold(&item.said.content))
                    }
                }
            }
        }
        @if !request.context.variables.is_empty() {
            p.name { "Variables set with it" }
            (super::json(&serde_json::Value::Object(request.context.variables.clone())))
        }
        @if !request.context.artifacts.is_empty() {
            p.name { "Artifacts" }
            ul { @for artifact in &request.context.artifacts { li { code { (quoted(artifact, 200)) } } } }
        }
        @if !request.context.completed_work.is_null() {
            p.name { "Work done so far" }
            (body(&request.context.completed_work))
        }
    }
}

fn role_words(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "instructions",
        Role::Tool => "tool",
    }
}

fn mode_words(mode: TransferMode) -> &'static str {
    match mode {
        TransferMode::Full => "The conversation as it is.",
        TransferMode::Summary => "A summary, and the latest messages.",
        TransferMode::RelevantOnly => "What bears on the task.",
    }
}

/// Why messages do not cross.
pub(crate) fn why_words(why: Why) -> &'static str {
    match why {
        Why::SystemExcluded => "instructions were not asked for",
        Why::ToolCallsExcluded => "tool calls were not asked for",
        Why::ToolResultsExcluded => "results of tools were not asked for",
        Why::ReasoningExcluded => "thinking was not asked for",
        Why::AsidesExcluded => "what was said within delegated work was not asked for",
        Why::OverMaxMessages => "there were more messages than asked for",
        Why::OutsideWindow => "they are older than what a view looks back on",
        Why::NotRelevant => "they do not bear on the task",
        Why::Summarised => "the summary stands for them",
    }
}

/// Why an agent takes nothing now; nothing where it does.
fn takes_nothing(agent: &Agent) -> &'static str {
    match agent.standing {
        Standing::Unavailable => "away",
        Standing::Draining => "draining",
        Standing::Available if !agent.profile.accepts_handoffs => "takes nothing",
        Standing::Available if !agent.has_room() => "has its hands full",
        Standing::Available => "",
    }
}

/// Names of agents that a field suggests, once for a page. Those who take nothing now say so.
pub(crate) fn agent_list(engine: &Engine) -> Markup {
    html! {
        datalist id="agents" {
            @for agent in engine.agents().iter().take(SUGGESTED_AGENTS) { option value=(agent.profile.id) { (takes_nothing(agent)) } }
        }
    }
}
