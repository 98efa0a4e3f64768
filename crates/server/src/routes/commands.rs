//! The command line over HTTP: what was typed elsewhere is carried out here, with the rights of whoever asks.

use crate::{
    ask::Ask,
    commands::{Commands, Errand},
    openapi,
    problem::Problem,
    reply::Reply,
    start::State,
    table::{Right, Route},
};
use axum::body::Body;
use bytes::Bytes;
use futures_util::{future::BoxFuture, stream};
use handover_core::{
    limits::{COMMAND_ARGUMENTS_MAX, COMMANDS_AT_ONCE, DESK_CLOSE_MS, DESK_FRAMES_MAX, LISTENER_BEAT_MS},
    refusal::{Code, Refusal},
};
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc},
    task::JoinHandle,
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/commands", "carry_out_command", "Carries out a command of the command line.", carry_out)
            // Each command asks the engine itself, which knows what the caller may do.
            .right(Right::Look)
            .body::<Errand>()
            .answers_as(
                200,
                "What it writes, a JSON object per line: `out`, `err`, and `exit` at the end. Empty lines say that it goes on.",
                "application/x-ndjson",
                Some(openapi::text_shape),
            )
            .refuses(&[404, 503]),
    ]
}

async fn carry_out(ask: Ask) -> Result<Reply, Problem> {
    let errand: Errand = ask.form()?;
    if errand.args.len() > COMMAND_ARGUMENTS_MAX {
        let message =
            format!("{} arguments, at most {COMMAND_ARGUMENTS_MAX} (COMMAND_ARGUMENTS_MAX)", errand.args.len());
        return Err(Refusal::new(Code::TooLarge, message).at("args").into());
    }
    let Some(commands) = ask.state.commands.clone() else {
        return Err(Refusal::new(Code::NoSuchAddress, "this server carries out no commands").into());
    };
    let place = ask.state.commands_at_once.clone().try_acquire_owned().map_err(|_| {
        let message = format!("{COMMANDS_AT_ONCE} commands are being carried out already (COMMANDS_AT_ONCE)");
        Refusal::new(Code::Overloaded, message)
    })?;
    let carried = Carried::begin(&*commands, ask, errand, place);
    let lines = stream::unfold(carried, |mut carried| async move {
        let line = carried.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(line)), carried))
    });
    let reply = Reply::typed("application/x-ndjson", Body::from_stream(lines));
    // Proxies must not gather what is to be seen at once.
    Ok(reply.header(axum::http::HeaderName::from_static("x-accel-buffering"), "no"))
}

/// A command that is being carried out. Given up when nobody reads any more.
struct Carried {
    task: JoinHandle<()>,
    lines: mpsc::Receiver<String>,
    state: Arc<State>,
    /// Until the key of whoever asks ends. One for all lines: on a busy one, too, the key is looked at.
    key_ends: BoxFuture<'static, ()>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Carried {
    fn drop(&mut self) {
        // A commit that has begun is finished by the engine.
        self.task.abort();
    }
}

impl Carried {
    fn begin(commands: &dyn Commands, ask: Ask, errand: Errand, place: OwnedSemaphorePermit) -> Self {
        let (sender, lines) = mpsc::channel(DESK_FRAMES_MAX);
        let task = tokio::spawn(commands.carry_out(ask.engine, errand, sender));
        let (state, key) = (ask.state.clone(), ask.key);
        let key_ends = Box::pin(async move { state.gate.ends(key.as_ref()).await });
        Self { task, lines, state: ask.state, key_ends, _place: place }
    }

    /// The next line; nothing when it is over.
    async fn next(&mut self) -> Option<String> {
        let line = tokio::select! {
            biased;
            // Whoever has no key any more is told nothing more.
            () = &mut self.key_ends => return None,
            line = self.lines.recv() => line?,
            () = self.state.ends() => {
                // What is soon over is finished; whoever waits for others comes back.
                let soon = Duration::from_millis(DESK_CLOSE_MS);
                tokio::time::timeout(soon, self.lines.recv()).await.ok()??
            }
            () = tokio::time::sleep(Duration::from_millis(LISTENER_BEAT_MS)) => String::new(),
        };
        Some(line + "\n")
    }
}
