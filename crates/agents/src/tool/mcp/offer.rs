//! What an MCP server says that it offers, page by page and within bounds.

use super::{Names, link::of_call};
use crate::{
    model::ToolSpec,
    tool::{beginning, toolbox::unknown},
};
use handover_core::limits::{MCP_PAGES_MAX, MCP_TOOLS_MAX, TOOL_DESCRIPTION_BYTES_MAX, TOOL_SCHEMA_BYTES_MAX};
use rmcp::{
    model::{PaginatedRequestParams, Tool},
    service::{Peer, RoleClient},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The tools of a server, as models are told of them.
pub(super) struct Offer {
    /// The names that the server gives them, and what models are told.
    pub tools: Vec<(String, ToolSpec)>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

impl Offer {
    /// Asks a server for its tools; of them, those that are allowed.
    pub(super) async fn of(
        server: &str,
        names: &Names,
        allowed: Option<&[String]>,
        peer: &Peer<RoleClient>,
    ) -> Result<Self, String> {
        let (found, note) = listed(allowed, peer).await?;
        let mut notes: Vec<String> = note.into_iter().collect();
        let missing = allowed.into_iter().flatten().filter(|name| !found.contains_key(*name));
        notes.extend(missing.map(|name| unknown(name, found.keys().map(String::as_str))));
        let mut tools = Vec::new();
        for (name, tool) in &found {
            match spec(names.of(server, name), tool) {
                Ok(spec) => tools.push((name.clone(), spec)),
                Err(why) => notes.push(format!("`{name}` is left out: {why}")),
            }
        }
        let notes = notes.into_iter().map(|note| format!("server `{server}`: {note}")).collect();
        Ok(Self { tools, notes })
    }
}

/// The tools that are allowed, and a note when there are more.
async fn listed(
    allowed: Option<&[String]>,
    peer: &Peer<RoleClient>,
) -> Result<(BTreeMap<String, Tool>, Option<String>), String> {
    let mut found = BTreeMap::new();
    let mut cursor = None;
    for _ in 0..MCP_PAGES_MAX {
        let params = PaginatedRequestParams::default().with_cursor(cursor.take());
        let page = peer.list_tools(Some(params)).await.map_err(|error| of_call(&error))?;
        let fits = |tool: &Tool| allowed.is_none_or(|allowed| allowed.iter().any(|one| *one == tool.name));
        for tool in page.tools.into_iter().filter(fits) {
            if found.len() == MCP_TOOLS_MAX {
                let note = format!("tools after the first {MCP_TOOLS_MAX} are left out (MCP_TOOLS_MAX)");
                return Ok((found, Some(note)));
            }
            found.entry(tool.name.to_string()).or_insert(tool);
        }
        cursor = page.next_cursor.filter(|next| !next.is_empty());
        if cursor.is_none() {
            return Ok((found, None));
        }
    }
    Ok((found, Some(format!("tools after the first {MCP_PAGES_MAX} pages are left out (MCP_PAGES_MAX)"))))
}

fn spec(name: String, tool: &Tool) -> Result<ToolSpec, String> {
    let parameters = Value::Object((*tool.input_schema).clone());
    let bytes = parameters.to_string().len();
    if bytes > TOOL_SCHEMA_BYTES_MAX {
        return Err(format!(
            "its schema has {bytes} bytes, at most {TOOL_SCHEMA_BYTES_MAX} are allowed (TOOL_SCHEMA_BYTES_MAX)"
        ));
    }
    let said = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    Ok(ToolSpec { name, description: beginning(said, TOOL_DESCRIPTION_BYTES_MAX).to_owned(), parameters })
}
