//! The same doors for whoever speaks JSON: all mistakes of an input come back at once.

use crate::engine::Engine;
use handover_core::{
    command::Answer,
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    refusal::HandoffError,
    wire,
};

impl Engine {
    /// Initiates a handoff that is written as JSON. A history in it is the whole conversation so far; what is new is
    /// appended first.
    ///
    /// # Errors
    /// With every mistake of the text, or everything that is wrong with the request.
    pub async fn initiate_json(&self, session: &SessionId, text: &str) -> Result<Answer, HandoffError> {
        self.initiate_parsed(session, wire::request(text)?).await
    }

    /// Appends messages that are written as a JSON list.
    ///
    /// # Errors
    /// With every mistake of the text, or when a message cannot be kept.
    pub async fn say_json(&self, session: &SessionId, text: &str) -> Result<u64, HandoffError> {
        self.say(session, wire::messages(text)?).await
    }

    /// Ends a turn that is written as JSON: `{"goto": …, "update": …}`.
    ///
    /// # Errors
    /// With every mistake of the text, or when the turn is refused.
    pub async fn turn_json(&self, session: &SessionId, by: &AgentId, text: &str) -> Result<Answer, HandoffError> {
        self.turn(session, by, wire::turn(text)?).await
    }

    /// Gives a result back that is written as JSON.
    ///
    /// # Errors
    /// With every mistake of the text, or when the result is refused.
    pub async fn give_back_json(&self, id: HandoffId, lease: LeaseId, text: &str) -> Result<Answer, HandoffError> {
        self.give_back(id, lease, wire::giving(text)?, None).await
    }

    /// Registers the profile of an agent that lives elsewhere, written as JSON.
    ///
    /// # Errors
    /// With every mistake of the text or the profile.
    pub async fn register_json(&self, text: &str) -> Result<(), HandoffError> {
        self.register_profile(wire::profile(text)?).await
    }
}
