//! The model that picks agents, for the strategy `llm`. It is asked before the decision and outside of every lock; the
//! decision itself only sees the answer. Whatever goes wrong here is a note in the record, and the text decides.

use crate::{agent::Failure, engine::Engine};
use async_trait::async_trait;
use handover_core::{
    command::Command,
    decide::{self, Picked},
    handoff::Request,
    ids::SessionId,
    limits::{PICK_MS, PICK_WHY_CHARS_MAX},
    refusal::{Code, HandoffError, Refusal},
};
use std::sync::Arc;

pub use handover_core::route::{Pick, PickCandidate, PickQuestion};

/// Something that picks an agent for a task: mostly a model.
#[async_trait]
pub trait Picker: Send + Sync {
    /// Picks one of the candidates, or nobody. It has `PICK_MS` for it.
    ///
    /// # Errors
    /// When it cannot answer; the text of the task decides then.
    async fn pick(&self, question: PickQuestion) -> Result<Pick, Failure>;
}

impl Engine {
    /// Connects a model that picks agents, or takes it away.
    ///
    /// # Errors
    /// When this caller is bound to certain agents: the house is not its to run.
    pub fn set_picker(&self, picker: Option<Arc<dyn Picker>>) -> Result<(), HandoffError> {
        self.operator()?;
        *self.inner.picker.write() = picker;
        Ok(())
    }

    /// Asks the model where a command will be routed by one. A request that was answered before is not asked about again.
    pub(crate) async fn ask_model(
        &self,
        session: &SessionId,
        command: &Command,
        key: Option<&str>,
    ) -> Result<Option<Picked>, HandoffError> {
        let Command::Initiate(request) = command else { return Ok(None) };
        if request.to_agent.is_some() || !self.may_ask_a_model(request) {
            return Ok(None);
        }
        if let Some(key) = key
            && self.inner.store.answered(session, key).await?.is_some()
        {
            return Ok(None);
        }
        self.picked_for(session, request).await
    }

    /// Whether any model could have a say; said without looking at the session, so that nobody else waits for it.
    fn may_ask_a_model(&self, request: &Request) -> bool {
        use handover_core::policy::Strategy::Llm;
        let policy = self.inner.policy.read();
        let tried = policy.experiments.iter().any(|experiment| experiment.a == Llm || experiment.b == Llm);
        match request.strategy {
            Some(strategy) => strategy == Llm,
            None => tried || policy.routing.strategy == Llm,
        }
    }

    /// Whom the model picks for a request of this session; nothing where it has no say.
    pub(crate) async fn picked_for(
        &self,
        session: &SessionId,
        request: &Request,
    ) -> Result<Option<Picked>, HandoffError> {
        // A session that is not there or not the caller's is refused by the decision.
        let Some(found) = self.peek(session).await? else { return Ok(None) };
        let question = self.with_world(&self.caller, None, |world| decide::pick_question(&found, request, world));
        let Some(question) = question else { return Ok(None) };
        let picker = self.inner.picker.read().clone();
        let Some(picker) = picker else {
            if request.strategy.is_some() {
                let refusal = Refusal::new(Code::NoPicker, "the request asks for llm, and no model is connected");
                return Err(refusal.at("strategy").into());
            }
            return Ok(Some(Picked::NoAnswer(format!("no model is connected ({})", Code::NoPicker.text()))));
        };
        if question.candidates.is_empty() {
            return Ok(Some(Picked::NoAnswer("there is nobody to pick from".into())));
        }
        Ok(Some(self.ask(picker, question).await))
    }

    /// Asks, and waits no longer than a model may take.
    async fn ask(&self, picker: Arc<dyn Picker>, question: PickQuestion) -> Picked {
        let asked = question.clone();
        // In a task of its own: what falls over there falls over alone.
        let mut answer = tokio::spawn(async move { picker.pick(asked).await });
        let until = self.inner.clock.now() + PICK_MS;
        let answered = tokio::select! {
            answered = &mut answer => answered,
            () = self.inner.clock.until(until) => {
                answer.abort();
                return Picked::NoAnswer(format!("the model did not answer within {PICK_MS} ms (PICK_MS)"));
            }
        };
        match answered {
            Ok(Ok(pick)) => pick.checked(&question, &self.inner.agents.read()),
            Ok(Err(error)) => no_answer(&format!("the model failed: {error}")),
            Err(error) => no_answer(&format!("the model fell over: {error}")),
        }
    }
}

fn no_answer(why: &str) -> Picked {
    Picked::NoAnswer(why.chars().filter(|c| !c.is_control()).take(PICK_WHY_CHARS_MAX).collect())
}
