//! Reading it back: the history of a session, counts, the story of a handoff, statistics.

use crate::{agent::Recorded, engine::Engine};
use handover_core::{
    access::Right,
    event::{DeadlineMove, Event, Extension, RerouteReason},
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId, SessionId},
    limits::{PAGE_MAX, QUEUE_PER_AGENT_MAX},
    record::Record,
    refusal::HandoffError,
    time::Timestamp,
};
use handover_store::{HandoffQuery, RecordQuery, Stats, StoredReturn};
use serde::Serialize;

/// A step in the life of a handoff, as people tell it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoryStep {
    /// Its number among the ten steps of the protocol.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// When.
    pub at: Timestamp,
    /// What happened, in a sentence.
    pub what: String,
    /// The time that the sentence names, where it names one: whoever shows it may say it as people do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl StoryStep {
    /// What happened, with the names of the protocol as words: `ExplicitRequest` is `explicit request`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let split = match self.name {
            "trigger" => self.what.split_once(": ").map(|(name, rest)| (name, ": ", rest)),
            "return" => self.what.split_once(' ').map(|(name, rest)| (name, " ", rest)),
            _ => None,
        };
        let Some((name, between, rest)) = split else { return self.what.clone() };
        // What stands before the name was said by somebody.
        let (before, name) = name.split_at(name.rfind(' ').map_or(0, |at| at + 1));
        let mut words = String::new();
        for c in name.chars() {
            if c.is_uppercase() && !words.is_empty() {
                words.push(' ');
            }
            words.extend(c.to_lowercase());
        }
        format!("{before}{words}{between}{rest}")
    }
}

impl Engine {
    /// The handoffs of a session in order: the first page.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn get_handoff_history(&self, session: &SessionId) -> Result<Vec<Handoff>, HandoffError> {
        self.handoff_history(session, 0, PAGE_MAX).await
    }

    /// The handoffs of a session in order, after a number, at most so many.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn handoff_history(
        &self,
        session: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Handoff>, HandoffError> {
        self.may_read(session).await?;
        let query = HandoffQuery { session: Some(session.clone()), after, limit, ..HandoffQuery::default() };
        Ok(self.inner.store.handoffs(&query).await?)
    }

    /// The latest handoff of a session.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn get_last_handoff(&self, session: &SessionId) -> Result<Option<Handoff>, HandoffError> {
        self.may_read(session).await?;
        let query =
            HandoffQuery { session: Some(session.clone()), latest_first: true, limit: 1, ..HandoffQuery::default() };
        Ok(self.inner.store.handoffs(&query).await?.into_iter().next())
    }

    /// How many handoffs a session has had, from and to whom.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn get_handoff_count(
        &self,
        session: &SessionId,
        from: Option<&AgentId>,
        to: Option<&AgentId>,
    ) -> Result<u64, HandoffError> {
        self.may_read(session).await?;
        Ok(self.inner.store.count(session, from, to).await?)
    }

    /// Handoffs of this caller's tenant.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn handoffs(&self, mut query: HandoffQuery) -> Result<Vec<Handoff>, HandoffError> {
        query.tenant = Some(self.caller.tenant.clone());
        if self.caller.is_restricted() {
            return self.handoffs_seen(query).await;
        }
        Ok(self.inner.store.handoffs(&query).await?)
    }

    /// The sessions of this caller's tenant, the latest first, at most a page.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn sessions(&self, skip: usize, limit: usize) -> Result<Vec<SessionId>, HandoffError> {
        if self.caller.is_restricted() {
            return self.sessions_seen(skip, limit.min(PAGE_MAX), usize::MAX).await;
        }
        Ok(self.inner.store.sessions(&self.caller.tenant, skip, limit.min(PAGE_MAX)).await?)
    }

    /// The same without a long search: after so many sessions that are not this caller's, no more are looked for. What lies
    /// further back is not found.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn sessions_nearby(&self, limit: usize, hidden_max: usize) -> Result<Vec<SessionId>, HandoffError> {
        if self.caller.is_restricted() {
            return self.sessions_seen(0, limit.min(PAGE_MAX), hidden_max).await;
        }
        self.sessions(0, limit).await
    }

    /// What waits for an agent to take it, by level, then age.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn inbox(&self, agent: &AgentId, limit: usize) -> Result<Vec<Handoff>, HandoffError> {
        self.acts_for(agent)?;
        // Whoever only looks is not the agent that asks.
        if self.caller.may(Right::Act).is_ok() && self.agent(agent).is_ok() {
            self.seen(agent, "it asks for work").await?;
        }
        let mut waiting = Vec::new();
        // The queue is shared by all tenants: those of others must not take the places of this caller's.
        for offer in self.inner.store.offers(agent, QUEUE_PER_AGENT_MAX).await? {
            if waiting.len() == limit.min(PAGE_MAX) {
                break;
            }
            if self.peek(&offer.session).await?.is_some()
                && let Some(handoff) = self.inner.store.handoff(offer.handoff).await?
            {
                waiting.push(handoff);
            }
        }
        Ok(waiting)
    }

    /// Returns that wait for an agent.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn waiting_returns(&self, agent: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, HandoffError> {
        self.acts_for(agent)?;
        let mut waiting = Vec::new();
        for found in self.inner.store.waiting_returns(agent, PAGE_MAX).await? {
            if waiting.len() == limit.min(PAGE_MAX) {
                break;
            }
            if self.peek(&found.session).await?.is_some() {
                waiting.push(found);
            }
        }
        Ok(waiting)
    }

    /// Counts over all sessions of this caller's tenant. Where not all of them exist for it, over those that do, and
    /// records are not counted.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn stats(&self) -> Result<Stats, HandoffError> {
        if self.caller.is_restricted() {
            return self.stats_seen().await;
        }
        Ok(self.inner.store.stats(&self.caller.tenant).await?)
    }

    /// The records of a handoff, in order.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn trace(&self, id: HandoffId) -> Result<Vec<Record>, HandoffError> {
        self.find(id).await?;
        self.records_of(id).await
    }

    pub(crate) async fn records_of(&self, id: HandoffId) -> Result<Vec<Record>, HandoffError> {
        let mut query = RecordQuery { handoff: Some(id), limit: PAGE_MAX, ..RecordQuery::default() };
        let mut records = Vec::new();
        loop {
            let page = self.inner.store.records(&query).await?;
            let full = page.len() == PAGE_MAX;
            for stored in page {
                query.after = stored.position;
                let record = serde_json::from_str(&stored.text).map_err(|error| stored.unreadable(&error))?;
                records.push(record);
            }
            if !full {
                return Ok(records);
            }
        }
    }

    /// What this agent recorded of a piece of work. What others did before it is theirs: it begins anew.
    pub(crate) async fn recorded(&self, id: HandoffId, by: &AgentId) -> Result<Recorded, HandoffError> {
        let mut recorded = Recorded::default();
        let mut mine = false;
        for record in self.records_of(id).await? {
            match record.event {
                Event::Accepted { by: holder, .. } => mine = holder == *by,
                Event::StepRecorded { name, output, .. } if mine => {
                    recorded.steps.entry(name).or_insert(output);
                }
                // Whoever said no and gets it all the same looks at it anew.
                Event::Rejected { by: who, .. } if who == *by => recorded.steps.clear(),
                Event::StateMoved { to, .. } => recorded.moves.push_back(to),
                _ => {}
            }
        }
        Ok(recorded)
    }

    /// The story of a handoff: the ten steps of the protocol, as far as it has come.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn story(&self, id: HandoffId) -> Result<Vec<StoryStep>, HandoffError> {
        let records = self.trace(id).await?;
        Ok(records.iter().flat_map(tell).collect())
    }
}

