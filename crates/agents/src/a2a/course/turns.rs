//! Questions of a remote agent on the way of its work: passed on, and answered once.

use super::Course;
use crate::a2a::{message, outcome::Question, peer::Trouble, seen::Seen, speak::Ask};
use a2a::{Message, StreamResponse, error_code};
use handover_core::{digest::Digest, limits::QUESTIONS_MAX};
use handover_engine::agent::Failure;
use serde::{Deserialize, Serialize};

/// A question that was passed on, as it is recorded.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Asked {
    /// Its place among the questions of the handoff.
    at: usize,
    mark: Option<Digest>,
}

impl Course<'_> {
    /// The number of the last question of this attempt that was passed on; 0 when there was none.
    fn last_asked(&self) -> u32 {
        let most = u32::try_from(QUESTIONS_MAX).unwrap_or(u32::MAX).saturating_mul(2);
        let asked = |n: &u32| self.work.recorded(&format!("{}/{n}", self.name("asked"))).is_some();
        (1..=most).take_while(asked).last().unwrap_or(0)
    }

    fn asked(&self, n: u32) -> Option<Asked> {
        let asked = self.work.recorded(&format!("{}/{n}", self.name("asked")))?;
        serde_json::from_value(asked).ok()
    }

    /// Passes on what was answered, once.
    pub(super) async fn tell_answer(&mut self, seen: &mut Seen) -> Result<(), Failure> {
        let n = self.last_asked();
        let exchange = self.asked(n).and_then(|asked| self.work.handoff().questions.get(asked.at));
        let Some(given) = exchange.and_then(|exchange| exchange.answer.as_ref()) else { return Ok(()) };
        let name = format!("{}/{n}", self.name("answered"));
        if self.work.recorded(&name).is_some() {
            return Ok(());
        }
        let message = message::answer(self.work.handoff(), n, given.text.clone(), &seen.context, &seen.id);
        if let Some(told) = self.send_answer(message, seen).await? {
            seen.take(told)?;
        }
        self.work.step(&name, || async { Ok(()) }).await
    }

    /// Sends an answer until it is acknowledged: the deadline of the work ends it.
    async fn send_answer(&mut self, message: Message, seen: &Seen) -> Result<Option<StreamResponse>, Failure> {
        loop {
            let lineage = self.lineage().await?;
            let request = message::request(message.clone(), &lineage, self.card.knows_lineage, None);
            let trouble = match self.first(&Ask::Send(&request)).await {
                Ok((told, _)) => return Ok(Some(told)),
                Err(trouble) => trouble,
            };
            match trouble {
                Trouble::Passing(..) => self.pause().await,
                // It went on without waiting: what became of it is looked at.
                trouble if trouble.is(error_code::UNSUPPORTED_OPERATION) => return Ok(None),
                trouble => return Err(self.lost(seen, &trouble)),
            }
        }
    }

    /// Whether this is the question that was answered already: the agent has not gone on yet.
    pub(super) fn is_answered(&self, question: &Question) -> bool {
        let n = self.last_asked();
        let told = self.work.recorded(&format!("{}/{n}", self.name("answered"))).is_some();
        told && question.mark.is_some() && self.asked(n).is_some_and(|asked| asked.mark == question.mark)
    }

    pub(super) async fn note(&self, question: &Question) -> Result<(), Failure> {
        let asked = Asked { at: self.work.handoff().questions.len(), mark: question.mark };
        let name = format!("{}/{}", self.name("asked"), self.last_asked() + 1);
        self.work.step(&name, || async { Ok(asked) }).await.map(|_| ())
    }
}
