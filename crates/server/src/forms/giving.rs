//! What an agent gives back.

use super::{
    GotoForm, UpdateForm,
    build::{Form, amount},
};
use handover_core::{
    handoff::ContentType,
    ids::{HandoffId, LeaseId},
    time::Timestamp,
};
use schemars::{Schema, SchemaGenerator};
use serde_json::json;

/// What an agent gives back, with its lease and what follows.
pub(super) fn giving(generator: &mut SchemaGenerator) -> Schema {
    let result = Form::new(generator, "What came out.")
        .takes_a::<ContentType>("content_type", "What sort of content.")
        .anything("body", "The content, at most PAYLOAD_BYTES_MAX bytes of JSON.")
        .takes("score", "How good it is, where several are compared.", json!({ "type": "number" }))
        .value();
    let audit = Form::new(generator, "What the work used. What the updates say already is not said again here.")
        .takes_a::<Timestamp>("completion_time", "When it was done; the engine knows better.")
        .count("tokens_consumed", "Tokens.")
        .takes("cost", "Money.", amount())
        .count("iterations", "Rounds.")
        .free_text("notes", "Another place for `notes`; one of the two.")
        .value();
    let ended = json!({ "type": "string", "enum": ["success", "partial", "failed"] });
    Form::new(generator, "What an agent gives back. Null is the same as leaving out.")
        .needs_a::<LeaseId>("lease", "The lease under which the work was done.")
        .takes_a::<GotoForm>("then", "Where the work goes next, in the same step.")
        .takes_a::<HandoffId>("handoff_id", "The handoff; the address says so already.")
        .agent("from_agent", "Who gives it back; the lease says so already.")
        .agent("from", "Another name for `from_agent`.")
        .one_of("from_agent", "from")
        .agent("to_agent", "To whom; the handoff says so already.")
        .agent("to", "Another name for `to_agent`.")
        .one_of("to_agent", "to")
        .needs("status", "How it ended.", ended)
        .takes("result", "What came out.", result)
        .takes_a::<UpdateForm>("context_updates", "What changes in the session, in the same step.")
        .takes_a::<UpdateForm>("updates", "Another name for `context_updates`.")
        .one_of("context_updates", "updates")
        .takes("audit", "What the work used.", audit)
        .free_text("notes", "Anything to add.")
        .text(
            "signal",
            "How a step of a workflow ended, in the words of its rules; at most STATE_CHARS_MAX characters there.",
        )
        .done()
}