/// What a record tells, in the ten steps: trigger, prepare, validate, initiate, acknowledge, accept or reject,
/// execute, return, complete, release.
#[must_use]
pub fn tell(record: &Record) -> Vec<StoryStep> {
    let at = record.timestamp;
    let step = |number, name, what: String| StoryStep { number, name, at, what, until: None };
    let timed =
        |number, name, until: &Timestamp, what: String| StoryStep { until: Some(*until), ..step(number, name, what) };
    match &record.event {
        Event::Initiated { request, handoff, routing, by_hand } => {
            let chosen = match routing {
                None => "as asked".to_owned(),
                Some(routed) => format!("out of {} by {}", routed.candidates.len(), routed.strategy.word()),
            };
            let warned =
                if handoff.warnings.is_empty() { String::new() } else { format!("; {}", handoff.warnings.join("; ")) };
            let again = match (by_hand, request.retry_of) {
                (Some(hand), Some(of)) => format!("{} had {of} tried once more ({}); ", hand.by, hand.reason),
                _ => String::new(),
            };
            vec![
                step(1, "trigger", format!("{again}{:?}: {}", request.trigger, request.reason)),
                step(
                    2,
                    "prepare",
                    format!(
                        "{} messages at hand, {} variables set with it",
                        handoff.mark.messages,
                        request.context.variables.len()
                    ),
                ),
                step(3, "validate", format!("{} was found fit{warned}", handoff.to_agent)),
                step(4, "initiate", format!("{} to {}, {chosen}", request.from_agent, handoff.to_agent)),
            ]
        }
        Event::ApprovalRequested { until, approval, warnings, .. } => {
            let who = approval.approver.as_deref().unwrap_or("a person");
            let warned = if warnings.is_empty() { String::new() } else { format!("; {}", warnings.join("; ")) };
            vec![timed(4, "initiate", until, format!("{who} is asked until {until}{warned}"))]
        }
        Event::Amended { by, to, .. } => vec![step(4, "initiate", format!("{by} changed it; it goes to {to}"))],
        Event::Approved { by, comment, .. } => {
            vec![step(4, "initiate", format!("{by} approved it{}", commented(comment)))]
        }
        Event::Denied { by, comment, .. } => vec![step(4, "initiate", format!("{by} denied it{}", commented(comment)))],
        Event::Accepted { by, manifest, .. } => {
            let shown = manifest.as_ref().map_or(0, |manifest| manifest.shown_messages);
            vec![
                step(5, "acknowledge", format!("{by} looked at it")),
                step(6, "accept", format!("{by} took it and is shown {shown} messages")),
                step(7, "execute", format!("{by} works on it")),
            ]
        }
        Event::Rejected { by, reason, .. } => {
            vec![step(5, "acknowledge", format!("{by} looked at it")), step(6, "reject", format!("{by}: {reason}"))]
        }
        Event::Deferred { by, until, reason, .. } => vec![
            step(5, "acknowledge", format!("{by} looked at it")),
            timed(6, "defer", until, format!("{by} put it off until {until}: {reason}")),
        ],
        Event::Asked(asking) => vec![step(7, "execute", format!("it asks: {}", asking.question))],
        Event::Answered(answering) => {
            vec![step(7, "execute", format!("{} answered: {}", answering.by, answering.text))]
        }
        Event::Rerouted { from, to, by_hand: Some(hand), .. } => {
            vec![step(4, "initiate", format!("{from} to {to}: {} decided so ({})", hand.by, hand.reason))]
        }
        Event::Rerouted { from, to, why, .. } => {
            vec![step(4, "initiate", format!("{from} to {to}: {}", rerouted(*why)))]
        }
        Event::Offered { .. } | Event::Extended(_) => vec![step(4, "initiate", "it is on offer".to_owned())],
        Event::HeldUp(Extension { until, why, .. }) => {
            vec![timed(4, "initiate", until, format!("it waits until {until}: {why}"))]
        }
        Event::DeadlineMoved(DeadlineMove { until, .. }) => {
            let what = format!("the time of the session was changed: it has until {until}");
            vec![timed(4, "initiate", until, what)]
        }
        Event::Heartbeat { .. } => vec![step(7, "execute", "its holder is alive".to_owned())],
        Event::StepRecorded { name, .. } => vec![step(7, "execute", format!("recorded {name}"))],
        Event::Reminded { .. } => vec![step(7, "execute", "its time is up; a reminder was sent".to_owned())],
        Event::Retried { attempt, until, .. } => {
            vec![timed(7, "execute", until, format!("attempt {attempt} begins at {until}"))]
        }
        Event::LeaseLost { .. } => vec![step(7, "execute", "its holder was lost; it is on offer again".to_owned())],
        Event::Closed { status, result, returned_to, released, .. } => {
            let mut steps = Vec::new();
            if let Some(to) = returned_to {
                steps.push(step(8, "return", format!("{:?} to {to}", result.status)));
            }
            steps.push(step(9, "complete", ended(*status, &record.caller, &result.notes)));
            steps.push(step(10, "release", format!("{} locks released", released.len())));
            steps
        }
        _ => Vec::new(),
    }
}

