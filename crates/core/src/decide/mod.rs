//! The one decision function: a session, the agents, a command and the time in; what happened or a refusal out.
//! It writes nothing. Whoever calls it commits the result or throws it away.

mod accept;
mod advise;
mod answer;
mod approval;
mod asking;
mod authority;
mod breaker;
mod broadcast;
mod budget;
mod by_hand;
mod climb;
mod close;
mod data;
mod deadlines;
mod edit;
mod facts;
mod fallback;
mod flow;
mod guards;
mod holding;
mod house;
mod initiate;
mod picking;
mod question;
mod reroute;
mod returning;
mod route;
mod session;
mod settle;
mod steps;
mod target;
mod timers;
mod turn;
pub(crate) mod validate;

pub use advise::{Heard, dry_run, pick_question, recommend, suggestions};
pub use asking::{approval_digest, deciders};
pub use guards::limits_of;
pub use house::{check_profile, house};
pub use picking::{ModelAnswer, Picked, before_pick};

use crate::{
    access::Role,
    agent::{Agent, Known, Standing},
    apply::Touched,
    command::{Answer, Caller, Command},
    digest::Digest,
    event::{ByHand, Event},
    handoff::Handoff,
    ids::{AgentId, ArtifactId, GroupId, HandoffId, Ids, SessionId},
    ledger::{Ledger, Posting},
    message::Message,
    policy::Policy,
    record::{self, Record},
    refusal::{Code, HandoffError, Refusal},
    session::{Head, Session},
    time::Timestamp,
    workflow::Workflows,
};
use std::sync::Arc;

/// What a decision depends on besides the session and the command.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// Everybody who is registered.
    pub agents: Known<'a>,
    /// The settings of the installation.
    pub policy: &'a Policy,
    /// What is counted over all sessions.
    pub ledger: &'a Ledger,
    /// The workflows that are known.
    pub workflows: &'a Workflows,
    /// What a model said to this very request, where one was asked.
    pub picked: Option<&'a ModelAnswer>,
    /// Who asks.
    pub caller: &'a Caller,
    /// Since when the engine has been awake without a break; windows that ran while it slept start anew.
    pub awake_since: Timestamp,
    /// The time.
    pub now: Timestamp,
}

/// A record, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The record.
    pub record: Record,
    /// Its text.
    pub text: String,
    /// Its hash.
    pub hash: Digest,
}

/// What a command comes to: everything that is to be committed together.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The session afterwards.
    pub session: Session,
    /// What happened, in order.
    pub written: Vec<Written>,
    /// The parts of the session that changed.
    pub touched: Touched,
    /// New messages.
    pub messages: Vec<Message>,
    /// Agents whose standing is to change.
    pub standings: Vec<(AgentId, Standing, String)>,
    /// What changes in the ledger, in the same commit.
    pub postings: Vec<Posting>,
    /// The answer to the caller.
    pub answer: Answer,
}

impl Decided {
    /// Agents that something is no longer on offer to, and agents that something is on offer to now.
    #[must_use]
    pub fn offers_moved(&self, before: Option<&Session>) -> (Vec<AgentId>, Vec<AgentId>) {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for handoff in self.touched.handoffs.values() {
            let earlier = before.and_then(|before| before.open.get(&handoff.id));
            let (was, is) = (earlier.and_then(|earlier| earlier.offered_to()), handoff.offered_to());
            if was != is {
                from.extend(was.cloned());
                to.extend(is.cloned());
            }
        }
        (from, to)
    }
}

/// What the command names and the session no longer holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Found<'a> {
    /// The handoff, where it is closed.
    pub closed: Option<&'a Handoff>,
    /// Whose inbox the return is in, where it was not taken.
    pub waiting: Option<&'a AgentId>,
}

/// Decides a command.
///
/// `session` is the session as it is, or nothing when there is none with this id. `found` is what the command names
/// and the session no longer holds.
///
/// # Errors
/// When the command is refused. Nothing has changed then.
pub fn decide(
    id: &SessionId,
    session: Option<&Session>,
    found: Found<'_>,
    command: Command,
    world: &World<'_>,
    ids: &mut dyn Ids,
) -> Result<Decided, HandoffError> {
    match (session, command) {
        (_, Command::Open(_)) if !world.caller.may_open(id) => Err(unknown_session(id)),
        (None, Command::Open(open)) => session::open(id, open, world),
        (Some(_), Command::Open(_)) => {
            Err(Refusal::new(Code::SessionExists, format!("session {id} is open already")).at("session_id").into())
        }
        // Whose session it is comes first: a stranger learns nothing, not even that it exists.
        (Some(session), _) if !world.caller.sees(session) => Err(unknown_session(id)),
        (Some(session), command) => {
            let mut draft = Draft::new(session, world, ids);
            draft.run(command, found)?;
            Ok(draft.finish())
        }
        (None, _) => Err(unknown_session(id)),
    }
}

