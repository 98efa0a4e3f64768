//! The side that holds the database: it takes the lines of others, carries them out and sends back what they write.

use super::{Errand, socket};
use crate::cli::{
    Job,
    args::{Access, Command},
    carry_out,
    exit::{self, Stop},
    input::Files,
    out::{Frame, Out},
    usage,
};
use handover_core::limits::{DESK_CLOSE_MS, DESK_CONNECTIONS_MAX, DESK_FRAMES_MAX, DESK_IDLE_MS, DESK_LINE_BYTES_MAX};
use handover_engine::Engine;
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Notify, Semaphore, mpsc, watch},
    task::{JoinHandle, JoinSet},
};

/// How long is waited when nobody can be let in.
const BREATH: Duration = Duration::from_millis(50);

/// A desk that is open.
pub(crate) struct Opened {
    task: JoinHandle<()>,
    closing: Arc<Notify>,
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl Opened {
    pub(crate) fn open(engine: &Engine, db: &Path) -> io::Result<Self> {
        let path = socket::place(db);
        let listener = UnixListener::from_std(socket::make(&path)?)?;
        let closing = Arc::new(Notify::new());
        let task = tokio::spawn(answer_all(listener, engine.clone(), closing.clone()));
        Ok(Self { task, closing, identity: socket::identity(&path), path })
    }

    /// Lets in whoever is at the door, and ends when they are answered, or when that takes too long.
    pub(crate) async fn close(mut self) {
        self.closing.notify_one();
        let _ = tokio::time::timeout(Duration::from_millis(DESK_CLOSE_MS), &mut self.task).await;
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.task.abort();
        if self.identity.is_some() && socket::identity(&self.path) == self.identity {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A command that is being answered and soon over. Closing waits for it.
type Brief = watch::Sender<()>;

async fn answer_all(listener: UnixListener, engine: Engine, closing: Arc<Notify>) {
    let places = Arc::new(Semaphore::new(DESK_CONNECTIONS_MAX));
    let brief = Brief::new(());
    // Whoever is being answered is dropped together with this.
    let mut answering = JoinSet::new();
    loop {
        while answering.try_join_next().is_some() {}
        let accepted = tokio::select! {
            biased;
            accepted = listener.accept() => accepted,
            () = closing.notified() => break,
        };
        let Ok((stream, _)) = accepted else {
            // Too many files are open, most likely; those who are being answered will close some.
            tokio::time::sleep(BREATH).await;
            continue;
        };
        // Whoever cannot be heard or told anything has gone away.
        if let Ok(place) = places.clone().try_acquire_owned() {
            let (engine, brief) = (engine.clone(), brief.subscribe());
            answering.spawn(async move {
                let _ = answer(stream, &engine, brief).await;
                drop(place);
            });
        } else {
            let why = format!("{DESK_CONNECTIONS_MAX} commands are being answered already (DESK_CONNECTIONS_MAX)");
            let _ = refuse(&mut stream.into_split().1, &why).await;
        }
    }
    brief.closed().await;
}

async fn answer(stream: UnixStream, engine: &Engine, brief: watch::Receiver<()>) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let heard = tokio::time::timeout(Duration::from_millis(DESK_IDLE_MS), hear(&mut read)).await;
    let errand = match heard.map_err(io::Error::other)?? {
        Ok(errand) => errand,
        Err(why) => return refuse(&mut write, &why).await,
    };
    let (sender, frames) = mpsc::channel(DESK_FRAMES_MAX);
    // Held until the last word is written: whoever closes waits for it.
    let mut brief = Some(brief);
    let carried = Box::pin(carry(&errand, engine, &mut brief, sender));
    tokio::select! {
        ((), written) = async { tokio::join!(carried, pass_on(frames, &mut write)) } => written,
        // Nobody waits for the answer any more. A commit that has begun is finished by the engine.
        _ = read.read_u8() => Ok(()),
    }
}

async fn refuse(write: &mut OwnedWriteHalf, why: &str) -> io::Result<()> {
    send(write, &Frame::Err(format!("handover: {why}\n"))).await?;
    send(write, &Frame::Exit(exit::TROUBLE)).await
}

/// The request, or why it is none.
async fn hear(read: &mut BufReader<OwnedReadHalf>) -> io::Result<Result<Errand, String>> {
    let mut line = Vec::new();
    let limit = DESK_LINE_BYTES_MAX as u64;
    read.take(limit).read_until(b'\n', &mut line).await?;
    if line.len() == DESK_LINE_BYTES_MAX {
        return Ok(Err(format!("the request has more than {DESK_LINE_BYTES_MAX} bytes (DESK_LINE_BYTES_MAX)")));
    }
    let errand =
        serde_json::from_slice::<Errand>(&line).map_err(|error| format!("the request cannot be read: {error}"));
    Ok(errand.and_then(|errand| {
        let mine = env!("CARGO_PKG_VERSION");
        if errand.version == mine {
            return Ok(errand);
        }
        Err(format!("the database is held by version {mine}, and this is version {}; use the same", errand.version))
    }))
}

async fn carry(errand: &Errand, engine: &Engine, brief: &mut Option<watch::Receiver<()>>, sender: mpsc::Sender<Frame>) {
    let mut out = Out::there(errand.look, sender);
    let exit = match carry_in(errand, engine, brief, &mut out).await {
        Ok(()) => exit::GOOD,
        // The feed has ended with the engine: without an end of its own the answer breaks off.
        Err(Stop::Gone) => return,
        Err(stop) => out.tell(&stop).await,
    };
    // Whoever has gone needs no end.
    let _ = out.send(Frame::Exit(exit)).await;
}

async fn carry_in(
    errand: &Errand,
    engine: &Engine,
    brief: &mut Option<watch::Receiver<()>>,
    out: &mut Out,
) -> Result<(), Stop> {
    let cli = usage::parse_quietly(&errand.args).map_err(|error| Stop::Plain {
        message: error.to_string().trim_start_matches("error: ").to_owned(),
        hint: String::new(),
        exit: exit::USAGE,
    })?;
    let holds = match &cli.command {
        Command::Keep | Command::Serve(_) => true,
        Command::Mcp(args) => !args.is_call(),
        _ => false,
    };
    if holds || cli.command.access() == Access::None {
        return Err(Stop::refused("another process has the database open", "one is enough"));
    }
    if cli.command.waits() {
        *brief = None; // Closing does not wait for whoever waits.
    }
    let mut job = Job { engine, out, files: Files::Here(&errand.folder), user: &errand.user, live: true };
    carry_out(&cli.command, &mut job).await
}

async fn pass_on(mut frames: mpsc::Receiver<Frame>, write: &mut OwnedWriteHalf) -> io::Result<()> {
    while let Some(frame) = frames.recv().await {
        send(write, &frame).await?;
    }
    write.shutdown().await
}

async fn send(write: &mut OwnedWriteHalf, frame: &Frame) -> io::Result<()> {
    let mut line = serde_json::to_vec(frame).map_err(io::Error::other)?;
    line.push(b'\n');
    write.write_all(&line).await
}
