//! Fields of a query or a form, read without surprises.

use handover_core::{
    ids::AgentId,
    limits::{FORM_FIELDS_MAX, PAGE_ROWS},
    refusal::{Code, HandoffError, Refusal},
};
use std::borrow::Cow;

/// Names and values, as they were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// At most `FORM_FIELDS_MAX` of them; no form of ours has more.
    pub(crate) fn read(text: &[u8]) -> Self {
        let owned = |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into_owned(), value.into_owned());
        Self(form_urlencoded::parse(text).take(FORM_FIELDS_MAX).map(owned).collect())
    }

    /// The trimmed value of a field; empty where it was not sent.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// The value of a field to the letter.
    pub(crate) fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The value where there is one.
    pub(crate) fn some(&self, name: &str) -> Option<&str> {
        Some(self.get(name)).filter(|text| !text.is_empty())
    }

    /// A number; nothing where there is none.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name).parse().ok()
    }

    /// How many rows of a list stand before those that are wanted.
    pub(crate) fn skip(&self) -> usize {
        self.number("skip").and_then(|skip| usize::try_from(skip).ok()).unwrap_or(0)
    }

    /// The addresses of the pages before and after this one.
    pub(crate) fn around(&self, skip: usize, more: bool) -> (Option<String>, Option<String>) {
        let at = |skip: usize| self.with("skip", &skip.to_string());
        ((skip > 0).then(|| at(skip.saturating_sub(PAGE_ROWS))), more.then(|| at(skip + PAGE_ROWS)))
    }

    /// A text that must be there.
    pub(crate) fn needed(&self, name: &str) -> Result<&str, HandoffError> {
        self.some(name).ok_or_else(|| Refusal::new(Code::EmptyField, format!("{name} is empty")).at(name).into())
    }

    /// An agent that must be named.
    pub(crate) fn agent(&self, name: &str) -> Result<AgentId, HandoffError> {
        AgentId::new(self.needed(name)?).map_err(|_| no_id(name, "an agent"))
    }

    /// The query of these fields with one of them changed; without it where the value is empty.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        for (known, kept) in self.0.iter().filter(|(known, kept)| known != name && !kept.is_empty() && known != "done")
        {
            out.append_pair(known, kept);
        }
        if !value.is_empty() {
            out.append_pair(name, value);
        }
        format!("?{}", out.finish())
    }
}

fn no_id(field: &str, what: &str) -> HandoffError {
    Refusal::new(Code::WrongType, format!("this is no id of {what}")).at(field).into()
}
