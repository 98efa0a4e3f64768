//! The side that asks: it reads the files, sends what was typed, shows what comes back and writes what is to be saved.

use super::{must_make_sense, reads, save::Saving};
use crate::cli::{
    args::{Cli, Command, Hidden},
    door,
    exit::{self, Stop},
    input,
    out::{Frame, Out},
    watch::Watch,
};
use handover_client::{Client, Error, Lines};
use handover_core::{
    limits::{CLIENT_BEATS_MISSED, CLIENT_WAIT_MS, CLIENT_WAIT_MS_MAX, LISTENER_BEAT_MS, REQUEST_BYTES_MAX},
    refusal::{Code, HandoffError, Refusal},
};
use handover_server::{Errand, ErrandLook};
use std::{collections::BTreeMap, time::Duration};

/// Options that concern this machine alone, each with a value. They are not sent.
const MINE: [&str; 7] = ["--server", "--server-key", "--db", "--config", "--store", "--bus", "--node"];

/// Carries out a command on a server.
pub(crate) async fn enter(cli: &Cli, url: &str, out: &mut Out) -> Result<(), Stop> {
    must_make_sense(&cli.command)?;
    for option in ["--db", "--config"] {
        if cli.given.iter().any(|word| word == option || word.starts_with(&format!("{option}="))) {
            out.note(format!("a server has its own database and settings; {option} is not used")).await?;
        }
    }
    let from_stdin = matches!(&cli.command, Command::GiveBack(args) if args.answer.as_deref() == Some("-"));
    let cli = if from_stdin { door::heard(cli)? } else { cli.clone() };
    let key = cli.global.server_key.as_ref().map(|Hidden(key)| key.as_str());
    let client = Client::new(url, key).map_err(|error| {
        Stop::refused(error.to_string(), "give --server (or HANDOVER_SERVER) as in http://127.0.0.1:7800")
    })?;
    let errand = errand(&cli, out)?;
    match &cli.command {
        Command::Watch(args) => follow(&client, errand, args, out).await,
        command => match round(&client, &errand, command, out).await? {
            Round::Done(exit::GOOD) => Ok(()),
            Round::Done(code) => Err(Stop::Said(code)),
            Round::Lost => {
                let hint = "look whether it was done: handover watch --since 1m";
                Err(Stop::trouble(format!("{} ended before it answered", client.url()), hint))
            }
        },
    }
}

fn errand(cli: &Cli, out: &Out) -> Result<Errand, Stop> {
    let mut files = BTreeMap::new();
    for path in reads(&cli.command) {
        let text = input::to_send(&path)?;
        files.insert(path, text);
    }
    let look = ErrandLook {
        width: out.look.width.map(|width| u16::try_from(width).unwrap_or(u16::MAX)),
        colour: out.look.colour,
        terminal: out.look.terminal,
        progress: out.look.progress,
        json: out.look.json,
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let errand = Errand { version, args: to_send(&cli.given), user: door::user(), look, files };
    let bytes = serde_json::to_vec(&errand).map_or(0, |text| text.len());
    if bytes > REQUEST_BYTES_MAX {
        let message = format!("the command and its files have {bytes} bytes, and a server takes {REQUEST_BYTES_MAX}");
        return Err(Refusal::new(Code::TooLarge, message + " (REQUEST_BYTES_MAX)").into());
    }
    Ok(errand)
}

/// Lets a server carry out a command that this process makes up, and writes what comes back. Gives its exit code.
pub(crate) async fn pass_on(client: &Client, args: Vec<String>, out: &mut Out) -> Result<u8, Stop> {
    let look = ErrandLook { width: None, colour: false, terminal: false, progress: false, json: true };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let errand = Errand { version, args, user: door::user(), look, files: BTreeMap::new() };
    match round(client, &errand, &Command::Keep, out).await? {
        Round::Done(code) => Ok(code),
        Round::Lost => Err(Stop::trouble(format!("{} ended before it answered", client.url()), "try again")),
    }
}

/// The arguments without those that concern this machine alone. The key is none of them: it goes another way.
fn to_send(given: &[String]) -> Vec<String> {
    let mut words = given.iter();
    let mut sent = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            sent.push(word.clone());
            sent.extend(words.cloned());
            break;
        }
        let name = word.split('=').next().unwrap_or_default();
        if !MINE.contains(&name) {
            sent.push(word.clone());
        } else if name == word {
            words.next();
        }
    }
    sent
}

/// How a command on a server ended.
enum Round {
    Done(u8),
    /// The answer broke off.
    Lost,
}

