//! Where a command writes: the terminal of this process, or the one of another that asked. Data is apart from all else.

use super::{
    exit::Stop,
    paint::{Style, tame},
    times,
};
use handover_core::{refusal::HandoffError, time::Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

/// A piece of output on its way to another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Frame {
    /// Data.
    Out(String),
    /// All else.
    Err(String),
    /// The place in the feed from which on is shown what happens.
    At(u64),
    /// Something that happened was shown: its place in the feed.
    Shown(u64),
    /// A piece of the file that the command writes, for whoever typed it.
    Save(String),
    /// The records that were sent to be saved: the places of the first and the last, and how many.
    Saved(u64, u64, u64),
    /// The end.
    Exit(u8),
}

/// What whoever reads can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Look {
    /// Columns; nothing when lines may be as long as they like.
    pub(crate) width: Option<usize>,
    /// Whether colours are wanted.
    pub(crate) colour: bool,
    /// Whether a person looks at a terminal: times are told as people say them.
    pub(crate) terminal: bool,
    /// Whether a line about progress can be wiped away.
    pub(crate) progress: bool,
    /// Whether a program reads.
    pub(crate) json: bool,
}

enum Sink {
    Here,
    There(mpsc::Sender<Frame>),
}

/// Where a command writes.
pub(crate) struct Out {
    pub(crate) look: Look,
    sink: Sink,
    /// The place in the feed up to which everything was shown.
    pub(crate) at: Option<u64>,
    /// How much of what happened was shown.
    pub(crate) shown: u64,
    /// Whether a line about progress is to be wiped away.
    busy: bool,
}

impl Out {
    /// The streams of this process.
    pub(crate) fn here(look: Look) -> Self {
        Self { look, sink: Sink::Here, at: None, shown: 0, busy: false }
    }

    /// Another process.
    pub(crate) fn there(look: Look, frames: mpsc::Sender<Frame>) -> Self {
        Self { look, sink: Sink::There(frames), at: None, shown: 0, busy: false }
    }

    /// Passes a piece of output on.
    pub(crate) async fn send(&mut self, frame: Frame) -> Result<(), Stop> {
        if let Frame::At(at) | Frame::Shown(at) = frame {
            self.at = Some(at);
            self.shown += u64::from(matches!(frame, Frame::Shown(_)));
        }
        if let Sink::There(frames) = &self.sink {
            return frames.send(frame).await.map_err(|_| Stop::Gone);
        }
        let written = match frame {
            Frame::Out(text) => write_all(std::io::stdout().lock(), &text),
            Frame::Err(text) => write_all(std::io::stderr().lock(), &text),
            // Whoever asks another process for a file takes these itself.
            Frame::At(_) | Frame::Shown(_) | Frame::Save(_) | Frame::Saved(..) | Frame::Exit(_) => Ok(()),
        };
        // Whether the reader closed the pipe or the disk is full: nothing more can be said.
        written.map_err(|_| Stop::Gone)
    }

    /// A line of data.
    pub(crate) async fn line(&mut self, text: impl AsRef<str>) -> Result<(), Stop> {
        self.send(Frame::Out(format!("{}\n", text.as_ref().trim_end()))).await
    }

    /// A line that is no data: a note, a hint.
    pub(crate) async fn note(&mut self, text: impl AsRef<str>) -> Result<(), Stop> {
        if self.look.json {
            return Ok(());
        }
        let text = self.paint(Style::Dim, text.as_ref());
        self.send(Frame::Err(format!("{text}\n"))).await
    }

    /// A document for programs.
    pub(crate) async fn json(&mut self, value: &impl Serialize) -> Result<(), Stop> {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        self.line(text).await
    }

    /// One line for programs, of many.
    pub(crate) async fn json_line(&mut self, value: &impl Serialize) -> Result<(), Stop> {
        let text = serde_json::to_string(value).unwrap_or_default();
        self.line(text).await
    }

    /// Says what goes on, on a line that is wiped away by the next word.
    pub(crate) async fn progress(&mut self, text: &str) -> Result<(), Stop> {
        if !self.look.progress || self.look.json {
            return Ok(());
        }
        self.busy = true;
        let text = self.paint(Style::Dim, text);
        self.send(Frame::Err(format!("\r\u{1b}[K{text}"))).await
    }

    /// Wipes the line about progress away.
    pub(crate) async fn progress_over(&mut self) -> Result<(), Stop> {
        if !std::mem::take(&mut self.busy) {
            return Ok(());
        }
        self.send(Frame::Err("\r\u{1b}[K".to_owned())).await
    }

    /// A text in a style, as far as colours are wanted.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        style.paint(text, self.look.colour)
    }

    /// A time as people say it on a terminal, to the letter elsewhere.
    pub(crate) fn time(&self, at: Timestamp) -> String {
        if self.look.terminal { times::ago(at, times::now()) } else { at.to_string() }
    }

    /// Tells why a command stopped, and how to mend it. Gives the exit code.
    pub(crate) async fn tell(&mut self, stop: &Stop) -> u8 {
        // When nobody reads any more there is nobody to tell; the exit code says it.
        let _ = self.explain(stop).await;
        stop.exit()
    }

    async fn explain(&mut self, stop: &Stop) -> Result<(), Stop> {
        self.progress_over().await?;
        if self.look.json {
            let Some(value) = stop.json() else { return Ok(()) };
            return self.send(Frame::Err(format!("{value}\n"))).await;
        }
        let text = match stop {
            Stop::Refused(error) => self.refusal(error),
            // No mistakes are counted in a file that is not there.
            Stop::File(error) if error.mistakes.iter().all(|mistake| mistake.line == 0) => error.to_string(),
            Stop::File(error) => {
                let count = error.count();
                format!("{error}\n{}: {count} {}\n", error.file, if count == 1 { "mistake" } else { "mistakes" })
            }
            Stop::Plain { message, hint, .. } => format!("{} {message}\n{}", self.head(), self.hint("hint", hint)),
            Stop::Gone | Stop::Said(_) => return Ok(()),
        };
        self.send(Frame::Err(text)).await
    }

    fn head(&self) -> String {
        self.paint(Style::Red, "handover:")
    }

    fn hint(&self, word: &str, text: &str) -> String {
        if text.is_empty() {
            String::new()
        } else {
            format!("  {} {text}\n", self.paint(Style::Cyan, &format!("{word}:")))
        }
    }

    fn refusal(&self, error: &HandoffError) -> String {
        let between = if error.agents.is_empty() { String::new() } else { format!("{}: ", error.agents) };
        let mut text = String::new();
        for refusal in &error.refusals {
            let code = self.paint(Style::Bold, refusal.code.text());
            let field = if refusal.field.is_empty() { String::new() } else { format!("{}: ", refusal.field) };
            text += &format!("{} {code} {between}{field}{}\n", self.head(), tame(&refusal.message));
            text += &self.hint("hint", &tame(&refusal.hint));
        }
        if let Some(cause) = &error.cause {
            text += &self.hint("cause", &tame(cause));
        }
        let code = error.code();
        // What is said about this very case is better than what holds for all of its kind.
        let hinted = error.refusals.iter().any(|refusal| !refusal.hint.is_empty());
        let mend = if hinted { "" } else { code.mend() };
        text + &self.hint("hint", mend) + &self.hint("more", &format!("handover explain {code}"))
    }
}

fn write_all(mut to: impl std::io::Write, text: &str) -> std::io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}
