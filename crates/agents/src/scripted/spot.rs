//! A question is looked at as strictly as the real services look at one. This is a place in it, which can complain.

use super::api::Api;
use serde_json::{Map, Value};

/// Why a question gets no answer.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    pub(super) status: u16,
    pub(super) message: String,
    /// The field that is meant, where the format names it apart.
    pub(super) param: Option<String>,
    pub(super) code: Option<&'static str>,
}

impl Refused {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), param: None, code: None }
    }

    /// A question that is not as it should be, beyond the shape of one field.
    pub(super) fn question(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Flag,
    /// A whole number, at least this.
    Whole(i64),
    /// A number between these.
    Number(f64, f64),
    Object,
    List,
    /// It is looked at elsewhere, or has several forms.
    Any,
}

/// A value of a question and where it stands.
pub(super) struct Spot<'v> {
    pub(super) value: &'v Value,
    path: String,
    api: Api,
}

type Looked<T> = Result<T, Refused>;

impl<'v> Spot<'v> {
    pub(super) fn new(api: Api, value: &'v Value) -> Self {
        Self { value, path: String::new(), api }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    fn below(&self, name: &str, value: &'v Value) -> Self {
        let point = if self.path.is_empty() { "" } else { "." };
        Self { value, path: format!("{}{point}{name}", self.path), api: self.api }
    }

    /// The field of an object, where it is given. Nothing stands for no value where the service says so.
    pub(super) fn get(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name)?;
        let absent = value.is_null() && self.api == Api::OpenAi;
        (!absent).then(|| self.below(name, value))
    }

    pub(super) fn need(&self, name: &str) -> Looked<Self> {
        self.get(name).ok_or_else(|| {
            let path = self.below(name, &Value::Null).path;
            let message = match self.api {
                Api::OpenAi => format!("Missing required parameter: '{path}'."),
                Api::Anthropic => format!("{path}: Field required"),
            };
            Refused { param: Some(path), code: Some("missing_required_parameter"), ..Refused::question(message) }
        })
    }

    pub(super) fn text(&self) -> Looked<&'v str> {
        self.value.as_str().ok_or_else(|| self.wrong("string"))
    }

    pub(super) fn flag(&self) -> Looked<bool> {
        self.value.as_bool().ok_or_else(|| self.wrong("boolean"))
    }

    pub(super) fn object(&self) -> Looked<&'v Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.wrong("object"))
    }

    /// The entries of a list.
    pub(super) fn list(&self) -> Looked<Vec<Self>> {
        let entries = self.value.as_array().ok_or_else(|| self.wrong("array"))?;
        let entry = |(at, value): (usize, &'v Value)| {
            let path = match self.api {
                Api::OpenAi => format!("{}[{at}]", self.path),
                Api::Anthropic => format!("{}.{at}", self.path),
            };
            Self { value, path, api: self.api }
        };
        Ok(entries.iter().enumerate().map(entry).collect())
    }

    /// One of several words.
    pub(super) fn one_of(&self, words: &[&str]) -> Looked<&'v str> {
        let text = self.text()?;
        if words.contains(&text) {
            return Ok(text);
        }
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let list = quoted.join(", ");
        Err(match self.api {
            Api::OpenAi => {
                self.refuse("invalid_value", format!("Invalid value: '{text}'. Supported values are: {list}."))
            }
            Api::Anthropic => self.refuse("", format!("{}: Input should be one of {list}", self.path)),
        })
    }

    /// No other fields than these, each of its kind.
    pub(super) fn known(&self, fields: &[(&str, Kind)]) -> Looked<()> {
        for name in self.object()?.keys() {
            let Some((_, kind)) = fields.iter().find(|(known, _)| known == name) else {
                return Err(self.unknown(name));
            };
            if let Some(field) = self.get(name) {
                field.is(*kind)?;
            }
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Refused {
        let path = self.below(name, &Value::Null).path;
        let message = match self.api {
            Api::OpenAi if self.path.is_empty() => format!("Unrecognized request argument supplied: {name}"),
            Api::OpenAi => format!("Unknown parameter: '{path}'."),
            Api::Anthropic => format!("{path}: Extra inputs are not permitted"),
        };
        Refused { param: Some(path), code: Some("unknown_parameter"), ..Refused::question(message) }
    }

    fn is(&self, kind: Kind) -> Looked<()> {
        match kind {
            Kind::Text => self.text().map(drop),
            Kind::Flag => self.flag().map(drop),
            Kind::Object => self.object().map(drop),
            Kind::List => self.list().map(drop),
            Kind::Whole(least) => match self.value.as_i64() {
                Some(number) if number >= least => Ok(()),
                Some(number) => Err(self.range(&number.to_string(), &format!(">= {least}"))),
                None => Err(self.wrong("integer")),
            },
            Kind::Number(least, most) => match self.value.as_f64() {
                Some(number) if (least..=most).contains(&number) => Ok(()),
                Some(number) if number < least => Err(self.range(&number.to_string(), &format!(">= {least}"))),
                Some(number) => Err(self.range(&number.to_string(), &format!("<= {most}"))),
                None => Err(self.wrong("number")),
            },
            Kind::Any => Ok(()),
        }
    }

    fn range(&self, number: &str, expected: &str) -> Refused {
        let path = &self.path;
        match self.api {
            Api::OpenAi => self.refuse(
                "invalid_value",
                format!("Invalid '{path}': expected a value {expected}, but got {number} instead."),
            ),
            Api::Anthropic => self.refuse("", format!("{path}: Input should be {expected}")),
        }
    }

    /// The value is of another type.
    pub(super) fn wrong(&self, expected: &str) -> Refused {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        let path = &self.path;
        match self.api {
            Api::OpenAi => self.refuse(
                "invalid_type",
                format!("Invalid type for '{path}': expected {expected}, but got {found} instead."),
            ),
            Api::Anthropic => self.refuse("", format!("{path}: Input should be a valid {expected}")),
        }
    }

    /// A complaint about this place.
    pub(super) fn refuse(&self, code: &'static str, message: impl Into<String>) -> Refused {
        let code = (!code.is_empty()).then_some(code);
        Refused { param: Some(self.path.clone()), code, ..Refused::question(message) }
    }
}
