//! The handoffs that began among the messages of one page of a conversation, however long ago that is.

use crate::{parts, wrong::Wrong};
use handover_core::{
    handoff::Handoff,
    limits::{PAGE_HANDOFFS, PAGE_ROWS},
    session::Session,
};
use handover_engine::{Engine, HandoffQuery};
use maud::{Markup, html};

/// They stand between the messages, the earliest first.
#[derive(Default)]
pub(super) struct Passed {
    pub(super) rows: Vec<Handoff>,
    /// Whether there are more of them than a page shows: before these, or after.
    more: Option<More>,
}

/// What is not shown, as the numbers of handoffs.
enum More {
    /// All before this one may have begun here, too.
    Before(u64),
    /// So have some after this one.
    After(u64),
}

impl Passed {
    /// Those of the messages with these numbers. `latest` are the latest of the session, which are known already.
    pub(super) async fn read(
        engine: &Engine,
        session: &Session,
        latest: &[Handoff],
        (first, last): (u64, u64),
    ) -> Result<Self, Wrong> {
        let end = last == session.mark.messages;
        let here = |handoff: &Handoff| began_from(handoff, first) && (end || handoff.mark.messages < last);
        let known = latest.first().is_none_or(|eldest| eldest.n <= 1 || !began_from(eldest, first));
        if known || end {
            let rows: Vec<Handoff> = latest.iter().filter(|handoff| here(handoff)).cloned().collect();
            let more = rows.first().filter(|_| !known).map(|eldest| More::Before(eldest.n));
            return Ok(Self { rows, more });
        }
        let start = first_from(engine, session, first).await?;
        let mut rows = page(engine, session, start, PAGE_HANDOFFS + 1).await?;
        rows.retain(here);
        let full = rows.len() > PAGE_HANDOFFS;
        rows.truncate(PAGE_HANDOFFS);
        let more = rows.last().filter(|_| full).map(|last| More::After(last.n));
        Ok(Self { rows, more })
    }

    /// Says that there are more, and where.
    pub(super) fn cut(&self, session: &Session) -> Markup {
        let list = |before: u64| format!("/handoffs?session={}&before={before}", parts::encoded(session.id.as_str()));
        match self.more {
            None => html! {},
            Some(More::Before(n)) => html! {
                p.soft { "More was handed over in this part than is shown: " a href=(list(n)) { "what was before #" (n) } "." }
            },
            Some(More::After(n)) => html! {
                p.soft {
                    "More was handed over in this part than is shown: "
                    a href=(list(n.saturating_add(PAGE_ROWS as u64 + 1))) { "what came after #" (n) } "."
                }
            },
        }
    }
}

/// Whether it began when the conversation stood before this message, or later.
fn began_from(handoff: &Handoff, message: u64) -> bool {
    handoff.mark.messages.saturating_add(1) >= message
}

async fn page(engine: &Engine, session: &Session, after: u64, limit: usize) -> Result<Vec<Handoff>, Wrong> {
    let query = HandoffQuery { session: Some(session.id.clone()), after, limit, ..HandoffQuery::default() };
    Ok(engine.handoffs(query).await?)
}

/// The number of handoffs before the first that began from this message on. A conversation only grows, so handoffs stand in the
/// order of their messages: halving finds it with a few looks at single rows.
async fn first_from(engine: &Engine, session: &Session, message: u64) -> Result<u64, Wrong> {
    let (mut low, mut high) = (0, session.handoffs);
    while low < high {
        let middle = low + (high - low) / 2;
        let later = page(engine, session, middle, 1).await?.first().is_none_or(|found| began_from(found, message));
        if later {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}
