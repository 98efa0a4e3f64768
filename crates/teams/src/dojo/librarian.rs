//! The librarian: looks a question up in the notes, and says where it stands.

use super::{Settings, say};
use crate::{
    bench::text,
    files::off_thread,
    room::{Room, ended},
    shelf::{self, Passage},
};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::json;

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let settings: Settings = room.settings()?;
    let question = text(work.payload(), "question").unwrap_or_default();
    let folder = room.home(&settings.notes)?;
    let notes: Vec<Passage> = off_thread(move || shelf::read(&folder)).await??;
    let found = shelf::rank(&notes, question);
    // What a librarian has of the conversation is what it was shown, and no more.
    let seen = work.view().items.len();
    let Some((_, best)) = found.first() else {
        let words = "The notes say nothing about that.";
        say(work, words).await?;
        let data = json!({"reference": {"found": false, "words": words}, "seen": seen});
        return Ok(ended(work, "NOTHING_FOUND", data, words));
    };
    let words = format!("{} ({})", best.sentences().join(" "), best.id);
    say(work, &words).await?;
    let also: Vec<&str> = found.iter().skip(1).take(2).map(|(_, passage)| passage.id.as_str()).collect();
    let reference = json!({"found": true, "id": best.id, "heading": best.heading, "words": words, "see_also": also});
    Ok(ended(work, "REFERENCE_FOUND", json!({"reference": reference, "seen": seen}), format!("found in {}", best.id)))
}
