//! What an expression works with: the JSON of the context, borrowed, and what was made of it.

use super::number::Number;
use serde_json::{Map, Value as Json};
use std::{cmp::Ordering, rc::Rc};

/// A value. A clone is cheap.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(&'a str),
    List(&'a [Json]),
    Map(&'a Map<String, Json>),
    MadeText(Rc<str>),
    MadeList(Rc<[Value<'a>]>),
}

impl<'a> Value<'a> {
    pub(super) fn of(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::Number(Number::of(number)),
            Json::String(text) => Self::Text(text),
            Json::Array(items) => Self::List(items),
            Json::Object(map) => Self::Map(map),
        }
    }

    pub(super) fn whole(number: i128) -> Self {
        Self::Number(Number::Int(number))
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::MadeText(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, as a message says it.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) | Self::MadeText(_) => "a text",
            Self::List(_) | Self::MadeList(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// How many items it has; nothing when it is no list.
    pub(super) fn length(&self) -> Option<usize> {
        match self {
            Self::List(items) => Some(items.len()),
            Self::MadeList(items) => Some(items.len()),
            _ => None,
        }
    }

    /// One item of a list.
    pub(super) fn item(&self, index: usize) -> Option<Self> {
        match self {
            Self::List(items) => items.get(index).map(Self::of),
            Self::MadeList(items) => items.get(index).cloned(),
            _ => None,
        }
    }

    /// The items of a list or the keys of a map, in their order; nothing for anything else.
    pub(super) fn items<'v>(&'v self) -> Option<Box<dyn Iterator<Item = Self> + 'v>> {
        match self {
            Self::List(items) => Some(Box::new(items.iter().map(Self::of))),
            Self::MadeList(items) => Some(Box::new(items.iter().cloned())),
            Self::Map(map) => Some(Box::new(map.keys().map(|key| Self::Text(key)))),
            _ => None,
        }
    }

    /// Which one is first; nothing when the two have no order.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => Some(left.compare(*right)),
            _ => Some(self.text()?.cmp(other.text()?)),
        }
    }

    /// Whether the two are the same. Values of different kinds are not. `spend` is asked before each pair.
    pub(super) fn equals<E>(&self, other: &Self, spend: &mut impl FnMut(usize) -> Result<(), E>) -> Result<bool, E> {
        spend(1)?;
        if let (Some(left), Some(right)) = (self.text(), other.text()) {
            spend(pieces(left.len().min(right.len())))?;
            return Ok(left == right);
        }
        if let (Some(left), Some(right)) = (self.length(), other.length()) {
            return if left == right { self.same_items(other, spend) } else { Ok(false) };
        }
        match (self, other) {
            (Self::Null, Self::Null) => Ok(true),
            (Self::Bool(left), Self::Bool(right)) => Ok(left == right),
            (Self::Number(left), Self::Number(right)) => Ok(left.compare(*right) == Ordering::Equal),
            (Self::Map(left), Self::Map(right)) if left.len() == right.len() => {
                for (key, value) in *left {
                    spend(pieces(key.len()))?;
                    let Some(found) = right.get(key) else { return Ok(false) };
                    if !Self::of(value).equals(&Self::of(found), spend)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn same_items<E>(&self, other: &Self, spend: &mut impl FnMut(usize) -> Result<(), E>) -> Result<bool, E> {
        for (left, right) in self.items().into_iter().flatten().zip(other.items().into_iter().flatten()) {
            if !left.equals(&right, spend)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The steps that so many bytes of text cost.
pub(super) fn pieces(bytes: usize) -> usize {
    bytes / 64
}
