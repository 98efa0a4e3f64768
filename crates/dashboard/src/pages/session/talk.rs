//! The conversation: who spoke, when, and where it was handed over in between.

use super::Scene;
use crate::{ask::Ask, parts};
use handover_core::{
    access::Right,
    handoff::Handoff,
    limits::PAGE_MESSAGES,
    message::{Message, Role},
};
use maud::{Markup, html};

pub(super) fn card(ask: &Ask, scene: &Scene) -> Markup {
    let (first, last) = scene.shown;
    let total = scene.session.mark.messages;
    let page = PAGE_MESSAGES as u64;
    let earlier = (first > 1).then(|| ask.query.with("from", &first.saturating_sub(page).max(1).to_string()));
    let later = (last < total).then(|| match last + page >= total {
        true => ask.query.with("from", ""),
        false => ask.query.with("from", &(last + 1).to_string()),
    });
    html! {
        section.card.long {
            div data-part="talk" {
                header.head {
                    h2 { "Conversation" }
                    @if total > 0 && (first > 1 || last < total) {
                        span.soft { "messages " (first) " to " (last) " of " (parts::number(total)) }
                    }
                }
                @if scene.messages.is_empty() && scene.handoffs.is_empty() {
                    p.soft { "Nothing was said yet." }
                }
                ol.talk { (turns(scene)) }
                (parts::pager(later, earlier))
            }
            @if ask.may(Right::Act) && scene.session.ended_at.is_none() { (say(ask, scene)) }
        }
    }
}

/// Messages in order, and each handoff where the conversation stood when it began.
fn turns(scene: &Scene) -> Markup {
    let (first, last) = scene.shown;
    let total = scene.session.mark.messages;
    let mut passed = scene.handoffs.iter().filter(|handoff| handoff.mark.messages + 1 >= first).peekable();
    html! {
        @for message in &scene.messages {
            @while let Some(handoff) = passed.next_if(|handoff| handoff.mark.messages < message.n) { (handed_over(handoff)) }
            (said(message))
        }
        @if last == total { @for handoff in passed { (handed_over(handoff)) } }
    }
}

fn handed_over(handoff: &Handoff) -> Markup {
    html! {
        li.passed data-key=(format!("handoff {}", handoff.id)) {
            span.from { (parts::between(handoff)) (parts::standing(handoff)) }
            a href=(parts::handoff_url(handoff.id)) { "#" (handoff.n) " " (parts::quoted(&handoff.request.task.description, 100)) }
        }
    }
}

fn said(message: &Message) -> Markup {
    let said = &message.said;
    let (class, who) = match said.role {
        Role::System => ("system", "instructions".to_owned()),
        Role::User => ("user", "user".to_owned()),
        Role::Assistant => ("agent", "agent".to_owned()),
        Role::Tool => ("tool", said.tool_name.clone().unwrap_or_else(|| "tool".to_owned())),
    };
    html! {
        li class=(class) data-key=(format!("message {}", message.n)) id=(format!("m{}", message.n)) {
            span.by {
                b { @if let Some(agent) = &said.agent { (parts::agent(agent)) } @else { (who) } }
                (parts::clock(message.at))
                @if said.reasoning { "thinking" }
                @if said.aside { "aside" }
                span { (parts::number(message.tokens)) " tokens" }
                @if !message.redacted.is_empty() {
                    (parts::badge("wait", &format!("{} taken out", message.redacted.values().sum::<u64>())))
                }
            }
            @if !said.content.is_empty() { div.said { (parts::fold(&said.content)) } }
            @for call in &said.tool_calls {
                div.said { "calls " code { (call.name) } " " (parts::json(&call.arguments)) }
            }
        }
    }
}

/// Saying something: for the person that is served, or for the agent that whoever looks speaks for.
fn say(ask: &Ask, scene: &Scene) -> Markup {
    let action = format!("{}/say", parts::session_url(&scene.session.id));
    let speaks_for = ask.engine.caller().acts_as.clone().unwrap_or_default();
    parts::form(
        ask,
        &action,
        html! {
            div {
                label for="say" {
                    @if speaks_for.is_empty() { "Say something in the name of the user" } @else { "Say something" }
                }
                textarea id="say" name="text" required maxlength="20000" rows="2" {}
            }
            div.buttons {
                @if !speaks_for.is_empty() {
                    label.unseen for="say-as" { "As" }
                    select id="say-as" name="agent" {
                        @for agent in &speaks_for { option value=(agent) { "as " (agent) } }
                    }
                }
                button type="submit" { "Say it" }
            }
        },
    )
}
