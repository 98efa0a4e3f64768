//! An agent that is a program: it reads its work as one JSON document and writes what came of it as another.

use super::{Outcome, Places};
use handover_core::{
    command::Update,
    limits::{COMMAND_OUTPUT_BYTES_MAX, COMMAND_REST_MS, COMMAND_WORDS_SHOWN, QUOTE_CHARS_MAX},
    workflow::Member,
};
use handover_engine::agent::{Done, Failure, Work};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::Command,
};

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
        let input = self.input(work).await?;
        let stdin = child.stdin.take();
        let write = async move {
            // A program that does not read its work is free not to.
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(input.as_bytes()).await;
            }
        };
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let ends = async {
            let status = child.wait().await;
            // What it left behind may hold its output open: that is not waited for.
            tokio::time::sleep(Duration::from_millis(COMMAND_REST_MS)).await;
            drop(group);
            status
        };
        // All at once: a program may write before it has read.
        let ((), out, err, status) = tokio::join!(write, read(out), read(err), ends);
        let (out, err, status) = (out?, err?, status?);
        if status.code().is_none() {
            return Err(format!("`{program}` was ended: {status}").into());
        }
        if !status.success() {
            return Ok(Done::failed(format!("`{program}` ended with {status}: {}", last_words(&err))));
        }
        answer(&out).map_err(|error| {
            let shown: String = out.trim().chars().take(QUOTE_CHARS_MAX).collect();
            format!("`{program}` wrote no answer that can be read: {error}; it wrote: {shown}").into()
        })
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

impl Drop for Group {
    fn drop(&mut self) {
        let Some(id) = self.0 else { return };
        // The usual case is that nothing is left, and that this says so to nobody.
        let ended =
            std::process::Command::new("kill").args(["-KILL", "--", &format!("-{id}")]).stderr(Stdio::null()).status();
        drop(ended);
    }
}

fn answer(out: &str) -> Result<Done, serde_json::Error> {
    let answer: Answer = if out.trim().is_empty() { Answer::default() } else { serde_json::from_str(out)? };
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

/// Everything that a program writes, up to a bound.
async fn read(from: Option<impl AsyncRead + Unpin>) -> Result<String, Failure> {
    let Some(from) = from else { return Ok(String::new()) };
    let mut bytes = Vec::new();
    from.take(COMMAND_OUTPUT_BYTES_MAX + 1).read_to_end(&mut bytes).await?;
    if bytes.len() as u64 > COMMAND_OUTPUT_BYTES_MAX {
        return Err(format!("it wrote more than {COMMAND_OUTPUT_BYTES_MAX} bytes (COMMAND_OUTPUT_BYTES_MAX)").into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The end of what a program said of its trouble.
fn last_words(err: &str) -> String {
    let words: Vec<&str> = err.split_whitespace().collect();
    let skipped = words.len().saturating_sub(COMMAND_WORDS_SHOWN);
    let words = words[skipped..].join(" ");
    if words.is_empty() { "it said nothing".to_owned() } else { words }
}
