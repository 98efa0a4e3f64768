//! Waiting for the end of a handoff, and taking its return exactly once.

use crate::engine::Engine;
use handover_core::{
    command::{Answer, Command},
    event::Event,
    handoff::{Handoff, Kind, Request, Return, ReturnStatus},
    ids::{AgentId, GroupId, HandoffId, SessionId},
    record::Record,
    refusal::{Code, HandoffError, Refusal},
};
use handover_store::{RecordQuery, StoreError};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::Notify;
use uuid::Uuid;

/// Who waits for what, in this process. Those elsewhere read the feed.
#[derive(Default)]
pub(crate) struct Waiters {
    bells: Mutex<HashMap<Uuid, Arc<Notify>>>,
}

/// A place among those who wait. Given up when it is dropped, so that whoever stops waiting leaves nothing behind.
struct Waiting<'a> {
    waiters: &'a Waiters,
    of: Uuid,
    bell: Arc<Notify>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut bells = self.waiters.bells.lock();
        // The map's own and this one: nobody else waits.
        if Arc::strong_count(&self.bell) <= 2 {
            bells.remove(&self.of);
        }
    }
}

impl Waiters {
    fn wait(&self, of: Uuid) -> Waiting<'_> {
        let bell = self.bells.lock().entry(of).or_default().clone();
        Waiting { waiters: self, of, bell }
    }

    /// Everybody looks again: the engine closes.
    pub(crate) fn wake_all(&self) {
        for bell in self.bells.lock().values() {
            bell.notify_waiters();
        }
    }

    pub(crate) fn wake(&self, of: Uuid) {
        if let Some(bell) = self.bells.lock().get(&of) {
            bell.notify_waiters();
        }
    }
}

/// How a broadcast was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupReturn {
    /// The group.
    pub group: GroupId,
    /// How it ended.
    pub status: ReturnStatus,
    /// The results that decided it, in the order of the request.
    pub winners: Vec<Return>,
    /// How the others ended: failed, late, or no longer needed.
    pub others: Vec<Return>,
}

impl Engine {
    /// Initiates a handoff, or a broadcast; its key, if it has one, makes it once.
    ///
    /// # Errors
    /// When the request is refused, with everything that is wrong with it.
    pub async fn initiate(
        &self,
        session: &SessionId,
        request: Request,
    ) -> Result<handover_core::command::Answer, HandoffError> {
        let key = request.idempotency_key.clone();
        let agents = (request.from_agent.clone(), request.to_agent.clone());
        let command = Command::Initiate(Box::new(request));
        let answer = self.submit(session, command, key.as_deref()).await;
        answer
            .map_err(|error| if error.agents.is_empty() { error.between(&agents.0, agents.1.as_ref()) } else { error })
    }

    /// Delegates (or escalates) and waits for the result. Whatever happens to the work, an answer comes.
    ///
    /// # Errors
    /// When the request is refused.
    pub async fn delegate(&self, session: &SessionId, mut request: Request) -> Result<Return, HandoffError> {
        if !matches!(request.kind, Kind::Delegation | Kind::Escalation) {
            request.kind = Kind::Delegation;
        }
        let by = request.from_agent.clone();
        let key = request.idempotency_key.clone();
        let answer = self.initiate(session, request).await?;
        let id = begun(answer)?;
        self.take_return(session, id, &by, key.as_deref()).await
    }

    /// Waits for the return of a handoff and takes it. With a key, the same call after a restart gives it again.
    ///
    /// # Errors
    /// When nobody waits for this return, or it was taken before.
    pub async fn take_return(
        &self,
        session: &SessionId,
        id: HandoffId,
        by: &AgentId,
        key: Option<&str>,
    ) -> Result<Return, HandoffError> {
        let result = self.returned(id).await?;
        let key = key.map(|_| format!("take/{id}"));
        self.submit(session, Command::Take { of: id.0, by: by.clone() }, key.as_deref()).await?;
        Ok(result)
    }

    /// Waits until the work that was handed over is over, wherever it went meanwhile, and gives how it ended.
    ///
    /// # Errors
    /// When there is no such handoff.
    pub async fn returned(&self, id: HandoffId) -> Result<Return, HandoffError> {
        let mut current = id;
        loop {
            let handoff = self.until(current, |handoff| handoff.status().is_closed()).await?;
            match self.successor(&handoff).await? {
                Some(next) => current = next,
                None => return Ok(result_of(&handoff)),
            }
        }
    }

