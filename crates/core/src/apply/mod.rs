//! How a session changes when something happens. The only place that changes one; replaying records uses it too.

mod ending;
mod living;
mod things;
mod working;

use living::{answer, extend, move_end};

use crate::{
    digest::Digest,
    event::{DeadlineMove, Event, Extension, LockTaken},
    guard::watch::Watch,
    handoff::{AcceptanceStatus, Approval, Given, Handoff, Phase, Status},
    ids::{AgentId, ArtifactId, HandoffId, SessionId},
    record::{self, Record},
    session::{Failed, Group, Head, Lock, Session, Variable},
    time::Timestamp,
    workflow::Flow,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Which parts of a session an event changed; the store writes those and no others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Touched {
    /// Handoffs, as they are now; a closed one is no longer in the session.
    pub handoffs: BTreeMap<HandoffId, Arc<Handoff>>,
    /// Names of variables.
    pub variables: Vec<String>,
    /// Ids of artifacts.
    pub artifacts: Vec<ArtifactId>,
    /// Paths of locks.
    pub locks: Vec<String>,
    /// Decisions from this index on are new.
    pub decisions_from: Option<usize>,
}

impl Session {
    /// A session just opened by this event; nothing for any other event.
    #[must_use]
    pub fn begin(id: SessionId, event: &Event, at: Timestamp) -> Option<Self> {
        let Event::SessionOpened {
            tenant,
            active_agent,
            user_id,
            original_request,
            metadata,
            complexity,
            workflow,
            state,
            limits,
            mode,
        } = event
        else {
            return None;
        };
        let mut watch = Watch::default();
        watch.note_agent(active_agent);
        Some(Self {
            id,
            version: 0,
            tenant: tenant.clone(),
            user_id: user_id.clone(),
            original_request: original_request.clone(),
            active_agent: active_agent.clone(),
            lent_by: None,
            trail: None,
            parties: Some(Arc::new(BTreeSet::from([active_agent.clone()]))),
            segment_complete: false,
            opened_at: at,
            last_at: at,
            ended_at: None,
            metadata: metadata.clone(),
            workflow_state: Value::Null,
            complexity: *complexity,
            workflow: workflow.clone(),
            flow: state.as_ref().map(|state| Flow::at_start(state.clone(), at)),
            limits: *limits,
            mode: *mode,
            watch,
            mark: crate::message::Mark::default(),
            handoffs: 0,
            metrics: crate::handoff::Metrics::default(),
            head: Head::default(),
            variables_digest: variables_digest(&BTreeMap::new()),
            failed: None,
            groups: BTreeMap::new(),
            open: BTreeMap::new(),
            variables: Arc::default(),
            artifacts: Arc::default(),
            locks: Arc::default(),
            decisions: Arc::default(),
        })
    }

    /// Rebuilds a session from the texts of its records, in order. Nothing when they do not begin with the opening,
    /// or one cannot be read, is missing or belongs elsewhere.
    ///
    /// How often the session was written is not in the records: `version` stays 0 for whoever keeps it to set.
    #[must_use]
    pub fn replay<'a>(id: &SessionId, texts: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut session: Option<Self> = None;
        for text in texts {
            let record: Record = serde_json::from_str(text).ok()?;
            if record.session_id != *id {
                return None;
            }
            session = Some(Self::follow(session, &record, record::hash(text))?);
        }
        session
    }

    /// The session after one more record. Nothing when the record does not follow.
    #[must_use]
    pub fn follow(before: Option<Self>, record: &Record, hash: Digest) -> Option<Self> {
        let mut session = match before {
            None => Self::begin(record.session_id.clone(), &record.event, record.timestamp)?,
            Some(mut session) => {
                session.apply(&record.event, record.timestamp, &mut Touched::default());
                session
            }
        };
        if record.seq != session.head.seq + 1 || record.prev != session.head.hash {
            return None;
        }
        session.head = Head { seq: record.seq, hash };
        Some(session)
    }

    /// Changes the session as this event says.
    pub fn apply(&mut self, event: &Event, at: Timestamp, touched: &mut Touched) {
        self.last_at = self.last_at.max(at);
        self.note_parties(event);
        self.note_failure(event, at);
        match event {
            Event::SessionOpened { .. }
            | Event::AgentRegistered { .. }
            | Event::AgentStanding { .. }
            | Event::AgentRemoved { .. }
            | Event::AccessDenied(_)
            | Event::BreakerMoved { .. }
            | Event::Pruned { .. }
            | Event::FellBack { .. }
            | Event::Denied { .. }
            | Event::ReturnTaken { .. }
            | Event::HumanAsked { .. }
            | Event::StepRecorded { .. } => {}
            // The book of the house remembers how far it has sealed.
            Event::Sealed { through, .. } => self.workflow_state = serde_json::json!({ "sealed_through": through }),
            Event::SessionEnded { .. } => self.ended_at = Some(at),
            Event::SessionReopened(_) => {
                self.ended_at = None;
                if let Some(flow) = &mut self.flow {
                    flow.reopen(at);
                }
            }
            Event::LimitsChanged { limits, .. } => self.limits = *limits,
            Event::MessagesAppended { mark, .. } => {
                // What the user says is news; what agents say to each other is not.
                self.watch.news += u64::from(mark.by_user > self.mark.by_user);
                self.mark = mark.clone();
            }
            Event::VariablesSet { by, set } => self.set_variables(by, set, at, touched),
            Event::ArtifactKept { artifact } => {
                Arc::make_mut(&mut self.artifacts).insert(artifact.id, artifact.clone());
                self.watch.news += 1;
                touched.artifacts.push(artifact.id);
            }
            Event::ArtifactMarked { id, status, .. } => {
                if let Some(artifact) = Arc::make_mut(&mut self.artifacts).get_mut(id) {
                    artifact.status = *status;
                    touched.artifacts.push(*id);
                }
            }
            Event::DecisionMade { decision } => self.add_decision(decision, touched),
            Event::Locked(LockTaken { path, by, lock_type, until, handoff_id }) => {
                let lock = Lock { owner: by.clone(), lock_type: *lock_type, until: *until, handoff_id: *handoff_id };
                self.put_lock(path, lock, at, touched);
            }
            Event::Unlocked { path, by } => self.drop_locks(path, |lock| lock.owner == *by, touched),
            Event::Used { metrics, .. } | Event::ModelAsked { metrics, .. } => self.add_metrics(metrics),
            Event::WorkflowMoved { state } => self.workflow_state = state.clone(),
            Event::StateChanged(change) => self.change_state(change, at),
            Event::StateMoved { to, .. } => {
                if let Some(flow) = &mut self.flow {
                    flow.enter(to, at);
                }
            }
            Event::SegmentCompleted { .. } => self.segment_complete = true,
            Event::Initiated { request, handoff, .. } => self.begin_handoff(request, handoff, at, touched),
            Event::ApprovalRequested { id, until, approval, warnings } => self.change(*id, touched, |handoff| {
                handoff.approval = Some(Approval::clone(approval));
                handoff.phase = Phase::AwaitingApproval { until: *until };
                handoff.warn(warnings);
            }),
            Event::Amended { id, .. } => self.amend(*id, event, touched),
            Event::GroupOpened { group, from_agent, aggregation, expects_return, members } => {
                let members = members.iter().map(|id| (*id, None)).collect();
                self.groups.insert(
                    *group,
                    Group {
                        from_agent: from_agent.clone(),
                        aggregation: *aggregation,
                        expects_return: *expects_return,
                        decided: false,
                        members,
                    },
                );
            }
            Event::GroupMoved { group, members } => {
                if let Some(entry) = self.groups.get_mut(group) {
                    for ((member, _), now) in entry.members.iter_mut().zip(members) {
                        *member = *now;
                    }
                }
            }
            Event::GroupDecided { group, .. } => self.decide_group(*group),
            Event::Closed { id, status, result, successor, used, .. } => {
                self.close(*id, *status, result, *used, at, touched);
                if let (Some(flow), Some(successor)) = (&mut self.flow, successor)
                    && flow.step == Some(*id)
                {
                    flow.step = Some(*successor);
                }
            }
            Event::Approved { id, until, by, probe, .. } => self.change(*id, touched, |handoff| {
                if let Some(approval) = &mut handoff.approval {
                    approval.approved_by = Some(by.clone());
                    approval.approved_at = Some(at);
                }
                handoff.probe |= *probe;
                handoff.phase = Phase::Offered { since: at, until: *until };
            }),
            Event::Offered { id, until, probe } => self.change(*id, touched, |handoff| {
                handoff.probe = *probe;
                handoff.phase = Phase::Offered { since: at, until: *until };
            }),
            Event::LeaseLost { id, until, used, .. } => {
                self.end_attempt(*id, *used, touched);
                self.change(*id, touched, |handoff| {
                    handoff.losses += 1;
                    handoff.phase = Phase::Offered { since: at, until: *until };
                });
                self.release_locks_of(*id, touched);
            }
            Event::Accepted { id, .. } => self.accept(*id, event, at, touched),
            Event::Rejected { id, by, reason } => self.change(*id, touched, |handoff| {
                handoff.acceptance = Some(answer(AcceptanceStatus::Rejected, by, reason, at));
            }),
            Event::Deferred { id, by, until, reason } => self.change(*id, touched, |handoff| {
                handoff.acceptance = Some(answer(AcceptanceStatus::Deferred, by, reason, at));
                handoff.deferrals += 1;
                handoff.phase = Phase::Deferred { until: *until };
            }),
            Event::Asked(asking) => self.ask(asking, at, touched),
            Event::Answered(answering) => self.change(answering.id, touched, |handoff| {
                if let Some(open) = handoff.questions.last_mut() {
                    open.answer = Some(Given { by: answering.by.clone(), text: answering.text.clone(), at });
                }
            }),
            Event::Rerouted { id, .. } => self.reroute(*id, event, at, touched),
            Event::Heartbeat { id, lease_until: renewed } => self.change(*id, touched, |handoff| {
                if let Phase::Running { lease_until, .. } = &mut handoff.phase {
                    *lease_until = *renewed;
                }
            }),
            Event::Reminded { id, grace_until: until } => self.change(*id, touched, |handoff| {
                if let Phase::Running { grace_until, .. } = &mut handoff.phase {
                    *grace_until = Some(*until);
                }
            }),
            Event::Retried { id, attempt, until, used } => {
                self.end_attempt(*id, *used, touched);
                self.change(*id, touched, |handoff| {
                    handoff.attempt = *attempt;
                    handoff.phase = Phase::Deferred { until: *until };
                });
                self.release_locks_of(*id, touched);
            }
            Event::DeadlineMoved(DeadlineMove { id, hard_deadline, until, lease_until }) => {
                self.change(*id, touched, |handoff| {
                    handoff.hard_deadline = *hard_deadline;
                    move_end(handoff, *until, *lease_until, at);
                });
            }
            Event::Extended(Extension { id, until, .. }) => {
                self.change(*id, touched, |handoff| extend(handoff, *until));
            }
            Event::HeldUp(Extension { id, until, .. }) => self.change(*id, touched, |handoff| {
                handoff.held_up += 1;
                handoff.phase = Phase::Deferred { until: *until };
            }),
        }
    }

    /// Whoever is given work, gives it, or is asked takes part from then on.
    fn note_parties(&mut self, event: &Event) {
        match event {
            Event::Initiated { request, handoff, .. } => {
                self.note_party(&request.from_agent);
                self.note_party(&handoff.to_agent);
            }
            Event::Rerouted { to, .. } | Event::Amended { to, .. } => self.note_party(to),
            Event::HumanAsked { human, .. } => self.note_party(human),
            Event::ApprovalRequested { approval, .. } => {
                let asked = approval.approver.as_ref().and_then(|who| AgentId::new(who).ok());
                if let Some(asked) = asked {
                    self.note_party(&asked);
                }
            }
            _ => {}
        }
    }

    /// What came to nothing stays noted until it is taken up.
    fn note_failure(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::Closed { id, status: Status::Failed | Status::TimedOut, .. } => {
                self.failed = Some(Failed { handoff_id: *id, at, human: None });
            }
            Event::HumanAsked { id, human, .. } => {
                self.failed = Some(Failed { handoff_id: *id, at, human: Some(human.clone()) });
            }
            Event::Closed { status: Status::Completed, .. }
            | Event::Initiated { .. }
            | Event::SessionEnded { .. }
            | Event::SessionReopened(_) => self.failed = None,
            // What agents say to each other is no answer to it.
            Event::MessagesAppended { mark, .. } if mark.by_user > self.mark.by_user => self.failed = None,
            _ => {}
        }
    }

    pub(super) fn change(&mut self, id: HandoffId, touched: &mut Touched, how: impl FnOnce(&mut Handoff)) {
        if let Some(handoff) = self.open.get_mut(&id) {
            how(Arc::make_mut(handoff));
            touched.handoffs.insert(id, handoff.clone());
        }
    }
}

/// SHA-256 over the names and values of all variables.
#[must_use]
pub fn variables_digest(variables: &BTreeMap<String, Variable>) -> Digest {
    let values: BTreeMap<&String, &Value> = variables.iter().map(|(name, v)| (name, &v.value)).collect();
    Digest::of_json(&values)
}
