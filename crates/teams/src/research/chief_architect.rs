//! The chief architect: sends the parts of a question to several at once, and merges what comes back.

use super::{left, pack, question};
use crate::{
    room::{Room, ended, failed},
    shelf::Passage,
    words::counted,
};
use handover_core::{
    handoff::{Aggregation, Broadcast, Kind, Priority, Request, Return, ReturnStatus, Send, Task},
    ids::AgentId,
    limits::{PACK_PASSAGES_MAX, TOPICS_MAX},
    session::ArtifactType,
};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::{Value, json};
use std::time::Duration;

/// How long the parts may take.
const TOGETHER: Duration = Duration::from_secs(120);

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let question = question(work);
    let topics = topics(work.payload(), &question);
    let answers = work.broadcast("survey", request(work, &question, &topics)?).await?;
    if answers.status != ReturnStatus::Success {
        let why = answers.others.iter().map(|answer| answer.notes.as_str()).find(|notes| !notes.is_empty());
        let say = format!("not every part came back: {}", why.unwrap_or("somebody failed"));
        return Ok(failed(work, "SURVEY_FAILED", json!({"question": question, "error_message": say}), say));
    }
    let passages = merged(&answers.winners);
    let existing = answers.winners.iter().find(|answer| answer.result.body.get("touched").is_some());
    let existing = existing.map(|answer| answer.result.body.clone());
    let path = room.write(work, "ResearchPack-1.md", pack::document(&question, &passages, &[])).await?;
    let say = format!("{} from {}", counted(passages.len(), "passage"), counted(answers.winners.len(), "answer"));
    let data = json!({
        "question": question, "round": 1, "research_pack": path, "passages": passages, "existing_code": existing,
        "sources": pack::sources(&passages), "topics": topics,
    });
    let update = left(0, ArtifactType::Document, &path, "Research pack, merged");
    Ok(ended(work, "SURVEY_COMPLETE", data, say).update(update))
}

/// The topics of the payload; the whole question where it names none.
fn topics(payload: &Value, question: &str) -> Vec<String> {
    let named = payload.get("topics").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut topics: Vec<String> = named.map(str::to_owned).filter(|topic| !topic.trim().is_empty()).collect();
    topics.dedup();
    topics.truncate(TOPICS_MAX);
    if topics.is_empty() { vec![question.to_owned()] } else { topics }
}

/// One task for each topic, and one for the scout.
fn request(work: &Work, question: &str, topics: &[String]) -> Result<Request, Failure> {
    let send = |to: &str, description: String, payload: Value| -> Result<Send, Failure> {
        let task =
            Task { id: String::new(), kind: "survey".to_owned(), description, payload, priority: Priority::Normal };
        Ok(Send { to_agent: AgentId::new(to)?, task: Some(task) })
    };
    let mut targets = Vec::new();
    for topic in topics {
        targets.push(send("docs-researcher", format!("Research {topic}"), json!({"question": topic}))?);
    }
    targets.push(send("scout", "Look at the existing code".to_owned(), json!({"question": question}))?);
    let from = work.handoff().to_agent.clone();
    let mut request = Request::new(Kind::Broadcast, from, format!("Survey: {question}"));
    request.broadcast = Some(Broadcast { targets, aggregation: Aggregation::All });
    Ok(request.within(TOGETHER))
}

/// The passages of all answers by turns, so that no topic crowds out another; each passage once.
fn merged(answers: &[Return]) -> Vec<Passage> {
    let packs: Vec<Vec<Passage>> = answers.iter().map(|answer| pack::passages(&answer.result.body)).collect();
    let longest = packs.iter().map(Vec::len).max().unwrap_or(0);
    let by_turns = (0..longest).flat_map(|at| packs.iter().filter_map(move |pack| pack.get(at)));
    let mut all: Vec<Passage> = Vec::new();
    for passage in by_turns {
        if all.iter().all(|known| known.id != passage.id) {
            all.push(passage.clone());
        }
    }
    all.truncate(PACK_PASSAGES_MAX);
    all
}