    /// The same; nothing when the wait is over first. It is looked at least once.
    ///
    /// # Errors
    /// When there is no such handoff.
    pub async fn returned_until(
        &self,
        id: HandoffId,
        until: impl Future<Output = ()>,
    ) -> Result<Option<Return>, HandoffError> {
        let (mut current, mut until) = (id, std::pin::pin!(until));
        loop {
            let waiting = self.inner.waiters.wait(current.0);
            let mut rung = std::pin::pin!(waiting.bell.notified());
            rung.as_mut().enable();
            let handoff = self.find(current).await?;
            if handoff.status().is_closed() {
                match self.successor(&handoff).await? {
                    Some(next) => current = next,
                    None => return Ok(Some(result_of(&handoff))),
                }
                continue;
            }
            self.not_closed()?;
            self.still_writing()?;
            tokio::select! {
                biased;
                () = until.as_mut() => return Ok(None),
                () = rung => {}
            }
        }
    }

    /// How a broadcast was decided; nothing when the wait is over first. It is looked at least once.
    ///
    /// # Errors
    /// When the session is not the caller's.
    pub async fn decided_until(
        &self,
        session: &SessionId,
        group: GroupId,
        until: impl Future<Output = ()>,
    ) -> Result<Option<GroupReturn>, HandoffError> {
        let (waiting, mut until) = (self.inner.waiters.wait(group.0), std::pin::pin!(until));
        loop {
            let mut rung = std::pin::pin!(waiting.bell.notified());
            rung.as_mut().enable();
            if let Some(decision) = self.find_decision(session, group).await? {
                return Ok(Some(decision));
            }
            self.not_closed()?;
            self.still_writing()?;
            tokio::select! {
                biased;
                () = until.as_mut() => return Ok(None),
                () = rung => {}
            }
        }
    }

