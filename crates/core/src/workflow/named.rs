//! Names that are safe as the name of a file: runs have folders, and people keep pictures, by them.

use crate::{
    decide::validate::Checks,
    limits,
    refusal::{Code, Refusal},
};

/// What such a name may have, for people.
const ALLOWED: &str = "use letters, digits, `-`, `_` and `.`; no dot at the ends, and no two in a row";

/// Whether a name of a workflow or a state is safe as the name of a file.
pub(super) fn file_name(field: &str, text: &str, checks: &mut Checks) {
    let allowed = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    // Whatever no text may have is told already, and so is a name that is empty.
    let told = text.trim().is_empty() || text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'));
    let message = match text.chars().find(|c| !allowed(c)) {
        _ if told => None,
        Some(bad) => Some(format!("a name cannot contain {bad:?}")),
        None if text.starts_with('.') => Some("a name cannot begin with a dot".to_owned()),
        None if text.ends_with('.') => Some("a name cannot end with a dot".to_owned()),
        None if text.contains("..") => Some("a name cannot contain two dots in a row".to_owned()),
        None => None,
    };
    if let Some(message) = message {
        checks.add(Refusal::new(Code::BadText, message).at(field).hint(ALLOWED));
    }
    checks.size(field, text.len(), limits::WORKFLOW_NAME_BYTES_MAX, "WORKFLOW_NAME_BYTES_MAX");
}
