//! The view: which messages a receiver sees. First the plan says what must be read, then the view is built of it;
//! neither costs more when the conversation is longer.
//!
//! - `full`: everything that is asked for, or the latest `max_messages` of it (at most a page). Without a bound nothing is
//!   read: the manifest comes from the mark, and the caller turns the pages with [`page`].
//! - `relevant_only`: the first word of the user, the latest messages, and what bears on the task.
//! - `summary`: the latest messages as they are, and a summary of the others that were read.

use super::{
    Include, Manifest, TransferMode, described,
    described::render,
    manifest::{self, Why},
    relevant,
    summarised::{Summarised, SummaryQuestion},
    summary, tokens,
};
use crate::{
    handoff::Request,
    limits,
    message::{Mark, Message, NewMessage, Role, Tally},
    time::Timestamp,
};
use serde::Serialize;

/// Messages that must be read to build a view: ranges of their numbers with both ends, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Need {
    /// The ranges; none when the mark is enough.
    pub ranges: Vec<(u64, u64)>,
}

/// A message as the receiver sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shown {
    /// Its place in the session.
    pub n: u64,
    /// When it was said.
    pub at: Timestamp,
    /// What the receiver sees.
    #[serde(flatten)]
    pub said: NewMessage,
    /// Its tokens, as it is stored.
    pub tokens: u64,
    /// Whether its tool calls or its result are told in words.
    pub described: bool,
}

impl Shown {
    pub(super) fn as_is(message: &Message) -> Self {
        Self { n: message.n, at: message.at, said: message.said.clone(), tokens: message.tokens, described: false }
    }

    pub(super) fn described(message: &Message) -> Self {
        // The words of a tool are nobody's answer: they come as something that the receiver is told.
        let role = if message.said.role == Role::Tool { Role::User } else { message.said.role };
        let said = NewMessage {
            role,
            content: described(message),
            agent: message.said.agent.clone(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
            reasoning: message.said.reasoning,
            aside: message.said.aside,
        };
        Self { n: message.n, at: message.at, said, tokens: message.tokens, described: true }
    }
}

/// What a receiver sees of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct View {
    /// Messages, in the order of the conversation. Of a full view without a bound: those that were handed to [`build`].
    pub items: Vec<Shown>,
    /// A summary of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What crossed and what was withheld.
    pub manifest: Manifest,
}

/// Which messages must be read to build the view of this request.
#[must_use]
pub fn plan(request: &Request, mark: &Mark) -> Need {
    let window = match request.transfer_mode() {
        TransferMode::Full if is_whole(request, mark) => 0,
        // Enough that so many are left when those are gone that were not asked for.
        TransferMode::Full => {
            let excluded: u64 = excluded(request, mark).iter().map(|tally| tally.messages).sum();
            let most = most(request, limits::PAGE_MAX) as u64;
            if most == 0 { 0 } else { most.saturating_add(excluded).min(limits::PAGE_MAX as u64) }
        }
        TransferMode::Summary | TransferMode::RelevantOnly => limits::VIEW_WINDOW as u64,
    };
    let opening = match request.transfer_mode() {
        TransferMode::Full => 0,
        TransferMode::Summary | TransferMode::RelevantOnly => limits::VIEW_OPENING as u64,
    };
    let first = mark.messages.saturating_sub(window) + 1;
    let ranges =
        if first <= opening + 1 { vec![(1, mark.messages)] } else { vec![(1, opening), (first, mark.messages)] };
    Need { ranges: ranges.into_iter().filter(|(first, last)| first <= last).collect() }
}

/// Builds the view of what was read. `known_tools` are those of the receiver: calls of others are told in words.
/// Messages beyond the mark are not shown, whoever read them.
#[must_use]
pub fn build(request: &Request, mark: &Mark, read: &[Message], known_tools: Option<&[String]>) -> View {
    build_with(request, mark, read, known_tools, &Summarised::default())
}

/// What a summary of this view stands for, as a question to a model; nothing when there is nothing to summarise.
#[must_use]
pub fn to_summarise(request: &Request, mark: &Mark, read: &[Message]) -> Option<SummaryQuestion> {
    if request.transfer_mode() != TransferMode::Summary {
        return None;
    }
    let candidates = candidates(request.context.transfer.include, mark, read);
    let chosen = choose(request, &candidates);
    let left = candidates.iter().enumerate().filter(|(place, _)| chosen.binary_search(place).is_err());
    SummaryQuestion::of(request, &left.map(|(_, message)| *message).collect::<Vec<_>>())
}

