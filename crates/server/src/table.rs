//! The table of routes: for each its address, who may use it, what it takes and what it answers. The router, the document
//! of the interface and the tests are made from it.

use crate::{ask::Ask, problem::Problem, reply::Reply, routes};
use axum::http::Method;
use futures_util::future::BoxFuture;
pub use handover_core::access::Right;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::sync::Arc;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Everybody, with or without a key.
    Anybody,
    /// Whoever has this right.
    With(Right),
}

/// What an answer looks like.
pub type Describe = fn(&mut SchemaGenerator) -> Schema;

/// A part of a request besides its body.
#[derive(Clone)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Where it stands: `path`, `query` or `header`.
    pub place: &'static str,
    /// What it is for.
    pub says: &'static str,
    /// Its shape.
    pub shape: Describe,
}

/// An answer that a route gives when all is well.
#[derive(Clone)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// What it means.
    pub says: &'static str,
    /// The type of its body.
    pub media: &'static str,
    /// The shape of its body; nothing where it has none.
    pub shape: Option<Describe>,
}

pub(crate) type Handler = Arc<dyn Fn(Ask) -> BoxFuture<'static, Result<Reply, Problem>> + Send + Sync>;

/// One row of the table.
#[derive(Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The address, with names in braces.
    pub path: &'static str,
    /// Its name for programs.
    pub id: &'static str,
    /// The chapter it belongs to.
    pub tag: &'static str,
    /// What it does, in one sentence.
    pub says: &'static str,
    /// Who may use it.
    pub entry: Entry,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The query, as one form.
    pub query: Option<Describe>,
    /// The body that it takes, and whether it may be left out.
    pub body: Option<(Describe, bool)>,
    /// What it answers when all is well.
    pub answers: Vec<Answered>,
    /// Statuses of refusals besides those that every route has.
    pub refuses: Vec<u16>,
    pub(crate) handler: Handler,
}

/// The shape of a type.
pub fn shape<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Route {
    pub(crate) fn new<F, R>(
        method: Method,
        path: &'static str,
        id: &'static str,
        says: &'static str,
        handler: F,
    ) -> Self
    where
        F: Fn(Ask) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Reply, Problem>> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |ask| Box::pin(handler(ask)));
        let changes = method != Method::GET;
        let refuses = if changes { vec![409] } else { vec![] };
        let route = Self {
            method,
            path,
            id,
            tag: "",
            says,
            entry: Entry::With(Right::Look),
            parameters: Vec::new(),
            query: None,
            body: None,
            answers: Vec::new(),
            refuses,
            handler,
        };
        route.with_path()
    }

    pub(crate) fn get<F, R>(path: &'static str, id: &'static str, says: &'static str, handler: F) -> Self
    where
        F: Fn(Ask) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Reply, Problem>> + Send + 'static,
    {
        Self::new(Method::GET, path, id, says, handler)
    }

    pub(crate) fn post<F, R>(path: &'static str, id: &'static str, says: &'static str, handler: F) -> Self
    where
        F: Fn(Ask) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Reply, Problem>> + Send + 'static,
    {
        Self::new(Method::POST, path, id, says, handler).right(Right::Act)
    }

    pub(crate) fn put<F, R>(path: &'static str, id: &'static str, says: &'static str, handler: F) -> Self
    where
        F: Fn(Ask) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Reply, Problem>> + Send + 'static,
    {
        Self::new(Method::PUT, path, id, says, handler).right(Right::Act)
    }

    pub(crate) fn delete<F, R>(path: &'static str, id: &'static str, says: &'static str, handler: F) -> Self
    where
        F: Fn(Ask) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Reply, Problem>> + Send + 'static,
    {
        Self::new(Method::DELETE, path, id, says, handler).right(Right::Act)
    }

    pub(crate) fn tag(mut self, tag: &'static str) -> Self {
        self.tag = tag;
        self
    }

    pub(crate) fn right(mut self, right: Right) -> Self {
        self.entry = Entry::With(right);
        self
    }

    pub(crate) fn anybody(mut self) -> Self {
        self.entry = Entry::Anybody;
        self
    }

    pub(crate) fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(shape::<T>);
        self
    }

    pub(crate) fn body<T: JsonSchema>(mut self) -> Self {
        self.body = Some((shape::<T>, false));
        self
    }

    /// A body that may be left out.
    pub(crate) fn maybe_body<T: JsonSchema>(mut self) -> Self {
        self.body = Some((shape::<T>, true));
        self
    }

    /// A body whose shape is made by hand.
    pub(crate) fn body_of(mut self, describe: Describe) -> Self {
        self.body = Some((describe, false));
        self
    }

    pub(crate) fn answers<T: JsonSchema>(self, status: u16, says: &'static str) -> Self {
        self.answers_as(status, says, "application/json", Some(shape::<T>))
    }

    pub(crate) fn answers_nothing(self, says: &'static str) -> Self {
        self.answers_as(204, says, "", None)
    }

    pub(crate) fn answers_as(
        mut self,
        status: u16,
        says: &'static str,
        media: &'static str,
        shape: Option<Describe>,
    ) -> Self {
        self.answers.push(Answered { status, says, media, shape });
        self
    }

    pub(crate) fn refuses(mut self, statuses: &[u16]) -> Self {
        self.refuses.extend(statuses);
        self
    }

    /// The same request twice is done once.
    pub(crate) fn once(self) -> Self {
        self.header("Idempotency-Key", "The same key with the same request gives the first answer.", key_shape)
    }

    pub(crate) fn etag(mut self) -> Self {
        self.answers.push(Answered { status: 304, says: "You have it already.", media: "", shape: None });
        self.header("If-None-Match", "The `ETag` of what you have.", tag_shape)
    }

    pub(crate) fn if_match(self) -> Self {
        self.header("If-Match", "The `ETag` of what you saw: refused when it has changed.", tag_shape).refuses(&[412])
    }

    /// `*` where nothing may be there yet.
    pub(crate) fn if_none(self) -> Self {
        self.header("If-None-Match", "`*`: refused when there is one already.", tag_shape)
    }

    /// Where a listener goes on.
    pub(crate) fn last_event(self) -> Self {
        self.header("Last-Event-ID", "The id of the last event that was heard.", position_shape)
    }

    fn header(mut self, name: &'static str, says: &'static str, shape: Describe) -> Self {
        self.parameters.push(Parameter { name, place: "header", says, shape });
        self
    }

    fn with_path(mut self) -> Self {
        for name in self.path.split(['{', '}']).skip(1).step_by(2) {
            let (says, shape): (&str, Describe) = routes::part(name);
            self.parameters.push(Parameter { name, place: "path", says, shape });
        }
        self
    }
}

fn key_shape(_: &mut SchemaGenerator) -> Schema {
    let max = handover_core::limits::KEY_CHARS_MAX;
    schemars::json_schema!({ "type": "string", "minLength": 1, "maxLength": max, "pattern": "^[\\x21-\\x7e]+$" })
}

fn position_shape(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 0, "maximum": u64::MAX })
}

fn tag_shape(_: &mut SchemaGenerator) -> Schema {
    let tag = r#"(W/)?"[\x21\x23-\x2b\x2d-\x7e]*""#;
    let list = format!("^{tag}( *, *{tag})*$");
    schemars::json_schema!({
        "anyOf": [{ "const": "*" }, { "type": "string", "minLength": 2, "pattern": list }],
        "examples": ["*", "\"1\""],
    })
}

/// All routes, in the order of the document.
#[must_use]
pub fn routes() -> Vec<Route> {
    routes::all()
}
