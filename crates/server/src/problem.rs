//! What is refused, as `application/problem+json`: the one table from codes to statuses.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use handover_core::refusal::{Code, Family, HandoffError, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The status of a refusal with this code.
#[must_use]
pub fn status_of(code: Code) -> u16 {
    match code {
        Code::NotJson | Code::TooDeep | Code::BadHeader => 400,
        Code::WrongMethod => 405,
        Code::TooSlow => 408,
        Code::NotFresh => 412,
        Code::TooLarge => 413,
        Code::WrongMediaType => 415,
        // The address is right; what the body names is not there.
        Code::UnknownSource | Code::UnknownTarget | Code::NobodyCan => 422,
        Code::RateLimited | Code::TooFast => 429,
        // A node that is new enough can do what this one leaves alone; another one may hear what this one does not.
        Code::StoreNewer | Code::NoAnswer => 503,
        Code::Overloaded | Code::ShuttingDown | Code::StoreStopped | Code::StoreInUse | Code::StoreAway => 503,
        _ => match code.family() {
            Family::Invalid => 422,
            Family::Unauthenticated => 401,
            Family::Forbidden => 403,
            Family::Missing => 404,
            // What a guard stops is not granted by asking again.
            Family::Conflict | Family::TooMuch => 409,
            Family::Trouble => 500,
        },
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Wrong {
    /// The stable code.
    pub code: String,
    /// What is wrong, with the values at hand.
    pub message: String,
    /// Where in the request, as a path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// More, for programs.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// Why a request was refused. In a box: it is passed on by many, and made by few.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Problem(Box<Details>);

impl std::ops::Deref for Problem {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

/// Why a request was refused, as RFC 9457 says it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct Details {
    /// The page that explains the code.
    #[serde(rename = "type")]
    pub page: String,
    /// What the code means, in a few words.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// What is wrong, in this very case.
    pub detail: String,
    /// The stable code of what is wrong first.
    pub code: String,
    /// The id of the request, as the log has it.
    pub instance: String,
    /// Everything that is wrong.
    pub errors: Vec<Wrong>,
}

impl Problem {
    /// A refusal of the engine.
    #[must_use]
    pub fn of(error: &HandoffError) -> Self {
        let code = error.code();
        let mut errors: Vec<Wrong> = error.refusals.iter().map(wrong).collect();
        if status_of(code) == 500 && code != Code::BrokenChain {
            // Our own trouble is for the log; whoever asks learns that it is ours.
            tracing::error!(target: "handover", code = code.text(), "{error}");
            errors.iter_mut().for_each(|wrong| code.title().clone_into(&mut wrong.message));
        }
        Self(Box::new(Details {
            page: format!("/errors/{}", code.text()),
            title: code.title().to_owned(),
            status: status_of(code),
            detail: errors.first().map_or_else(|| error.to_string(), |first| first.message.clone()),
            code: code.text().to_owned(),
            instance: String::new(),
            errors,
        }))
    }

    /// With another status: the same code can mean more than one to HTTP.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.0.status = status.as_u16();
        self
    }

    pub(crate) fn into_response(mut self, request_id: &str) -> Response<Body> {
        self.0.instance = request_id.to_owned();
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        response
    }
}

impl From<HandoffError> for Problem {
    fn from(error: HandoffError) -> Self {
        Self::of(&error)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::of(&refusal.into())
    }
}

fn wrong(refusal: &Refusal) -> Wrong {
    let hint = if refusal.hint.is_empty() { refusal.code.mend().to_owned() } else { refusal.hint.clone() };
    Wrong {
        code: refusal.code.text().to_owned(),
        message: refusal.message.clone(),
        field: refusal.field.clone(),
        hint,
        details: refusal.details.clone(),
    }
}
