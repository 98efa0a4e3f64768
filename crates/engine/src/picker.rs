//! The model that picks agents, for the strategy `llm`. It is asked before the decision and outside of every lock; the
//! decision itself only sees the answer. Whatever goes wrong here is a note in the record, and the text decides.

use crate::{agent::Failure, bill::Bill, engine::Engine};
use async_trait::async_trait;
use handover_core::{
    agent::Known,
    command::Command,
    decide::{self, ModelAnswer, Picked},
    handoff::Request,
    ids::SessionId,
    limits::{PICK_MS, PICK_WHY_CHARS_MAX, PICKS_AT_ONCE_MAX},
    refusal::{Code, HandoffError, Refusal},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::task::JoinHandle;

pub use crate::bill::Meter;
pub use handover_core::{
    budget::Usage,
    route::{Pick, PickCandidate, PickQuestion, PickUsed},
};

/// What a model said, and what is to be paid for it.
pub(crate) struct Asked {
    pub(crate) answer: ModelAnswer,
    pub(crate) bill: Bill,
}

/// Something that picks an agent for a task: mostly a model.
#[async_trait]
pub trait Picker: Send + Sync {
    /// Picks one of the candidates, or nobody. It has `PICK_MS` for it, and is stopped when nobody waits any more. What
    /// it uses it says to the meter, as soon as it knows: the session and the tenant are charged for it.
    ///
    /// # Errors
    /// When it cannot answer; the text of the task decides then.
    async fn pick(&self, question: PickQuestion, meter: &Meter) -> Result<Pick, Failure>;
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
    ) -> Result<Option<Asked>, HandoffError> {
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
    ) -> Result<Option<Asked>, HandoffError> {
        // A session that is not there or not the caller's is refused by the decision.
        let Some(found) = self.peek(session).await? else { return Ok(None) };
        let question = self.with_world(&self.caller, None, |world| decide::pick_question(&found, request, world));
        let Some(question) = question else { return Ok(None) };
        let bill = Bill::new(self, session, &request.from_agent);
        let answer = |picked: Picked, mut bill: Bill| {
            let answer = ModelAnswer { picked, used: bill.so_far() };
            Ok(Some(Asked { answer, bill }))
        };
        let picker = self.inner.picker.read().clone();
        let Some(picker) = picker else {
            if request.strategy.is_some() {
                let refusal = Refusal::new(Code::NoPicker, "the request asks for llm, and no model is connected");
                return Err(refusal.at("strategy").into());
            }
            let why = format!("no model is connected ({})", Code::NoPicker.text());
            return answer(Picked::NoAnswer(why), bill);
        };
        if question.candidates.is_empty() {
            return answer(Picked::NoAnswer("there is nobody to pick from".into()), bill);
        }
        // A question costs money: none is asked about a request that is refused whatever the answer.
        let checked =
            self.with_world(&self.caller, None, |world| decide::before_pick(&found, request, &question, world));
        match checked {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return answer(Picked::NotAsked(Box::new(error)), bill),
        }
        let picked = self.ask_picker(picker, question, bill.meter.clone()).await;
        answer(picked, bill)
    }

    /// Asks, and waits no longer than a model may take. Whoever stops waiting stops the model.
    async fn ask_picker(&self, picker: Arc<dyn Picker>, question: PickQuestion, meter: Arc<Meter>) -> Picked {
        let asked = question.clone();
        let began = AtomicBool::new(false);
        let until = self.inner.clock.now() + PICK_MS;
        let thinks = async {
            // The place is the task's: one that is stopped gives it back when it has really ended.
            let place = self.inner.picks.clone().acquire_owned().await;
            began.store(true, Ordering::SeqCst);
            // In a task of its own: what falls over there falls over alone.
            let mut task = Thinking(tokio::spawn(async move {
                let _place = place;
                picker.pick(asked, &meter).await
            }));
            (&mut task.0).await
        };
        let answered = tokio::select! {
            answered = thinks => answered,
            () = self.inner.clock.until(until) => return Picked::NoAnswer(too_late(began.load(Ordering::SeqCst))),
        };
        match answered {
            Ok(Ok(pick)) => pick.checked(&question, Known::to(&self.inner.agents.read(), &self.caller.tenant)),
            Ok(Err(error)) => no_answer(&format!("the model failed: {error}")),
            Err(error) => no_answer(&format!("the model fell over: {error}")),
        }
    }
}

/// A model that thinks; it is stopped when nobody waits for it any more.
pub(crate) struct Thinking<T>(pub(crate) JoinHandle<T>);

impl<T> Drop for Thinking<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn too_late(began: bool) -> String {
    if began {
        return format!("the model did not answer within {PICK_MS} ms (PICK_MS)");
    }
    format!("{PICKS_AT_ONCE_MAX} models were asked already (PICKS_AT_ONCE_MAX), for {PICK_MS} ms (PICK_MS)")
}

fn no_answer(why: &str) -> Picked {
    Picked::NoAnswer(why.chars().filter(|c| !c.is_control()).take(PICK_WHY_CHARS_MAX).collect())
}
