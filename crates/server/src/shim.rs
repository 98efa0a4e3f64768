//! Stands in for what is being built.
use handover_core::command::Caller;
use handover_core::refusal::{Code, HandoffError};
use handover_engine::Engine;
use std::sync::Arc;
#[derive(Debug, Clone)]
pub struct KeyInfo {
    pub id: String,
    pub name: String,
    pub per_second: Option<u32>,
}
impl KeyInfo {
    pub fn caller(&self) -> Caller {
        Caller::local()
    }
}
pub trait Keys {
    fn has_keys(&self) -> bool;
    fn key_of(&self, token: &str) -> Result<Arc<KeyInfo>, HandoffError>;
}
impl Keys for Engine {
    fn has_keys(&self) -> bool {
        false
    }
    fn key_of(&self, _: &str) -> Result<Arc<KeyInfo>, HandoffError> {
        Err(handover_core::refusal::Refusal::new(Code::NotYours, "no").into())
    }
}
