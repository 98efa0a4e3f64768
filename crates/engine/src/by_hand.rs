//! A person who runs the work steps in: somebody else takes it, or it is tried once more.

use crate::engine::Engine;
use handover_core::{
    command::{Answer, Command},
    ids::{AgentId, HandoffId},
    limits::TEXT_BYTES_MAX,
    refusal::{Code, HandoffError, Refusal},
};

impl Engine {
    /// Takes an open handoff from whoever has it and offers it to somebody else. Whoever works on it loses its lease; the
    /// handoff stays the same, and its source gets one return. With the agent that has it now, it is offered once more.
    ///
    /// # Errors
    /// When it is closed or waits for approval, the target cannot take it, or the caller does not run the work.
    pub async fn redirect(&self, id: HandoffId, by: &str, to: &AgentId, reason: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let (by, reason) = (by.to_owned(), reason.to_owned());
        self.submit(&session, Command::Redirect { handoff: id, by, to: to.clone(), reason }, None).await
    }

    /// Has the same work tried once more. What failed, ran out of time or was cancelled is begun anew as another handoff,
    /// which the answer names; a workflow that could not go on goes on from its last step. What waits or runs is offered
    /// to its agent again.
    ///
    /// # Errors
    /// When it is done, went further up, is on offer already or waits for approval, its session is over, a guard says no,
    /// or the caller does not run the work.
    pub async fn retry(&self, id: HandoffId, by: &str, reason: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let (by, reason) = (by.to_owned(), reason.to_owned());
        self.submit(&session, Command::Retry { handoff: id, by, reason }, None).await
    }

    /// Why something of the house was changed, and by whom, as its book keeps it.
    pub(crate) fn by_hand(&self, reason: &str) -> Result<String, HandoffError> {
        let reason = reason.trim();
        let wrong = |code, message: String| Err(Refusal::new(code, message).at("reason").into());
        if reason.is_empty() {
            return wrong(Code::EmptyField, "the reason is empty".into());
        }
        if reason.len() > TEXT_BYTES_MAX {
            return wrong(Code::TooLarge, format!("the reason is larger than {TEXT_BYTES_MAX} bytes (TEXT_BYTES_MAX)"));
        }
        if let Some(bad) = reason.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
            return wrong(Code::BadText, format!("the reason contains {bad:?}"));
        }
        Ok(format!("{reason}, by {}", self.caller.name))
    }
}
