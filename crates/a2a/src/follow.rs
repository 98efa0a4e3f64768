//! What happens to a task, from the feed: no update is lost between the look at it and the first one, and every stream of
//! a task brings the same in the same order.

use crate::{
    desk::{Desk, Found},
    outward::{self, Seen, State},
    wrong::Wrong,
};
use handover_core::{
    event::Event,
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId},
};
use handover_engine::{BusMessage, Engine, Filter, Notice, Subscription};
use serde_json::{Value, json};
use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

/// One update.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    /// As streams and pushes carry it.
    pub(crate) update: Value,
    /// The place in the feed from which on the rest follows.
    pub(crate) position: u64,
    /// Whether the task is over by it, or somebody has to say something.
    pub(crate) rests: bool,
    /// Whether the task is over by it.
    pub(crate) ends: bool,
}

/// A look at a task that goes on.
pub(crate) struct Follow {
    engine: Engine,
    /// The handoff that was asked for.
    first: Handoff,
    /// It, and those that go on with it.
    ours: BTreeSet<HandoffId>,
    /// Who has it.
    holder: AgentId,
    feed: Subscription,
    /// What has happened up to this record of the session is known already.
    known: u64,
    /// Heard and not looked at to the end: whoever stops waiting in the middle loses nothing.
    heard: Option<Arc<BusMessage>>,
    ready: VecDeque<Told>,
    over: bool,
}

impl Follow {
    /// Begins to follow, with the task as it is at this very moment: what is in it is not told again, what is not follows.
    pub(crate) async fn begin(desk: &Desk, first: &Handoff) -> Result<(Self, Found), Wrong> {
        // The ear comes first: whatever happens after the look is heard.
        let mut follow = Self::from(desk.engine.clone(), first, None);
        let found = desk.whole(first.clone()).await?;
        // The session and what is open in it were seen at one moment, up to this record.
        follow.known = found.session.head.seq;
        follow.holder = found.latest.to_agent.clone();
        follow.ours.insert(found.latest.id);
        follow.over = found.state().is_terminal();
        Ok((follow, found))
    }

    /// Follows from a place in the feed, without a look before.
    pub(crate) async fn after(engine: Engine, first: &Handoff, position: u64) -> Result<Self, Wrong> {
        let mut follow = Self::from(engine, first, Some(position));
        // It may have gone up before that place, to somebody else.
        let latest = follow.engine.latest(first.id).await?;
        follow.ours.insert(latest.id);
        follow.holder = latest.to_agent;
        Ok(follow)
    }

    fn from(engine: Engine, first: &Handoff, after: Option<u64>) -> Self {
        let filter = Filter { session: Some(first.session_id.clone()), ..Filter::default() };
        let feed = engine.subscribe(filter, after);
        let (ours, holder) = (BTreeSet::from([first.id]), first.to_agent.clone());
        Self {
            engine,
            first: first.clone(),
            ours,
            holder,
            feed,
            known: 0,
            heard: None,
            ready: VecDeque::new(),
            over: false,
        }
    }

    /// The next update; nothing when the task is over, or the engine ends.
    pub(crate) async fn next(&mut self) -> Result<Option<Told>, Wrong> {
        loop {
            if let Some(told) = self.ready.pop_front() {
                self.over |= told.ends;
                return Ok(Some(told));
            }
            if self.over {
                return Ok(None);
            }
            if let Some(message) = self.heard.clone() {
                self.hear(&message).await?;
                self.heard = None;
                continue;
            }
            match self.feed.next().await? {
                Some(Notice::Event(message)) => self.heard = Some(message),
                // Whoever is slow reads what it missed from the store.
                Some(Notice::Dropped { resume_after }) => {
                    let filter = Filter { session: Some(self.first.session_id.clone()), ..Filter::default() };
                    self.feed = self.engine.subscribe(filter, Some(resume_after));
                }
                None => return Ok(None),
            }
        }
    }

    async fn hear(&mut self, message: &BusMessage) -> Result<(), Wrong> {
        let seq = message.id.rsplit('#').next().and_then(|seq| seq.parse::<u64>().ok()).unwrap_or(u64::MAX);
        self.learn(&message.payload);
        if seq <= self.known {
            return Ok(());
        }
        let updates = self.updates(message).await?;
        let last = updates.len().saturating_sub(1);
        for (at, (update, state)) in updates.into_iter().enumerate() {
            // Only with the last update of an event all of it is told: before that it is told again after a restart.
            let position = if at == last { message.position } else { message.position.saturating_sub(1) };
            let (rests, ends) = state.map_or((false, false), |state| (state.rests(), state.is_terminal()));
            self.ready.push_back(Told { update, position, rests, ends });
        }
        Ok(())
    }

