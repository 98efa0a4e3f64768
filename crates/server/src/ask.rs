//! A request as a handler sees it: who asks, of which thing, with what.

use crate::{problem::Problem, start::State, strict::Strict};
use axum::http::HeaderMap;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use handover_core::{
    access::KeyId,
    ids::{AgentId, HandoffId, SessionId},
    limits::KEY_CHARS_MAX,
    refusal::{Code, HandoffError, Refusal},
    trace::TraceParent,
};
use handover_engine::Engine;
use serde::de::DeserializeOwned;
use std::{str::FromStr, sync::Arc};

/// One request.
pub(crate) struct Ask {
    /// The engine, as this caller sees it.
    pub(crate) engine: Engine,
    pub(crate) state: Arc<State>,
    /// The parts of the path that have a name.
    pub(crate) path: Vec<(String, String)>,
    pub(crate) query: String,
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) body: Bytes,
    /// The name of whoever asks, for the record.
    pub(crate) who: String,
    /// The key that they came with.
    pub(crate) key: Option<KeyId>,
}

impl Ask {
    /// A named part of the path, read as what it stands for. What cannot be such a name stands for nothing.
    fn part<T: FromStr>(&self, name: &str, code: Code) -> Result<T, HandoffError> {
        let text = self.path.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text);
        text.parse().map_err(|_| {
            let shown: String = text.chars().filter(|c| !c.is_control()).take(80).collect();
            Refusal::new(code, format!("there is no {name} \"{shown}\"")).at(name).into()
        })
    }

    pub(crate) fn session(&self) -> Result<SessionId, HandoffError> {
        self.part("session", Code::UnknownSession)
    }

    pub(crate) fn handoff(&self) -> Result<HandoffId, HandoffError> {
        self.part("handoff", Code::UnknownHandoff)
    }

    pub(crate) fn agent(&self) -> Result<AgentId, HandoffError> {
        self.part("agent", Code::UnknownAgent)
    }

    /// Until whoever asks may not stay any longer: the server ends, or their key does.
    pub(crate) fn ends(&self) -> BoxFuture<'static, ()> {
        let (state, key) = (self.state.clone(), self.key.clone());
        Box::pin(async move { state.leaves(key.as_ref()).await })
    }

    /// Whether whoever asks may still stay.
    pub(crate) fn may_stay(&self) -> bool {
        !*self.state.ending.borrow() && self.state.gate.lets(self.key.as_ref())
    }

    /// A part of the path that is no id.
    pub(crate) fn text_part(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
    }

    /// The query of the address.
    pub(crate) fn query<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let deserializer = serde_urlencoded::Deserializer::new(form_urlencoded::parse(self.query.as_bytes()));
        serde_path_to_error::deserialize(deserializer).map_err(|error| {
            let (place, message) = (error.path().to_string(), error.inner().to_string());
            refused_by_form(&place, &message).into()
        })
    }

    /// The body as text. A body that is not UTF-8 is none.
    pub(crate) fn text(&self) -> Result<&str, Problem> {
        std::str::from_utf8(&self.body).map_err(|error| {
            let message = format!("the body is not UTF-8 from byte {} on", error.valid_up_to());
            Refusal::new(Code::NotJson, message).into()
        })
    }

    /// The body, read as a form of ours.
    pub(crate) fn form<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let text = self.text()?;
        handover_core::wire::checked(text)?;
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read = serde_path_to_error::deserialize(Strict(&mut deserializer)).map_err(|error| {
            let (place, inner) = (error.path().to_string(), error.inner());
            if inner.is_data() { refused_by_form(&place, &inner.to_string()) } else { not_json(inner) }
        })?;
        deserializer.end().map_err(|error| not_json(&error))?;
        Ok(read)
    }

    /// The same for something that the address names. The body may name it too, and then it is the same.
    pub(crate) fn form_of<T: DeserializeOwned>(&self, name: &str, field: &str) -> Result<T, Problem> {
        let mut value: serde_json::Value = self.form()?;
        if let Some(fields) = value.as_object_mut() {
            if fields.get(field).is_none_or(serde_json::Value::is_null) {
                fields.insert(field.to_owned(), name.into());
            }
            let named = &fields[field];
            if named.is_string() && named.as_str() != Some(name) {
                let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
                let message = format!("the address is of \"{shown}\", and the body of something else");
                return Err(Refusal::new(Code::UnknownValue, message).at(field).into());
            }
        }
        serde_path_to_error::deserialize(Strict(value)).map_err(|error| {
            let (place, inner) = (error.path().to_string(), error.inner());
            refused_by_form(&place, &inner.to_string()).into()
        })
    }

    /// The same; a body that is not there is an empty one.
    pub(crate) fn form_or_default<T: DeserializeOwned + Default>(&self) -> Result<T, Problem> {
        if self.body.is_empty() { Ok(T::default()) } else { self.form() }
    }

    /// The trace that the request belongs to. One that cannot be read is as good as none.
    pub(crate) fn traceparent(&self) -> Option<String> {
        let text = self.headers.get("traceparent")?.to_str().ok()?;
        text.parse::<TraceParent>().ok().map(|parsed| parsed.to_string())
    }

    /// The key that makes the request once.
    pub(crate) fn idempotency_key(&self) -> Result<Option<String>, Problem> {
        let Some(value) = self.headers.get("idempotency-key") else { return Ok(None) };
        let fits =
            |text: &&str| (1..=KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        let text = value.to_str().ok().filter(fits);
        text.map(|text| Some(text.to_owned())).ok_or_else(|| {
            let message = format!("a key has 1 to {KEY_CHARS_MAX} visible ASCII characters (KEY_CHARS_MAX)");
            Refusal::new(Code::BadHeader, message).at("Idempotency-Key").into()
        })
    }
}

fn not_json(error: &serde_json::Error) -> Refusal {
    let details = serde_json::json!({ "line": error.line(), "column": error.column() });
    Refusal::new(Code::NotJson, error.to_string()).details(details)
}

/// What a derived reader says, as one of our refusals.
fn refused_by_form(place: &str, message: &str) -> Refusal {
    let code = if message.starts_with("missing field") {
        Code::MissingField
    } else if message.starts_with("unknown field") {
        Code::UnknownField
    } else if message.starts_with("unknown variant") {
        Code::UnknownValue
    } else {
        Code::WrongType
    };
    let place = if place == "." { "" } else { place };
    Refusal::new(code, message).at(place)
}
