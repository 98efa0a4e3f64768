//! One piece of work for a person: what is to be done, what they are shown, and what they can do with it.

use super::{Task, give, may_work};
use crate::{ask::Ask, parts};
use handover_core::{
    context,
    handoff::{Handoff, Phase},
};
use maud::{Markup, html};

/// For how long work is put off, in milliseconds, with words.
const LATER: [(u64, &str); 4] = [
    (15 * 60_000, "15 minutes"),
    (60 * 60_000, "an hour"),
    (4 * 60 * 60_000, "four hours"),
    (24 * 60 * 60_000, "a day"),
];

pub(super) fn item(ask: &Ask, task: &Task) -> Markup {
    let handoff = &task.handoff;
    let (id, request) = (handoff.id, &handoff.request);
    let taken = matches!(handoff.phase, Phase::Running { .. });
    html! {
        li.card.item.mine[taken].free[!taken] id=(id) data-item data-key=(format!("{id}-{taken}")) tabindex="-1"
            aria-labelledby=(format!("task-{id}")) {
            header {
                (parts::between(handoff))
                @if taken { (parts::badge("run", "taken")) } @else { (parts::badge("idle", "offered")) }
                (parts::priority(request.task.priority))
                span.push { (parts::left(handoff, ask.now)) }
            }
            h3.title id=(format!("task-{id}")) { (parts::fold(&request.task.description)) }
            @if request.reason != request.task.description { div { span.soft { "Why: " } (parts::fold(&request.reason)) } }
            @if request.original_request != request.task.description {
                div { span.soft { "What the user asked: " } (parts::fold(&request.original_request)) }
            }
            (facts(ask, task))
            (shown(task))
            (actions(ask, task))
        }
    }
}

fn facts(ask: &Ask, task: &Task) -> Markup {
    let handoff = &task.handoff;
    // After that somebody else may have it, unless it is kept.
    let lease = match &handoff.phase {
        Phase::Running { lease_until, in_process: false, .. } => parts::until(*lease_until, ask.now),
        _ => html! {},
    };
    parts::facts(&[
        ("Session", parts::session(&handoff.session_id)),
        (
            "Handoff",
            html! { a href=(parts::handoff_url(handoff.id)) { (parts::short(handoff.id)) } ", " (parts::kind_words(handoff.request.kind)) },
        ),
        ("Risk", html! { (parts::risk_word(handoff.request.audit.risk_level)) }),
        (
            "Step",
            html! { @if let Some(step) = &task.step { (step.state) @if !step.about.is_empty() { ": " (step.about) } } },
        ),
        ("Asked", parts::ago(handoff.opened_at, ask.now)),
        ("Yours until", lease),
    ])
}

/// The data, what was asked and thought before, the conversation; and the whole as one text.
fn shown(task: &Task) -> Markup {
    let handoff = &task.handoff;
    let id = handoff.id;
    html! {
        @if !handoff.request.task.payload.is_null() { (parts::body(&handoff.request.task.payload)) }
        @for asked in &handoff.questions {
            div { b { "Asked: " } (parts::fold(&asked.question)) }
            @if let Some(given) = &asked.answer { div { b { (given.by) ": " } (parts::fold(&given.text)) } }
        }
        @for thought in handoff.climb.iter().flat_map(|climb| &climb.assessments) {
            div { b { (thought.by) " thinks: " } (parts::fold(&thought.text)) }
        }
        @if let Some(view) = &task.view {
            details id=(format!("crosses-{id}")) {
                summary { "Context: " (parts::crossing_line(view)) }
                (parts::crossing(&handoff.request, view))
            }
            details id=(format!("brief-{id}")) {
                summary { "The whole brief as text" }
                pre tabindex="0" { (parts::cut_text(&context::brief(handoff, view))) }
            }
        }
    }
}

fn actions(ask: &Ask, task: &Task) -> Markup {
    let handoff = &task.handoff;
    if !may_work(ask, &handoff.to_agent) {
        let role = ask.engine.caller().role;
        return html! { p.soft.undecided { "Your role is " (role) ": you can read this, and " (handoff.to_agent) " does it." } };
    }
    match &handoff.phase {
        Phase::Running { in_process: true, .. } => {
            html! { p.soft.undecided { (handoff.to_agent) " works on it in the engine's own process." } }
        }
        Phase::Running { lease, .. } => give::taken(ask, task, &lease.to_string()),
        _ => offered(ask, handoff),
    }
}

/// What can be done with an offer: take it, put it off, say no.
fn offered(ask: &Ask, handoff: &Handoff) -> Markup {
    let (id, person) = (handoff.id, handoff.to_agent.as_str());
    let send = |way: &str, inside: Markup| {
        parts::form(
            ask,
            &format!("/inbox/{id}/{way}"),
            html! { (parts::hidden("as", person)) (super::seen(ask)) (inside) },
        )
    };
    html! {
        div.decide {
            (send("take", html! {
                div.buttons { button.main type="submit" data-press="a" { "Take it as " (person) } }
            }))
            details id=(format!("later-{id}")) {
                summary data-press="l" { "Later…" }
                (send("defer", html! {
                    div.fields {
                        div {
                            label for=(format!("for-{id}")) { "For how long" }
                            select id=(format!("for-{id}")) name="for" {
                                @for (ms, words) in LATER { option value=(ms) { (words) } }
                            }
                        }
                        div { (parts::reason_field(&format!("later-why-{id}"), "why not now")) }
                    }
                    div.buttons { button type="submit" { "Put it off" } }
                }))
            }
            (give::decline(&id.to_string(), |inside| send("decline", inside)))
        }
    }
}
