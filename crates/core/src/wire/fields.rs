//! The fields of one object of the input: each is asked for by name, and what is left over is a mistake.

use super::{
    mistakes::{Mistakes, step},
    place::{Limit, Place, did_you_mean},
    words::Word,
};
use crate::{
    ids::AgentId,
    refusal::{Code, Refusal},
};
use serde_json::{Map, Value};

pub(super) struct Fields<'m> {
    map: Map<String, Value>,
    path: String,
    asked: Vec<&'static str>,
    mistakes: &'m Mistakes,
}

impl<'m> Fields<'m> {
    pub(super) fn new(map: Map<String, Value>, path: String, mistakes: &'m Mistakes) -> Self {
        Self { map, path, asked: Vec::new(), mistakes }
    }

    /// The path of a field.
    pub(super) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { step(name) } else { format!("{}.{}", self.path, step(name)) }
    }

    pub(super) fn wrong(&self, refusal: Refusal) {
        self.mistakes.add(refusal);
    }

    /// The object as a whole lacks something.
    pub(super) fn missing(&self, message: &str) {
        self.wrong(Refusal::new(Code::MissingField, message).at(&self.path));
    }

    /// A field that may be left out.
    pub(super) fn get(&mut self, name: &'static str) -> Option<Place<'m>> {
        self.asked.push(name);
        let value = self.map.remove(name).filter(|value| !value.is_null())?;
        Some(Place::new(value, self.at(name), self.mistakes))
    }

    /// A field that must be there.
    pub(super) fn need(&mut self, name: &'static str) -> Option<Place<'m>> {
        let place = self.get(name);
        if place.is_none() {
            self.wrong(Refusal::new(Code::MissingField, "it is missing").at(self.at(name)));
        }
        place
    }

    /// A field with two names; both at once is a mistake.
    pub(super) fn either(&mut self, name: &'static str, other: &'static str) -> Option<Place<'m>> {
        match (self.get(name), self.get(other)) {
            (Some(place), Some(again)) => {
                again.twice(name);
                Some(place)
            }
            (Some(place), None) | (None, Some(place)) => Some(place),
            (None, None) => None,
        }
    }

    /// Fields that may be there and are not read.
    pub(super) fn skip(&mut self, names: &[&'static str]) {
        for name in names {
            self.map.remove(*name);
        }
    }

    pub(super) fn text(&mut self, name: &'static str) -> String {
        self.need(name).and_then(Place::text).unwrap_or_default()
    }

    pub(super) fn optional_text(&mut self, name: &'static str) -> Option<String> {
        self.get(name).and_then(Place::text)
    }

    pub(super) fn free_text(&mut self, name: &'static str) -> String {
        self.get(name).and_then(Place::free_text).unwrap_or_default()
    }

    pub(super) fn texts(&mut self, name: &'static str, limit: Limit) -> Vec<String> {
        self.list(name, Some(limit), Place::text)
    }

    /// A word that must be there.
    pub(super) fn word<T: Word>(&mut self, name: &'static str) -> T {
        self.need(name).and_then(Place::word).unwrap_or(T::STAND_IN)
    }

    pub(super) fn optional_word<T: Word>(&mut self, name: &'static str) -> Option<T> {
        self.get(name).and_then(Place::word)
    }

    pub(super) fn boolean(&mut self, name: &'static str, default: bool) -> bool {
        self.get(name).and_then(Place::boolean).unwrap_or(default)
    }

    pub(super) fn agent(&mut self, name: &'static str) -> AgentId {
        self.need(name).and_then(Place::agent).unwrap_or_else(|| self.mistakes.nobody.clone())
    }

    pub(super) fn optional_agent(&mut self, name: &'static str) -> Option<AgentId> {
        self.get(name).and_then(Place::agent)
    }

    /// A count; 0 when it is left out.
    pub(super) fn count(&mut self, name: &'static str) -> u64 {
        self.get(name).and_then(|place| place.whole(0, u64::MAX)).unwrap_or(0)
    }

    pub(super) fn payload(&mut self, name: &'static str) -> Value {
        self.get(name).and_then(Place::payload).unwrap_or_default()
    }

    /// A list; none when it is left out.
    pub(super) fn list<T>(
        &mut self,
        name: &'static str,
        limit: Option<Limit>,
        read: impl FnMut(Place<'m>) -> Option<T>,
    ) -> Vec<T> {
        self.get(name).and_then(|place| place.list(limit, read)).unwrap_or_default()
    }

    /// An object with a default.
    pub(super) fn part<T: Default>(&mut self, name: &'static str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.get(name).and_then(|place| place.object(read)).unwrap_or_default()
    }

    /// What nobody asked for is most often a slip.
    pub(super) fn finish(&self) {
        for name in self.map.keys() {
            let refusal = Refusal::new(Code::UnknownField, "there is no such field").at(self.at(name));
            // Looking for the nearest name is dear enough to be spared when nobody reads the hint.
            let full = self.mistakes.is_full();
            self.wrong(if full { refusal } else { did_you_mean(refusal, name, &self.asked) });
        }
    }
}
