//! What rims keep for themselves: beside the sessions and the trail, for the program that holds the engine.

use crate::engine::Engine;
use handover_core::refusal::HandoffError;

impl Engine {
    /// Keeps a note under a space and a key, in place of the one before; removes it where there is no text.
    ///
    /// # Errors
    /// When this caller does not run the house, or the store cannot be written.
    pub async fn keep_note(&self, space: &str, key: &str, body: Option<String>) -> Result<(), HandoffError> {
        self.operator()?;
        Ok(self.inner.store.keep_note(space, key, body).await?)
    }

    /// Notes of a space by key, after this one, at most a page.
    ///
    /// # Errors
    /// When this caller does not run the house, or the store cannot be read.
    pub async fn notes(&self, space: &str, after: &str, limit: usize) -> Result<Vec<(String, String)>, HandoffError> {
        self.operator()?;
        Ok(self.inner.store.notes(space, after, limit).await?)
    }
}
