//! `handover chat`: a person talks to a team. Whoever has the conversation answers; every move is shown. Ended in the
//! middle and started again, it goes on.

use super::{
    args::Cli,
    door,
    exit::{self, Stop},
    keep, node,
    out::{Frame, Out},
    paint::{Style, tame, tame_lines},
    staff,
};
use crate::settings::{self, Settings};
use clap::Args;
use handover_agents::{
    llm::Overheard,
    model::Piece,
    staff::Staff,
    talk::{Answered, Conversation},
};
use handover_core::{
    agent::AgentKind,
    handoff::{Kind, ReturnStatus},
    ids::{AgentId, SessionId},
    limits::{CHAT_LINE_BYTES_MAX, CHAT_PIECES_MAX},
    refusal::{Code, Refusal},
};
use handover_engine::{Engine, Filter, Notice, Options, Subscription};
use serde_json::json;
use std::{
    io::{self, BufRead, Read},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::mpsc;

/// Arguments of `handover chat`.
#[derive(Debug, Clone, Args)]
pub struct Chat {
    /// The folder of a team with its handover.yaml, or the file
    #[arg(value_name = "TEAM", default_value = ".")]
    team: PathBuf,
    /// The conversation; the same name goes on with it
    #[arg(long, value_name = "ID", default_value = "chat")]
    session: String,
    /// Who has it at first; the first model of the team when left out
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// Who talks
    #[arg(long = "as", value_name = "NAME", default_value = "user")]
    user: String,
    /// Say this, show the answer and end; may be given several times
    #[arg(long, value_name = "TEXT")]
    say: Vec<String>,
}

pub(crate) async fn run(cli: &Cli, args: &Chat, out: &mut Out) -> Result<(), Stop> {
    let file = if args.team.is_dir() { args.team.join(door::CONFIG) } else { args.team.clone() };
    if !file.exists() {
        let hint = "name a folder with a handover.yaml, such as workflows/specialists/llm";
        return Err(Stop::refused(format!("there is no team in {}", file.display()), hint));
    }
    let team = settings::read(file)?;
    let options = Options { policy: team.policy.clone().unwrap_or_default(), ..Options::default() };
    let engine = match node::open(cli, Some(&team), options).await {
        Err(stop) if stop.is_in_use() => {
            return Err(door::in_use(stop, "end the other process, or use another file with --db FILE"));
        }
        opened => opened?,
    };
    let bus = node::bus(cli, Some(&team), &engine).await?;
    let desk = node::desk(cli, Some(&team), &engine);
    let mut staff = None;
    let done = tokio::select! {
        done = talk(&engine, &team, args, &mut staff, out) => done,
        () = keep::interrupted() => Err(Stop::refused(
            "interrupted; what was said is kept",
            format!("go on with: handover chat {} --session {}", args.team.display(), args.session),
        )),
    };
    desk.close().await;
    node::leave(bus).await;
    let closed =
        tokio::time::timeout(std::time::Duration::from_millis(handover_core::limits::RUN_CLOSE_MS), engine.close());
    let closed = closed.await;
    match staff {
        // Whoever still works finds its model and its tools until the process ends; without them it would fail first.
        Some(staff) if closed.is_err() => std::mem::forget(staff),
        Some(staff) => staff.close().await,
        None => {}
    }
    done?;
    Ok(closed.unwrap_or(Ok(()))?)
}

async fn talk(
    engine: &Engine,
    team: &Settings,
    args: &Chat,
    kept: &mut Option<Staff>,
    out: &mut Out,
) -> Result<(), Stop> {
    let (sender, pieces) = mpsc::channel(CHAT_PIECES_MAX);
    let missed = Arc::new(AtomicBool::new(false));
    let staff = kept.insert(staff::of(engine, Some(team)).await?);
    let misses = missed.clone();
    staff.heard_by(Arc::new(move |overheard| {
        // Whoever does not keep up is shown the whole answer at its end.
        if sender.try_send(overheard).is_err() {
            misses.store(true, Ordering::Relaxed);
        }
    }));
    team.apply(engine).await?;
    staff::employ(staff, engine, team).await?;
    let first = first(team, args)?;
    let session = SessionId::new(&args.session)?;
    let user = AgentId::new(&args.user)?;
    let talk = Conversation::open(engine, &session, &user, &first).await?;
    let feed = engine.subscribe(Filter { session: Some(session), ..Filter::default() }, None);
    let mut room = Room { talk, feed, pieces, missed, engine: engine.clone(), speaking: None };
    room.meet(args, out).await
}

/// Who has the conversation at first.
fn first(team: &Settings, args: &Chat) -> Result<AgentId, Stop> {
    if let Some(name) = &args.to {
        return Ok(team.agent(name)?.id.clone());
    }
    let works = |kind| matches!(kind, AgentKind::Llm | AgentKind::Command | AgentKind::Http | AgentKind::A2a);
    let found = team.agents.iter().find(|agent| agent.kind == AgentKind::Llm);
    let found = found.or_else(|| team.agents.iter().find(|agent| works(agent.kind)));
    found.map(|agent| agent.id.clone()).ok_or_else(|| {
        let refusal = Refusal::new(Code::UnknownAgent, format!("{} has nobody who could answer", team.file));
        Stop::from(refusal.hint("add an agent with `kind: llm`"))
    })
}

/// A conversation, and what is seen of it.
struct Room {
    talk: Conversation,
    feed: Subscription,
    pieces: mpsc::Receiver<Overheard>,
    /// Whether a piece was lost on its way.
    missed: Arc<AtomicBool>,
    engine: Engine,
    /// Whose words stand on the line that is being written.
    speaking: Option<AgentId>,
}

impl Room {
    async fn meet(&mut self, args: &Chat, out: &mut Out) -> Result<(), Stop> {
        let active = self.talk.active().await?;
        out.note(format!("{active} listens. End with Ctrl-D; the same command goes on later.")).await?;
        let before = self.answer(Said::Before, out).await?;
        let mut well = true;
        if let Some(answered) = &before {
            well &= self.tell(answered, out).await?;
        }
        if !args.say.is_empty() {
            // The same command again goes on: what was said before its process ended is not said twice.
            let said = before.and_then(|before| args.say.iter().position(|text| *text == before.said));
            for text in &args.say[said.map_or(0, |said| said + 1)..] {
                well &= self.say(text, out).await?;
            }
            return if well { Ok(()) } else { Err(Stop::Said(exit::REFUSED)) };
        }
        let mut lines = typed();
        loop {
            if out.look.terminal && !out.look.json {
                let prompt = out.paint(Style::Bold, "you › ");
                out.send(Frame::Out(prompt)).await?;
            }
            let Some(line) = lines.recv().await else { return Ok(()) };
            let line = line.map_err(|error| Stop::refused(format!("what was typed cannot be read: {error}"), ""))?;
            match line.trim() {
                "" => {}
                "/quit" | "/exit" => return Ok(()),
                text => drop(self.say(text, out).await?),
            }
        }
    }

    /// Says something and shows the answer. Gives whether there is one.
    async fn say(&mut self, text: &str, out: &mut Out) -> Result<bool, Stop> {
        match self.answer(Said::Now(text), out).await? {
            Some(answered) => self.tell(&answered, out).await,
            None => Ok(true),
        }
    }

    /// Waits for the answer, and shows what happens meanwhile.
    async fn answer(&mut self, said: Said<'_>, out: &mut Out) -> Result<Option<Answered>, Stop> {
        let talk = &self.talk;
        let answer = async {
            match said {
                Said::Now(text) => talk.say(text).await.map(Some),
                Said::Before => talk.resume().await,
            }
        };
        tokio::pin!(answer);
        loop {
            tokio::select! {
                answered = &mut answer => return Ok(answered?),
                Some(heard) = self.pieces.recv() => hear(&mut self.speaking, heard, out).await?,
                notice = self.feed.next() => match notice? {
                    Some(Notice::Event(message)) => {
                        if let Some(line) = moved(&message, out) {
                            end_line(&mut self.speaking, out).await?;
                            out.line(line).await?;
                        }
                    }
                    Some(Notice::Dropped { resume_after }) => {
                        let filter = Filter { session: Some(talk.session().clone()), ..Filter::default() };
                        self.feed = self.engine.subscribe(filter, Some(resume_after));
                    }
                    None => return Err(Stop::Gone),
                },
            }
        }
    }

    /// Shows an answer. Gives whether it is one.
    async fn tell(&mut self, answered: &Answered, out: &mut Out) -> Result<bool, Stop> {
        while let Ok(heard) = self.pieces.try_recv() {
            hear(&mut self.speaking, heard, out).await?;
        }
        let heard = self.speaking.as_ref() == Some(&answered.agent) && !self.missed.swap(false, Ordering::Relaxed);
        end_line(&mut self.speaking, out).await?;
        if out.look.json {
            out.json_line(&as_json(answered)).await?;
        } else {
            Self::show(answered, heard, out).await?;
        }
        // Only what was shown counts as heard: ended before, it is shown again.
        self.talk.heard(answered).await?;
        Ok(matches!(answered.status, ReturnStatus::Success | ReturnStatus::Partial))
    }

    async fn show(answered: &Answered, heard: bool, out: &mut Out) -> Result<(), Stop> {
        match answered.status {
            ReturnStatus::Success | ReturnStatus::Partial if heard => {}
            ReturnStatus::Success | ReturnStatus::Partial => {
                let who = out.paint(Style::Cyan, &format!("{} › ", answered.agent));
                out.line(format!("{who}{}", tame_piece(&answered.text))).await?;
            }
            ReturnStatus::Failed | ReturnStatus::Timeout => {
                let who = out.paint(Style::Red, &format!("{} could not answer:", answered.agent));
                out.line(format!("{who} {}", tame(&answered.text))).await?;
            }
        }
        if answered.status == ReturnStatus::Partial && !answered.notes.is_empty() {
            out.note(format!("  ({})", tame(&answered.notes))).await?;
        }
        for suggestion in &answered.suggestions {
            let to = suggestion.to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
            out.note(format!("  a handoff{to} seems due: {}", tame(&suggestion.why))).await?;
        }
        Ok(())
    }
}

/// What is typed, line by line. In a thread of its own: nobody waits for the next line when all else is over.
fn typed() -> mpsc::Receiver<io::Result<String>> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = String::new();
            let read = (&mut input).take(CHAT_LINE_BYTES_MAX as u64).read_line(&mut line);
            if matches!(read, Ok(0)) {
                return;
            }
            let read = read.and_then(|bytes| if bytes < CHAT_LINE_BYTES_MAX { Ok(line) } else { Err(too_long()) });
            let failed = read.is_err();
            if sender.blocking_send(read).is_err() || failed {
                return;
            }
        }
    });
    lines
}

