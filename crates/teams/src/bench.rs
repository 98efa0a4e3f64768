//! What an agent of a team works at: its payload, steps that are done once, and the state of the workflow.

use handover_core::time::Timestamp;
pub use handover_engine::agent::Failure;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::future::Future;

/// The place of an agent while it works. The engine gives a real one, a test a double.
pub trait Bench: Send + Sync {
    /// What was handed over: a JSON object.
    fn payload(&self) -> &Value;

    /// The id of the session.
    fn session(&self) -> &str;

    /// The time of the engine's clock.
    fn now(&self) -> Timestamp;

    /// Does something once: after a crash its recorded output is given instead, and nothing is run. What went wrong outside
    /// is an output too; only the engine fails.
    fn step<T, R>(&self, name: &str, run: R) -> impl Future<Output = Result<T, Failure>> + Send
    where
        T: Serialize + DeserializeOwned + Send,
        R: Future<Output = T> + Send;

    /// Moves the workflow to a state while the work goes on. To the state that it has already is no move and no mistake:
    /// after a crash an agent says it again.
    fn advance(&self, state: &str) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Lets time pass.
    fn pause(&self, ms: u64) -> impl Future<Output = ()> + Send;
}

/// What an agent ends with.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// The state that triggers a rule of the workflow, such as `ANALYZING_COMPLETE`.
    pub signal: &'static str,
    /// Whether the agent could not do what it was asked for.
    pub failed: bool,
    /// A JSON object: what the payload of whoever comes next is built from.
    pub data: Value,
    /// One sentence for people.
    pub say: String,
}

impl Ending {
    /// The work is done.
    #[must_use]
    pub fn done(signal: &'static str, data: Value, say: impl Into<String>) -> Self {
        Self { signal, failed: false, data, say: say.into() }
    }

    /// The work is not done; what is said is the error message too.
    #[must_use]
    pub fn failed(signal: &'static str, error_type: &str, mut data: Value, say: impl Into<String>) -> Self {
        let say = say.into();
        if let Value::Object(fields) = &mut data {
            fields.insert("error_type".into(), error_type.into());
            fields.insert("error_message".into(), say.clone().into());
        }
        Self { signal, failed: true, data, say }
    }
}

/// The text of a field; none when it is missing, empty or something else.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// An object without the fields that have no value, so that a rule finds only what there is.
pub(crate) fn present(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
        }
        other => other,
    }
}
