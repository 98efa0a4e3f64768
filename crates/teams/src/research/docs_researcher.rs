//! The docs researcher: finds what the library says about a question, and what was missing when it is asked again.

use super::{Settings, left, pack, question, round};
use crate::{
    files::off_thread,
    room::{Room, ended, failed, file_name},
    shelf::{self, Passage},
    words::counted,
};
use handover_core::{
    command::Command,
    handoff::Kind,
    session::{ArtifactStatus, ArtifactType},
};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::json;

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let settings: Settings = room.settings()?;
    let question = question(work);
    let gaps = pack::gaps(work.payload());
    let again = !gaps.is_empty();
    let round = round(work) + u64::from(again);
    let library = room.home(&settings.library)?;
    let shelf: Vec<Passage> = off_thread(move || shelf::read(&library)).await??;
    let passages = pack::collect(&shelf, &question, settings.passages, pack::passages(work.payload()), &gaps);
    if passages.is_empty() {
        let say = format!("none of the {} passages of the library speaks of \"{question}\"", shelf.len());
        return Ok(failed(work, "RESEARCH_FAILED", json!({"question": question}), say));
    }
    let name = file(work, &question, round);
    let path = room.write(work, &name, pack::document(&question, &passages, &gaps)).await?;
    supersede(work, &path).await?;
    let (count, sources) = (passages.len(), pack::sources(&passages));
    let data = json!({
        "question": question, "round": round, "retry_count": round - 1, "research_pack": path, "sources": sources,
        "passages": passages,
    });
    let say = format!("{} of {}, round {round}", counted(count, "passage"), counted(sources, "document"));
    Ok(ended(work, "RESEARCH_COMPLETE", data, say).update(left(0, ArtifactType::Document, &path, "Research pack")))
}

/// Each round of the loop has a pack, and so has each part of a broadcast.
fn file(work: &Work, question: &str, round: u64) -> String {
    match work.handoff().request.kind {
        Kind::Sequential => format!("ResearchPack-{round}.md"),
        _ => format!("ResearchPack-{}.md", file_name(question)),
    }
}

/// A later pack takes the place of the earlier ones of this agent in the loop.
async fn supersede(work: &Work, path: &str) -> Result<(), Failure> {
    let handoff = work.handoff();
    if handoff.request.kind != Kind::Sequential {
        return Ok(());
    }
    let session = work.engine().session(&handoff.session_id).await?;
    let old = session.artifacts.values().filter(|artifact| {
        let valid = artifact.status != ArtifactStatus::Superseded && artifact.path != path;
        valid && artifact.path.contains("/ResearchPack-")
    });
    for artifact in old {
        let (by, status) = (handoff.to_agent.clone(), ArtifactStatus::Superseded);
        let command = Command::MarkArtifact { by, id: artifact.id, status };
        work.engine().submit(&handoff.session_id, command, None).await?;
    }
    Ok(())
}