fn too_long() -> io::Error {
    let message = format!("a line has {CHAT_LINE_BYTES_MAX} bytes or more (CHAT_LINE_BYTES_MAX); say it in parts");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// What is to be answered.
enum Said<'a> {
    Now(&'a str),
    Before,
}

/// Shows a piece of what somebody says, as it is said.
async fn hear(speaking: &mut Option<AgentId>, heard: Overheard, out: &mut Out) -> Result<(), Stop> {
    if !heard.to_user || !out.look.terminal || out.look.json {
        return Ok(());
    }
    match heard.piece {
        Piece::Text(text) => {
            if speaking.as_ref() != Some(&heard.agent) {
                end_line(speaking, out).await?;
                let who = out.paint(Style::Cyan, &format!("{} › ", heard.agent));
                out.send(Frame::Out(who)).await?;
                *speaking = Some(heard.agent);
            }
            out.send(Frame::Out(tame_piece(&text))).await
        }
        // What it says afterwards is another line.
        Piece::Tool(_) => end_line(speaking, out).await,
        Piece::Again => {
            end_line(speaking, out).await?;
            out.note("  (the answer broke off and is asked for again)").await
        }
    }
}

async fn end_line(speaking: &mut Option<AgentId>, out: &mut Out) -> Result<(), Stop> {
    if speaking.take().is_some() {
        out.send(Frame::Out("\n".to_owned())).await?;
    }
    Ok(())
}

/// A text that cannot command the terminal, with its lines. A piece of a text may begin or end with a space or a line.
fn tame_piece(text: &str) -> String {
    text.split('\n').map(|line| tame_lines(line.trim_end_matches('\r'))).collect::<Vec<_>>().join("\n")
}

/// A line about a move of the conversation, or a task that goes to somebody.
fn moved(message: &handover_engine::BusMessage, out: &Out) -> Option<String> {
    use handover_core::event::Event;
    let (sign, text) = match &message.payload {
        Event::Initiated { request, handoff, .. }
            if request.context.user_id.as_deref() != Some(request.from_agent.as_str()) =>
        {
            let sign = if request.kind == Kind::Sequential { "⇒" } else { "→" };
            (sign, format!("{} {sign} {}: {}", request.from_agent, handoff.to_agent, tame(&request.reason)))
        }
        Event::ApprovalRequested { approval, .. } => {
            ("?", format!("{} has to say yes: handover approvals", approval.approver.as_deref().unwrap_or("somebody")))
        }
        _ => return None,
    };
    if out.look.json {
        let value = json!({"type": "MOVED", "sign": sign, "text": text});
        return Some(value.to_string());
    }
    Some(out.paint(Style::Dim, &format!("  · {text}")))
}

fn as_json(answered: &Answered) -> serde_json::Value {
    let moves: Vec<_> = answered
        .moves
        .iter()
        .map(|moved| json!({"from": moved.from, "to": moved.to, "control": moved.control, "reason": moved.reason}))
        .collect();
    json!({
        "type": "ANSWER", "agent": answered.agent, "status": answered.status, "text": answered.text, "moves": moves,
        "used": answered.used, "suggestions": answered.suggestions,
    })
}
