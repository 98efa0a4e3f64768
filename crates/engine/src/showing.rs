//! What a handoff shows its receiver, and what it can recall.

use crate::engine::Engine;
use handover_core::{
    context::{self, Shown, Summarised, View},
    handoff::Handoff,
    ids::HandoffId,
    limits::{self, PAGE_MAX},
    message::{Mark, Message},
    refusal::{Code, HandoffError, Refusal},
};
use std::sync::Arc;

impl Engine {
    /// What a handoff shows its receiver; the same before and after its acceptance, but for a summary by a model, which is
    /// made when somebody takes the work.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn view(&self, id: HandoffId, tools: Option<&[String]>) -> Result<View, HandoffError> {
        let handoff = self.find(id).await?;
        self.view_of(&handoff, tools).await
    }

    pub(crate) async fn view_of(&self, handoff: &Handoff, tools: Option<&[String]>) -> Result<View, HandoffError> {
        let mark: &Mark = &handoff.mark;
        let read = self.read_for_view(handoff).await?;
        let recorded = handoff.manifest.as_ref().and_then(|manifest| Summarised::recorded(manifest, mark.messages));
        Ok(context::build_with(&handoff.request, mark, &read, tools, &recorded.unwrap_or_default()))
    }

    /// The messages that a view is made of.
    pub(crate) async fn read_for_view(&self, handoff: &Handoff) -> Result<Vec<Message>, HandoffError> {
        let mark: &Mark = &handoff.mark;
        let mut need = context::plan(&handoff.request, mark).ranges;
        if need.is_empty() && mark.messages > 0 {
            // A full view is turned page by page, however long it is; the latest messages come with it.
            let first = mark.messages.saturating_sub(limits::VIEW_WINDOW as u64) + 1;
            need.push((first, mark.messages));
        }
        let mut read = Vec::new();
        for (first, last) in need {
            read.extend(self.inner.store.messages(&handoff.session_id, first, last).await?);
        }
        Ok(read)
    }

    /// Further messages of what a handoff shows its receiver, by number, at most a page: a full view of a long
    /// conversation comes with its latest messages alone.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn view_page(
        &self,
        id: HandoffId,
        first: u64,
        last: u64,
        tools: Option<&[String]>,
    ) -> Result<Vec<Shown>, HandoffError> {
        let handoff = self.find(id).await?;
        let (first, last) = range_of(&handoff, first, last)?;
        let messages = self.inner.store.messages(&handoff.session_id, first, last).await?;
        let manifest = match &handoff.manifest {
            Some(manifest) => manifest.clone(),
            None => Arc::new(self.view_of(&handoff, None).await?.manifest),
        };
        Ok(context::page(&handoff.request, &manifest, &messages, tools))
    }

    /// Messages up to the handoff that its receiver was not shown, by number, at most a page.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn recall(&self, id: HandoffId, first: u64, last: u64) -> Result<Vec<Message>, HandoffError> {
        let handoff = self.find(id).await?;
        let (first, last) = range_of(&handoff, first, last)?;
        let mut messages = self.inner.store.messages(&handoff.session_id, first, last).await?;
        if let Some(manifest) = &handoff.manifest {
            messages.retain(|message| !manifest.shows(message.n, message.said.class()));
        }
        Ok(messages)
    }
}

/// Numbers of messages that the handoff can see, at most a page of them.
fn range_of(handoff: &Handoff, first: u64, last: u64) -> Result<(u64, u64), HandoffError> {
    let last = last.min(handoff.mark.messages);
    if first == 0 || first > last {
        let message = format!("{first} to {last} is no range of the {} messages at hand", handoff.mark.messages);
        return Err(Refusal::new(Code::OutOfRange, message).at("first").into());
    }
    Ok((first, last.min(first.saturating_add(PAGE_MAX as u64 - 1))))
}
