//! The conversation: who spoke, when, and where it was handed over in between.

use super::Scene;
use crate::{ask::Ask, parts};
use handover_core::{
    access::Right,
    event::Event,
    handoff::Handoff,
    ids::SessionId,
    limits::PAGE_MESSAGES,
    message::{Message, Role},
    record::Record,
    time::Timestamp,
};
use handover_engine::{Engine, RecordQuery};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Through whom each message came that nobody else signed: the records say whose key it was.
pub(super) async fn spoken(engine: &Engine, id: &SessionId, messages: &[Message]) -> BTreeMap<u64, String> {
    let unsigned = |message: &&Message| message.said.role == Role::User && message.said.agent.is_none();
    let (Some(first), Some(last)) = (messages.iter().find(unsigned), messages.iter().rfind(unsigned)) else {
        return BTreeMap::new();
    };
    let query = RecordQuery {
        session: Some(id.clone()),
        event_type: Some("messages_appended".to_owned()),
        since: Some(first.at),
        until: Some(Timestamp(last.at.0.saturating_add(1))),
        limit: messages.len(),
        ..RecordQuery::default()
    };
    let mut spoken = BTreeMap::new();
    for stored in engine.audit(query).await.unwrap_or_default() {
        let Ok(record) = serde_json::from_str::<Record>(&stored.text) else { continue };
        let (Event::MessagesAppended { count, mark }, Some(name)) = (&record.event, parts::key_name(&record.caller))
        else {
            continue;
        };
        let first = mark.messages.saturating_sub(*count).saturating_add(1);
        spoken.extend((first..=mark.messages).take(messages.len()).map(|n| (n, name.to_owned())));
    }
    spoken
}

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
                    @if !scene.whole {
                        a.push.small.off-paper href=(ask.query.with("print", "all")) { "For printing" }
                    }
                    @if total > 0 && (first > 1 || last < total) {
                        span.soft { "messages " (first) " to " (last) " of " (parts::number(total)) }
                    }
                }
                @if scene.messages.is_empty() && scene.handoffs.is_empty() {
                    p.soft { "Nothing was said yet." }
                }
                ol.talk { (turns(ask, scene)) }
                (scene.passed.cut(&scene.session))
                (parts::pager(later, earlier))
                @if first > 1 || last < total {
                    p.soft.on-paper { "Only a part of the conversation is printed: it has " (parts::number(total)) " messages." }
                }
            }
            @if ask.may(Right::Act) && scene.session.ended_at.is_none() { (say(ask, scene)) }
        }
    }
}

/// Messages in order, and each handoff where the conversation stood when it began.
fn turns(ask: &Ask, scene: &Scene) -> Markup {
    let before = std::iter::once(ask.now).chain(scene.messages.iter().map(|message| message.at));
    let mut passed = scene.passed.rows.iter().peekable();
    html! {
        @for (message, before) in scene.messages.iter().zip(before) {
            @while let Some(handoff) = passed.next_if(|handoff| handoff.mark.messages < message.n) { (handed_over(handoff)) }
            (said(message, before, scene.spoken.get(&message.n)))
        }
        @for handoff in passed { (handed_over(handoff)) }
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

fn said(message: &Message, before: Timestamp, through: Option<&String>) -> Markup {
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
                b {
                    @if let Some(agent) = &said.agent { (parts::agent(agent)) } @else { (who) }
                    @if let Some(name) = through.filter(|_| said.role == Role::User && said.agent.is_none()) {
                        span.through { ", through " (name) }
                    }
                }
                (parts::clock(message.at, before))
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
