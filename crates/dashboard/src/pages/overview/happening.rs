//! What happens now: who works on what, and what was heard last.

use crate::{ask::Ask, parts, people::Found, told::told};
use handover_core::{
    handoff::Handoff,
    ids::SessionId,
    limits::{ACTIVITY_RECORDS, ACTIVITY_SESSION_RECORDS, OVERVIEW_ROWS, PAGE_ROWS},
    refusal::HandoffError,
};
use handover_engine::{BusMessage, HandoffQuery, RecordQuery, StoredRecord};
use maud::{Markup, html};
use serde::Deserialize;
use std::{cmp::Reverse, collections::BTreeSet};

/// Whose key it was: the record has it, the feed has not.
#[derive(Deserialize)]
struct Asked {
    caller: String,
}

/// Who works on what.
pub(super) fn running(ask: &Ask, found: &Found<Handoff>) -> Markup {
    let running = &found.rows;
    html! {
        section.card id="now" data-part="now" {
            header { h2 { "Happening now" } @if !running.is_empty() { (parts::badge("run", &format!("{} running", parts::at_least(found.count())))) } }
            @if running.is_empty() {
                p.soft { "Nobody works on anything now. What comes shows here at once." }
            } @else {
                ul.lines { @for handoff in running.iter().take(OVERVIEW_ROWS) { (line(ask, handoff)) } }
                (super::more(found.count(), "/handoffs?status=running"))
            }
        }
    }
}

fn line(ask: &Ask, handoff: &Handoff) -> Markup {
    html! {
        li data-key=(handoff.id) {
            div {
                (parts::between(handoff))
                p.soft { (parts::quoted(&handoff.request.task.description, 80)) " · " (parts::session(&handoff.session_id)) }
            }
            span.when {
                a href=(parts::handoff_url(handoff.id)) { (parts::ago(handoff.accepted_at.unwrap_or(handoff.opened_at), ask.now)) }
                small.soft { (parts::left(handoff, ask.now)) }
            }
        }
    }
}

/// A record as news; nothing where nobody wants to read it.
fn news(stored: &StoredRecord) -> Option<((&'static str, Markup), BusMessage)> {
    let message = BusMessage::of(stored)?;
    let asked: Asked = serde_json::from_str(&stored.text).ok()?;
    Some((told(&message, &asked.caller)?, message))
}

/// The latest that was heard. The latest of the whole house may be those of others, or nothing that anybody wants to read: then
/// the latest sessions, and those of the latest handoffs, are asked one by one, each by its index.
async fn heard(ask: &Ask) -> Result<Vec<((&'static str, Markup), BusMessage)>, HandoffError> {
    let wanted = 3 * OVERVIEW_ROWS;
    let back = u64::try_from(ACTIVITY_RECORDS).unwrap_or(u64::MAX);
    let near = ask.position.saturating_sub(back);
    let query = RecordQuery { after: near, limit: ACTIVITY_RECORDS, ..RecordQuery::default() };
    let records = ask.engine.audit(query).await?;
    let mut heard: Vec<_> = records.iter().rev().filter_map(news).take(wanted).collect();
    if heard.len() == wanted || near == 0 {
        return Ok(heard);
    }
    let mut sessions: BTreeSet<SessionId> =
        ask.engine.sessions_nearby(OVERVIEW_ROWS, PAGE_ROWS).await?.into_iter().collect();
    let latest = HandoffQuery { latest_first: true, limit: OVERVIEW_ROWS, ..HandoffQuery::default() };
    sessions.extend(ask.engine.handoffs(latest).await?.into_iter().map(|handoff| handoff.session_id));
    let mut further = Vec::new();
    for session in sessions {
        let (session, limit) = (Some(session), ACTIVITY_SESSION_RECORDS);
        let query = RecordQuery { session, before: near + 1, latest_first: true, limit, ..RecordQuery::default() };
        further.extend(ask.engine.audit(query).await?);
    }
    further.sort_by_key(|stored| Reverse(stored.position));
    heard.extend(further.iter().filter_map(news).take(wanted - heard.len()));
    Ok(heard)
}

/// What was heard, as a card.
pub(super) async fn activity(ask: &Ask) -> Result<Markup, HandoffError> {
    let heard = heard(ask).await?;
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
