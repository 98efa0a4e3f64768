//! Opening a session, talking in it, completing a part, ending it.

use super::{Decided, Draft, Verdict, World, validate};
use crate::{
    apply::Touched,
    command::{Answer, Open, Prepared},
    event::Event,
    guard::complexity,
    handoff::Status,
    ids::{AgentId, SessionId},
    limits,
    policy::{SessionLimits, check_session_limits},
    record::{self, Record},
    refusal::{Code, HandoffError, Refusal},
    session::{Head, Session},
};

pub(super) fn open(id: &SessionId, open: Open, world: &World<'_>) -> Result<Decided, HandoffError> {
    let mut checks = validate::Checks::default();
    if id.as_str().starts_with("handover:") {
        checks.add(Refusal::new(Code::ReservedName, format!("{id} is reserved")).at("session_id"));
    }
    checks.optional_text("original_request", &open.original_request);
    checks.optional_text("user_id", open.user_id.as_deref().unwrap_or_default());
    checks.payload("metadata", &open.metadata);
    checks.registered("active_agent", &open.active_agent, world.agents, Code::UnknownAgent);
    if !world.caller.may_act_as(&open.active_agent) {
        let message = format!("{} may not act as {}", world.caller.name, open.active_agent);
        checks.add(Refusal::new(Code::NotYourAgent, message).at("active_agent"));
    }
    let state = start_of(open.workflow.as_deref(), world, &mut checks);
    check_session_limits("limits", &open.limits, &mut checks);
    if world.caller.acts_as.is_some() && (!open.limits.is_empty() || open.mode.is_some()) {
        let message =
            format!("{} is bound to certain agents; how far a session goes is not its to say", world.caller.name);
        checks.add(Refusal::new(Code::NotYourAgent, message).at("limits"));
    }
    checks.done()?;
    let derived = world.policy.classify.then(|| complexity::derive(&open.original_request));
    let complexity = open.complexity.or(derived);
    let event = Event::SessionOpened {
        tenant: world.caller.tenant.clone(),
        active_agent: open.active_agent,
        user_id: open.user_id,
        original_request: open.original_request,
        metadata: open.metadata,
        complexity,
        workflow: open.workflow,
        state,
        limits: open.limits,
        mode: open.mode,
    };
    Ok(begin(id, event, world))
}

/// The state in which a workflow starts, where it has rules. One that only has limits is known by the policy.
fn start_of(name: Option<&str>, world: &World<'_>, checks: &mut validate::Checks) -> Option<String> {
    let name = name?;
    checks.text("workflow", name);
    if let Some(workflow) = world.workflows.get(name) {
        return Some(workflow.start.clone());
    }
    if let Some(refusal) = world.workflows.why_unreadable(name) {
        checks.add(refusal);
    } else if !world.policy.workflows.contains_key(name) {
        let refusal = Refusal::new(Code::UnknownWorkflow, format!("\"{name}\" is not known")).at("workflow");
        let names = world.workflows.iter().map(|known| &known.name).chain(world.policy.workflows.keys());
        let names = names.map(|name| (name.as_str(), name));
        let near = crate::nearest::nearest(name, names).map(|near| format!("did you mean \"{near}\"?"));
        checks.add(refusal.hint(near.unwrap_or_default()));
    }
    None
}

/// A new session that begins with this event.
pub(super) fn begin(id: &SessionId, event: Event, world: &World<'_>) -> Decided {
    let at = world.now;
    let answer = Answer::of(id.clone(), 1);
    let mut written = Vec::new();
    #[expect(clippy::expect_used, reason = "both callers pass the one event that begins a session")]
    let mut session = Session::begin(id.clone(), &event, at).expect("an opening event");
    let record = Record::of(&session, &world.caller.name, at, event, None);
    let text = record.text();
    let hash = record::hash(&text);
    session.head = Head { seq: 1, hash };
    session.version = 1;
    written.push(super::Written { record, text, hash });
    Decided {
        session,
        written,
        touched: Touched::default(),
        messages: Vec::new(),
        standings: Vec::new(),
        postings: Vec::new(),
        answer,
    }
}

impl Draft<'_> {
    pub(super) fn say(&mut self, messages: Vec<Prepared>, after: Option<u64>) -> Verdict {
        self.not_ended()?;
        let mut checks = validate::Checks::default();
        self.check_messages(&messages, &mut checks);
        let have = self.session.mark.messages;
        if let Some(expected) = after.filter(|expected| *expected != have) {
            let message = format!("the conversation has {have} messages, not {expected}");
            checks.add(Refusal::new(Code::HistoryDiverges, message).at("after"));
        }
        checks.done()?;
        self.append(messages);
        Ok(())
    }

    pub(super) fn check_messages(&self, messages: &[Prepared], checks: &mut validate::Checks) {
        checks.count("messages", messages.len(), limits::MESSAGES_PER_APPEND_MAX, "MESSAGES_PER_APPEND_MAX");
        for (i, message) in messages.iter().enumerate() {
            checks.message(i, message, self.world);
        }
    }

    /// Appends messages that were checked.
    pub(super) fn append(&mut self, messages: Vec<Prepared>) {
        if messages.is_empty() {
            return;
        }
        let count = messages.len() as u64;
        let mut mark = self.session.mark.clone();
        for message in messages {
            mark.push(&message.said, message.tokens);
            self.messages.push(message.numbered(mark.messages, self.now));
        }
        self.emit(Event::MessagesAppended { count, mark });
    }

    /// Changes how far the session may go, also for what is open already. A caller that is bound to certain agents cannot widen its own limits.
    pub(super) fn set_limits(&mut self, by: String, limits: SessionLimits) -> Verdict {
        self.not_ended()?;
        let mut checks = validate::Checks::default();
        checks.text("by", &by);
        check_session_limits("limits", &limits, &mut checks);
        checks.done()?;
        if self.world.caller.acts_as.is_some() {
            let message = format!("{} is bound to certain agents", self.world.caller.name);
            return Err(Refusal::new(Code::NotYourAgent, message).into());
        }
        if self.session.limits != limits {
            let before = self.session_deadline();
            self.emit(Event::LimitsChanged { by, limits });
            self.move_deadlines(before);
        }
        Ok(())
    }

    pub(super) fn complete_segment(&mut self, by: &AgentId) -> Verdict {
        self.not_ended()?;
        self.speak_for(by)?;
        if self.session.active_agent != *by {
            let message = format!("{by} is not the active agent; {} is", self.session.active_agent);
            return Err(Refusal::new(Code::NotOwner, message).into());
        }
        if !self.session.segment_complete {
            self.emit(Event::SegmentCompleted { by: by.clone() });
        }
        Ok(())
    }

    pub(super) fn end(&mut self, by: &AgentId, reason: String) -> Verdict {
        self.not_ended()?;
        self.speak_for(by)?;
        let mut checks = validate::Checks::default();
        checks.optional_text("reason", &reason);
        checks.done()?;
        if self.session.active_agent != *by {
            let message = format!("{by} does not own the session; {} does", self.session.active_agent);
            return Err(Refusal::new(Code::NotOwner, message).into());
        }
        self.leave_flow();
        // Nothing stays open in a session that is over: whoever waits is told.
        let open: Vec<_> = self.session.open.keys().copied().collect();
        for id in open {
            self.close(id, Status::Cancelled, "the session ended");
        }
        self.emit(Event::SessionEnded { by: by.clone(), reason });
        Ok(())
    }
}
