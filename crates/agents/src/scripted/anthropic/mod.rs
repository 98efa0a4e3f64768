//! The format of Anthropic: `POST /v1/messages`.

mod answer;
mod blocks;
mod question;

pub(super) use answer::{error, events, models, whole};
pub(super) use question::question;
