//! Versions of what can be read, as `ETag`, and what `If-Match` and `If-None-Match` say of them.

use axum::http::{HeaderMap, HeaderName, header};
use handover_core::{
    digest::Digest,
    refusal::{Code, Refusal},
};
use serde::Serialize;
use std::fmt;

/// The version of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ETag(String);

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

impl ETag {
    /// By a number that grows with every change.
    pub(crate) fn version(version: u64) -> Self {
        Self(version.to_string())
    }

    /// By the content itself, where nothing counts its changes.
    pub(crate) fn content(value: &impl Serialize) -> Self {
        Self(Digest::of_json(value).to_string().chars().take(32).collect())
    }

    /// Whether the request says that it has this very version.
    pub(crate) fn is_known_to(&self, headers: &HeaderMap) -> bool {
        let tags = named(headers, &header::IF_NONE_MATCH).ok().flatten();
        tags.is_some_and(|tags| tags.iter().any(|tag| tag == "*" || *tag == self.0))
    }

    /// Refuses where the request was made for another version than this one.
    pub(crate) fn must_fit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        match named(headers, &header::IF_MATCH)? {
            Some(tags) if !tags.iter().any(|tag| tag == "*" || *tag == self.0) => {
                Err(Refusal::new(Code::NotFresh, format!("the present version is {self}")).at("If-Match"))
            }
            _ => Ok(()),
        }
    }
}

/// The number that `If-Match` names, where it is there: 0 for `If-None-Match: *`, nothing yet.
pub(crate) fn expected_version(headers: &HeaderMap) -> Result<Option<u64>, Refusal> {
    if named(headers, &header::IF_NONE_MATCH)?.is_some_and(|tags| tags.iter().any(|tag| tag == "*")) {
        return Ok(Some(0));
    }
    let Some(tags) = named(headers, &header::IF_MATCH)? else { return Ok(None) };
    if tags.iter().any(|tag| tag == "*") {
        return Ok(None);
    }
    let mut versions: Vec<u64> = tags.iter().filter_map(|tag| tag.parse().ok()).collect();
    versions.dedup();
    match versions.as_slice() {
        [only] => Ok(Some(*only)),
        // It was never given out, so it is not the present one.
        [] => Err(Refusal::new(Code::NotFresh, "no variable ever had this version").at("If-Match")),
        _ => Err(Refusal::new(Code::NotFresh, "a variable has one version; several are named").at("If-Match")),
    }
}

fn bad(name: &str, message: &str) -> Refusal {
    Refusal::new(Code::BadHeader, message).at(name)
}

/// Refuses headers that name no version at all, before anything is done.
pub(crate) fn readable(headers: &HeaderMap) -> Result<(), Refusal> {
    named(headers, &header::IF_MATCH)?;
    named(headers, &header::IF_NONE_MATCH).map(drop)
}

/// The tags of a header, without their quotes.
fn named(headers: &HeaderMap, name: &HeaderName) -> Result<Option<Vec<String>>, Refusal> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let wrong = || bad(name.as_str(), "it is no version; give back an `ETag` as it is, or `*`");
    let text = value.to_str().map_err(|_| wrong())?.trim();
    if text == "*" {
        return Ok(Some(vec![text.to_owned()]));
    }
    let bare = |tag: &str| {
        let tag = tag.trim();
        let inner = tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"')?.strip_suffix('"')?;
        inner.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"').then(|| inner.to_owned())
    };
    let tags: Option<Vec<String>> = text.split(',').map(bare).collect();
    tags.map(Some).ok_or_else(wrong)
}
