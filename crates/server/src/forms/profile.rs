//! The profile of an agent.

use super::build::{Form, amount, autonomy, list, share, whole};
use handover_core::{
    agent::AgentKind,
    budget::Period,
    described::{FreeText, Text},
    ids::AgentId,
    limits::{CAPABILITIES_MAX, COMMAND_WORDS_MAX, TOOLS_MAX},
};
use schemars::{Schema, SchemaGenerator};
use serde_json::json;

/// The profile of an agent. What its kind needs besides is checked when it is registered.
pub(super) fn profile(generator: &mut SchemaGenerator) -> Schema {
    let capability = Form::new(generator, "A capability, and how well it is mastered.")
        .needs_a::<Text>("id", "The capability.")
        .takes("proficiency", "How well, from 0 to 1.", share())
        .value();
    let budget = Form::new(generator, "What it may use.")
        .count("tokens", "Tokens.")
        .takes("cost", "Money.", amount())
        .count("time_ms", "Milliseconds.")
        .takes_a::<Period>("per", "In which time.")
        .value();
    let mut form = Form::new(generator, "The profile of an agent. Null is the same as leaving out.");
    let capability = json!({ "anyOf": [form.of::<Text>(), capability] });
    let (free, risk) = (form.of::<FreeText>(), autonomy(&mut form));
    form.takes_a::<AgentId>("id", "Its id, as in the address; it may be left out.")
        .free_text("name", "Its name for people.")
        .free_text("specialization", "What it is for.")
        .takes("capabilities", "Each once, at most CAPABILITIES_MAX.", list(&capability, CAPABILITIES_MAX))
        .free_text("description", "What it does.")
        .takes("examples", "Requests that it is good for, at most CAPABILITIES_MAX.", list(&free, CAPABILITIES_MAX))
        .flag("accepts_handoffs", "Whether it takes handoffs.")
        .takes("max_concurrent_tasks", "How much it works on at once.", whole(1, u64::from(u32::MAX)))
        .time(
            "max_execution_ms",
            "max_execution_time",
            "How long one task may take, in milliseconds, at most WAIT_MS_MAX.",
        )
        .time(
            "accept_within_ms",
            "accept_within",
            "How long an offer waits for it, in milliseconds, at most WAIT_MS_MAX.",
        )
        .takes("autonomy_budget", "The highest risk that it may take.", risk)
        .agent("escalates_to", "Whom it asks when it cannot decide.")
        .takes_a::<AgentKind>("kind", "How it is run.")
        .free_text("version", "Its version.")
        .takes("tags", "Words to find it by, at most CAPABILITIES_MAX.", list(&free, CAPABILITIES_MAX))
        .takes("budget", "What it may use.", budget)
        .text("model", "The model, where it is one.")
        .text("provider", "Who provides the model.")
        .free_text("instructions", "What a model is told before all else.")
        .takes("tools", "What a model may call, at most TOOLS_MAX.", list(&free, TOOLS_MAX))
        .takes("command", "The program and its arguments, at most COMMAND_WORDS_MAX.", list(&free, COMMAND_WORDS_MAX))
        .text("folder", "Where the program is run.")
        .text("url", "Where a service is called.")
        .text("secret_env", "The variable of the environment with the secret that signs calls.")
        .done()
}
