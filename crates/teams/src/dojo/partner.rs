//! The dojo itself: hears the user, finds out who is needed, and answers when it has what it asked for.

use super::say;
use crate::{
    bench::text,
    room::{ended, failed},
    words::folded,
};
use handover_core::message::{NewMessage, Role};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::{Value, json};

/// Words by which somebody asks what something is.
const ASKING: [&str; 7] = ["what is", "what are", "what does", "mean", "explain", "difference", "look up"];

pub(super) async fn run(work: &Work) -> Result<Done, Failure> {
    let payload = work.payload();
    let question = text(payload, "question").unwrap_or(&work.handoff().request.original_request).to_owned();
    let (reference, diagnosis) = (payload.get("reference"), payload.get("diagnosis"));
    if reference.is_none() && diagnosis.is_none() {
        hear(work, &question).await?;
    }
    if reference.is_none() && asks(&question) {
        say(work, "Let me have that looked up first.").await?;
        return Ok(ended(work, "NEEDS_REFERENCE", json!({"question": question}), "a reference is needed"));
    }
    if diagnosis.is_none() && text(payload, "snippet").is_some() {
        say(work, "Now let somebody look at the snippet.").await?;
        return Ok(ended(work, "NEEDS_DEBUGGING", json!({"question": question}), "a snippet does not work"));
    }
    let words = answer(reference, diagnosis);
    if words.is_empty() {
        let words = "Ask what something is, or show me a snippet that does not work.";
        say(work, words).await?;
        return Ok(failed(work, "NOT_UNDERSTOOD", json!({"error_message": words}), words));
    }
    say(work, &words).await?;
    Ok(ended(work, "ANSWERED", json!({"answer": words}), words))
}

/// The question of the user becomes the first message of the session.
async fn hear(work: &Work, question: &str) -> Result<(), Failure> {
    let session = &work.handoff().session_id;
    let heard = || async {
        let message = NewMessage::new(Role::User, question);
        Ok::<_, Failure>(work.engine().say(session, vec![message]).await.map(drop)?)
    };
    work.step("hear", heard).await
}

/// Whether somebody asks what something is.
fn asks(question: &str) -> bool {
    let question = format!(" {} ", folded(question));
    ASKING.iter().any(|words| question.contains(&format!(" {words} ")))
}

/// What came of it, in words.
fn answer(reference: Option<&Value>, diagnosis: Option<&Value>) -> String {
    let parts = [reference, diagnosis].into_iter().flatten().filter_map(|part| text(part, "words"));
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_reference_is_known_by_its_words() {
        for (question, expected) in [
            ("What is a trailing comma?", true),
            ("Explain JSON to me", true),
            ("WHAT  ARE keys", true),
            ("Why does it not load?", false),
            ("The meaning of it all", false),
            ("", false),
        ] {
            assert_eq!(asks(question), expected, "{question}");
        }
    }
}
