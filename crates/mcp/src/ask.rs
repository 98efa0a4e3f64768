//! Who calls, and what a call is about where it does not say: the agent, its session, the work that it holds.

use crate::call::Call;
use handover_core::{
    agent::{AgentKind, Profile, Risk},
    command::{Command, Open},
    handoff::{Handoff, Phase, Status},
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    limits::{HUMAN_ACCEPT_MS, MCP_FRESH_MS, MCP_RENEWALS_MAX, MCP_SESSIONS_LOOKED_AT, MCP_SESSIONS_PASSED_MAX},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
    time::Timestamp,
};
use handover_engine::{Engine, HandoffQuery};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

/// Tasks that an agent works on at once when it is registered at first sight by somebody who may say so.
const AT_ONCE: u32 = 4;

/// Stands in a session that is beside the work.
const ASIDE: &str = "aside";

/// A call on its way: whose it is, and what it is about.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) engine: Engine,
    me: Result<AgentId, HandoffError>,
    pub(crate) person: Option<String>,
    /// Makes it once.
    pub(crate) key: String,
    place: Place,
    pub(crate) traceparent: Option<String>,
}

/// What a call is about where it does not say. Found once, so that the same call that arrives twice is about the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The session.
    #[serde(default)]
    pub(crate) session: Option<SessionId>,
    /// The only handoff that the agent holds.
    #[serde(default)]
    pub(crate) holding: Option<HandoffId>,
    /// Whether what is written without a word on where belongs there: the agent works in it, or has done so lately.
    #[serde(default)]
    goes_on: bool,
    /// Whether what is handed over belongs there: the agent works in it, or has lately opened it for something.
    #[serde(default)]
    takes_work: bool,
}

impl Place {
    /// The session of work that the agent holds.
    fn of_work(session: SessionId, holding: Option<HandoffId>) -> Self {
        Self { session: Some(session), holding, goes_on: true, takes_work: true }
    }

    /// The latest open session of the agent.
    fn of_session(session: &Session, now: Timestamp) -> Self {
        let goes_on = now.since(session.last_at) < MCP_FRESH_MS;
        Self { session: Some(session.id.clone()), holding: None, goes_on, takes_work: goes_on && session.handoffs == 0 }
    }
}

impl Ask {
    pub(crate) async fn of(engine: &Engine, call: &Call) -> Self {
        let me = named(engine, call.agent.as_deref());
        let ask = Self {
            engine: engine.clone(),
            me,
            person: call.person.clone(),
            key: call.key.clone(),
            place: Place::default(),
            traceparent: None,
        };
        if call.what.is_a_sign_of_life() {
            ask.renew().await;
        }
        ask
    }

    pub(crate) fn within(mut self, place: Place, traceparent: Option<String>) -> Self {
        self.place = place;
        self.traceparent = traceparent;
        self
    }

    /// The agent that calls. At first sight it is registered as one that asks for its work.
    pub(crate) async fn me(&self) -> Result<AgentId, HandoffError> {
        let me = self.me.clone()?;
        match self.engine.agent(&me) {
            Err(error) if error.has(Code::UnknownAgent) => self.introduce(&me).await?,
            known => drop(known?),
        }
        Ok(me)
    }

    /// The same where it is of no matter whether there is one.
    pub(crate) fn me_if_known(&self) -> Option<&AgentId> {
        self.me.as_ref().ok()
    }

    /// Somebody who looks into its inbox now and then is not gone in between.
    async fn introduce(&self, me: &AgentId) -> Result<(), HandoffError> {
        let bound = self.engine.caller().acts_as.is_some();
        let mut profile = Profile::of(me.clone()).kind(AgentKind::Worker);
        profile.accept_within_ms = Some(HUMAN_ACCEPT_MS);
        profile.description = "Works in a host of its own and looks into its inbox now and then".into();
        if bound {
            profile.autonomy_budget.max_risk = Risk::Low;
        } else {
            profile.max_concurrent_tasks = AT_ONCE;
        }
        self.engine.register_profile(profile).await
    }

    /// A call is a sign of life: what the agent holds is kept for it. What cannot be renewed is told by the call itself.
    async fn renew(&self) {
        for handoff in self.holding().await.unwrap_or_default() {
            if let Phase::Running { lease, lease_until, lease_ms, in_process: false, .. } = handoff.phase
                && lease_until.since(self.engine.now()) < lease_ms / 2
            {
                let _ = self.engine.heartbeat(handoff.id, lease).await;
            }
        }
    }

    /// What the agent holds, the latest last.
    pub(crate) async fn holding(&self) -> Result<Vec<Handoff>, HandoffError> {
        let Ok(me) = &self.me else { return Ok(Vec::new()) };
        let query = HandoffQuery {
            status: Some(Status::Running),
            to: Some(me.clone()),
            latest_first: true,
            limit: MCP_RENEWALS_MAX,
            ..HandoffQuery::default()
        };
        let mut held = self.engine.handoffs(query).await?;
        held.sort_by_key(|handoff| handoff.accepted_at);
        Ok(held)
    }

