//! The model that summarises what a receiver is not shown. It is asked before the work is taken and outside of every lock;
//! what it said is recorded with the manifest. Where it fails, the extractive summary stands, and the manifest says why.

use crate::{
    agent::Failure,
    bill::Bill,
    engine::Engine,
    picker::{Meter, Thinking},
};
use async_trait::async_trait;
use handover_core::{
    context::{self, Summarised, TransferMode, View},
    event::Event,
    handoff::{Handoff, Phase},
    ids::AgentId,
    limits::SUMMARY_MS,
    refusal::HandoffError,
};
use std::sync::Arc;

pub use handover_core::context::{SummaryLine, SummaryQuestion};

/// A summary, as somebody made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What it says.
    pub text: String,
    /// Who made it: the name of a model.
    pub by: String,
}

/// Something that summarises messages: mostly a model.
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// Summarises. It has `SUMMARY_MS` for it, and half of what is left of the time to take the work. What it uses it says
    /// to the meter, as soon as it knows: the session and the tenant are charged for it.
    ///
    /// # Errors
    /// When it cannot; the extractive summary stands then.
    async fn summarize(&self, question: SummaryQuestion, meter: &Meter) -> Result<Summary, Failure>;
}

impl Engine {
    /// Connects a model that summarises, or takes it away.
    ///
    /// # Errors
    /// When this caller is bound to certain agents: the house is not its to run.
    pub fn set_summarizer(&self, summarizer: Option<Arc<dyn Summarizer>>) -> Result<(), HandoffError> {
        self.operator()?;
        *self.inner.summarizer.write() = summarizer;
        Ok(())
    }

    /// What whoever takes the work now is shown. A summary that was recorded before is used again.
    pub(crate) async fn view_to_take(&self, handoff: &Handoff, tools: Option<&[String]>) -> Result<View, HandoffError> {
        let read = self.read_for_view(handoff).await?;
        let (request, mark) = (&handoff.request, &handoff.mark);
        let question = context::to_summarise(request, mark, &read);
        let summarised = match question {
            None => Summarised::default(),
            Some(question) => match self.recorded_summary(handoff).await? {
                Some(recorded) => recorded,
                None => self.summarise(handoff, question).await,
            },
        };
        Ok(context::build_with(request, mark, &read, tools, &summarised))
    }

    /// Whether this agent is the one to take it, and has room for it.
    pub(crate) fn could_take(&self, handoff: &Handoff, by: &AgentId) -> bool {
        let offered = matches!(handoff.phase, Phase::Offered { .. }) && handoff.to_agent == *by;
        let speaks = self.caller.acts_as.as_ref().is_none_or(|agents| agents.contains(by));
        let room = self.inner.agents.read().get(by).is_some_and(|agent| agent.has_room());
        offered && speaks && room && !self.is_closing()
    }

    /// The summary of an attempt before this one: the manifest of the handoff ends with the attempt, its record does not.
    async fn recorded_summary(&self, handoff: &Handoff) -> Result<Option<Summarised>, HandoffError> {
        let again = handoff.losses > 0 || handoff.attempt > 1 || handoff.reroutes > 0;
        if handoff.request.transfer_mode() != TransferMode::Summary || !again {
            return Ok(None);
        }
        let records = self.records_of(handoff.id).await?;
        let manifests = records.into_iter().rev().filter_map(|record| match record.event {
            Event::Accepted { manifest, .. } => manifest,
            _ => None,
        });
        let mut recorded = manifests.filter_map(|manifest| Summarised::recorded(&manifest, handoff.mark.messages));
        Ok(recorded.next())
    }

    /// Asks the model, and waits no longer than it may take.
    async fn summarise(&self, handoff: &Handoff, question: SummaryQuestion) -> Summarised {
        let summarizer = self.inner.summarizer.read().clone();
        let Some(summarizer) = summarizer else { return Summarised::default() };
        let bill = Bill::new(self, &handoff.session_id, &handoff.request.from_agent);
        let (meter, places) = (bill.meter.clone(), self.inner.summaries.clone());
        // In a task of its own: what falls over there falls over alone.
        let mut task = Thinking(tokio::spawn(async move {
            let _place = places.acquire_owned().await;
            summarizer.summarize(question, &meter).await
        }));
        let may_ms = self.summary_ms(handoff);
        let answered = tokio::select! {
            answered = &mut task.0 => Some(answered),
            () = self.inner.clock.until(self.inner.clock.now() + may_ms) => None,
        };
        let summarised = match answered {
            Some(Ok(Ok(summary))) => Summarised::by_model(&summary.by, summary.text),
            Some(Ok(Err(error))) => Summarised::failed(&format!("the model failed: {error}")),
            Some(Err(error)) => Summarised::failed(&format!("the model fell over: {error}")),
            None => Summarised::failed(&format!("the model did not answer within {may_ms} ms")),
        };
        bill.pay().await;
        summarised
    }

    /// How long a summary may take: the work must still be there to be taken after it.
    fn summary_ms(&self, handoff: &Handoff) -> u64 {
        match &handoff.phase {
            Phase::Offered { until, .. } => SUMMARY_MS.min(until.since(self.inner.clock.now()) / 2),
            Phase::AwaitingApproval { .. } | Phase::Deferred { .. } | Phase::Running { .. } | Phase::Closed { .. } => {
                SUMMARY_MS
            }
        }
    }
}