/// Builds the view with a summary that was made before.
#[must_use]
pub fn build_with(
    request: &Request,
    mark: &Mark,
    read: &[Message],
    known_tools: Option<&[String]>,
    summarised: &Summarised,
) -> View {
    let include = request.context.transfer.include;
    let candidates = candidates(include, mark, read);
    if request.transfer_mode() == TransferMode::Full && is_whole(request, mark) {
        let items = render(&candidates, include, known_tools, false);
        return View { items, summary: None, manifest: Manifest::whole(mark, include) };
    }
    let chosen = choose(request, &candidates);
    let (shown, left): (Vec<_>, Vec<_>) =
        candidates.iter().enumerate().partition(|(place, _)| chosen.binary_search(place).is_ok());
    let shown: Vec<&Message> = shown.into_iter().map(|(_, message)| *message).collect();
    let left: Vec<&Message> = left.into_iter().map(|(_, message)| *message).collect();
    let mode = request.transfer_mode();
    let (why, unread) = reasons(mode);
    let manifest = Manifest::of(mode, mark, include, &shown, (why, left_tally(mode, &left)), unread);
    let view = View { items: render(&shown, include, known_tools, true), summary: None, manifest };
    match mode {
        TransferMode::Full | TransferMode::RelevantOnly => view,
        TransferMode::Summary => with_summary(view, summarised, || summary::extract(request, &left)),
    }
}

/// Further messages of a full view, as the receiver sees them.
#[must_use]
pub fn page(request: &Request, manifest: &Manifest, read: &[Message], known_tools: Option<&[String]>) -> Vec<Shown> {
    let shown: Vec<&Message> = read.iter().filter(|message| manifest.shows(message.n, message.said.class())).collect();
    render(&shown, request.context.transfer.include, known_tools, false)
}

/// Whether the view shows the whole conversation, but for classes that were not asked for.
fn is_whole(request: &Request, mark: &Mark) -> bool {
    request.context.transfer.max_messages.is_none_or(|most| most as u64 >= mark.messages)
}

fn most(request: &Request, otherwise: usize) -> usize {
    request.context.transfer.max_messages.unwrap_or(otherwise).min(limits::PAGE_MAX)
}

fn excluded(request: &Request, mark: &Mark) -> Vec<Tally> {
    manifest::excluded(mark, request.context.transfer.include).into_iter().map(|(_, tally)| tally).collect()
}

/// What may be shown of what was read: in order, once each, of the classes that were asked for.
fn candidates<'a>(include: Include, mark: &Mark, read: &'a [Message]) -> Vec<&'a Message> {
    let asked = |message: &&Message| (1..=mark.messages).contains(&message.n) && include.admits(message.said.class());
    let mut candidates: Vec<&Message> = read.iter().filter(asked).collect();
    candidates.sort_by_key(|message| message.n);
    candidates.dedup_by_key(|message| message.n);
    candidates
}

/// The places of the messages that are shown.
fn choose(request: &Request, candidates: &[&Message]) -> Vec<usize> {
    let latest = |most: usize| (candidates.len().saturating_sub(most)..candidates.len()).collect();
    match request.transfer_mode() {
        TransferMode::Full => latest(most(request, limits::PAGE_MAX)),
        TransferMode::Summary => latest(most(request, limits::VIEW_LATEST).min(limits::VIEW_LATEST)),
        TransferMode::RelevantOnly => relevant::choose(request, candidates, most(request, limits::VIEW_MESSAGES)),
    }
}

/// Why messages that were read are not shown, and why those are not that were not read.
fn reasons(mode: TransferMode) -> (Why, Why) {
    match mode {
        TransferMode::Full => (Why::OverMaxMessages, Why::OverMaxMessages),
        TransferMode::Summary => (Why::Summarised, Why::OutsideWindow),
        TransferMode::RelevantOnly => (Why::NotRelevant, Why::OutsideWindow),
    }
}

/// What was read and is not shown. A full view has one reason for all, so it needs no count of these.
fn left_tally(mode: TransferMode, left: &[&Message]) -> Tally {
    match mode {
        TransferMode::Full => Tally::default(),
        TransferMode::Summary | TransferMode::RelevantOnly => manifest::tally(left),
    }
}

fn with_summary(view: View, summarised: &Summarised, extract: impl FnOnce() -> Option<String>) -> View {
    let Some(text) = summarised.text.clone().or_else(extract) else { return view };
    let mut manifest = view.manifest.summarised(&text, tokens::count(&text), &summarised.by);
    manifest.summary.clone_from(&summarised.text);
    View { summary: Some(text), manifest, ..view }
}
