//! A decision as a form sends it: yes, yes with changes, changes alone, or no. It is about what was seen and nothing else.

use super::Place;
use crate::{
    ask::{Answer, Ask},
    page::Done,
    wrong::Wrong,
};
use handover_core::{
    command::Command,
    digest::Digest,
    handoff::{Edit, Handoff, Priority},
    ids::{AgentId, HandoffId},
    refusal::{Code, HandoffError, Refusal},
};
use serde_json::Value;

pub(crate) async fn decide(ask: Ask) -> Answer {
    let id = ask.handoff()?;
    let (by, comment) = (ask.name(), ask.form.get("comment").to_owned());
    let done = match ask.form.get("decision") {
        "approve" => {
            let digest = Some(seen(&ask)?);
            ask.submit(id, Command::Approve { handoff: id, by, comment, digest, edit: None }).await?;
            Done::Approved
        }
        "edit" => {
            let edit = edit_of(&ask, id).await?;
            ask.engine.approve_edited(id, &by, &comment, Some(seen(&ask)?), edit).await?;
            Done::Approved
        }
        "amend" => {
            let edit = edit_of(&ask, id).await?;
            ask.engine.amend_exactly(id, &by, edit, seen(&ask)?).await?;
            Done::Edited
        }
        "reject" => {
            let (comment, digest) = (ask.form.needed("comment")?.to_owned(), Some(seen(&ask)?));
            ask.submit(id, Command::Deny { handoff: id, by, comment, digest }).await?;
            Done::Rejected
        }
        other => {
            let refusal = Refusal::new(Code::WrongType, format!("\"{other}\" is no decision")).at("decision");
            return Err(refusal.hint("send approve, edit, amend or reject").into());
        }
    };
    Ok(ask.done(&way_back(&ask, id, done).await?, done))
}

/// The same page of the list again, at the next one; the page before it where this one is empty now. What was changed and not
/// decided stays where it is.
async fn way_back(ask: &Ask, id: HandoffId, done: Done) -> Result<String, HandoffError> {
    let (own, edited) = (id.to_string(), done == Done::Edited);
    let mut place = Place::of(&ask.form);
    place.at = place.at.filter(|at| edited || *at != own);
    if place.after > 0 && !edited {
        let (left, more) = ask.engine.approvals_page(place.who.as_deref(), place.after, 1).await?;
        if left.is_empty() && more.is_none() {
            (place.after, place.before) = (place.before, 0);
        }
    }
    let next = if edited { own } else { ask.form.get("next").to_owned() };
    Ok(place.url(&next))
}

/// What was seen, as the form carries it.
fn seen(ask: &Ask) -> Result<Digest, HandoffError> {
    let text = ask.form.needed("digest")?;
    let wrong = |_| Refusal::new(Code::WrongType, "this is no digest").at("digest").hint("load the page again");
    Ok(text.parse().map_err(wrong)?)
}

/// What was changed, and nothing else.
async fn edit_of(ask: &Ask, id: HandoffId) -> Result<Edit, Wrong> {
    let handoff: Handoff = ask.engine.handoff(id).await?;
    let task = &handoff.request.task;
    let to: AgentId = ask.form.agent("to_agent")?;
    let description = ask.form.raw("description").trim_end().replace("\r\n", "\n");
    let payload = payload_of(ask.form.get("payload"))?;
    let priority = priority_of(ask.form.get("priority"))?;
    Ok(Edit {
        to_agent: Some(to).filter(|to| *to != handoff.to_agent),
        description: Some(description).filter(|text| *text != task.description.replace("\r\n", "\n").trim_end()),
        payload: Some(payload).filter(|payload| *payload != task.payload),
        priority: priority.filter(|priority| *priority != task.priority),
    })
}

fn payload_of(text: &str) -> Result<Value, HandoffError> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(text).map_err(|error| {
        let refusal = Refusal::new(Code::NotJson, format!("the data is no JSON: {error}")).at("payload");
        refusal.hint("write it like {\"name\": \"value\"}; a text stands in quotes").into()
    })
}

fn priority_of(text: &str) -> Result<Option<Priority>, HandoffError> {
    if text.is_empty() {
        return Ok(None);
    }
    let known = serde_json::from_value(Value::String(text.to_owned()));
    known
        .map(Some)
        .map_err(|_| Refusal::new(Code::WrongType, format!("\"{text}\" is no priority")).at("priority").into())
}
