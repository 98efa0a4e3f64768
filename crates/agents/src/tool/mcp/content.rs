//! What an MCP server answers, as a text for a model.

use crate::tool::{ToolOutcome, beginning};
use handover_core::limits::TOOL_CONTENT_BYTES_MAX;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::Value;

/// The outcome of a call that a server answered.
pub(super) fn outcome(result: &CallToolResult) -> ToolOutcome {
    let failed = result.is_error == Some(true);
    let blocks: Vec<String> = result.content.iter().map(in_words).collect();
    let text = blocks.join("\n");
    let structured = result.structured_content.as_ref().filter(|_| !has_text(result)).map(Value::to_string);
    let content = match structured {
        Some(structured) if text.is_empty() => structured,
        Some(structured) => format!("{structured}\n{text}"),
        None if text.trim().is_empty() && failed => "the tool failed and does not say why".to_owned(),
        None if text.trim().is_empty() => "It is done; there is no output.".to_owned(),
        None => text,
    };
    if failed { ToolOutcome::failed(content) } else { ToolOutcome::done(content) }
}

/// Servers that answer in a structure mostly say the same as a text: then that is enough.
fn has_text(result: &CallToolResult) -> bool {
    result.content.iter().any(|block| block.as_text().is_some_and(|text| !text.text.trim().is_empty()))
}

fn in_words(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => binary("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => binary("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => resource(&embedded.resource),
        ContentBlock::ResourceLink(link) => linked(link),
        _ => "[content of a kind that is not known]".to_owned(),
    }
}

fn binary(what: &str, kind: &str, data: &str) -> String {
    format!("[{what}: {}, {} bytes; it is not shown]", beginning(kind, 100), decoded_bytes(data))
}

fn resource(contents: &ResourceContents) -> String {
    match contents {
        ResourceContents::TextResourceContents { uri, text, .. } => format!("[resource {uri}]\n{text}"),
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let kind = mime_type.as_deref().unwrap_or("of unknown kind");
            binary(&format!("resource {}", beginning(uri, TOOL_CONTENT_BYTES_MAX / 4)), kind, blob)
        }
        _ => "[resource of a kind that is not known]".to_owned(),
    }
}

fn linked(link: &Resource) -> String {
    let mut words = vec![format!("link to {}: {}", link.name, link.uri)];
    words.extend(link.mime_type.clone());
    words.extend(link.size.map(|size| format!("{size} bytes")));
    words.extend(link.description.clone());
    format!("[{}]", words.join(", "))
}

/// How many bytes a text in base64 stands for.
fn decoded_bytes(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_content_becomes_words() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let table = [
            (json!({"content": [text("a"), text("b")]}), "a\nb", false),
            (json!({"content": [text("no")], "isError": true}), "no", true),
            (json!({"content": [], "isError": true}), "the tool failed and does not say why", true),
            (json!({"content": []}), "It is done; there is no output.", false),
            (json!({"content": [], "structuredContent": {"a": 1}}), "{\"a\":1}", false),
            (json!({"content": [text("a is 1")], "structuredContent": {"a": 1}}), "a is 1", false),
            (
                json!({"content": [{"type": "image", "mimeType": "image/png", "data": "AAAAAAA="}]}),
                "[image: image/png, 5 bytes; it is not shown]",
                false,
            ),
            (
                json!({"content": [{"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}], "structuredContent": 1}),
                "1\n[audio: audio/wav, 3 bytes; it is not shown]",
                false,
            ),
            (
                json!({"content": [{"type": "resource", "resource": {"uri": "file:a", "text": "hello"}}]}),
                "[resource file:a]\nhello",
                false,
            ),
            (
                json!({"content": [{"type": "resource", "resource": {"uri": "file:a", "blob": "AAAA"}}]}),
                "[resource file:a: of unknown kind, 3 bytes; it is not shown]",
                false,
            ),
            (
                json!({"content": [{"type": "resource_link", "uri": "file:a", "name": "A", "mimeType": "text/x", "size": 7}]}),
                "[link to A: file:a, text/x, 7 bytes]",
                false,
            ),
        ];
        for (result, content, failed) in table {
            let read: CallToolResult = serde_json::from_value(result.clone()).expect("a result");
            assert_eq!(outcome(&read), ToolOutcome { content: content.to_owned(), failed }, "{result}");
        }
    }
}
