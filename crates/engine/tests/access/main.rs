//! Who may do what, what exists for whom, and the keys by which callers are known: through the public door.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agents;
mod attempts;
#[path = "../common/mod.rs"]
mod common;
mod denials;
mod keys;
mod roles;
mod scopes;
mod tenants;

use common::{delegation, id, session, user};
use handover_core::{
    access::Role,
    command::{Caller, Open},
    ids::HandoffId,
};
use handover_engine::{Engine, Filter, Notice, Subscription};

/// The engine for a caller of the default tenant in this role, who speaks for everybody that works there.
fn of_role(engine: &Engine, role: Role) -> Engine {
    let caller = Caller::new("key", "default").of_house().role(role);
    let everybody = ["planner", "pilot", "clerk"].map(id);
    engine.for_caller(if role == Role::Agent { caller.acting_as(everybody) } else { caller })
}

/// The engine for a key of one agent.
fn of_agent(engine: &Engine, agent: &str) -> Engine {
    engine.for_caller(Caller::of_agent(id(agent), "default"))
}

/// Opens a session and hands one piece of work over in it.
async fn handed_over(engine: &Engine, name: &str, from: &str, to: &str) -> HandoffId {
    engine.resume_session(&session(name), Open::by(from).unwrap().asking("a jet")).await.unwrap();
    engine.say(&session(name), vec![user("A jet, please")]).await.unwrap();
    engine.initiate(&session(name), delegation(from, to)).await.unwrap().handoffs[0]
}

/// The sessions of everything that a caller hears from the beginning, each once. In one of them something is said last.
async fn heard(owner: &Engine, by: &Engine, last: &str) -> Vec<String> {
    let mut feed = by.subscribe(Filter::default(), Some(0));
    heard_in(owner, &mut feed, last).await
}

/// The same on a feed that is open.
async fn heard_in(owner: &Engine, feed: &mut Subscription, last: &str) -> Vec<String> {
    owner.say(&session(last), vec![user("that is all")]).await.unwrap();
    let end = owner.subscribe(Filter::default(), None).position();
    let mut names = std::collections::BTreeSet::new();
    loop {
        let Some(Notice::Event(message)) = feed.next().await.unwrap() else { panic!("the feed ended") };
        names.insert(message.context.session_id.to_string());
        if message.position >= end {
            return names.into_iter().collect();
        }
    }
}