async fn round(client: &Client, errand: &Errand, command: &Command, out: &mut Out) -> Result<Round, Stop> {
    let errand = serde_json::to_value(errand).unwrap_or_default();
    let mut lines = client.command(&errand).await.map_err(|error| told(client, error))?;
    let mut saving = Saving::of(command);
    while let Some(line) = next(&mut lines).await {
        if line.is_empty() {
            continue; // It goes on.
        }
        match serde_json::from_str(&line) {
            Ok(Frame::Exit(code)) => return Ok(Round::Done(code)),
            Ok(Frame::Save(text)) => saving.write(&text)?,
            Ok(Frame::Saved(first, last, records)) => saving.finish(first, last, records, out).await?,
            Ok(frame) => out.send(frame).await?,
            Err(_) => return Ok(Round::Lost),
        }
    }
    Ok(Round::Lost)
}

/// The next line; nothing when the line is dead.
async fn next(lines: &mut Lines) -> Option<String> {
    let silence = Duration::from_millis(LISTENER_BEAT_MS * CLIENT_BEATS_MISSED);
    tokio::time::timeout(silence, lines.next()).await.ok()?.ok()?
}

/// Shows what happens until it is enough. A server that goes away is waited for, and nothing is missed.
async fn follow(client: &Client, mut errand: Errand, args: &Watch, out: &mut Out) -> Result<(), Stop> {
    let (typed, command) = (errand.args.clone(), Command::Watch(args.clone()));
    let mut wait_ms = CLIENT_WAIT_MS;
    loop {
        let before = out.at;
        match round(client, &errand, &command, out).await {
            Ok(Round::Done(exit::GOOD)) => return Ok(()),
            Ok(Round::Done(code)) => return Err(Stop::Said(code)),
            // Only whoever has heard it once waits for it to come back.
            Err(stop) if out.at.is_none() || stop.exit() != exit::TROUBLE => return Err(stop),
            Ok(Round::Lost) if out.at.is_none() => {
                return Err(Stop::trouble(format!("{} ended before it answered", client.url()), "try again"));
            }
            Ok(Round::Lost) | Err(_) => {}
        }
        if before == out.at {
            out.progress("the server is away; waiting for it").await?;
        } else {
            wait_ms = CLIENT_WAIT_MS;
        }
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        out.progress_over().await?;
        wait_ms = wait_ms.saturating_mul(2).min(CLIENT_WAIT_MS_MAX);
        errand.args.clone_from(&typed);
        errand.args.extend(out.at.map(|at| format!("--after={at}")));
        errand.args.extend(args.count.map(|count| format!("--count={}", count.saturating_sub(out.shown).max(1))));
    }
}

/// Why a server did not carry it out, and what to do about it.
fn told(client: &Client, error: Error) -> Stop {
    let url = client.url();
    match error {
        Error::Refused { status: 401, error, .. } => hinted(error, "give a key that is valid in HANDOVER_KEY"),
        Error::Refused { status: 404, .. } => {
            let message = format!("{url} is a server that carries out no commands: it is another version");
            Stop::trouble(message, "use the same version at both ends")
        }
        Error::Refused { error, .. } => Stop::Refused(error),
        Error::Way(why) => Stop::trouble(
            format!("{url} cannot be reached: {why}"),
            "check --server (or HANDOVER_SERVER), and whether `handover serve` runs there",
        ),
        Error::Trust(why) => Stop::trouble(
            format!("{url} cannot be trusted: {why}"),
            "name the certificates that you trust with SSL_CERT_FILE=FILE, or use the name that the certificate has",
        ),
        error @ (Error::Strange { .. } | Error::TooLarge { .. } | Error::Address(_)) => {
            Stop::trouble(format!("{url}: {error}"), "check that --server is the address of `handover serve`")
        }
    }
}

fn hinted(mut error: HandoffError, hint: &str) -> Stop {
    for refusal in &mut error.refusals {
        hint.clone_into(&mut refusal.hint);
    }
    Stop::Refused(error)
}

#[cfg(test)]
mod tests {
    use super::to_send;

    #[test]
    fn what_concerns_this_machine_alone_stays_here() {
        let cases = [
            ("--server http://x sessions", "sessions"),
            ("sessions --server=http://x --json", "sessions --json"),
            ("--server-key ho_secret stats --server-key=ho_secret", "stats"),
            ("--db a.db --config=b.yaml stats", "stats"),
            ("--store postgres://ann:secret@db/x stats --bus=nats://b:secret@c --node n1", "stats"),
            ("agents register --name a -- run --db x", "agents register --name a -- run --db x"),
            ("hand-off --key k --server x", "hand-off --key k"),
        ];
        for (typed, expected) in cases {
            let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
            assert_eq!(to_send(&words).join(" "), expected, "{typed}");
        }
    }
}
