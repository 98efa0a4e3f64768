//! Work that somebody has taken: they give it back with a result, ask something, keep it longer, or decline it.

use super::{Task, step::Step};
use crate::{ask::Ask, parts};
use maud::{Markup, html};

/// How work may end, by the words of the protocol.
const ENDS: [(&str, &str); 3] = [("success", "done"), ("partial", "done in part"), ("failed", "not done")];

pub(super) fn taken(ask: &Ask, task: &Task, lease: &str) -> Markup {
    let id = task.handoff.id.to_string();
    let send = |way: &str, inside: Markup| {
        let held = html! {
            (parts::hidden("as", task.handoff.to_agent.as_str()))
            (parts::hidden("lease", lease))
            (super::seen(ask))
            (inside)
        };
        parts::form_of(ask, &format!("/inbox/{id}/{way}"), if way == "give-back" { "long" } else { "" }, held)
    };
    html! {
        div.decide {
            (send("give-back", result(&id, task.step.as_ref())))
            details id=(format!("ask-{id}")) {
                summary data-press="q" { "Ask something first…" }
                (send("ask", html! {
                    div {
                        label for=(format!("question-{id}")) { "Question to " (task.handoff.request.from_agent) }
                        textarea id=(format!("question-{id}")) name="question" required {}
                    }
                    div.buttons { button type="submit" { "Ask" } }
                }))
            }
            (decline(&id, |inside| send("decline", inside)))
            (send("keep", html! {
                div.buttons { button type="submit" { "Keep it longer" } }
            }))
        }
    }
}

/// Saying no, to an offer or to what was taken before.
pub(super) fn decline(id: &str, send: impl Fn(Markup) -> Markup) -> Markup {
    html! {
        details id=(format!("decline-{id}")) {
            summary.bad data-press="r" { "Decline…" }
            (send(html! {
                div { (parts::reason_field(&format!("decline-why-{id}"), "why not you; somebody else is asked")) }
                div.buttons { button.bad type="submit" { "Decline" } }
            }))
        }
    }
}

/// The form of a result. A step of a workflow ends with one of its signals.
fn result(id: &str, step: Option<&Step>) -> Markup {
    let template = step.map(Step::template).unwrap_or_default();
    html! {
        @if let Some(step) = step { (ways(step)) }
        div {
            label for=(format!("result-{id}")) { "Your result" }
            textarea id=(format!("result-{id}")) name="result" data-press="e" { "\n" (template) }
        }
        div.fields {
            div {
                label for=(format!("form-{id}")) { "It is" }
                select id=(format!("form-{id}")) name="form" {
                    option value="text" { "text" }
                    option value="json" selected[!template.is_empty()] { "JSON" }
                }
            }
            div {
                label for=(format!("status-{id}")) { "How it went" }
                select id=(format!("status-{id}")) name="status" {
                    @for (word, said) in ENDS { option value=(word) { (said) } }
                }
            }
            @if let Some(step) = step.filter(|step| !step.signals().is_empty()) {
                div {
                    label for=(format!("signal-{id}")) { "Signal" }
                    select id=(format!("signal-{id}")) name="signal" {
                        option value="" { "the usual one" }
                        @for signal in step.signals() { option value=(signal) { (signal) } }
                    }
                }
            }
            div {
                label for=(format!("notes-{id}")) { "Notes" }
                input id=(format!("notes-{id}")) name="notes" maxlength="1000" autocomplete="off" placeholder="if you like";
            }
        }
        div.buttons { button.main type="submit" { "Give it back" } }
    }
}

fn ways(step: &Step) -> Markup {
    html! {
        ul.ways-on {
            @for way in &step.ways {
                li {
                    b { @if way.signals.is_empty() { "any end" } @else { (way.signals.join(" or ")) } }
                    " → " (way.to) span.soft { ": " (way.reason) }
                    @if !way.needs.is_empty() { span.soft { "; needs " code { (way.needs.join(", ")) } } }
                }
            }
        }
    }
}