    /// The handoff that goes on with this one: itself, or the last of those to which it was escalated.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn latest(&self, id: HandoffId) -> Result<Handoff, HandoffError> {
        let mut found = self.find(id).await?;
        while let Some(next) = self.successor(&found).await? {
            found = self.find(next).await?;
        }
        Ok(Arc::unwrap_or_clone(found))
    }

    /// The handoff that went on with this one further up.
    async fn successor(&self, handoff: &Handoff) -> Result<Option<HandoffId>, HandoffError> {
        if handoff.status() != handover_core::handoff::Status::Escalated {
            return Ok(None);
        }
        let query = RecordQuery {
            handoff: Some(handoff.id),
            event_type: Some("escalated".into()),
            limit: 1,
            ..RecordQuery::default()
        };
        let records = self.inner.store.records(&query).await?;
        let event = records.first().and_then(|stored| serde_json::from_str::<Record>(&stored.text).ok());
        Ok(match event.map(|record| record.event) {
            Some(Event::Closed { successor, .. }) => successor,
            _ => None,
        })
    }

    /// Waits until somebody has taken the work, or it is over.
    ///
    /// # Errors
    /// When there is no such handoff.
    pub async fn accepted(&self, id: HandoffId) -> Result<Handoff, HandoffError> {
        self.until(id, |handoff| handoff.lease().is_some() || handoff.status().is_closed()).await
    }

    async fn until(&self, id: HandoffId, ready: impl Fn(&Handoff) -> bool) -> Result<Handoff, HandoffError> {
        let waiting = self.inner.waiters.wait(id.0);
        loop {
            // The bell is taken before the look, so that nothing can happen in between unheard.
            let mut rung = std::pin::pin!(waiting.bell.notified());
            rung.as_mut().enable();
            let handoff = self.find(id).await?;
            if ready(&handoff) {
                return Ok(Arc::unwrap_or_clone(handoff));
            }
            self.not_closed()?;
            self.still_writing()?;
            rung.await;
        }
    }

    /// Whether anything can still happen: a store that has stopped writing never brings the end of a wait.
    fn still_writing(&self) -> Result<(), HandoffError> {
        self.stopped().map_or(Ok(()), |reason| Err(StoreError::Stopped(reason).into()))
    }

    /// Asks several at once and waits until the contract of the broadcast is decided.
    ///
    /// # Errors
    /// When the request is refused.
    pub async fn broadcast(&self, session: &SessionId, mut request: Request) -> Result<GroupReturn, HandoffError> {
        request.kind = Kind::Broadcast;
        let by = request.from_agent.clone();
        let keyed = request.idempotency_key.is_some();
        let answer = self.initiate(session, request).await?;
        let group = match answer.group {
            Some(group) => group,
            None => return Err(went_up(begun(answer)?)),
        };
        let result = self.decided(session, group).await?;
        let key = keyed.then(|| format!("take/{group}"));
        self.submit(session, Command::Take { of: group.0, by }, key.as_deref()).await?;
        Ok(result)
    }

    /// Waits until a broadcast is decided.
    ///
    /// # Errors
    /// When the session is not the caller's.
    pub async fn decided(&self, session: &SessionId, group: GroupId) -> Result<GroupReturn, HandoffError> {
        let waiting = self.inner.waiters.wait(group.0);
        loop {
            let mut rung = std::pin::pin!(waiting.bell.notified());
            rung.as_mut().enable();
            if let Some(decision) = self.find_decision(session, group).await? {
                return Ok(decision);
            }
            self.not_closed()?;
            self.still_writing()?;
            rung.await;
        }
    }

    pub(crate) async fn find_decision(
        &self,
        session: &SessionId,
        group: GroupId,
    ) -> Result<Option<GroupReturn>, HandoffError> {
        self.may_read(session).await?;
        let mut query = RecordQuery {
            session: Some(session.clone()),
            event_type: Some("group_decided".into()),
            limit: handover_core::limits::PAGE_MAX,
            ..RecordQuery::default()
        };
        loop {
            let page = self.inner.store.records(&query).await?;
            for stored in &page {
                query.after = stored.position;
                let Ok(record) = serde_json::from_str::<Record>(&stored.text) else { continue };
                if let Event::GroupDecided { group: found, status, winners: won, members, .. } = record.event
                    && found == group
                {
                    let (mut winners, mut others) = (Vec::new(), Vec::new());
                    for id in members {
                        let result = result_of(&*self.find(id).await?);
                        if won.contains(&id) { winners.push(result) } else { others.push(result) }
                    }
                    return Ok(Some(GroupReturn { group, status, winners, others }));
                }
            }
            if page.len() < query.limit {
                return Ok(None);
            }
        }
    }
}

/// The handoff that was begun. Where the session falls back, there is none to wait for: the error says why.
pub(crate) fn begun(answer: Answer) -> Result<HandoffId, HandoffError> {
    match (answer.handoffs.first(), answer.fallback) {
        (Some(id), _) => Ok(*id),
        (None, Some(error)) => Err(error),
        (None, None) => Err(Refusal::new(Code::UnknownHandoff, "no handoff was made").into()),
    }
}

/// A broadcast above what its source may decide became a question, whose return is not that of a group.
fn went_up(id: HandoffId) -> HandoffError {
    let message = format!("its risk is above what its source may decide: it was escalated as {id}");
    Refusal::new(Code::AutonomyTooSmall, message).hint("wait for the return of that handoff").into()
}

/// How a closed handoff ended. A closed one always has a result; pruning removes both together.
fn result_of(handoff: &Handoff) -> Return {
    match &handoff.result {
        Some(result) => Return::clone(result),
        None => Return {
            handoff_id: handoff.id,
            from_agent: handoff.to_agent.clone(),
            to_agent: handoff.request.from_agent.clone(),
            status: ReturnStatus::Failed,
            result: handover_core::handoff::Outcome::default(),
            context_updates: handover_core::handoff::ContextUpdates::default(),
            completion_time: handoff.closed_at.unwrap_or_default(),
            metrics: handoff.metrics,
            notes: "its result is no longer kept".into(),
            signal: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_stops_waiting_leaves_nothing_behind() {
        let waiters = Waiters::default();
        let of = Uuid::nil();
        let (first, second) = (waiters.wait(of), waiters.wait(of));
        drop(first);
        assert_eq!(waiters.bells.lock().len(), 1, "somebody still waits");
        drop(second);
        assert!(waiters.bells.lock().is_empty());
    }
}
