//! What several processes on one store need of it. A store that one process has for itself answers most of it from what it
//! knows anyway.

use crate::StoredRecord;
use handover_core::{
    ids::AgentId,
    ledger::{Account, Entry},
    time::Timestamp,
};
use std::time::Instant;
use uuid::Uuid;

/// What a store calls after each durable batch: the last position, and the records in the order of their positions, made
/// only when asked for. It must be quick, and must not wait for the store.
pub type OnCommit = Box<dyn Fn(u64, &dyn Fn() -> Vec<StoredRecord>) + Send + Sync>;

/// What a store calls with records that other processes wrote, in the order of their positions and without a gap, before
/// whoever follows the feed hears of them. It must be quick, and must not wait for the store.
pub type OnForeign = Box<dyn Fn(&[StoredRecord]) + Send + Sync>;

/// What a store calls when others took this process for gone, and its work with it: nothing that it remembers is to be
/// trusted. It must be quick, and must not wait for the store.
pub type OnFenced = Box<dyn Fn() + Send + Sync>;

/// Who hears of what a store does.
#[derive(Default)]
pub struct Hooks {
    /// Of each durable batch, in order, also of what others wrote.
    pub on_commit: Option<OnCommit>,
    /// Of what others wrote.
    pub on_foreign: Option<OnForeign>,
    /// Of being taken for gone.
    pub on_fenced: Option<OnFenced>,
}

/// A place of an agent that an acceptance takes. A store that others write to as well refuses the commit where the agent
/// works on as much as it may already; elsewhere the process knows that by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose.
    pub agent: AgentId,
    /// How many it may work on at once.
    pub most: u32,
}

/// How much an agent has to do, over all processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// Who.
    pub agent: AgentId,
    /// What it works on.
    pub running: u32,
    /// What waits for it.
    pub waiting: u32,
}

/// What changed in the ledger.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moved {
    /// The accounts as they are now; nothing where one is not kept any more.
    pub accounts: Vec<(Account, Option<Entry>)>,
    /// Up to which position this is.
    pub through: u64,
}

/// What a clock somewhere else said: at the moment when the answer was there it stood between two times, because nobody knows
/// how long the answer was on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// When the answer was there.
    pub taken: Instant,
    /// What it said: it is this time now, or later.
    pub earliest: Timestamp,
    /// The same, and all of the way there and back.
    pub latest: Timestamp,
}

/// A process that works on the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id: a new one for each start.
    pub id: Uuid,
    /// How people call it.
    pub name: String,
    /// Since when it has been there.
    pub since: Timestamp,
    /// Until when it is taken to be there without another sign of life.
    pub until: Timestamp,
    /// Whether it answers requests of others, as a server does and a terminal does not.
    pub serves: bool,
    /// Whether it is the one that answers now.
    pub this: bool,
}
