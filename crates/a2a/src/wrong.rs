//! What goes wrong, in the words of A2A: one table from our codes to its errors, and how both bindings say it.

use handover_core::refusal::{Code, Family, HandoffError, Refusal};
use serde_json::{Value, json};

/// The kinds of errors that callers meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    TaskNotFound,
    TaskNotCancelable,
    Unsupported,
    ContentType,
    Version,
    Parse,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    NotFound,
    Unauthenticated,
    Forbidden,
    Conflict,
    TooMuch,
    Unavailable,
    Internal,
}

/// How a kind is told: the code of JSON-RPC, the status of HTTP, the status of gRPC, and the reason.
type Row = (i32, u16, &'static str, &'static str);

impl Kind {
    /// The table of the specification (5.4, 9.5), and below it what it leaves to each server.
    fn row(self) -> Row {
        match self {
            Self::TaskNotFound => (-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
            Self::TaskNotCancelable => (-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
            Self::Unsupported => (-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
            Self::ContentType => (-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::Version => (-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"),
            Self::Parse => (-32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR"),
            Self::InvalidRequest => (-32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
            Self::MethodNotFound => (-32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"),
            Self::InvalidParams => (-32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
            Self::NotFound => (-32000, 404, "NOT_FOUND", "NOT_FOUND"),
            Self::Unauthenticated => (-32000, 401, "UNAUTHENTICATED", "UNAUTHENTICATED"),
            Self::Forbidden => (-32000, 403, "PERMISSION_DENIED", "PERMISSION_DENIED"),
            Self::Conflict => (-32000, 409, "FAILED_PRECONDITION", "REFUSED"),
            Self::TooMuch => (-32000, 429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"),
            Self::Unavailable => (-32603, 503, "UNAVAILABLE", "UNAVAILABLE"),
            Self::Internal => (-32603, 500, "INTERNAL", "INTERNAL_ERROR"),
        }
    }

    /// What a code of ours is in A2A.
    pub(crate) fn of(code: Code) -> Self {
        match code {
            Code::UnknownHandoff => Self::TaskNotFound,
            Code::Closed => Self::Unsupported,
            Code::NotJson => Self::Parse,
            Code::UnknownAgent => Self::NotFound,
            Code::TooLarge | Code::KeyConflict => Self::InvalidParams,
            Code::UnknownTarget | Code::UnknownSource | Code::NobodyCan | Code::UnknownSession => Self::InvalidParams,
            Code::WrongMediaType => Self::ContentType,
            Code::Overloaded | Code::ShuttingDown | Code::StoreStopped | Code::StoreInUse => Self::Unavailable,
            _ => match code.family() {
                Family::Invalid => Self::InvalidParams,
                Family::Unauthenticated => Self::Unauthenticated,
                Family::Forbidden => Self::Forbidden,
                Family::Missing => Self::NotFound,
                Family::Conflict => Self::Conflict,
                Family::TooMuch => Self::TooMuch,
                Family::Trouble => Self::Internal,
            },
        }
    }
}

/// An error on its way to whoever asked. In a box: it is passed on by many, and made by few.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wrong(Box<Said>);

#[derive(Debug, Clone, PartialEq)]
struct Said {
    kind: Kind,
    message: String,
    /// Where in the request, and what is wrong there.
    fields: Vec<(String, String)>,
    /// More, for programs: short texts by name.
    more: Vec<(&'static str, String)>,
}

/// The domain of the reasons that A2A names.
const DOMAIN: &str = "a2a-protocol.org";
/// The domain of our own.
const OWN_DOMAIN: &str = "handover.dev";

impl Wrong {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Said { kind, message: message.into(), fields: Vec::new(), more: Vec::new() }))
    }

    /// A parameter that cannot be.
    pub(crate) fn field(field: &str, message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidParams, "the parameters are not valid").and(field, message)
    }

    /// Nobody learns more than that: not whether there is such a task of somebody else.
    pub(crate) fn no_task(id: &str) -> Self {
        let id: String = id.chars().filter(|c| !c.is_control()).take(80).collect();
        Self::new(Kind::TaskNotFound, format!("there is no task {id}"))
    }

    /// The same, with one more place in the request.
    pub(crate) fn and(mut self, field: &str, message: impl Into<String>) -> Self {
        self.0.fields.push((field.to_owned(), message.into()));
        self
    }

    /// The same, with more for programs.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.more.push((name, value.into()));
        self
    }

    #[cfg(test)]
    pub(crate) fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The status of an answer over HTTP+JSON.
    pub(crate) fn status(&self) -> u16 {
        self.0.kind.row().1
    }

    fn details(&self) -> Value {
        let (code, _, _, reason) = self.0.kind.row();
        let own = code == -32000;
        let metadata: serde_json::Map<String, Value> =
            self.0.more.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let domain = if own { OWN_DOMAIN } else { DOMAIN };
        let mut details = vec![json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain, "metadata": metadata,
        })];
        if !self.0.fields.is_empty() {
            let violation = |(field, what): &(String, String)| json!({"field": field, "description": what});
            let violations: Vec<Value> = self.0.fields.iter().map(violation).collect();
            details.push(json!({
                "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations,
            }));
        }
        Value::Array(details)
    }

    /// As an error of JSON-RPC.
    pub(crate) fn rpc(&self) -> Value {
        json!({"code": self.0.kind.row().0, "message": self.whole(), "data": self.details()})
    }

    /// As an error of HTTP+JSON.
    pub(crate) fn rest(&self) -> Value {
        let (_, status, word, _) = self.0.kind.row();
        json!({"error": {"code": status, "status": word, "message": self.whole(), "details": self.details()}})
    }

    /// The message, with the first place that is wrong: many programs show nothing else.
    fn whole(&self) -> String {
        match self.0.fields.first() {
            Some((field, what)) if *what == self.0.message => format!("{field}: {what}"),
            Some((field, what)) => format!("{}: {field}: {what}", self.0.message),
            None => self.0.message.clone(),
        }
    }
}

impl From<HandoffError> for Wrong {
    fn from(error: HandoffError) -> Self {
        let (code, kind) = (error.code(), Kind::of(error.code()));
        if kind == Kind::Internal {
            // Our own trouble is for the log; whoever asks learns that it is ours.
            tracing::error!(target: "handover::a2a", code = code.text(), "{error}");
            return Self::new(kind, "something went wrong here").with("code", code.text());
        }
        let first = error.refusals.first();
        let message = first.map_or_else(|| code.title().to_owned(), |first| first.message.clone());
        let hint = first.map(|first| first.hint.as_str()).filter(|hint| !hint.is_empty()).unwrap_or(code.mend());
        let mut wrong = Self::new(kind, message).with("code", code.text()).with("hint", hint);
        for refusal in error.refusals.iter().filter(|refusal| !refusal.field.is_empty()) {
            wrong = wrong.and(&refusal.field, refusal.message.clone());
        }
        wrong
    }
}

impl From<Refusal> for Wrong {
    fn from(refusal: Refusal) -> Self {
        HandoffError::from(refusal).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_of_ours_has_its_error_and_none_is_ours_to_hide_but_trouble() {
        for code in Code::ALL {
            let kind = Kind::of(*code);
            let (_, status, _, reason) = kind.row();
            assert_eq!(status >= 500, code.family() == Family::Trouble, "{code} {kind:?}");
            assert!(reason.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'), "{reason}");
        }
    }

    #[test]
    fn both_bindings_say_the_same() {
        let wrong = Wrong::field("message.parts", "there are none").with("max", "64");
        let (rpc, rest) = (wrong.rpc(), wrong.rest());
        assert_eq!(rpc["code"], -32602);
        assert_eq!(rest["error"]["code"], 400);
        assert_eq!(rpc["message"], rest["error"]["message"]);
        assert_eq!(rpc["data"], rest["error"]["details"]);
        assert_eq!(rpc["data"][0]["metadata"]["max"], "64");
        assert_eq!(rpc["data"][1]["fieldViolations"][0]["field"], "message.parts");
    }
}
