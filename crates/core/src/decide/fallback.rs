//! Falling back: in a session with this mode a handoff that cannot be leaves the work with its source, which carries on
//! alone with the error as context.

use super::{Draft, Verdict};
use crate::{
    command::Prepared,
    event::Event,
    handoff::{Handoff, Request},
    ids::AgentId,
    message::{NewMessage, Role},
    policy::Mode,
    refusal::{Code, HandoffError, Refusal},
};

impl Draft<'_> {
    /// Initiates; or, where the session falls back, says why not and leaves the work where it is.
    pub(super) fn hand_over(&mut self, mut request: Request) -> Verdict {
        (request.rule, request.retry_of) = (None, None);
        self.check_way(&mut request)?;
        let (from, to) = (request.from_agent.clone(), request.to_agent.clone());
        let starts = self.starts_flow(&request);
        match self.initiate(request) {
            Ok(made) => {
                self.note_start(starts, &made);
                Ok(())
            }
            Err(error) if self.mode() == Mode::Fallback && about_the_target(&error) => {
                self.answer.warnings.clear();
                self.answer.fallback = Some(error.clone());
                self.tell_of_fallback(&error);
                self.emit(Event::FellBack { by: from, to, error });
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// A handoff that was begun came to nothing, and its source goes on alone.
    pub(super) fn fall_back_after(&mut self, handoff: &Handoff, why: &str) {
        let to = handoff.to_agent.clone();
        let failed = format!("{to} failed");
        self.fall_back(handoff.request.from_agent.clone(), Some(to), if why.is_empty() { &failed } else { why });
    }

    /// As a handoff, or a broadcast, that came to nothing leaves it.
    pub(super) fn fall_back(&mut self, by: AgentId, to: Option<AgentId>, why: &str) {
        if self.mode() != Mode::Fallback || self.session.ended_at.is_some() {
            return;
        }
        let refusal = Refusal::new(Code::Closed, format!("it came to nothing: {why}"));
        let error = HandoffError::one(refusal).between(&by, to.as_ref());
        self.tell_of_fallback(&error);
        self.emit(Event::FellBack { by, to, error });
    }

    /// The error is a part of the conversation: whoever goes on sees it.
    fn tell_of_fallback(&mut self, error: &HandoffError) {
        let content = format!("The handoff was not possible. Carry on without it. {error}");
        let message = NewMessage::new(Role::System, content);
        self.append(vec![Prepared::from_new(message)]);
    }
}

/// Whether it is the target, the rules or a guard that say no. A caller that may not ask at all, or asks for something
/// that cannot be, is told so.
fn about_the_target(error: &HandoffError) -> bool {
    let all = |refusal: &Refusal| match refusal.code {
        Code::UnknownTarget | Code::TargetUnavailable | Code::TargetTakesNone | Code::NobodyCan => true,
        Code::AutonomyTooSmall | Code::CapabilityMismatch | Code::AtCapacity => true,
        Code::TooHigh | Code::NoLadder | Code::NoPicker => true,
        code => code >= Code::TooManyHandoffs && code <= Code::TimeSpent,
    };
    error.refusals.iter().all(all)
}
