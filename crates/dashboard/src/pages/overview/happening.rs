//! What happens now: who works on what, and what was heard last.

use crate::{ask::Ask, parts, told::told};
use handover_core::{
    handoff::{Handoff, Phase},
    limits::{ACTIVITY_RECORDS, OVERVIEW_ROWS},
    refusal::HandoffError,
};
use handover_engine::{BusMessage, RecordQuery, StoredRecord};
use maud::{Markup, html};
use serde::Deserialize;

/// Whose key it was: the record has it, the feed has not.
#[derive(Deserialize)]
struct Asked {
    caller: String,
}

/// Who works on what.
pub(super) fn running(ask: &Ask, running: &[Handoff]) -> Markup {
    html! {
        section.card id="now" data-part="now" {
            header { h2 { "Happening now" } @if !running.is_empty() { (parts::badge("run", &format!("{} running", parts::up_to(running.len())))) } }
            @if running.is_empty() {
                p.soft { "Nobody works on anything now. What comes shows here at once." }
            } @else {
                ul.lines { @for handoff in running.iter().take(OVERVIEW_ROWS) { (line(ask, handoff)) } }
                (super::more(running.len(), "/handoffs?status=running"))
            }
        }
    }
}

fn line(ask: &Ask, handoff: &Handoff) -> Markup {
    let deadline = match &handoff.phase {
        Phase::Running { deadline, .. } => Some(*deadline),
        Phase::AwaitingApproval { .. } | Phase::Offered { .. } | Phase::Deferred { .. } | Phase::Closed { .. } => None,
    };
    html! {
        li data-key=(handoff.id) {
            div {
                (parts::between(handoff))
                p.soft { (parts::quoted(&handoff.request.task.description, 80)) " · " (parts::session(&handoff.session_id)) }
            }
            span.when {
                a href=(parts::handoff_url(handoff.id)) { (parts::ago(handoff.accepted_at.unwrap_or(handoff.opened_at), ask.now)) }
                @if let Some(deadline) = deadline { small.soft { (parts::until(deadline, ask.now)) } }
            }
        }
    }
}

/// The latest that was heard.
pub(super) async fn activity(ask: &Ask) -> Result<Markup, HandoffError> {
    let back = u64::try_from(ACTIVITY_RECORDS).unwrap_or(u64::MAX);
    let query =
        RecordQuery { after: ask.position.saturating_sub(back), limit: ACTIVITY_RECORDS, ..RecordQuery::default() };
    let records = ask.engine.audit(query).await?;
    let news = |stored: &StoredRecord| {
        let message = BusMessage::of(stored)?;
        let asked: Asked = serde_json::from_str(&stored.text).ok()?;
        Some((told(&message, &asked.caller)?, message))
    };
    let heard: Vec<_> = records.iter().rev().filter_map(news).take(3 * OVERVIEW_ROWS).collect();
    Ok(html! {
        section.card data-part="activity" {
            header { h2 { "Latest" } a.push.small href="/audit" { "All that happened" } }
            @if heard.is_empty() { p.soft { "Nothing lately." } }
            ol.news tabindex="0" aria-label="Latest" {
                @for ((tone, words), message) in &heard {
                    li class=(tone) data-key=(message.id) {
                        span { (words) }
                        a.soft.small href=(place(message)) { (parts::ago(message.timestamp, ask.now)) }
                    }
                }
            }
        }
    })
}

/// Where one reads on.
fn place(message: &BusMessage) -> String {
    match message.payload.handoff() {
        Some(handoff) => parts::handoff_url(handoff),
        None => parts::session_url(&message.context.session_id),
    }
}
