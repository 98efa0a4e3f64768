//! What is peculiar to the store in a PostgreSQL database: several processes at once, months that go, what people read there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../contract/dice.rs"]
mod dice;
#[allow(dead_code, reason = "shared with the contract suite, which needs more of it")]
#[path = "../contract/house.rs"]
mod house;
#[path = "../contract/programs.rs"]
mod programs;
#[allow(dead_code, reason = "shared with the contract suite, which needs more of it")]
#[path = "../contract/stores.rs"]
mod stores;
#[allow(dead_code, reason = "shared with the contract suite, which needs more of it")]
#[path = "../contract/suite/whole.rs"]
mod whole;

mod accounts;
mod copying;
mod cuts;
mod fencing;
mod holding;
mod months;
mod opening;
mod order;
mod proxy;
mod sql;
mod view;

use stores::Open;
