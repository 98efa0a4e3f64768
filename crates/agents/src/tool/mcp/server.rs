//! An MCP server as it is configured: connected when it is needed, and again when it went away.

use super::{
    McpTool, Names, content,
    link::{Link, of_call},
    offer::Offer,
};
use crate::{
    model::ToolSpec,
    program::{Environment, Program},
    tool::{CallContext, McpSettings, Times, ToolOutcome},
};
use handover_core::limits::{MCP_MESSAGE_BYTES_MAX, TOOL_MS};
use rmcp::{
    model::{CallToolRequestParams, CallToolResponse, JsonObject, RequestMetaObject},
    service::ServiceError,
};
use serde_json::Value;
use std::{path::Path, sync::Arc, time::Duration};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

/// The field of a call's `_meta` that holds its key.
const KEY: &str = "handover/idempotency-key";

/// A server and what is known of it.
pub(in crate::tool) struct Server {
    name: String,
    settings: McpSettings,
    program: Program,
    names: Names,
    times: Times,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    link: Option<Arc<Link>>,
    listed: Option<Arc<Offer>>,
    /// When it could not be reached, and why.
    failed: Option<(Instant, String)>,
}

/// What a server offers, each as a tool.
pub(in crate::tool) struct Listing {
    /// Its tools, in the order of their names.
    pub tools: Vec<Arc<McpTool>>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Why a call has no answer.
enum Lost {
    /// It was never sent.
    Unsent(String),
    /// It may have been done.
    Unknown(String),
}

impl Server {
    pub fn new(name: &str, settings: &McpSettings, folder: &Path, names: Names, times: Times) -> Self {
        let environment = Environment { set: settings.env.clone(), pass: settings.pass.clone() };
        let program = Program { words: settings.command.clone(), folder: folder.join(&settings.folder), environment };
        Self { name: name.to_owned(), settings: settings.clone(), program, names, times, state: Mutex::default() }
    }

    /// What the server offers. It is started when it is not there yet.
    pub async fn listing(self: &Arc<Self>) -> Result<Listing, String> {
        let mut state = self.state.lock().await;
        let link = self.link(&mut state).await?;
        if let Some(listed) = state.listed.as_ref().filter(|_| !link.has_changed()) {
            return Ok(self.tools(listed));
        }
        let asked = async {
            tokio::select! {
                biased;
                () = link.too_large.notified() => Err(too_large()),
                listed = Offer::of(&self.name, &self.names, self.settings.tools.as_deref(), link.peer()) => listed,
            }
        };
        let listed = match timeout(self.times.list, asked).await {
            Ok(Ok(listed)) => listed,
            Ok(Err(why)) => return Err(self.lose(&mut state, &format!("it does not say what it offers: {why}")).await),
            Err(_) => {
                let ms = self.times.list.as_millis();
                return Err(self.lose(&mut state, &format!("it did not say within {ms} ms what it offers")).await);
            }
        };
        Ok(self.tools(state.listed.insert(Arc::new(listed))))
    }

    /// Tools know their server; the server does not know them, or neither would ever end.
    fn tools(self: &Arc<Self>, offer: &Offer) -> Listing {
        let tool = |(theirs, spec): &(String, ToolSpec)| {
            Arc::new(McpTool { spec: spec.clone(), theirs: theirs.clone(), server: Arc::clone(self) })
        };
        Listing { tools: offer.tools.iter().map(tool).collect(), notes: offer.notes.clone() }
    }

    /// Calls a tool by the name that the server gives it.
    pub async fn call(&self, tool: &str, arguments: Value, at: &CallContext) -> ToolOutcome {
        let arguments = if let Value::Object(arguments) = arguments { arguments } else { JsonObject::new() };
        let mut first = true;
        loop {
            let link = match self.link(&mut *self.state.lock().await).await {
                Ok(link) => link,
                Err(why) => return ToolOutcome::failed(format!("`{tool}` was not called: {why}")),
            };
            match self.ask(&link, tool, &arguments, at).await {
                Ok(outcome) => return outcome,
                // It went away before the call arrived: the call is made again, to a new one.
                Err(Lost::Unsent(_)) if first => {
                    first = false;
                    self.forget(&link).await;
                }
                Err(Lost::Unsent(why)) => {
                    return ToolOutcome::failed(format!(
                        "`{tool}` was not called: the server `{}` is gone: {why}",
                        self.name
                    ));
                }
                Err(Lost::Unknown(why)) => {
                    return ToolOutcome::failed(format!("the server `{}` gave no answer: {why}", self.name));
                }
            }
        }
    }