fn unknown_session(id: &SessionId) -> HandoffError {
    Refusal::new(Code::UnknownSession, format!("there is no session {id}")).at("session_id").into()
}

/// A session in the making: events are applied as they are emitted, so that later ones see the earlier.
pub(crate) struct Draft<'a> {
    session: Session,
    world: &'a World<'a>,
    now: Timestamp,
    ids: &'a mut dyn Ids,
    written: Vec<Written>,
    touched: Touched,
    messages: Vec<Message>,
    standings: Vec<(AgentId, Standing, String)>,
    postings: Vec<Posting>,
    /// The way of a workflow that is being gone.
    way: Option<flow::Way>,
    /// The handoff whose end says nothing about its agent: nobody offered it to that one, or the workflow waited out a time.
    unjudged: Option<HandoffId>,
    /// The work that a person has tried once more, while that is decided.
    again: Option<by_hand::Again>,
    answer: Answer,
}

type Verdict = Result<(), HandoffError>;

impl<'a> Draft<'a> {
    fn new(session: &Session, world: &'a World<'a>, ids: &'a mut dyn Ids) -> Self {
        Self {
            answer: Answer::of(session.id.clone(), session.version + 1),
            session: session.clone(),
            world,
            // Time never runs backwards within a session, whatever the clock says.
            now: world.now.max(session.last_at),
            ids,
            written: Vec::new(),
            touched: Touched::default(),
            messages: Vec::new(),
            standings: Vec::new(),
            postings: Vec::new(),
            way: None,
            unjudged: None,
            again: None,
        }
    }

    fn run(&mut self, command: Command, found: Found<'_>) -> Verdict {
        let closed = found.closed;
        if let Some(id) = command.handoff() {
            if let (Some(over), Command::Approve { .. } | Command::Deny { .. } | Command::Amend { .. }) =
                (closed, &command)
            {
                self.check_undecided(over)?;
            }
            if let (Some(over), Command::Retry { by, reason, .. }) = (closed, &command)
                && over.session_id == self.session.id
            {
                return self.retry_closed(over, ByHand { by: by.clone(), reason: reason.clone() });
            }
            self.check_exists(
                id,
                closed,
                matches!(command, Command::Tick { .. } | Command::Reclaim { .. } | Command::Reconsider { .. }),
            )?;
            if closed.is_some() && !self.session.open.contains_key(&id) {
                return Ok(()); // A timer that comes late decides to nothing.
            }
        }
        self.check_workflow(&command)?;
        match command {
            Command::Open(_) => Err(Refusal::new(Code::SessionExists, "the session is open already").into()),
            Command::Say { messages, after } => self.say(messages, after),
            Command::Set { by, writes } => self.set(&by, writes),
            Command::Keep { by, artifact } => self.keep(&by, artifact),
            Command::MarkArtifact { by, id, status } => self.mark_artifact(&by, id, status),
            Command::Decide { by, description, risk } => self.make_decision(&by, description, risk),
            Command::Lock { by, path, lock_type, lease_ms } => self.lock(&by, path, lock_type, lease_ms),
            Command::Unlock { by, path } => self.unlock(&by, path),
            Command::CompleteSegment { by } => self.complete_segment(&by),
            Command::End { by, reason } => self.end(&by, reason),
            Command::Initiate(request) => {
                self.charge_answer(&request.from_agent);
                self.hand_over(*request)
            }
            Command::ChargePick { by, used } => {
                self.charge_pick(&by, &used);
                Ok(())
            }
            Command::Turn { by, turn } => self.turn(&by, *turn),
            Command::Approve { handoff, by, comment, digest, edit } => self.approve(handoff, by, comment, digest, edit),
            Command::Amend { handoff, by, edit, digest } => self.amend(handoff, &by, edit, digest),
            Command::Deny { handoff, by, comment, digest } => self.deny(handoff, by, comment, digest),
            Command::SetLimits { by, limits } => self.set_limits(by, limits),
            Command::Accept { handoff, by, lease_ms, in_process, estimated_completion, manifest } => {
                self.accept(handoff, &by, lease_ms, in_process, estimated_completion, manifest)
            }
            Command::Reject { handoff, by, reason } => self.reject(handoff, &by, reason),
            Command::Defer { handoff, by, for_ms, reason } => self.defer(handoff, &by, for_ms, reason),
            Command::Heartbeat { handoff, lease } => self.heartbeat(handoff, lease),
            Command::Decline { handoff, lease, reason } => self.decline(handoff, lease, reason),
            Command::Ask { handoff, lease, question } => self.ask_back(handoff, lease, question),
            Command::Answer { handoff, by, text } => self.answer_question(handoff, by, text),
            Command::Record { handoff, lease, name, output, messages } => {
                self.record_step(handoff, lease, name, output, messages)
            }
            Command::MoveState { handoff, lease, state } => self.move_state(handoff, lease, &state),
            Command::Return { handoff, lease, giving, then } => self.give_back(handoff, lease, *giving, then),
            Command::Escalate { handoff, lease, assessment } => self.escalate(handoff, lease, assessment),
            Command::Cancel { handoff, by, reason } => self.cancel(handoff, &by, &reason),
            Command::Redirect { handoff, by, to, reason } => self.redirect(handoff, ByHand { by, reason }, &to),
            Command::Retry { handoff, by, reason } => self.retry_open(handoff, ByHand { by, reason }),
            Command::Take { of, by } => self.take(of, &by, found.waiting),
            Command::Tick { handoff } => self.tick(handoff),
            Command::Reclaim { handoff } => self.reclaim(handoff),
            Command::Reconsider { handoff } => self.reconsider(handoff),
        }
    }

