//! The blocks that a message in the format of Anthropic is made of.

use super::super::spot::{Kind, Refused, Spot};
use crate::model::{Arguments, Call};

/// A block, as far as a script looks at it.
pub(super) enum Block {
    Text(String),
    Use(Call),
    Result {
        id: String,
        content: String,
        failed: bool,
    },
    /// A picture, a document or a thought: accepted and not read.
    Other,
}

const TEXT: [(&str, Kind); 4] =
    [("type", Kind::Text), ("text", Kind::Text), ("cache_control", Kind::Any), ("citations", Kind::Any)];
const USE: [(&str, Kind); 7] = [
    ("type", Kind::Text),
    ("id", Kind::Text),
    ("name", Kind::Text),
    ("input", Kind::Object),
    ("cache_control", Kind::Any),
    ("caller", Kind::Any),
    ("toolset_name", Kind::Any),
];
const RESULT: [(&str, Kind); 6] = [
    ("type", Kind::Text),
    ("tool_use_id", Kind::Text),
    ("content", Kind::Any),
    ("is_error", Kind::Flag),
    ("toolset_name", Kind::Any),
    ("cache_control", Kind::Any),
];
const KINDS: [&str; 8] =
    ["text", "tool_use", "tool_result", "image", "document", "search_result", "thinking", "redacted_thinking"];

/// The content of a message: a text, or blocks.
pub(super) fn read(content: &Spot<'_>) -> Result<Vec<Block>, Refused> {
    match content.value.as_str() {
        Some("") => Ok(Vec::new()),
        Some(text) => Ok(vec![Block::Text(text.to_owned())]),
        None => content.list()?.iter().map(block).collect(),
    }
}

fn block(block: &Spot<'_>) -> Result<Block, Refused> {
    block.object()?;
    match block.need("type")?.one_of(&KINDS)? {
        "text" => text(block).map(Block::Text),
        "tool_use" => {
            block.known(&USE)?;
            let text = |name: &str| Ok(block.need(name)?.text()?.to_owned());
            let arguments = Arguments::Read(block.need("input")?.value.clone());
            Ok(Block::Use(Call { id: text("id")?, name: text("name")?, arguments }))
        }
        "tool_result" => {
            block.known(&RESULT)?;
            let content = block.get("content").map(|content| text_alone(&content)).transpose()?.unwrap_or_default();
            let failed = block.get("is_error").map(|flag| flag.flag()).transpose()?.unwrap_or(false);
            Ok(Block::Result { id: block.need("tool_use_id")?.text()?.to_owned(), content, failed })
        }
        _ => Ok(Block::Other),
    }
}

fn text(block: &Spot<'_>) -> Result<String, Refused> {
    block.known(&TEXT)?;
    let text = block.need("text")?.text()?;
    match text.is_empty() {
        true => Err(block.refuse("", "messages: text content blocks must be non-empty")),
        false => Ok(text.to_owned()),
    }
}

/// A text, or blocks of text and what is not read.
pub(super) fn text_alone(content: &Spot<'_>) -> Result<String, Refused> {
    if let Some(text) = content.value.as_str() {
        return Ok(text.to_owned());
    }
    let mut texts = Vec::new();
    for part in content.list()? {
        part.object()?;
        if part.need("type")?.one_of(&["text", "image", "document", "search_result"])? == "text" {
            texts.push(text(&part)?);
        }
    }
    Ok(texts.join("\n"))
}
