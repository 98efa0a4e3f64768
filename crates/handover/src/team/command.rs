//! An agent that is a program: it reads its work as one JSON document and writes what came of it as another.

use super::{Outcome, Places};
use handover_core::{
    command::Update,
    limits::{COMMAND_LAST_BYTES, COMMAND_OUTPUT_BYTES_MAX, COMMAND_REST_MS, COMMAND_WORDS_SHOWN, QUOTE_CHARS_MAX},
    workflow::Member,
};
use handover_engine::agent::{Done, Failure, Work};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{
    io,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, Command},
};

/// What a program is expected to write.
const EXPECTED: &str =
    r#"one JSON object such as {"signal": "DONE", "data": {}, "notes": "", "failed": false, "score": 1, "set": {}}"#;

/// A program that does the work of an agent.
pub(super) struct Program {
    words: Vec<String>,
    home: PathBuf,
    run: PathBuf,
    with: Value,
}

/// What a program writes. Everything may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Answer {
    /// How the step ended, in the words of the rules.
    signal: Option<String>,
    /// Whether it came to nothing.
    failed: bool,
    /// What came out.
    data: Value,
    /// A sentence for people.
    notes: String,
    /// How good it is.
    score: Option<f64>,
    /// Variables of the session to set.
    set: Map<String, Value>,
}

impl Program {
    pub(super) fn new(words: Vec<String>, places: &Places, member: &Member) -> Self {
        Self { words, home: places.home.clone(), run: places.run.clone(), with: member.with.clone() }
    }

    pub(super) async fn run(&self, work: &Work) -> Outcome {
        let (program, arguments) = self.words.split_first().ok_or("there is no program to run")?;
        let input = self.input(work).await?;
        let mut command = Command::new(program);
        // A group of its own: an interrupt at the terminal is for us, and what it starts ends with it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command
            .args(arguments)
            .current_dir(&self.home)
            .env("HANDOVER_RUN", &self.run)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Whoever takes the work away ends the program with it.
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("`{program}` cannot be started in {}: {error}", self.home.display()))?;
        let group = Group(child.id());
        let (status, out, err) = talk(&mut child, &group, &input).await.map_err(|why| format!("`{program}`: {why}"))?;
        drop(group);
        if status.code().is_none() {
            return Err(format!("`{program}` was ended by a {status}: {}", last_words(&err)).into());
        }
        if !status.success() {
            return Ok(Done::failed(format!("`{program}` ended with {status}: {}", last_words(&err))));
        }
        answer(&String::from_utf8_lossy(&out)).map_err(|error| format!("`{program}` {error}").into())
    }

    async fn input(&self, work: &Work) -> Result<String, Failure> {
        let handoff = work.handoff();
        let session = work.engine().session(&handoff.session_id).await?;
        let variables: Map<String, Value> =
            session.variables.iter().map(|(name, kept)| (name.clone(), kept.value.clone())).collect();
        let input = json!({
            "session_id": handoff.session_id,
            "handoff_id": handoff.id,
            "agent": handoff.to_agent,
            "from": handoff.request.from_agent,
            "state": session.flow.as_ref().map(|flow| flow.state.clone()),
            "task": {"type": handoff.request.task.kind, "description": handoff.request.task.description},
            "request": session.original_request,
            "payload": work.payload(),
            "variables": variables,
            "brief": work.brief(),
            "with": self.with,
        });
        Ok(format!("{input}\n"))
    }
}

/// A program and all that it started, ended together.
struct Group(Option<u32>);

impl Group {
    /// Ends whatever is left of it. The usual case is that nothing is.
    #[cfg(unix)]
    fn end(&self) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let id = self.0.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let _ = id.map(|id| kill_process_group(id, Signal::KILL));
    }

    #[cfg(not(unix))]
    fn end(&self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Gives a program its work and hears what it says until it ends. How it ended, its answer, and its last words.
async fn talk(child: &mut Child, group: &Group, input: &str) -> io::Result<(ExitStatus, Vec<u8>, Vec<u8>)> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = {
        // All at once: a program may write before it has read.
        let talking =
            async { tokio::try_join!(write(stdin, input), hear(stdout, &mut out), hear_end(stderr, &mut err)) };
        tokio::pin!(talking);
        tokio::select! {
            said = &mut talking => {
                said?;
                child.wait().await?
            }
            ended = child.wait() => {
                let rest = Duration::from_millis(COMMAND_REST_MS);
                // What it left behind may hold its output open: that is not waited for. What has left the group is not
                // ended with it, and not waited for either.
                let mut said = tokio::time::timeout(rest, &mut talking).await;
                if said.is_err() {
                    group.end();
                    said = tokio::time::timeout(rest, &mut talking).await;
                }
                said.unwrap_or(Ok(((), (), ())))?;
                ended?
            }
        }
    };
    Ok((status, out, err))
}

/// Gives a program its work. One that does not read it is free not to.
async fn write(to: Option<ChildStdin>, input: &str) -> io::Result<()> {
    if let Some(mut to) = to {
        let _ = to.write_all(input.as_bytes()).await;
    }
    Ok(())
}

/// Everything that a program writes, up to a bound.
async fn hear(from: Option<impl AsyncRead + Unpin>, heard: &mut Vec<u8>) -> io::Result<()> {
    let Some(from) = from else { return Ok(()) };
    let mut from = from.take(COMMAND_OUTPUT_BYTES_MAX + 1);
    while from.read_buf(heard).await? > 0 {}
    if heard.len() as u64 > COMMAND_OUTPUT_BYTES_MAX {
        let why = format!("it wrote more than {COMMAND_OUTPUT_BYTES_MAX} bytes (COMMAND_OUTPUT_BYTES_MAX)");
        return Err(io::Error::other(why));
    }
    Ok(())
}

/// The end of what a program writes, however much that is.
async fn hear_end(from: Option<impl AsyncRead + Unpin>, heard: &mut Vec<u8>) -> io::Result<()> {
    let Some(mut from) = from else { return Ok(()) };
    while from.read_buf(heard).await? > 0 {
        if heard.len() > 2 * COMMAND_LAST_BYTES {
            heard.drain(..heard.len() - COMMAND_LAST_BYTES);
        }
    }
    Ok(())
}

/// What a program's answer means, or what is wrong with it.
fn answer(out: &str) -> Result<Done, String> {
    // Through an object: a list would be taken for the fields in their order.
    let object = |out| serde_json::from_str::<Map<String, Value>>(out).map(Value::Object);
    let read = if out.trim().is_empty() { Ok(Answer::default()) } else { object(out).and_then(Answer::deserialize) };
    let answer = read.map_err(|error| {
        let shown: String = out.trim().chars().take(QUOTE_CHARS_MAX).collect();
        format!(
            "wrote no answer that can be read: {error}. Expected on stdout is {EXPECTED}, or nothing. It wrote: {shown}"
        )
    })?;
    let mut done = Done::json(answer.data).notes(answer.notes);
    done = done.update(Update { context: answer.set, ..Update::default() });
    if let Some(signal) = answer.signal {
        done = done.signal(signal);
    }
    if let Some(score) = answer.score {
        done = done.score(score);
    }
    Ok(if answer.failed { done.unsuccessful() } else { done })
}

/// The end of what a program said of its trouble.
fn last_words(err: &[u8]) -> String {
    let err = String::from_utf8_lossy(err);
    let words: Vec<&str> = err.split_whitespace().collect();
    let skipped = words.len().saturating_sub(COMMAND_WORDS_SHOWN);
    let words = words[skipped..].join(" ");
    if words.is_empty() { "it said nothing".to_owned() } else { words }
}