    /// The work that is meant, with its lease: the one that is named, or the only one that the agent holds.
    pub(crate) async fn held(&self, id: Option<&str>, lease: Option<&str>) -> Result<(Handoff, LeaseId), HandoffError> {
        let me = self.me().await?;
        let handoff = match id {
            Some(id) => self.engine.handoff(handoff_id(id)?).await?,
            None => self.only().await?,
        };
        let held = handoff.lease().filter(|_| handoff.to_agent == me);
        match lease {
            Some(lease) => Ok((handoff, lease_id(lease)?)),
            None => match held {
                Some(lease) => Ok((handoff, lease)),
                None => Err(not_held(&handoff, &me)),
            },
        }
    }

    /// The same for a call that ends the hold. Where this very call was carried out before and its answer was lost on the
    /// way, there is no lease any more, and nothing more to do.
    pub(crate) async fn held_or_done(
        &self,
        id: Option<&str>,
        lease: Option<&str>,
        part: &str,
    ) -> Result<(Handoff, Option<LeaseId>), HandoffError> {
        let error = match self.held(id, lease).await {
            Ok((handoff, lease)) => return Ok((handoff, Some(lease))),
            Err(error) => error,
        };
        let Ok(handoff) = self.handoff(id).await else { return Err(error) };
        if self.was_done(&handoff, part).await { Ok((handoff, None)) } else { Err(error) }
    }

    /// Whether this part of this very call was carried out before: then its key stands for something else than this.
    pub(crate) async fn was_done(&self, handoff: &Handoff, part: &str) -> bool {
        let never = Command::Heartbeat { handoff: HandoffId(Uuid::nil()), lease: LeaseId(Uuid::nil()) };
        let tried = self.submit(&handoff.session_id, never, part).await;
        tried.is_err_and(|error| error.has(Code::KeyConflict))
    }

    /// The handoff that is meant: the one that is named, or the only one that the agent holds.
    pub(crate) async fn handoff(&self, id: Option<&str>) -> Result<Handoff, HandoffError> {
        match id {
            Some(id) => self.engine.handoff(handoff_id(id)?).await,
            None => self.only().await,
        }
    }

    /// The only handoff that the agent holds.
    async fn only(&self) -> Result<Handoff, HandoffError> {
        match self.place.holding {
            Some(id) => self.engine.handoff(id).await,
            None => only(self.holding().await?),
        }
    }

    /// The session that a call without one is about: that of the work which the agent holds, else its latest open one.
    pub(crate) async fn place(&self, session: bool) -> Result<Place, HandoffError> {
        let Ok(me) = &self.me else { return Ok(Place::default()) };
        let held = self.holding().await?;
        if let Some(last) = held.last() {
            let holding = Some(last.id).filter(|_| held.len() == 1);
            return Ok(Place::of_work(last.session_id.clone(), holding));
        }
        if !session {
            return Ok(Place::default());
        }
        for id in self.engine.sessions_nearby(MCP_SESSIONS_LOOKED_AT, MCP_SESSIONS_PASSED_MAX).await? {
            // What is gone meanwhile is not the one.
            let Ok(session) = self.engine.session(&id).await else { continue };
            let open = session.ended_at.is_none() && session.workflow.is_none();
            if session.active_agent == *me && open && session.metadata.get(ASIDE).is_none() {
                return Ok(Place::of_session(&session, self.engine.now()));
            }
        }
        Ok(Place::default())
    }

    /// The session that is named or meant, as it is; a new one where there is none that goes on and none was named.
    pub(crate) async fn session(&self, given: Option<&str>, request: &str) -> Result<Arc<Session>, HandoffError> {
        let meant = self.place.session.as_ref().filter(|_| self.place.goes_on);
        self.named_or(given, meant, request).await
    }

    /// The session that something is handed over in, and whether it was opened for it: another piece of work does not land
    /// in the session of the last one.
    pub(crate) async fn session_for_work(
        &self,
        given: Option<&str>,
        request: &str,
    ) -> Result<(Arc<Session>, bool), HandoffError> {
        let meant = self.place.session.as_ref().filter(|_| self.place.takes_work);
        let is_new = given.is_none() && meant.is_none();
        Ok((self.named_or(given, meant, request).await?, is_new))
    }

    async fn named_or(
        &self,
        given: Option<&str>,
        meant: Option<&SessionId>,
        request: &str,
    ) -> Result<Arc<Session>, HandoffError> {
        if let Some(given) = given {
            return self.engine.session(&session_id(given)?).await;
        }
        let me = self.me().await?;
        let meant = match meant {
            Some(meant) => meant.clone(),
            None => self.new_session()?,
        };
        self.engine.resume_session(&meant, Open::of(me).asking(request)).await
    }

    /// A session of its own for something beside the work: it is never taken for the one that is meant.
    pub(crate) async fn aside(&self, request: &str) -> Result<Arc<Session>, HandoffError> {
        let mut open = Open::of(self.me().await?).asking(request);
        open.metadata = json!({ ASIDE: true });
        self.engine.resume_session(&self.new_session()?, open).await
    }

