//! What a rule gives to whoever goes on: fields that are found by name, fields with a fixed value, and a shape that all
//! of it must have.

use super::Facts;
use crate::schema::Schema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What the next one is given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowPayload"))]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// Fields that must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Fields that go along where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<String>,
    /// Fields with a fixed value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Value>,
    /// The shape of all of it, as a JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
}

/// What a payload lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Where.
    pub field: String,
    /// What.
    pub message: String,
}

impl Payload {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The fields that it names.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.required.iter().chain(&self.optional).chain(self.set.keys())
    }

    /// Makes it. A field comes from what the step gave, from what the step itself was given, or from the variables of
    /// the session, in this order. Without any field named, the step's whole result goes along.
    ///
    /// # Errors
    /// With everything that is missing, or has another shape than it must.
    pub fn make(&self, facts: &Facts<'_>) -> Result<Value, Vec<Wrong>> {
        let mut made = Map::new();
        let mut wrong = Vec::new();
        if self.names().next().is_none() {
            match facts.data() {
                Value::Null => {}
                Value::Object(fields) => made.extend(fields.clone()),
                other => drop(made.insert("result".into(), other.clone())),
            }
        }
        for name in self.required.iter().chain(&self.optional) {
            match find(name, facts) {
                Some(value) => drop(made.insert(name.clone(), value)),
                None if self.required.contains(name) => {
                    let message = "neither the result, nor the step's payload, nor a variable has it".to_owned();
                    wrong.push(Wrong { field: name.clone(), message });
                }
                None => {}
            }
        }
        made.extend(self.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        let made = Value::Object(made);
        wrong.extend(self.misshapen(&made));
        if wrong.is_empty() { Ok(made) } else { Err(wrong) }
    }

    /// What is wrong with a payload that somebody else made.
    #[must_use]
    pub fn faults(&self, payload: &Value) -> Vec<Wrong> {
        let lacks = self.required.iter().filter(|name| payload.get(name.as_str()).is_none_or(Value::is_null));
        let missing = |name: &String| Wrong { field: name.clone(), message: "it is missing".to_owned() };
        let mut wrong: Vec<Wrong> = lacks.map(missing).collect();
        wrong.extend(self.misshapen(payload));
        wrong
    }

    fn misshapen(&self, payload: &Value) -> Vec<Wrong> {
        let faults = self.schema.as_ref().map(|schema| schema.check(payload)).unwrap_or_default();
        faults.into_iter().map(|fault| Wrong { field: fault.at, message: fault.message }).collect()
    }
}

/// A field by its name. `request_id` and `session_id` are always known.
fn find(name: &str, facts: &Facts<'_>) -> Option<Value> {
    let there = |value: &&Value| !value.is_null();
    let given = facts.data().get(name).filter(there);
    let had = || facts.step.and_then(|step| step.request.task.payload.get(name)).filter(there);
    let session = facts.session;
    let kept = || session.and_then(|session| session.variables.get(name)).map(|kept| &kept.value).filter(there);
    given.or_else(had).or_else(kept).cloned().or_else(|| match name {
        "session_id" | "request_id" => session.map(|session| json!(session.id)),
        _ => None,
    })
}
