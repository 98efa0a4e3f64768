//! What is sent to a remote agent: the brief as words, the payload as data, and where the work comes from as metadata. Nothing
//! in it changes when it is sent again, but for the time that is left.

use a2a::{Message, Part, Role, SendMessageConfiguration, SendMessageRequest, TaskPushNotificationConfig};
use handover_core::{
    a2a::{LINEAGE, Lineage},
    digest::Digest,
    handoff::Handoff,
};
use serde_json::{Map, Value};
use uuid::Builder;

/// The id of a message: the same work, attempt and turn give the same one, in every process.
pub(super) fn id(handoff: &Handoff, turn: u32) -> String {
    let pieces = [
        b"handover a2a\0".as_slice(),
        handoff.id.0.as_bytes(),
        handoff.to_agent.as_str().as_bytes(),
        b"\0",
        &handoff.attempt.to_be_bytes(),
        &turn.to_be_bytes(),
    ];
    let digest = Digest::of_all(pieces);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

/// A message that gives the work.
pub(super) fn work(handoff: &Handoff, brief: String, context: Option<String>) -> Message {
    let mut parts = vec![Part::text(brief)];
    let payload = &handoff.request.task.payload;
    if !payload.is_null() {
        parts.push(Part::data(payload.clone()).with_media_type("application/json"));
    }
    message(id(handoff, 0), parts, context, None)
}

/// A message that answers the question of this number, from 1.
pub(super) fn answer(handoff: &Handoff, turn: u32, text: String, context: &str, task: &str) -> Message {
    let context = (!context.is_empty()).then(|| context.to_owned());
    message(id(handoff, turn), vec![Part::text(text)], context, Some(task.to_owned()))
}

fn message(message_id: String, parts: Vec<Part>, context_id: Option<String>, task_id: Option<String>) -> Message {
    Message {
        message_id,
        context_id,
        task_id,
        role: Role::User,
        parts,
        metadata: None,
        extensions: None,
        reference_task_ids: None,
    }
}

/// The request that carries it, with what goes along.
pub(super) fn request(
    mut message: Message,
    lineage: &Lineage,
    known: bool,
    push: Option<TaskPushNotificationConfig>,
) -> SendMessageRequest {
    let mut metadata = Map::new();
    lineage.write(&mut metadata);
    message.metadata = Some(metadata.into_iter().collect::<std::collections::HashMap<String, Value>>());
    message.extensions = known.then(|| vec![LINEAGE.to_owned()]);
    let configuration = SendMessageConfiguration {
        accepted_output_modes: None,
        task_push_notification_config: push,
        history_length: Some(0),
        return_immediately: Some(true),
    };
    SendMessageRequest { message, configuration: Some(configuration), metadata: None, tenant: None }
}
