//! What comes next by itself: the timers that run.

use crate::{ask::Ask, parts};
use handover_core::{
    handoff::{Handoff, Phase},
    limits::{OVERVIEW_ROWS, PAGE_ROWS},
    refusal::HandoffError,
};
use maud::{Markup, html};

pub(super) async fn card(ask: &Ask) -> Result<Markup, HandoffError> {
    let upcoming = ask.engine.upcoming(PAGE_ROWS).await?;
    let rows: Vec<_> =
        upcoming.iter().filter_map(|handoff| Some((handoff, what(handoff)?))).take(OVERVIEW_ROWS).collect();
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
                        }
                        span.when {
                            a href=(parts::handoff_url(handoff.id)) { "#" (handoff.n) span.unseen { " of " (handoff.session_id) } }
                            @if let Some(due) = handoff.due() { small.soft { (parts::until(due, ask.now)) } }
                        }
                    }
                }
            }
        }
    })
}

/// What happens when the time comes; nothing for a lease, which its holder renews.
fn what(handoff: &Handoff) -> Option<Markup> {
    let to = parts::agent(&handoff.to_agent);
    Some(match &handoff.phase {
        Phase::AwaitingApproval { .. } => html! { "Nobody has said yes to what goes to " (to) ":" },
        Phase::Offered { .. } => html! { "Somebody else is asked, unless " (to) " takes:" },
        Phase::Deferred { .. } if handoff.open_question().is_some() => html! { "The question of " (to) " runs out:" },
        Phase::Deferred { .. } => html! { (to) " is offered again:" },
        Phase::Running { deadline, grace_until, lease_until, .. } => {
            let end = grace_until.unwrap_or(*deadline);
            if *lease_until < end {
                return None;
            }
            html! { (to) " has to be done with:" }
        }
        Phase::Closed { .. } => return None,
    })
}
