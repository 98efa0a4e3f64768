//! Handover over the Model Context Protocol: agents in any host hand work to each other, with the same engine behind it.
//!
//! A front speaks the protocol with a client: [`Front`], over HTTP ([`http`]) or over any pair of streams. What it is asked
//! it passes on as a [`Call`] to whoever has the engine, in this process or in another one: a call is one piece of JSON, and
//! the same call may be passed on twice without harm.

mod approvals;
mod ask;
mod call;
mod changes;
mod complete;
mod elicit;
mod front;
pub mod http;
mod listen;
mod prompts;
mod resources;
mod schema;
mod state;
mod table;
mod tools;
mod uri;
mod views;
mod waiting;
mod way;

pub use approvals::{APPROVALS, attend_again};
pub use call::{Call, Fault, What, carry_out};
pub use front::{Front, serve_streams};
pub use prompts::PROMPTS;
pub use resources::{RESOURCES, Row as ResourceRow, TEMPLATES};
pub use table::{Hints, Tool, tools};
pub use way::{Way, Ways};
