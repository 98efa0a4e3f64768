//! What agents ask before they go on, and who answers.

use crate::engine::Engine;
use handover_core::{
    command::{Answer, Command},
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId, LeaseId},
    refusal::HandoffError,
};
use handover_store::HandoffQuery;

impl Engine {
    /// Asks something before the work goes on, and gives up the lease until it is answered.
    ///
    /// # Errors
    /// When the lease is not valid any more, or it was asked too often.
    pub async fn ask(&self, id: HandoffId, lease: LeaseId, question: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let command = Command::Ask { handoff: id, lease, question: question.to_owned() };
        self.submit(&session, command, None).await
    }

    /// Answers what was asked about a handoff. Its agent is given the work again.
    ///
    /// # Errors
    /// When nothing is asked, or this is not theirs to answer: the source answers, or whoever runs the work.
    pub async fn answer(&self, id: HandoffId, by: &str, text: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let command = Command::Answer { handoff: id, by: by.to_owned(), text: text.to_owned() };
        self.submit(&session, command, None).await
    }

    /// Handoffs that wait for an answer, the oldest first, at most a page. With a name: only those that this agent handed
    /// over.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn questions(&self, from: Option<&AgentId>) -> Result<Vec<Handoff>, HandoffError> {
        let query = HandoffQuery { status: Some(Status::Deferred), from: from.cloned(), ..HandoffQuery::default() };
        self.picked_from(query, |page| page.into_iter().filter(|handoff| handoff.open_question().is_some()).collect())
            .await
    }
}