/// What somebody said to their decision, where they said anything.
fn commented(comment: &str) -> String {
    let comment = comment.trim();
    if comment.is_empty() { String::new() } else { format!(": {comment}") }
}

/// How it ended. Whoever took it back is named; a program of this very machine has no name of its own.
fn ended(status: Status, caller: &str, notes: &str) -> String {
    let named = !["engine", "local"].contains(&caller);
    let by = if status == Status::Cancelled && named { format!("by {caller}: ") } else { String::new() };
    format!("{} {by}{notes}", status.word()).trim().to_owned()
}

/// Why it goes to somebody else, as people say it.
fn rerouted(why: RerouteReason) -> &'static str {
    match why {
        RerouteReason::Rejected => "the first one said no",
        RerouteReason::NotAcknowledged => "there was no answer in time",
        RerouteReason::AtCapacity => "the first one has its hands full",
        RerouteReason::LeasesLost => "the first one was lost too often",
        RerouteReason::CircuitOpen => "the first one failed too often of late",
        RerouteReason::Unreachable => "the first one cannot be reached",
        RerouteReason::ByHand => "a person decided so",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_took_it_back_is_named() {
        for (status, caller, expected) in [
            (Status::Cancelled, "olga (k1)", "cancelled by olga (k1): not needed"),
            (Status::Cancelled, "local", "cancelled not needed"),
            (Status::Cancelled, "engine", "cancelled not needed"),
            (Status::Completed, "olga (k1)", "completed not needed"),
        ] {
            assert_eq!(ended(status, caller, "not needed"), expected);
        }
        assert_eq!((commented(" "), commented(" too dear ")), (String::new(), ": too dear".to_owned()));
    }
}
