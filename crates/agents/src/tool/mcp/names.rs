//! The names under which models know the tools of MCP servers. They follow from the settings and from the tool alone, so
//! that a tool has the same name tomorrow, whichever other servers are up.

use handover_core::limits::TOOL_NAME_CHARS_MAX;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Digits that tell names apart that would otherwise be the same.
const MARK_DIGITS: usize = 8;

/// The names that the settings give.
#[derive(Debug, Clone, Default)]
pub(in crate::tool) struct Names {
    /// Tools that have their name from the settings.
    pub tools: BTreeSet<String>,
    /// Servers.
    pub servers: BTreeSet<String>,
}

impl Names {
    /// The name of a server's tool: `server_tool`, with a mark where that cannot be a name or could be another tool's.
    pub fn of(&self, server: &str, tool: &str) -> String {
        let plain = format!("{server}_{tool}");
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let clean: String = plain.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        let others = |other: &String| other.len() > server.len() && begins(&clean, other);
        let apart = clean == plain
            && clean.len() <= TOOL_NAME_CHARS_MAX
            && !tool.is_empty()
            && !self.tools.contains(&clean)
            && !self.servers.iter().any(others);
        if apart { clean } else { marked(&clean, server, tool) }
    }
}

/// Whether a tool's name begins with the name of a server.
pub(in crate::tool) fn begins(tool: &str, server: &str) -> bool {
    tool.strip_prefix(server).is_some_and(|rest| rest.starts_with('_'))
}

fn marked(clean: &str, server: &str, tool: &str) -> String {
    let digest = Sha256::new().chain_update(server).chain_update([0]).chain_update(tool).finalize();
    let mark: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let room = TOOL_NAME_CHARS_MAX - MARK_DIGITS - 1;
    format!("{}_{}", clean.chars().take(room).collect::<String>(), &mark[..MARK_DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_name_that_fits_and_is_its_own() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let names = Names { tools: set(&["a_own"]), servers: set(&["a", "a_b", "z"]) };
        let long = "x".repeat(100);
        let table = [
            ("a", "c", "a_c".to_owned()),
            ("z", "b_c", "z_b_c".to_owned()),
            ("a_b", "c", "a_b_c".to_owned()),
            ("a", "b_c", "a_b_c_662f0bbb".to_owned()),
            ("a", "own", "a_own_dce443f0".to_owned()),
            ("a", "read.file", "a_read_file_d3c8244e".to_owned()),
            ("a", "read/file", "a_read_file_1dcff6d4".to_owned()),
            ("a", "ü", "a___0f6841b9".to_owned()),
            ("a", "", "a__ffe9aaea".to_owned()),
            ("z", long.as_str(), format!("z_{}_4890b290", "x".repeat(53))),
        ];
        let mut seen = BTreeSet::new();
        for (server, tool, expected) in table {
            let name = names.of(server, tool);
            assert_eq!(name, expected, "{server} {tool}");
            assert!(crate::tool::toolbox::not_a_name(&name).is_none(), "{name}");
            assert!(seen.insert(name), "{server} {tool}");
        }
    }
}
