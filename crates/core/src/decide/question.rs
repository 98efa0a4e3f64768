//! Questions: a holder that lacks something asks for it instead of guessing. It gives up its lease meanwhile, so that a
//! question may wait for as long as people need; with the answer the work is offered to it again, as the same attempt.

use super::{Draft, Verdict, between, validate::Checks};
use crate::{
    access::Right,
    event::{Answering, Asking, Event},
    handoff::{Handoff, Kind, OnTimeout, Status, Trigger},
    ids::{HandoffId, LeaseId},
    limits,
    refusal::{Code, Refusal},
    time::Timestamp,
};

impl Draft<'_> {
    pub(super) fn ask_back(&mut self, id: HandoffId, lease: LeaseId, question: String) -> Verdict {
        let handoff = self.held(id, lease)?;
        let mut checks = Checks::default();
        checks.text("question", &question);
        checks.done()?;
        if handoff.questions.len() >= limits::QUESTIONS_MAX {
            let message = format!("it was asked {} times already (QUESTIONS_MAX)", limits::QUESTIONS_MAX);
            let refusal = Refusal::new(Code::TooLarge, message).at("question");
            return Err(between(refusal.hint("go on with what is known, give back a part, or escalate"), &handoff));
        }
        let until = self.answered_by(&handoff);
        // What the holder was shown is charged, as with every attempt that ends without a return.
        let used = Some(self.settle_attempt(&handoff));
        self.emit(Event::Asked(Asking { id, lease, question, until, used }));
        Ok(())
    }

    /// When a question must be answered: whoever set a time for the work does not wait longer for its questions.
    fn answered_by(&self, handoff: &Handoff) -> Timestamp {
        if let Some(end) = self.end_of_state(handoff) {
            return handoff.at_most(end);
        }
        let rung = handoff.climb.as_ref().map(|climb| climb.rung_ms);
        let set = [handoff.request.return_protocol.timeout_ms, rung].into_iter().flatten().min();
        handoff.at_most(self.now + set.unwrap_or(limits::ANSWER_MS))
    }

    pub(super) fn answer_question(&mut self, id: HandoffId, by: String, text: String) -> Verdict {
        let mut checks = Checks::default();
        checks.text("by", &by);
        checks.text("text", &text);
        checks.done()?;
        let handoff = self.handoff(id)?;
        self.check_may_answer(&handoff, &by)?;
        if handoff.open_question().is_none() {
            let message = format!("nothing is asked about handoff {id}; it is {}", handoff.status().word());
            return Err(between(Refusal::new(Code::NoQuestion, message), &handoff));
        }
        self.emit(Event::Answered(Answering { id, by, text }));
        let handoff = self.handoff(id)?;
        self.offer_again(&handoff);
        Ok(())
    }

    /// Whoever handed it over answers, or whoever runs the work.
    fn check_may_answer(&self, handoff: &Handoff, by: &str) -> Verdict {
        let from = &handoff.request.from_agent;
        if by == from.as_str() && self.world.caller.may_act_as(from) {
            return Ok(());
        }
        let bound = self.world.caller.acts_as.as_ref();
        if bound.is_some_and(|agents| agents.iter().all(|agent| agent.as_str() != by)) {
            let message = format!("{} may not answer as {by}", self.world.caller.name);
            return Err(between(Refusal::new(Code::NotYourAgent, message).at("by"), handoff));
        }
        self.world.caller.may(Right::Operate)?;
        Ok(())
    }

    /// The time for an answer is over. Nobody blames the agent that asked.
    pub(super) fn nobody_answered(&mut self, handoff: &Handoff) {
        self.unjudged = Some(handoff.id);
        let question = handoff.open_question().map_or("", |open| open.question.as_str());
        let notes = format!("{} asked, and nobody answered in time: {question}", handoff.to_agent);
        let climbs = handoff.request.kind == Kind::Escalation;
        let up = climbs || handoff.request.return_protocol.on_timeout == OnTimeout::Escalate;
        if !up || self.is_over(handoff) || !self.climb_on(handoff, notes.clone(), Trigger::Timeout) {
            self.close(handoff.id, Status::TimedOut, &notes);
        }
        self.unjudged = None;
    }
}
