//! In whose name somebody hands over by A2A, and which tasks are theirs to see.

use crate::wrong::{Kind, Wrong};
use handover_core::{
    access::Role,
    agent::{AgentKind, Autonomy, Profile, Risk},
    command::Caller,
    handoff::Handoff,
    ids::AgentId,
    refusal::Code,
};
use handover_engine::Engine;

/// In whose name whoever asks without a key hands over.
const NOBODY: &str = "a2a-client";

/// In whose name a caller hands over: the first agent that it speaks for, else an agent named like its key.
pub(crate) fn speaker(caller: &Caller) -> Result<AgentId, Wrong> {
    if let Some(first) = caller.acts_as.as_ref().and_then(|agents| agents.first()) {
        return Ok(first.clone());
    }
    if *caller == (Caller { tenant: caller.tenant.clone(), ..Caller::local() }) {
        return name(NOBODY);
    }
    let tame: String =
        caller.name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    name(&tame)
}

fn name(text: &str) -> Result<AgentId, Wrong> {
    AgentId::new(text).map_err(|why| Wrong::new(Kind::Forbidden, format!("the key has no name to hand over in: {why}")))
}

/// Makes sure that there is such an agent: one that hands over and is given nothing. It may risk little, until an
/// administrator says more; only the program's own caller risks what the house does.
pub(crate) async fn known(engine: &Engine, speaker: &AgentId) -> Result<(), Wrong> {
    if engine.agent(speaker).is_ok() {
        return Ok(());
    }
    let mut profile = Profile::of(speaker.clone());
    profile.kind = AgentKind::Worker;
    profile.accepts_handoffs = false;
    "Hands over by A2A.".clone_into(&mut profile.description);
    if speaker.as_str() != NOBODY {
        profile.autonomy_budget = Autonomy { max_risk: Risk::Low };
    }
    engine.register_profile(profile).await.map_err(|error| {
        if error.has(Code::NotAllowed) {
            let message = format!("there is no agent \"{speaker}\" yet, and this key may not register it");
            return Wrong::new(Kind::Forbidden, message).with("hint", "let an administrator register it once");
        }
        error.into()
    })
}

/// Whether a handoff that the engine shows is a task of this caller: an agent sees what it asked for, whoever runs or
/// watches the work sees all of it. What goes on with another is a part of that one.
pub(crate) fn sees(caller: &Caller, handoff: &Handoff) -> bool {
    let own = match caller.role {
        Role::Agent => caller.may_act_as(&handoff.request.from_agent),
        Role::Viewer | Role::Operator | Role::Admin => true,
    };
    own && handoff.returns_for == handoff.id
}
