//! An agent that is a model with tools. Its turn is made of steps that are recorded one by one: killed in the middle, it
//! goes on after the last of them, and the model is asked for nothing twice.

mod brief;
mod calls;
mod guidance;
mod handoff_tools;
mod results;
mod sight;
mod step;
pub mod turn;

pub use handoff_tools::Reserved;

use crate::{
    model::{Arguments, Ask, Call, CallResult, Line, Listener, Model, ModelError, Piece, Reply, TokensUsed, ToolSpec},
    tool::{Toolbox, Tools},
};
use async_trait::async_trait;
use calls::{Called, Caller};
use handover_core::{
    agent::Profile,
    command::Update,
    context::{
        TransferMode,
        sanitize::{self, Redacted},
        tokens,
    },
    handoff::Metrics,
    ids::{AgentId, SessionId},
    message::{NewMessage, Role, ToolCall},
};
use handover_engine::agent::{Agent, Done, Failure, Work};
use std::sync::Arc;
use turn::{Next, Over, Turn};

/// A piece of what an agent says, as it is heard, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overheard {
    /// The session.
    pub session: SessionId,
    /// Who speaks.
    pub agent: AgentId,
    /// Whether it speaks to the user, and not to another agent.
    pub to_user: bool,
    /// What.
    pub piece: Piece,
}

/// Whoever listens to what agents say while they say it.
pub type Ear = Arc<dyn Fn(Overheard) + Send + Sync>;

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Manner {
    /// The longest answer, in tokens.
    pub max_output_tokens: Option<u64>,
    /// How free the answer is.
    pub temperature: Option<f64>,
    /// How much of the conversation it is shown with what it is handed; as the handoff says when left out.
    pub transfer: Option<TransferMode>,
}

/// An agent that is a model with tools.
pub struct LlmAgent {
    profile: Arc<Profile>,
    model: Arc<dyn Model>,
    tools: Arc<Tools>,
    manner: Manner,
    ear: Option<Ear>,
}

impl LlmAgent {
    /// An agent with this profile: its instructions, its tools, its model.
    #[must_use]
    pub fn new(profile: Profile, model: Arc<dyn Model>, tools: Arc<Tools>) -> Self {
        Self { profile: Arc::new(profile), model, tools, manner: Manner::default(), ear: None }
    }

    /// How its model is asked.
    #[must_use]
    pub fn manner(mut self, manner: Manner) -> Self {
        self.manner = manner;
        self
    }

    /// Who hears what it says while it says it.
    #[must_use]
    pub fn heard_by(mut self, ear: Option<Ear>) -> Self {
        self.ear = ear;
        self
    }

    /// The first question of a turn.
    async fn opening(&self, work: &Work, here: &Here) -> Result<Ask, Failure> {
        let names: Vec<String> = here.tools.iter().map(|tool| tool.name.clone()).collect();
        let view = match self.manner.transfer.filter(|_| !here.asked_by_user) {
            None => work.engine().view(work.handoff().id, Some(&names)).await?,
            Some(mode) => sight::other(work, mode, &names).await?,
        };
        Ok(Ask {
            model: self.profile.model.clone().unwrap_or_default(),
            system: here.system.clone(),
            lines: sight::lines(&self.profile.id, work.handoff(), &view, here),
            tools: here.tools.clone(),
            max_output_tokens: self.manner.max_output_tokens,
            temperature: self.manner.temperature,
            traceparent: Some(work.traceparent()),
        })
    }

    /// Asks the model for the n-th time, once: what it answered is kept together with what it said.
    async fn ask(&self, work: &Work, turn: &Turn, n: u32, here: &Here) -> Result<Reply, Failure> {
        let ear = |piece: Piece| {
            if let Some(ear) = &self.ear {
                let (session, agent) = (work.handoff().session_id.clone(), self.profile.id.clone());
                ear(Overheard { session, agent, to_user: here.speaks_to_user, piece });
            }
        };
        let listener: Listener<'_> = &ear;
        work.step_saying(&format!("model/{n}"), || async {
            let reply = cleaned(self.model.ask(turn.ask(), listener).await?);
            let said = self.words(&reply, here);
            Ok((reply, said))
        })
        .await
    }

    /// What a reply says in the conversation.
    fn words(&self, reply: &Reply, here: &Here) -> Vec<NewMessage> {
        if reply.text.is_empty() && reply.calls.is_empty() {
            return Vec::new();
        }
        let mut message = NewMessage::new(Role::Assistant, reply.text.clone());
        message.agent = Some(self.profile.id.clone());
        message.tool_calls = reply.calls.iter().map(tool_call).collect();
        message.aside = !here.speaks_to_user;
        vec![message]
    }

    /// Calls all tools of a reply. None of them is lost, whatever the others do; what ends the turn comes last.
    /// Nothing comes back when the work is somebody else's from then on.
    async fn call_all(&self, work: &Work, turn: &Turn, calls: &[Call], here: &Here) -> Result<Ended, Failure> {
        let caller = Caller::new(work, &self.profile, here, used(turn));
        let mut results: Vec<Option<CallResult>> = vec![None; calls.len()];
        for last in [false, true] {
            for (i, call) in calls.iter().enumerate().filter(|(_, call)| calls::is_last(&call.name) == last) {
                let called = self.call_once(work, &caller, (turn.asked(), i), call, here).await?;
                if called.ends {
                    return Ok(None);
                }
                results[i] = Some(called.result);
            }
        }
        Ok(Some(results.into_iter().flatten().collect()))
    }

