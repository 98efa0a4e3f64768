//! A span: what took how long, as part of what. It names things and counts them; what anybody said is never in it.

use handover_core::{
    time::Timestamp,
    trace::{SpanId, TraceId},
};

/// What sort of thing a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Within this process.
    Internal,
    /// Somebody is asked and answers.
    Client,
    /// Something is given to somebody who takes it later.
    Producer,
    /// Somebody took it.
    Consumer,
}

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A name or a word.
    Text(String),
    /// A count.
    Whole(u64),
    /// An amount.
    Number(f64),
    /// Several words.
    Words(Vec<&'static str>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Value {
    fn from(n: u64) -> Self {
        Self::Whole(n)
    }
}

impl From<f64> for Value {
    fn from(n: f64) -> Self {
        Self::Number(n)
    }
}

impl From<Vec<&'static str>> for Value {
    fn from(words: Vec<&'static str>) -> Self {
        Self::Words(words)
    }
}

/// Attributes, by name, in the order in which they were given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attributes(pub Vec<(&'static str, Value)>);

impl Attributes {
    /// The same with one more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    /// The same with one more, where there is one.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

/// Another span that belongs to this one without being above or below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Its trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
    /// What it is to this one, in a word.
    pub relation: &'static str,
}

/// Something that took a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The trace.
    pub trace: TraceId,
    /// Its id.
    pub id: SpanId,
    /// The span that it is a part of.
    pub parent: Option<SpanId>,
    /// What it is called.
    pub name: String,
    /// What sort of thing it is.
    pub kind: SpanKind,
    /// When it began.
    pub start: Timestamp,
    /// When it ended.
    pub end: Timestamp,
    /// What is said of it.
    pub attributes: Attributes,
    /// What belongs to it.
    pub links: Vec<Link>,
    /// What went wrong, in a word; nothing when it went well.
    pub error: Option<&'static str>,
}