    fn check_exists(&self, id: HandoffId, closed: Option<&Handoff>, by_engine: bool) -> Verdict {
        if self.session.open.contains_key(&id) {
            return Ok(());
        }
        match closed {
            Some(_) if by_engine => Ok(()),
            Some(handoff) if handoff.session_id == self.session.id => {
                let status = handoff.status().word();
                let refusal = Refusal::new(Code::Closed, format!("handoff {id} is {status} already"));
                Err(between(refusal, handoff))
            }
            Some(_) | None => {
                Err(Refusal::new(Code::UnknownHandoff, format!("there is no handoff {id} in this session")).into())
            }
        }
    }

    fn finish(mut self) -> Decided {
        if !self.written.is_empty() {
            self.session.version += 1;
        }
        self.answer.version = self.session.version;
        Decided {
            session: self.session,
            written: self.written,
            touched: self.touched,
            messages: self.messages,
            standings: self.standings,
            postings: self.postings,
            answer: self.answer,
        }
    }

    /// Makes something happen: applied to the session, recorded, chained.
    fn emit(&mut self, event: Event) {
        let about = event.handoff();
        self.session.apply(&event, self.now, &mut self.touched);
        let about = about.and_then(|id| self.touched.handoffs.get(&id).or_else(|| self.session.open.get(&id))).cloned();
        let record = Record::of(&self.session, &self.world.caller.name, self.now, event, about.as_deref());
        let text = record.text();
        let hash = record::hash(&text);
        self.session.head = Head { seq: record.seq, hash };
        self.written.push(Written { record, text, hash });
    }

    /// An open handoff; `check_exists` has seen it.
    fn handoff(&self, id: HandoffId) -> Result<Arc<Handoff>, HandoffError> {
        let found = self.session.open.get(&id).cloned();
        found.ok_or_else(|| Refusal::new(Code::UnknownHandoff, format!("there is no handoff {id}")).into())
    }

    fn speak_for(&self, agent: &AgentId) -> Verdict {
        if self.world.caller.may_act_as(agent) {
            return Ok(());
        }
        let message = format!("{} may not act as {agent}", self.world.caller.name);
        Err(Refusal::new(Code::NotYourAgent, message).into())
    }

    /// Whether the caller may use this name. Whoever is bound to certain agents cannot borrow another one.
    fn speak_as(&self, name: &str) -> Verdict {
        let caller = self.world.caller;
        let may = match &caller.acts_as {
            Some(agents) => agents.iter().any(|agent| agent.as_str() == name),
            None => caller.role != Role::Agent,
        };
        if may {
            return Ok(());
        }
        let message = format!("{} may not act as {name}", caller.name);
        Err(Refusal::new(Code::NotYourAgent, message).at("by").into())
    }

    fn not_ended(&self) -> Verdict {
        match self.session.ended_at {
            None => Ok(()),
            Some(at) => Err(Refusal::new(Code::SessionEnded, format!("the session ended at {at}")).into()),
        }
    }

    fn agent(&self, id: &AgentId) -> Option<&'a Agent> {
        self.world.agents.get(id)
    }

    fn made(&mut self, handoff: HandoffId) {
        self.answer.handoffs.push(handoff);
    }

    fn made_group(&mut self, group: GroupId) {
        self.answer.group = Some(group);
    }

    fn made_artifact(&mut self, artifact: ArtifactId) {
        self.answer.artifact = Some(artifact);
    }
}

fn not_approved(id: HandoffId) -> Refusal {
    Refusal::new(Code::NotApproved, format!("handoff {id} waits for a person's approval"))
}

/// An error about this handoff, with its agents.
fn between(refusal: Refusal, handoff: &Handoff) -> HandoffError {
    HandoffError::one(refusal).between(&handoff.request.from_agent, Some(&handoff.to_agent))
}
