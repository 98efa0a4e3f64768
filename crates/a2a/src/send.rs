//! Messages: the first one makes a task, further ones answer what it asks, decide it, or add to it.

use crate::{
    desk::{Desk, Found, Reply, Streamed, history},
    follow::{Follow, Told},
    inward::{self, Asked, Verdict},
    outward::State,
    who,
    wrong::{Kind, Wrong},
};
use a2a::{Message, SendMessageConfiguration, SendMessageRequest};
use handover_core::{
    command::{Command, Open},
    digest::Digest,
    handoff::{Handoff, Phase, Request},
    ids::{AgentId, SessionId},
    limits::{A2A_REFERENCES_MAX, A2A_SEND_WAIT_MS, PAGE_MAX},
    message::{NewMessage, Role},
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::HandoffQuery;
use serde_json::{Value, json};
use std::time::Duration;

impl Desk {
    /// Takes a message, and answers when its task rests, or at once where that is asked for.
    pub(crate) async fn send(&self, request: SendMessageRequest) -> Result<Value, Wrong> {
        let configuration = request.configuration.clone();
        let at_once = configuration.as_ref().and_then(|said| said.return_immediately).unwrap_or(false);
        let length = history(configuration.and_then(|said| said.history_length))?;
        let mut found = Box::pin(self.take(request)).await?;
        if !at_once && !found.state().rests() {
            self.rest(&found).await?;
            found = self.find(&found.first.id.to_string()).await?;
        }
        Ok(json!({"task": found.shown(length)}))
    }

    /// Takes a message, and answers with all that happens to its task.
    pub(crate) async fn stream(&self, request: SendMessageRequest) -> Result<Reply, Wrong> {
        let length = history(request.configuration.as_ref().and_then(|said| said.history_length))?;
        let found = Box::pin(self.take(request)).await?;
        let (follow, now) = Follow::begin(self, &found.first).await?;
        let then = (!now.state().rests()).then_some(follow);
        Ok(Reply::Stream(Box::new(Streamed { first: json!({"task": now.shown(length)}), then, until_rest: true })))
    }

    /// All that happens to a task from now on.
    pub(crate) async fn subscribe(&self, id: &str) -> Result<Reply, Wrong> {
        let found = self.find(id).await?;
        let (follow, now) = Follow::begin(self, &found.first).await?;
        if now.state().is_terminal() {
            return Err(Wrong::new(Kind::Unsupported, "the task is over; nothing more happens to it"));
        }
        let (first, then) = (json!({"task": now.shown(None)}), Some(follow));
        Ok(Reply::Stream(Box::new(Streamed { first, then, until_rest: false })))
    }

    /// Until the task is over or somebody has to say something, within a bound; or until the engine ends.
    async fn rest(&self, found: &Found) -> Result<(), Wrong> {
        let (mut follow, now) = Follow::begin(self, &found.first).await?;
        if now.state().rests() {
            return Ok(());
        }
        let resting = async {
            while let Some(Told { rests, .. }) = follow.next().await? {
                if rests {
                    break;
                }
            }
            Ok::<(), Wrong>(())
        };
        match tokio::time::timeout(Duration::from_millis(A2A_SEND_WAIT_MS), resting).await {
            Ok(rested) => rested,
            Err(_) => Ok(()),
        }
    }

    /// What a message does: its task afterwards.
    async fn take(&self, request: SendMessageRequest) -> Result<Found, Wrong> {
        let SendMessageRequest { message, configuration, metadata, .. } = request;
        inward::check(&message)?;
        let configuration = configuration.unwrap_or(SendMessageConfiguration {
            accepted_output_modes: None,
            task_push_notification_config: None,
            history_length: None,
            return_immediately: None,
        });
        let modes = configuration.accepted_output_modes.unwrap_or_default();
        inward::check_modes(&modes)?;
        // All of it is looked at before anything is done.
        let push = configuration.task_push_notification_config.map(|said| self.config(said)).transpose()?;
        let first = match message.task_id.as_deref().filter(|id| !id.is_empty()) {
            Some(id) => {
                if push.is_some() {
                    self.may_tell(&self.own(id).await?)?;
                }
                self.go_on(id, &message).await?
            }
            None => {
                let from = who::speaker(self.engine.caller())?;
                let traceparent = self.traceparent.clone();
                let (to, now) = (self.agent.clone(), self.engine.now());
                let asked = Asked { message: &message, metadata: metadata.as_ref(), modes, traceparent, from, to, now };
                let position = self.engine.feed_position();
                let made = self.begin(&message, inward::request(asked)?).await?;
                if let Some(push) = push {
                    // The same message again means the same place again.
                    let own = short_digest(&json!(message.message_id));
                    self.pushes.add(push.or_named(&own).of(&made).after(position)).await?;
                }
                return self.whole(made).await;
            }
        };
        if let Some(push) = push {
            self.pushes.add(push.of(&first)).await?;
        }
        self.whole(first).await
    }

    /// Makes the task of a message: once, however often the same message comes.
    async fn begin(&self, message: &Message, mut request: Request) -> Result<Handoff, Wrong> {
        let from = request.from_agent.clone();
        let mut done = self.named_before(message).await?;
        let session = self.context(message, &from).await?;
        if done.is_empty() && message.context_id.is_some() {
            let last = self.engine.get_last_handoff(&session).await?;
            done.extend(last.filter(|last| who::sees(self.engine.caller(), last)));
        }
        let key = self.key(message, &from);
        request.idempotency_key = Some(key.clone());
        request.context.completed_work = came_of(&done);
        let answer = match self.engine.initiate(&session, request.clone()).await {
            // The same message again, from another moment: what is left of its time has changed, or what was done before.
            Err(error) if error.has(Code::KeyConflict) => {
                return self.made_before(&session, &key, &request).await?.ok_or_else(|| error.into());
            }
            answer => answer?,
        };
        match (answer.handoffs.first(), answer.fallback) {
            (Some(id), _) => Ok(self.engine.handoff(*id).await?),
            (None, Some(error)) => Err(error.into()),
            (None, None) => Err(Wrong::new(Kind::Internal, "no task was made")),
        }
    }

    /// The key of a message: once for each caller and each place that it is sent to.
    fn key(&self, message: &Message, from: &AgentId) -> String {
        format!("a2a/{}", short_digest(&json!([from, self.agent, message.message_id])))
    }

    /// The session of a message: the caller's own that it names, else one that follows from the message.
    async fn context(&self, message: &Message, from: &AgentId) -> Result<SessionId, Wrong> {
        if let Some(id) = message.context_id.as_deref().filter(|id| !id.is_empty()) {
            let unknown = || {
                let hint = "leave it out with the first message: the answer has the one that was made";
                Wrong::field("message.contextId", "there is no such context").with("hint", hint)
            };
            let id = SessionId::new(id).map_err(|_| unknown())?;
            match self.engine.session(&id).await {
                Err(error) if error.has(Code::UnknownSession) => return Err(unknown()),
                found => found?,
            };
            who::known(&self.engine, from).await?;
            return Ok(id);
        }
        who::known(&self.engine, from).await?;
        let caller = self.engine.caller();
        let own = short_digest(&json!([caller.tenant, from, self.agent, message.message_id]));
        let id = SessionId::new(format!("a2a-{own}")).map_err(HandoffError::from)?;
        let open = Open::of(from.clone()).asking(&shortened(&inward::text(message)));
        self.engine.resume_session(&id, open).await?;
        Ok(id)
    }

    /// The earlier tasks that a message names.
    async fn named_before(&self, message: &Message) -> Result<Vec<Handoff>, Wrong> {
        let named = message.reference_task_ids.as_deref().unwrap_or_default();
        if named.len() > A2A_REFERENCES_MAX {
            let what = format!("there are {}; at most {A2A_REFERENCES_MAX} (A2A_REFERENCES_MAX)", named.len());
            return Err(Wrong::field("message.referenceTaskIds", what));
        }
        let mut done = Vec::new();
        for id in named {
            done.push(self.find(id).await?.latest);
        }
        Ok(done)
    }

    /// The task that this very message made before.
    async fn made_before(&self, session: &SessionId, key: &str, asked: &Request) -> Result<Option<Handoff>, Wrong> {
        let query = HandoffQuery {
            session: Some(session.clone()),
            from: Some(asked.from_agent.clone()),
            limit: PAGE_MAX,
            latest_first: true,
            ..HandoffQuery::default()
        };
        let made = self.engine.handoffs(query).await?;
        let same = |made: &Handoff| {
            made.request.idempotency_key.as_deref() == Some(key)
                && made.request.task == asked.task
                && made.request.to_agent == asked.to_agent
        };
        Ok(made.into_iter().find(same))
    }

    /// A message to a task: an answer, a decision, or a word more.
    async fn go_on(&self, id: &str, message: &Message) -> Result<Handoff, Wrong> {
        let found = self.find(id).await?;
        let context = message.context_id.as_deref().filter(|context| !context.is_empty());
        if context.is_some_and(|context| context != found.first.session_id.as_str()) {
            return Err(Wrong::field("message.contextId", "it is not the context of the task"));
        }
        let by = who::speaker(self.engine.caller())?;
        let key = format!("a2a/said/{}", short_digest(&json!([by, found.first.id, message.message_id])));
        // Whoever did not hear that it was taken says it again, and by now something else may be asked for.
        if self.engine.was_done(&found.first.session_id, &key).await? {
            return Ok(found.first);
        }
        let session = &found.first.session_id;
        let done = match self.meant(&found, message, &by)? {
            Some(command) => self.engine.submit(session, command, Some(&key)).await,
            None => {
                let said = vec![NewMessage::new(Role::User, words_of(message))];
                self.engine.say_once(session, said, None, Some(&key)).await
            }
        };
        match done {
            // The same message came twice at once, and the other one was first.
            Err(error) if error.has(Code::KeyConflict) => Ok(found.first),
            answer => answer.map(|_| found.first).map_err(Wrong::from),
        }
    }

    /// What a message does to a task, as it stands now; nothing where it adds a word to the conversation.
    fn meant(&self, found: &Found, message: &Message, by: &AgentId) -> Result<Option<Command>, Wrong> {
        match found.state() {
            state if state.is_terminal() => {
                Err(Wrong::new(Kind::Unsupported, "the task is over, and takes no further messages"))
            }
            State::InputRequired if matches!(found.latest.phase, Phase::AwaitingApproval { .. }) => {
                self.decision(found, message, by).map(Some)
            }
            State::InputRequired => {
                let (handoff, by, text) = (found.latest.id, by.to_string(), words_of(message));
                Ok(Some(Command::Answer { handoff, by, text }))
            }
            _ => Ok(None),
        }
    }

    /// Yes or no to a task that waits for a person, as it was shown.
    fn decision(&self, found: &Found, message: &Message, by: &AgentId) -> Result<Command, Wrong> {
        let Some(Verdict { yes, comment, digest }) = inward::verdict(message)? else {
            let what = "it is neither yes nor no";
            let hint = "send a data part {\"approve\": true or false, \"comment\": \"why\"}, or a text that begins with yes or no";
            return Err(Wrong::field("message.parts", what).with("hint", hint));
        };
        let from = &found.first.request.from_agent;
        // Whoever speaks for several is all of them.
        if by == from || self.engine.caller().acts_as.as_ref().is_some_and(|agents| agents.contains(from)) {
            let message = format!("{from} asked for this task, and cannot decide it");
            return Err(Refusal::new(Code::OwnApproval, message).hint(Code::OwnApproval.mend()).into());
        }
        let (handoff, by, digest) = (found.latest.id, by.to_string(), digest.or(found.digest));
        Ok(match yes {
            true => Command::Approve { handoff, by, comment, digest, edit: None },
            false => Command::Deny { handoff, by, comment, digest },
        })
    }
}

/// What earlier tasks came to.
fn came_of(done: &[Handoff]) -> Value {
    let came = done.iter().filter_map(|task| {
        let result = task.result.as_ref()?;
        Some(json!({"task": task.request.task.description, "result": result.result.body}))
    });
    let came: Vec<Value> = came.collect();
    if came.is_empty() { Value::Null } else { Value::Array(came) }
}

/// The text of a message, or its data as text, for whoever can only be told words.
fn words_of(message: &Message) -> String {
    let text = inward::text(message);
    if !text.is_empty() {
        return text;
    }
    let parts: Vec<String> = message.parts.iter().map(|part| json!(part).to_string()).collect();
    parts.join("\n")
}

/// An id that follows from what it is made of.
fn short_digest(of: &Value) -> String {
    Digest::of_json(of).to_string().chars().take(32).collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(1_000).collect()
}
