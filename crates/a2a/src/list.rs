//! Lists of tasks: what fits, the latest update first, page by page.

use crate::{
    desk::{Desk, history},
    outward::State,
    who,
    wrong::Wrong,
};
use a2a::{ListTasksRequest, TaskState};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use handover_core::{
    access::Role,
    handoff::{Handoff, Status},
    ids::{HandoffId, SessionId},
    limits::{A2A_TASKS_PAGE, A2A_TASKS_PAGE_MAX, A2A_TASKS_SCANNED_MAX, PAGE_MAX},
    refusal::Code,
};
use handover_engine::HandoffQuery;
use serde_json::{Value, json};

/// The place of a task in a list: the latest update first, then by id.
type Order = (std::cmp::Reverse<i64>, HandoffId);

impl Desk {
    /// The tasks of this caller that fit.
    pub(crate) async fn list(&self, request: ListTasksRequest) -> Result<Value, Wrong> {
        let (size, length) = (page_size(request.page_size)?, history(request.history_length)?);
        let after = request.page_token.as_deref().filter(|token| !token.is_empty()).map(cursor).transpose()?;
        let wanted = request.status.as_ref().map(state).transpose()?.flatten();
        let since = request.status_timestamp_after.map(|time| time.timestamp_millis());
        let fits = |latest: &Handoff| {
            wanted.is_none_or(|wanted| wanted == State::of(latest))
                && since.is_none_or(|since| crate::outward::since(latest).0 >= since)
        };
        let mut places = self.places(request.context_id.as_deref().filter(|id| !id.is_empty()), fits).await?;
        places.sort_unstable();
        let total = places.len();
        places.retain(|order| after.as_ref().is_none_or(|after| order > after));
        let next = places.get(size).and_then(|_| places.get(size - 1)).map(token).unwrap_or_default();
        let mut shown = Vec::new();
        for (_, id) in places.into_iter().take(size) {
            let found = self.whole(self.engine.handoff(id).await?).await?;
            shown.push(found.shown_with(length, request.include_artifacts.unwrap_or(false)));
        }
        Ok(json!({"tasks": shown, "nextPageToken": next, "pageSize": size, "totalSize": total}))
    }

    /// The places of the tasks of this caller that fit, within the bound of a list. Of each no more than that is kept:
    /// a task may be large, and there may be many.
    async fn places(&self, context: Option<&str>, fits: impl Fn(&Handoff) -> bool) -> Result<Vec<Order>, Wrong> {
        let Some(mut query) = self.query(context).await? else { return Ok(Vec::new()) };
        let (mut places, mut looked) = (Vec::new(), 0);
        loop {
            let (page, next) = self.engine.handoffs_page(query.clone()).await?;
            looked += page.len();
            for first in page.into_iter().filter(|one| self.is_task(one)) {
                let id = first.id;
                let latest = if first.status() == Status::Escalated { self.engine.latest(id).await? } else { first };
                if fits(&latest) {
                    places.push((std::cmp::Reverse(crate::outward::since(&latest).0), id));
                }
            }
            match next {
                Some(next) if looked < A2A_TASKS_SCANNED_MAX => query.after = next,
                _ => return Ok(places),
            }
        }
    }

    /// Where the tasks of this caller are looked for; nothing where there can be none.
    async fn query(&self, context: Option<&str>) -> Result<Option<HandoffQuery>, Wrong> {
        let session = match context {
            None => None,
            // A context that is not there has no tasks, and nobody learns whose it is.
            Some(context) => match SessionId::new(context) {
                Ok(id) => Some(id),
                Err(_) => return Ok(None),
            },
        };
        if let Some(id) = &session {
            match self.engine.session(id).await {
                Err(error) if error.has(Code::UnknownSession) => return Ok(None),
                found => found?,
            };
        }
        let caller = self.engine.caller();
        let from = if caller.role == Role::Agent { Some(who::speaker(caller)?) } else { None };
        // An agent's caller may speak for several: then all that it sees is looked at.
        let from = from.filter(|_| caller.acts_as.as_ref().is_some_and(|agents| agents.len() == 1));
        Ok(Some(HandoffQuery { session, from, latest_first: true, limit: PAGE_MAX, ..HandoffQuery::default() }))
    }

    fn is_task(&self, handoff: &Handoff) -> bool {
        let here = self.agent.as_ref().is_none_or(|agent| handoff.request.to_agent.as_ref() == Some(agent));
        here && who::sees(self.engine.caller(), handoff)
    }
}

fn page_size(size: Option<i32>) -> Result<usize, Wrong> {
    let Some(size) = size else { return Ok(A2A_TASKS_PAGE) };
    usize::try_from(size).ok().filter(|size| (1..=A2A_TASKS_PAGE_MAX).contains(size)).ok_or_else(|| {
        Wrong::field("pageSize", format!("it is {size}; 1 to {A2A_TASKS_PAGE_MAX} is allowed (A2A_TASKS_PAGE_MAX)"))
    })
}

/// The state that is asked for; nothing where none is.
fn state(wanted: &TaskState) -> Result<Option<State>, Wrong> {
    if *wanted == TaskState::Unspecified {
        return Ok(None);
    }
    let word = serde_json::to_value(wanted).unwrap_or_default();
    let found = State::ALL.into_iter().find(|state| json!(state.word()) == word);
    // There is a state that no task of ours has.
    found.map(Some).ok_or_else(|| Wrong::field("status", "no task here asks for credentials"))
}

fn token((at, id): &Order) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}/{id}", at.0))
}

fn cursor(token: &str) -> Result<Order, Wrong> {
    let text = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let parts = text.as_deref().and_then(|text| text.split_once('/'));
    let order = parts
        .and_then(|(at, id)| Some((std::cmp::Reverse(at.parse().ok()?), HandoffId(id.parse::<uuid::Uuid>().ok()?))));
    order.ok_or_else(|| Wrong::field("pageToken", "it is not one of ours"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_back_as_the_place_it_was_made_of() {
        let order = (std::cmp::Reverse(1_800_000_000_123), HandoffId(uuid::Uuid::from_u128(7)));
        assert_eq!(cursor(&token(&order)).unwrap(), order);
        for bad in ["x", "", "////", "MS8y", "e30"] {
            assert!(cursor(bad).is_err(), "{bad}");
        }
    }
}
