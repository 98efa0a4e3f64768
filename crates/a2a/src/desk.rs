//! What is asked for, whichever binding asked: one desk for one request of one caller.

use crate::{
    cards::{self, Frame},
    follow::Follow,
    outward::{Seen, State},
    push::{Asker, Config, Pushes, Wanted},
    who,
    wrong::{Kind, Wrong},
};
use a2a::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, SendMessageRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig,
};
use handover_core::{
    a2a::LINEAGE,
    access::{KeyId, Right},
    digest::Digest,
    handoff::Handoff,
    ids::{AgentId, HandoffId},
    limits::PAGE_MAX,
    message::Message,
    refusal::{Code, HandoffError},
    session::Session,
};
use handover_engine::Engine;
use serde_json::{Value, json};
use std::sync::Arc;

/// What can be asked for.
#[derive(Debug)]
pub(crate) enum Call {
    Send(Box<SendMessageRequest>),
    Stream(Box<SendMessageRequest>),
    Get(GetTaskRequest),
    List(Box<ListTasksRequest>),
    Cancel(CancelTaskRequest),
    Subscribe(SubscribeToTaskRequest),
    SetPush(Box<TaskPushNotificationConfig>),
    GetPush(GetTaskPushNotificationConfigRequest),
    ListPushes(ListTaskPushNotificationConfigsRequest),
    DeletePush(DeleteTaskPushNotificationConfigRequest),
    Card,
}

/// What is answered: a document, or a stream of updates that begins with the task.
pub(crate) enum Reply {
    Document(Value),
    Stream(Box<Streamed>),
}

/// A stream of updates.
pub(crate) struct Streamed {
    /// The task, as it is when the stream begins.
    pub(crate) first: Value,
    /// What happens to it; nothing when it is over already.
    pub(crate) then: Option<Follow>,
    /// Whether the stream ends when somebody has to say something, too.
    pub(crate) until_rest: bool,
}

/// A task with all that is needed to show it.
pub(crate) struct Found {
    pub(crate) first: Handoff,
    pub(crate) latest: Handoff,
    pub(crate) session: Arc<Session>,
    pub(crate) messages: Vec<Message>,
    /// What is to be approved, where it waits for that.
    pub(crate) digest: Option<Digest>,
}

impl Found {
    pub(crate) fn seen(&self) -> Seen<'_> {
        Seen { first: &self.first, latest: &self.latest, session: &self.session }
    }

    pub(crate) fn shown(&self, history: Option<usize>) -> Value {
        self.shown_with(history, true)
    }

    pub(crate) fn shown_with(&self, history: Option<usize>, artifacts: bool) -> Value {
        let mut task = self.seen().task(&self.messages, history, artifacts);
        if let Some(digest) = &self.digest {
            task["metadata"][LINEAGE]["digest"] = json!(digest);
        }
        task
    }

    pub(crate) fn state(&self) -> State {
        self.seen().state()
    }
}

/// One request of one caller, at the house or at one agent.
pub(crate) struct Desk {
    /// The engine of the caller.
    pub(crate) engine: Engine,
    /// The key that the caller showed; nothing on an open server.
    pub(crate) key: Option<KeyId>,
    /// The agent whose address was used; the house when there is none.
    pub(crate) agent: Option<AgentId>,
    /// Who is told of tasks.
    pub(crate) pushes: Arc<Pushes>,
    /// Whether it came in version 0.3: pushes speak the version of whoever wants them.
    pub(crate) old: bool,
    /// Where it stands in a trace by its header.
    pub(crate) traceparent: Option<String>,
    /// The address of the server.
    pub(crate) base: String,
    /// The house, as its card has it.
    pub(crate) house: (String, String),
}

impl Desk {
    /// Does what is asked for.
    pub(crate) async fn perform(&self, call: Call) -> Result<Reply, Wrong> {
        let document = match call {
            Call::Send(request) => Box::pin(self.send(*request)).await?,
            Call::Stream(request) => return Box::pin(self.stream(*request)).await,
            Call::Subscribe(request) => return Box::pin(self.subscribe(&request.id)).await,
            Call::Get(request) => {
                let history = history(request.history_length)?;
                self.find(&request.id).await?.shown(history)
            }
            Call::List(request) => Box::pin(self.list(*request)).await?,
            Call::Cancel(request) => Box::pin(self.cancel(&request.id)).await?,
            Call::SetPush(config) => {
                let first = self.to_be_told_of(&config.task_id).await?;
                self.pushes.add(self.config(*config)?.of(&first)).await?.shown(&self.asker())
            }
            Call::GetPush(request) => self.push(&request.task_id, &request.id).await?.shown(&self.asker()),
            Call::ListPushes(request) => {
                let first = self.to_be_told_of(&request.task_id).await?;
                let (asker, all) = (self.asker(), self.pushes.of(first.id).await?);
                json!({"configs": all.iter().map(|one| one.shown(&asker)).collect::<Vec<_>>(), "nextPageToken": ""})
            }
            Call::DeletePush(request) => {
                // Where none is named, the first is meant; one that is not there is removed already.
                let (first, mut id) = (self.to_be_told_of(&request.task_id).await?, request.id);
                if id.is_empty() {
                    id = self.push(&request.task_id, &id).await?.id;
                }
                self.pushes.remove(first.id, &id).await?;
                json!({})
            }
            Call::Card => self.card()?,
        };
        Ok(Reply::Document(document))
    }

