//! What people do with work, as forms send it. The engine says whether they may.

use crate::{
    ask::{Answer, Ask},
    page::Done,
    parts,
};
use handover_core::{
    command::Command,
    ids::{AgentId, LeaseId, SessionId},
    limits::{LEASE_MS_MAX, PAGE_TASKS},
    refusal::{Code, HandoffError, Refusal},
    wire,
};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

/// The inbox again, as whoever looked at it.
fn back(ask: &Ask, done: Done) -> Answer {
    let whose = ask.form.some("view").map(|name| format!("?as={}", parts::encoded(name))).unwrap_or_default();
    Ok(ask.done(&format!("/inbox{whose}"), done))
}

fn lease(ask: &Ask) -> Result<LeaseId, HandoffError> {
    let text = ask.form.needed("lease")?;
    Ok(text.parse().map_err(|_| Refusal::new(Code::WrongType, "this is no lease").at("lease"))?)
}

/// Takes an offer. People have as long as can be before somebody else may have it.
pub(crate) async fn take(ask: Ask) -> Answer {
    let (id, person) = (ask.handoff()?, ask.form.agent("as")?);
    ask.engine.accept_once(id, &person, Some(LEASE_MS_MAX), None, ask.once()).await?;
    back(&ask, Done::Taken)
}

/// Says no, to an offer or to what was taken already.
pub(crate) async fn decline(ask: Ask) -> Answer {
    let id = ask.handoff()?;
    let reason = ask.form.needed("reason")?.to_owned();
    let command = match ask.form.some("lease") {
        Some(_) => Command::Decline { handoff: id, lease: lease(&ask)?, reason },
        None => Command::Reject { handoff: id, by: ask.form.agent("as")?, reason },
    };
    ask.submit(id, command).await?;
    back(&ask, Done::Declined)
}

/// Puts an offer off.
pub(crate) async fn defer(ask: Ask) -> Answer {
    let (id, by) = (ask.handoff()?, ask.form.agent("as")?);
    let for_ms = ask.form.number("for").ok_or_else(|| Refusal::new(Code::WrongType, "this is no time").at("for"))?;
    let reason = ask.form.needed("reason")?.to_owned();
    ask.submit(id, Command::Defer { handoff: id, by, for_ms, reason }).await?;
    back(&ask, Done::PutOff)
}

/// Keeps what was taken for as long again.
pub(crate) async fn keep(ask: Ask) -> Answer {
    ask.engine.heartbeat(ask.handoff()?, lease(&ask)?).await?;
    back(&ask, Done::Kept)
}

/// Asks something before the work goes on.
pub(crate) async fn ask_back(ask: Ask) -> Answer {
    let (id, lease, question) = (ask.handoff()?, lease(&ask)?, ask.form.needed("question")?.to_owned());
    ask.submit(id, Command::Ask { handoff: id, lease, question }).await?;
    back(&ask, Done::Asked)
}

/// Gives a result back.
pub(crate) async fn give_back(ask: Ask) -> Answer {
    let (id, lease) = (ask.handoff()?, lease(&ask)?);
    let text = ask.form.get("result").replace("\r\n", "\n");
    let result = match (ask.form.get("form"), text.is_empty()) {
        (_, true) => json!({}),
        ("json", false) => json!({ "content_type": "json", "body": read(&text)? }),
        (_, false) => json!({ "content_type": "text", "body": text }),
    };
    let status = ask.form.some("status").unwrap_or("success");
    let mut giving = json!({ "status": status, "result": result, "notes": ask.form.get("notes") });
    if let Some(signal) = ask.form.some("signal") {
        giving["signal"] = json!(signal);
    }
    ask.engine.give_back_once(id, lease, wire::giving(&giving.to_string())?, None, ask.once()).await?;
    back(&ask, Done::GivenBack)
}

fn read(text: &str) -> Result<Value, HandoffError> {
    serde_json::from_str(text).map_err(|error| {
        let refusal = Refusal::new(Code::NotJson, format!("the result is no JSON: {error}")).at("result");
        refusal.hint("choose text, or write it like {\"name\": \"value\"}").into()
    })
}

/// Answers what an agent asked.
pub(crate) async fn answer(ask: Ask) -> Answer {
    let (id, by, text) = (ask.handoff()?, ask.name(), ask.form.needed("text")?.to_owned());
    ask.submit(id, Command::Answer { handoff: id, by, text }).await?;
    back(&ask, Done::Answered)
}

/// A result that was shown.
#[derive(Deserialize)]
struct Shown {
    of: Uuid,
    session: SessionId,
    #[serde(rename = "as")]
    by: AgentId,
}

/// Takes note of all results that were shown. One that somebody else took note of meanwhile is seen all the same.
pub(crate) async fn note_all(ask: Ask) -> Answer {
    let wrong = |_| Refusal::new(Code::NotJson, "this is no list of results").at("all");
    let shown: Vec<Shown> = serde_json::from_str(ask.form.needed("all")?).map_err(wrong)?;
    for Shown { of, session, by } in shown.into_iter().take(PAGE_TASKS) {
        match ask.engine.submit(&session, Command::Take { of, by }, None).await {
            Err(error) if error.code() == Code::NoReturn => {}
            done => drop(done?),
        }
    }
    back(&ask, Done::AllNoted)
}

/// Takes note of a result.
pub(crate) async fn note(ask: Ask) -> Answer {
    let by = ask.form.agent("as")?;
    let wrong = |what: &str| Refusal::new(Code::WrongType, format!("this is no id of {what}"));
    let of: Uuid = ask.form.needed("of")?.parse().map_err(|_| wrong("a handoff").at("of"))?;
    let session = SessionId::new(ask.form.needed("session")?).map_err(|_| wrong("a session").at("session"))?;
    ask.engine.submit(&session, Command::Take { of, by }, ask.once()).await?;
    back(&ask, Done::Noted)
}