    /// Calls a tool once: what came of it is kept together with what is said of it. What ends the work is a commit of
    /// its own, after which there is nothing to record any more.
    async fn call_once(
        &self,
        work: &Work,
        caller: &Caller<'_>,
        (n, i): (u32, usize),
        call: &Call,
        here: &Here,
    ) -> Result<Called, Failure> {
        let (name, place) = (format!("tool/{n}/{i}"), format!("{n}/{i}"));
        let tried = if calls::is_last(&call.name) && work.recorded(&name).is_none() {
            Some(caller.call(call, &place, i).await?)
        } else {
            None
        };
        if let Some(tried) = tried.as_ref().filter(|tried| tried.ends) {
            return Ok(tried.clone());
        }
        work.step_saying(&name, || async {
            let mut called = match tried {
                Some(tried) => tried,
                None => caller.call(call, &place, i).await?,
            };
            called.result.content = sanitize::clean_text(called.result.content, &mut Redacted::new());
            let mut message = NewMessage::new(Role::Tool, called.result.content.clone());
            message.agent = Some(self.profile.id.clone());
            message.tool_call_id = Some(call.id.clone());
            message.tool_name = Some(call.name.clone());
            message.aside = !here.speaks_to_user;
            Ok((called, vec![message]))
        })
        .await
    }
}

/// The results of all tools, or nothing when the work has ended with one of them.
type Ended = Option<Vec<CallResult>>;

/// What holds for one turn, wherever it is.
pub(crate) struct Here {
    pub(crate) system: String,
    pub(crate) tools: Vec<ToolSpec>,
    /// Those of them that are called outside.
    pub(crate) toolbox: Toolbox,
    /// Whether the turn answers a question of the user.
    pub(crate) asked_by_user: bool,
    /// Whether what it says is part of the conversation with the user.
    pub(crate) speaks_to_user: bool,
}

#[async_trait]
impl Agent for LlmAgent {
    async fn run(&self, work: Work) -> Result<Done, Failure> {
        let here = self.here(&work).await?;
        let tokens_max = work.handoff().reservation.as_ref().and_then(|held| held.share.tokens);
        let mut turn = Turn::new(self.opening(&work, &here).await?, tokens_max);
        loop {
            match turn.next().clone() {
                Next::Ask(n) => {
                    match self.ask(&work, &turn, n, &here).await {
                        Ok(reply) => turn.heard(reply, counted),
                        // What was used until then is charged.
                        Err(error) if error.is::<ModelError>() => {
                            return Ok(Done::failed(error.to_string()).update(used(&turn)));
                        }
                        Err(error) => return Err(error),
                    }
                }
                Next::Call(calls) => match self.call_all(&work, &turn, &calls, &here).await? {
                    Some(results) => turn.called(results),
                    // The lease is gone with the work: whatever is given back now is nobody's.
                    None => return Ok(Done::text("")),
                },
                Next::Over(over) => return Ok(done(&turn, over)),
            }
        }
    }
}

/// A reply as it may be kept: secrets that a model repeats are in no record.
fn cleaned(mut reply: Reply) -> Reply {
    let mut redacted = Redacted::new();
    reply.text = sanitize::clean_text(reply.text, &mut redacted);
    for call in &mut reply.calls {
        call.arguments = match std::mem::replace(&mut call.arguments, Arguments::Read(serde_json::Value::Null)) {
            Arguments::Read(value) => Arguments::Read(sanitize::clean_json(value, &mut redacted)),
            Arguments::Broken { text, why } => {
                Arguments::Broken { text: sanitize::clean_text(text, &mut redacted), why }
            }
        };
    }
    reply
}

/// What a turn used.
fn used(turn: &Turn) -> Update {
    let metrics = Metrics { iterations: u64::from(turn.asked()), ..Metrics::default() };
    Update { usage: turn.usage().to_vec(), metrics, ..Update::default() }
}

/// What a turn ends in.
fn done(turn: &Turn, over: Over) -> Done {
    let done = match over {
        Over::Said(text) if text.trim().is_empty() => Done::failed("the model said nothing and asked for nothing"),
        Over::Said(text) => Done::text(text),
        Over::Cut(text) => Done::text(text).notes("the answer was cut at its longest").partly(),
        Over::TooLong(asked) => {
            Done::failed(format!("the model was asked {asked} times and still wants tools (TURN_ITERATIONS_MAX)"))
        }
        Over::Spent(tokens) => Done::failed(format!("{tokens} tokens are used, and there are no more for it")),
        Over::Refused(text) => Done::failed(format!("the model declined: {text}")),
    };
    done.update(used(turn))
}

/// What was used, where the provider does not say.
fn counted(ask: &Ask, reply: &Reply) -> TokensUsed {
    let lines: u64 = ask.lines.iter().map(|line| tokens::estimate(&text_of(line))).sum();
    let calls: u64 = reply.calls.iter().map(|call| tokens::estimate(&tool_call(call).arguments.to_string())).sum();
    TokensUsed {
        input: lines + tokens::estimate(&ask.system),
        cached: 0,
        output: tokens::estimate(&reply.text) + calls,
    }
}

fn text_of(line: &Line) -> String {
    match line {
        Line::User(text) => text.clone(),
        Line::Model { text, calls } => {
            let calls = calls.iter().map(|call| tool_call(call).arguments.to_string());
            [text.clone()].into_iter().chain(calls).collect::<Vec<_>>().join("\n")
        }
        Line::Results(results) => {
            results.iter().map(|result: &CallResult| result.content.as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

/// A call as it is kept in the conversation.
fn tool_call(call: &Call) -> ToolCall {
    let arguments = match &call.arguments {
        crate::model::Arguments::Read(value) => value.clone(),
        crate::model::Arguments::Broken { text, .. } => serde_json::Value::String(text.clone()),
    };
    ToolCall { id: call.id.clone(), name: call.name.clone(), arguments }
}
