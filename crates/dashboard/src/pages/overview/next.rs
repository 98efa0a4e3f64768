//! What comes next by itself: the timers that run.

use super::Open;
use crate::{ask::Ask, parts, people::Found};
use handover_core::{
    handoff::{Handoff, Kind, OnTimeout, Phase, Status},
    limits::{OVERVIEW_ROWS, PAGE_ROWS, RETRIES_MAX},
    policy::OnExpiry,
    refusal::HandoffError,
};
use handover_engine::HandoffQuery;
use maud::{Markup, html};

/// Everything that is open has a time. The eldest of each kind are looked at: what runs longest is over first, as a rule.
async fn upcoming(ask: &Ask, open: &Open) -> Result<Found<Handoff>, HandoffError> {
    let mut rows = open.running.rows.clone();
    if open.running.more {
        let (status, limit) = (Some(Status::Running), PAGE_ROWS);
        rows = ask.engine.handoffs(HandoffQuery { status, limit, ..HandoffQuery::default() }).await?;
    }
    let waiting = [&open.approvals, &open.offered, &open.put_off];
    rows.extend(waiting.iter().flat_map(|found| found.rows.iter().cloned()));
    rows.sort_by_key(|handoff| handoff.phase.left_until());
    Ok(Found { rows, more: open.running.more || waiting.iter().any(|found| found.more) })
}

pub(super) async fn card(ask: &Ask, open: &Open) -> Result<Markup, HandoffError> {
    let found = upcoming(ask, open).await?;
    let rows: Vec<_> =
        found.rows.iter().filter_map(|handoff| Some((handoff, what(handoff)?))).take(OVERVIEW_ROWS).collect();
    Ok(html! {
        section.card data-part="next" {
            header { h2 { "Coming next" } }
            @if rows.is_empty() { p.soft { "No timer runs." } }
            ul.lines {
                @for (handoff, what) in rows {
                    li data-key=(format!("next-{}", handoff.id)) {
                        div {
                            (what) " "
                            span.soft { (parts::quoted(&handoff.request.task.description, 60)) }
                            p.soft.small { "#" (handoff.n) " of " (parts::session(&handoff.session_id)) ", from " (parts::agent(&handoff.request.from_agent)) }
                        }
                        span.when {
                            a href=(parts::handoff_url(handoff.id)) { "Look" span.unseen { " at #" (handoff.n) " of " (handoff.session_id) } }
                            small.soft { (parts::left(handoff, ask.now)) }
                        }
                    }
                }
            }
            @if found.more { p.soft.small { "Much is open: of each kind the eldest were looked at." } }
        }
    })
}

/// What happens when the time comes; nothing where it is over already.
fn what(handoff: &Handoff) -> Option<Markup> {
    let (from, to) = (parts::agent(&handoff.request.from_agent), parts::agent(&handoff.to_agent));
    let over = handoff.hard_deadline.zip(handoff.phase.left_until()).is_some_and(|(end, left)| end <= left);
    Some(match &handoff.phase {
        Phase::AwaitingApproval { .. } => expiry(handoff),
        Phase::Offered { .. } if over => html! { "Times out, unless " (to) " takes:" },
        Phase::Offered { .. } => html! { "Somebody else is asked, unless " (to) " takes:" },
        Phase::Deferred { .. } if handoff.open_question().is_some() => {
            html! { (if goes_up(handoff) { "Goes further up" } else { "Times out" }) ", unless " (from) " answers " (to) ":" }
        }
        Phase::Deferred { .. } if over => html! { "Times out, as " (to) " cannot take it now:" },
        Phase::Deferred { .. } if handoff.attempt > 1 => {
            html! { "Tried again by " (to) ", attempt " (handoff.attempt) ":" }
        }
        Phase::Deferred { .. } => html! { (to) " is offered again:" },
        Phase::Running { grace_until: None, .. } => html! { (to) " is reminded, unless it is done with:" },
        Phase::Running { .. } => html! { (late(handoff)) ", unless " (to) " is done with:" },
        Phase::Closed { .. } => return None,
    })
}

/// Nobody decided in time.
fn expiry(handoff: &Handoff) -> Markup {
    let approval = handoff.approval.as_ref();
    let who = approval.and_then(|approval| approval.approver.as_deref()).unwrap_or("somebody");
    match approval.map(|approval| (approval.on_expiry, approval.rest.first())) {
        Some((_, Some(next))) => html! { strong { (next.who) } " is asked, too, unless " (who) " decides:" },
        Some((OnExpiry::Approve, None)) => html! { "It is approved, unless " (who) " says no:" },
        Some((OnExpiry::Deny, None)) | None => html! { "It is denied, unless " (who) " says yes:" },
    }
}

fn goes_up(handoff: &Handoff) -> bool {
    handoff.request.kind == Kind::Escalation || handoff.request.return_protocol.on_timeout == OnTimeout::Escalate
}

/// The work was not done after the reminder.
fn late(handoff: &Handoff) -> &'static str {
    match handoff.request.return_protocol.on_timeout {
        _ if goes_up(handoff) => "Goes further up",
        OnTimeout::Retry if handoff.attempt <= RETRIES_MAX => "Tried again",
        OnTimeout::Retry | OnTimeout::Fail | OnTimeout::Escalate => "Times out",
    }
}
