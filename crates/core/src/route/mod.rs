//! Routing: who is given a task that names no agent.

pub mod text;