    /// Ends the connection, and the server when it is a program.
    pub async fn close(&self) {
        let link = std::mem::take(&mut *self.state.lock().await).link;
        if let Some(link) = link {
            link.close(self.times.grace).await;
        }
    }

    async fn ask(
        &self,
        link: &Link,
        tool: &str,
        arguments: &JsonObject,
        at: &CallContext,
    ) -> Result<ToolOutcome, Lost> {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
        params.meta = Some(RequestMetaObject::from(JsonObject::from_iter([(KEY.to_owned(), at.key.clone().into())])));
        let time = Duration::from_millis(self.settings.timeout_ms.unwrap_or(TOOL_MS));
        let asked = async {
            tokio::select! {
                // Where a connection breaks of it, this says why.
                biased;
                () = link.too_large.notified() => Err(format!("{}; ask for less", too_large())),
                answer = link.peer().call_tool_once(params) => Ok(answer),
            }
        };
        let answer = match timeout(time, asked).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(why)) => return Err(Lost::Unknown(why)),
            Err(_) => {
                let ms = time.as_millis();
                return Err(Lost::Unknown(format!("it took longer than {ms} ms; what was asked may have been done")));
            }
        };
        match answer {
            Ok(CallToolResponse::Complete(result)) => Ok(content::outcome(&result)),
            Ok(_) => {
                Ok(ToolOutcome::failed(format!("`{tool}` asks for something in return, which is not possible here")))
            }
            Err(ServiceError::McpError(error)) => Ok(ToolOutcome::failed(format!(
                "the server `{}` refused the call: {} (code {})",
                self.name, error.message, error.code.0
            ))),
            Err(error) => Err(self.lost(link, &error).await),
        }
    }

    async fn lost(&self, link: &Link, error: &ServiceError) -> Lost {
        let why = match link.last_words().await {
            Some(words) => format!("{}; its last words: {words}", of_call(error)),
            None => of_call(error),
        };
        match error {
            ServiceError::TransportSend(_) if link.is_pipe() => Lost::Unsent(why),
            ServiceError::TransportClosed => {
                Lost::Unknown(format!("it went away during the call; what was asked may have been done ({why})"))
            }
            _ => Lost::Unknown(why),
        }
    }

    /// The connection, made anew when there is none.
    async fn link(&self, state: &mut State) -> Result<Arc<Link>, String> {
        if let Some(link) = state.link.as_ref().filter(|link| link.is_open()) {
            return Ok(Arc::clone(link));
        }
        if let Some((at, why)) = state.failed.as_ref().filter(|(at, _)| at.elapsed() < self.times.rest) {
            let left = self.times.rest.saturating_sub(at.elapsed()).as_millis();
            return Err(format!("{why} (it is tried again in {left} ms)"));
        }
        *state = State::default();
        match Link::open(&self.settings, &self.program, self.times.start).await {
            Ok(link) => Ok(Arc::clone(state.link.insert(Arc::new(link)))),
            Err(why) => Err(self.lose(state, &why).await),
        }
    }

    /// Lets go of a connection that is known to be broken, whether or not that was noticed there.
    async fn forget(&self, broken: &Arc<Link>) {
        let mut state = self.state.lock().await;
        if state.link.as_ref().is_some_and(|link| Arc::ptr_eq(link, broken)) {
            *state = State::default();
        }
    }

    /// Gives up a server for a while.
    async fn lose(&self, state: &mut State, why: &str) -> String {
        let mut why = format!("the server `{}` cannot be used: {why}", self.name);
        if let Some(link) = state.link.take()
            && let Some(words) = link.last_words().await
        {
            why = format!("{why}; its last words: {words}");
        }
        *state = State { failed: Some((Instant::now(), why.clone())), ..State::default() };
        why
    }
}

fn too_large() -> String {
    format!("it sent more than {MCP_MESSAGE_BYTES_MAX} bytes at once (MCP_MESSAGE_BYTES_MAX)")
}