    /// The same, where nothing is to be opened by looking.
    pub(crate) async fn known_session(&self, given: Option<&str>) -> Result<Arc<Session>, HandoffError> {
        let meant = match given {
            Some(given) => Some(session_id(given)?),
            None => self.place.session.clone(),
        };
        let Some(meant) = meant else {
            let refusal = Refusal::new(Code::UnknownSession, "you have no open session").at("session_id");
            return Err(refusal
                .hint("name one, or open one with `open_session`; a handoff opens one by itself")
                .into());
        };
        self.engine.session(&meant).await
    }

    /// A name for a session that this call opens: the same however often the call arrives.
    pub(crate) fn new_session(&self) -> Result<SessionId, HandoffError> {
        Ok(SessionId::new(format!("mcp:{}", self.key))?)
    }

    /// Submits a command, once for this call and this part of it.
    pub(crate) async fn submit(
        &self,
        session: &SessionId,
        command: Command,
        part: &str,
    ) -> Result<handover_core::command::Answer, HandoffError> {
        self.engine.submit(session, command, Some(&self.part(part))).await
    }

    /// The key of a part of this call.
    pub(crate) fn part(&self, part: &str) -> String {
        format!("mcp/{}/{part}", self.key)
    }
}

/// The agent that a caller speaks for.
fn named(engine: &Engine, asked: Option<&str>) -> Result<AgentId, HandoffError> {
    let asked = asked.filter(|name| !name.is_empty()).map(AgentId::new).transpose()?;
    let bound = engine.caller().acts_as.as_deref();
    match (asked, bound) {
        (Some(agent), Some(bound)) if !bound.contains(&agent) => {
            let message = format!("{} may not act as {agent}", engine.caller().name);
            Err(Refusal::new(Code::NotYourAgent, message).at("agent").into())
        }
        (Some(agent), _) => Ok(agent),
        (None, Some([agent])) => Ok(agent.clone()),
        (None, Some(_) | None) => {
            let refusal = Refusal::new(Code::MissingField, "nobody knows which agent you are").at("agent");
            let hint = "let the host say it: `--agent NAME` of `handover mcp`, or the header `handover-agent: NAME` or \
                        `?agent=NAME` of the address; or use a key that is bound to one agent";
            Err(refusal.hint(hint).into())
        }
    }
}

fn only(mut held: Vec<Handoff>) -> Result<Handoff, HandoffError> {
    match held.len() {
        1 => held.pop().ok_or_else(|| no_work().into()),
        0 => Err(no_work().into()),
        many => {
            let ids: Vec<String> = held.iter().map(|handoff| handoff.id.to_string()).collect();
            let refusal = Refusal::new(Code::MissingField, format!("you hold {many} handoffs")).at("handoff_id");
            Err(refusal.hint(format!("say which: {}", ids.join(", "))).into())
        }
    }
}

fn no_work() -> Refusal {
    let refusal = Refusal::new(Code::NotRunning, "you hold no handoff").at("handoff_id");
    refusal.hint("look with `check_inbox`, take one with `accept_handoff`; or name one with `handoff_id`")
}

fn not_held(handoff: &Handoff, me: &AgentId) -> HandoffError {
    let (id, status) = (handoff.id, handoff.status().word());
    let (code, hint) = match handoff.status() {
        Status::Running => (Code::NotYours, "it is somebody else's work: look with `handoff_status`"),
        Status::Offered if handoff.to_agent == *me => (Code::NotRunning, "take it first with `accept_handoff`"),
        Status::Offered | Status::Deferred | Status::AwaitingApproval => {
            (Code::NotRunning, "look with `handoff_status` and `check_inbox`")
        }
        Status::Completed | Status::Failed | Status::TimedOut | Status::Escalated | Status::Cancelled => {
            (Code::Closed, "it is over: look with `handoff_status`")
        }
    };
    Refusal::new(code, format!("{me} does not hold handoff {id}; it is {status}")).at("handoff_id").hint(hint).into()
}

pub(crate) fn handoff_id(text: &str) -> Result<HandoffId, HandoffError> {
    id(text, "handoff_id").map(HandoffId)
}

fn lease_id(text: &str) -> Result<LeaseId, HandoffError> {
    id(text, "lease").map(LeaseId)
}

fn id(text: &str, field: &str) -> Result<Uuid, HandoffError> {
    Uuid::parse_str(text.trim()).map_err(|_| {
        let message = format!("\"{}\" is no id", text.chars().take(80).collect::<String>());
        let hint = "give the whole id as it was told, such as 00000000-0000-4000-8000-000000000000";
        Refusal::new(Code::BadText, message).at(field).hint(hint).into()
    })
}

pub(crate) fn session_id(text: &str) -> Result<SessionId, HandoffError> {
    SessionId::new(text).map_err(|bad| at(bad.into(), "session_id"))
}

pub(crate) fn agent_id(text: &str, field: &str) -> Result<AgentId, HandoffError> {
    AgentId::new(text).map_err(|bad| at(bad.into(), field))
}

fn at(mut error: HandoffError, field: &str) -> HandoffError {
    for refusal in &mut error.refusals {
        field.clone_into(&mut refusal.field);
    }
    error
}
