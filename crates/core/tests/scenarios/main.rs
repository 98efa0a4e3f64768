//! Stories about one session, told in the language of `common` and compared line by line.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says so")]

#[path = "../common/mod.rs"]
mod common;

mod advice;
mod approval;
mod approval_changes;
mod approved;
mod around;
mod asked;
mod asked_by_user;
mod broadcast;
mod by_hand;
mod data;
mod declined;
mod escalation;
mod held_up;
mod offers;
mod refusals;
mod routing;
mod time;
mod tried_again;
mod turns;
mod types;
mod waited_out;
mod workflow;
