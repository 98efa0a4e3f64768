//! The side of the server: it carries out what was typed elsewhere, on the engine of the caller, and touches no file.

use super::{must_make_sense, other_version};
use crate::cli::{
    Job,
    args::Access,
    carry_out,
    exit::{self, Stop},
    input::Files,
    out::{Frame, Look, Out},
    usage,
};
use futures_util::future::BoxFuture;
use handover_core::limits::DESK_FRAMES_MAX;
use handover_engine::Engine;
use handover_server::{Commands, Errand};
use tokio::sync::mpsc;

/// Carries out commands of callers elsewhere.
#[derive(Debug)]
pub(crate) struct Desk;

impl Commands for Desk {
    fn carry_out(&self, engine: Engine, errand: Errand, lines: mpsc::Sender<String>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let (sender, frames) = mpsc::channel(DESK_FRAMES_MAX);
            tokio::join!(Box::pin(carry(&errand, &engine, sender)), pass_on(frames, lines));
        })
    }
}

async fn pass_on(mut frames: mpsc::Receiver<Frame>, lines: mpsc::Sender<String>) {
    while let Some(frame) = frames.recv().await {
        let line = serde_json::to_string(&frame).unwrap_or_default();
        if lines.send(line).await.is_err() {
            return; // Nobody reads any more.
        }
    }
}

async fn carry(errand: &Errand, engine: &Engine, sender: mpsc::Sender<Frame>) {
    let look = Look {
        width: errand.look.width.map(usize::from),
        colour: errand.look.colour,
        terminal: errand.look.terminal,
        progress: errand.look.progress,
        json: errand.look.json,
    };
    let mut out = Out::there(look, sender);
    let exit = match carry_in(errand, engine, &mut out).await {
        Ok(()) => exit::GOOD,
        // The feed has ended with the engine: without an end of its own the answer breaks off.
        Err(Stop::Gone) => return,
        Err(stop) => out.tell(&stop).await,
    };
    // Whoever has gone needs no end.
    let _ = out.send(Frame::Exit(exit)).await;
}

async fn carry_in(errand: &Errand, engine: &Engine, out: &mut Out) -> Result<(), Stop> {
    let mine = env!("CARGO_PKG_VERSION");
    if errand.version != mine {
        return Err(Stop::trouble(other_version(mine, &errand.version), ""));
    }
    let cli = usage::parse_quietly(&errand.args).map_err(|error| Stop::Plain {
        message: error.to_string().trim_start_matches("error: ").to_owned(),
        hint: String::new(),
        exit: exit::USAGE,
    })?;
    must_make_sense(&cli.command)?;
    if cli.command.access() == Access::None || super::is_about_files(&cli.command) {
        return Err(Stop::refused("this command needs no server", "leave --server out"));
    }
    let mut job = Job { engine, out, files: Files::Away(&errand.files), user: &errand.user, live: true };
    carry_out(&cli.command, &mut job).await
}