    /// The handoff of a task of this caller's; whatever is not is not there.
    pub(crate) async fn own(&self, id: &str) -> Result<Handoff, Wrong> {
        let parsed = id.parse::<uuid::Uuid>().map(HandoffId).map_err(|_| Wrong::no_task(id))?;
        let handoff = self.engine.handoff(parsed).await.map_err(|error| unknown(error, id))?;
        let here = self.agent.as_ref().is_none_or(|agent| handoff.request.to_agent.as_ref() == Some(agent));
        if here && who::sees(self.engine.caller(), &handoff) { Ok(handoff) } else { Err(Wrong::no_task(id)) }
    }

    /// A task of this caller's, with all that is needed to show it.
    pub(crate) async fn find(&self, id: &str) -> Result<Found, Wrong> {
        let first = self.own(id).await?;
        self.whole(first).await
    }

    /// All that is needed to show a task.
    pub(crate) async fn whole(&self, first: Handoff) -> Result<Found, Wrong> {
        whole(&self.engine, first).await
    }

    async fn cancel(&self, id: &str) -> Result<Value, Wrong> {
        let found = self.find(id).await?;
        if found.state() == State::Canceled {
            return Ok(found.shown(None));
        }
        let over = || Wrong::new(Kind::TaskNotCancelable, "the task is over, and cannot be taken back");
        if found.state().is_terminal() {
            return Err(over());
        }
        let by = found.first.request.from_agent.clone();
        match self.engine.cancel(found.latest.id, &by, "taken back by A2A").await {
            Ok(_) => Ok(self.find(id).await?.shown(None)),
            Err(error) if error.has(Code::Closed) => Err(over()),
            Err(error) => Err(error.into()),
        }
    }

    async fn push(&self, task: &str, id: &str) -> Result<Config, Wrong> {
        let first = self.to_be_told_of(task).await?;
        let all = self.pushes.of(first.id).await?;
        let wanted = all.into_iter().find(|config| id.is_empty() || config.id == id);
        wanted.ok_or_else(|| Wrong::new(Kind::TaskNotFound, "the task has no such push notification config"))
    }

    /// A task whose receivers this caller has a say in. To see the task is not enough: receivers have secrets, and carry
    /// what happens out of the house.
    async fn to_be_told_of(&self, id: &str) -> Result<Handoff, Wrong> {
        let first = self.own(id).await?;
        self.may_tell(&first)?;
        Ok(first)
    }

    /// Whoever asked for a task says who is told of it, and whoever runs the work.
    pub(crate) fn may_tell(&self, first: &Handoff) -> Result<(), Wrong> {
        let caller = self.engine.caller();
        caller.may(Right::Act)?;
        if !caller.may_act_as(&first.request.from_agent) {
            caller.may(Right::Operate)?;
        }
        Ok(())
    }

    /// Who asks, as receivers remember it.
    fn asker(&self) -> Asker {
        let caller = self.engine.caller();
        Asker { tenant: caller.tenant.clone(), name: caller.name.clone(), key: self.key.clone() }
    }

    /// What somebody wants to be told, and where.
    pub(crate) fn config(&self, said: TaskPushNotificationConfig) -> Result<Wanted, Wrong> {
        self.pushes.wanted(self.asker(), self.old, said)
    }

    fn card(&self) -> Result<Value, Wrong> {
        let frame = Frame {
            base: &self.base,
            name: &self.house.0,
            description: &self.house.1,
            keyed: self.engine.was_keyed(),
            extended: true,
        };
        match &self.agent {
            Some(agent) => Ok(cards::of_agent(&frame, &self.engine.agent(agent)?)),
            None => {
                let agents: Vec<_> = self.engine.agents().into_iter().filter(cards::takes).collect();
                Ok(cards::of_house(&frame, &agents))
            }
        }
    }
}

/// How much of the history is wanted.
pub(crate) fn history(length: Option<i32>) -> Result<Option<usize>, Wrong> {
    length.map(|length| usize::try_from(length).map_err(|_| Wrong::field("historyLength", "it is below 0"))).transpose()
}

/// A handoff that is not there is a task that is not there, and nothing else is told.
fn unknown(error: HandoffError, id: &str) -> Wrong {
    if error.has(Code::UnknownHandoff) { Wrong::no_task(id) } else { error.into() }
}

/// All that is needed to show a task.
pub(crate) async fn whole(engine: &Engine, first: Handoff) -> Result<Found, Wrong> {
    let session = engine.session(&first.session_id).await?;
    // What is open was seen together with the session; what is not never changes any more.
    let open = session.open.values().find(|open| open.returns_for == first.id);
    let latest = match open {
        Some(open) => Handoff::clone(open),
        None => engine.latest(first.id).await?,
    };
    let (after, last) = (first.mark.messages + 1, session.mark.messages);
    let from = after.max(last.saturating_sub(PAGE_MAX as u64 - 1));
    let ended = latest.closed_at;
    let mut messages = match last >= from {
        true => engine.messages(&first.session_id, from, last).await?,
        false => Vec::new(),
    };
    messages.retain(|message| ended.is_none_or(|ended| message.at <= ended));
    let digest = engine.approval_of(&latest);
    Ok(Found { first, latest, session, messages, digest })
}
