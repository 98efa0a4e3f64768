//! The format of OpenAI: `POST /v1/chat/completions`.

mod answer;
mod question;

pub(super) use answer::{error, events, models, whole};
pub(super) use question::question;