    /// Whom it went to, and what goes on with it: known also of what was seen before.
    fn learn(&mut self, event: &Event) {
        match event {
            Event::Initiated { handoff, .. } if handoff.returns_for == self.first.id => {
                self.ours.insert(handoff.id);
                self.holder = handoff.to_agent.clone();
            }
            Event::Rerouted { id, to, .. } | Event::Amended { id, to, .. } if self.ours.contains(id) => {
                self.holder = to.clone();
            }
            Event::Accepted { id, by, .. } if self.ours.contains(id) => self.holder = by.clone(),
            _ => {}
        }
    }

    /// What an event is to whoever follows the task.
    async fn updates(&self, message: &BusMessage) -> Result<Vec<(Value, Option<State>)>, Wrong> {
        let event = &message.payload;
        if let Event::ArtifactKept { artifact } = event {
            let mine = artifact.created_by == self.holder;
            return Ok(if mine { vec![(self.artifact(&outward::kept(artifact)), None)] } else { Vec::new() });
        }
        if !event.handoff().is_some_and(|id| self.ours.contains(&id)) {
            return Ok(Vec::new());
        }
        let (state, words) = match event {
            Event::Initiated { handoff, .. } if handoff.id == self.first.id => return self.begun().await,
            Event::Initiated { handoff, .. } => {
                (State::of(handoff), Some(format!("It went up to {}.", handoff.to_agent)))
            }
            Event::ApprovalRequested { approval, .. } => {
                let who = approval.approver.as_deref().unwrap_or("a person");
                (State::InputRequired, Some(outward::approval_words(who, &self.holder)))
            }
            Event::Asked(asking) => (State::InputRequired, Some(asking.question.clone())),
            Event::Accepted { .. } => (State::Working, None),
            Event::Approved { .. }
            | Event::Offered { .. }
            | Event::LeaseLost { .. }
            | Event::Retried { .. }
            | Event::Rerouted { .. } => (State::Submitted, None),
            Event::Deferred { reason, until, .. } => {
                (State::Submitted, Some(format!("Put off until {until}: {reason}")))
            }
            Event::Closed { status: Status::Escalated, .. } => return Ok(Vec::new()),
            Event::Closed { id, .. } => return self.ended(*id).await,
            _ => return Ok(Vec::new()),
        };
        let status = outward::status(&self.first, state, message.timestamp, words.as_deref());
        Ok(vec![(self.status(&status), Some(state))])
    }

    /// The task as it begins: the first thing that a push brings.
    async fn begun(&self) -> Result<Vec<(Value, Option<State>)>, Wrong> {
        let session = self.engine.session(&self.first.session_id).await?;
        let mut first = self.first.clone();
        first.phase = handover_core::handoff::Phase::Offered { since: first.opened_at, until: first.opened_at };
        first.result = None;
        first.closed_at = Some(first.opened_at);
        let seen = Seen { first: &first, latest: &first, session: &session };
        Ok(vec![(json!({"task": seen.task(&[], None, false)}), None)])
    }

    /// What came out, and then how it ended. A closed handoff never changes: everybody sees the same.
    async fn ended(&self, id: HandoffId) -> Result<Vec<(Value, Option<State>)>, Wrong> {
        let latest = self.engine.handoff(id).await?;
        let session = self.engine.session(&self.first.session_id).await?;
        let seen = Seen { first: &self.first, latest: &latest, session: &session };
        let result = outward::result(&latest, &outward::modes(&self.first));
        let mut updates: Vec<_> = result.into_iter().map(|result| (self.artifact(&result), None)).collect();
        updates.push((self.status(&seen.status()), Some(seen.state())));
        Ok(updates)
    }

    fn status(&self, status: &Value) -> Value {
        outward::status_update(self.first.id, self.first.session_id.as_str(), status)
    }

    fn artifact(&self, artifact: &Value) -> Value {
        outward::artifact_update(self.first.id, self.first.session_id.as_str(), artifact)
    }
}
