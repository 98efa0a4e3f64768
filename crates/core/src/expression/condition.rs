//! A condition as settings and workflows hold it: a text that is compiled once, for the names of its place.

use super::{Expression, Mistake, scan};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A condition in CEL. In JSON it is its text; it is compiled when it is first asked for, once.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "String", into = "String")]
pub struct Condition {
    source: String,
    compiled: OnceLock<Result<Expression, Mistake>>,
}

impl Condition {
    /// As it is written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Ready to run. `roots` are the names that it may use. They belong to the place where it stands, and a condition
    /// never moves to another, so they count the first time.
    ///
    /// # Errors
    /// When it does not compile.
    pub fn compiled(&self, roots: &[&str]) -> Result<&Expression, &Mistake> {
        self.compiled.get_or_init(|| Expression::compile(&self.source, roots)).as_ref()
    }

    /// How much there is to compile, without compiling it.
    pub(crate) fn weight(&self) -> Weight {
        // A text that cannot be scanned is not compiled either.
        let tokens = scan::scan(&self.source).unwrap_or_default();
        Weight { tokens: tokens.len(), patterns: tokens.iter().filter(|token| token.text == "matches").count() }
    }

    /// Takes over what another condition with the same text and the same names was compiled to.
    pub(crate) fn share(&self, other: &Self) {
        if let (true, Some(done)) = (self == other, other.compiled.get()) {
            self.compiled.get_or_init(|| done.clone());
        }
    }
}

/// How much there is to compile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Words, numbers, texts and signs.
    pub(crate) tokens: usize,
    /// Patterns of `matches`.
    pub(crate) patterns: usize,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl From<String> for Condition {
    fn from(source: String) -> Self {
        Self { source, compiled: OnceLock::new() }
    }
}

impl From<&str> for Condition {
    fn from(source: &str) -> Self {
        source.to_owned().into()
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ROOTS: [&str; 1] = ["handoff"];

    /// What was checked is what is kept, so that nothing is compiled when work is handed over.
    #[test]
    fn it_is_compiled_once_and_is_its_text_elsewhere() {
        let condition = Condition::from("handoff.cost > 5");
        let first: *const _ = condition.compiled(&ROOTS).unwrap();
        assert_eq!(first, condition.compiled(&ROOTS).unwrap() as *const _);
        assert_eq!(serde_json::to_value(&condition).unwrap(), json!("handoff.cost > 5"));
        assert_eq!(serde_json::from_value::<Condition>(json!("handoff.cost > 5")).unwrap(), condition);
    }

    #[test]
    fn its_names_are_those_of_its_place() {
        let condition = Condition::from("handoff.cost > 5");
        assert!(condition.clone().compiled(&ROOTS).is_ok());
        let mistake = condition.compiled(&["session"]).unwrap_err();
        assert_eq!(mistake.message, "there is no name `handoff`");
    }

    #[test]
    fn only_the_same_text_is_shared() {
        let done = Condition::from("handoff.cost > 5");
        done.compiled(&ROOTS).unwrap();
        for (text, shared) in [("handoff.cost > 5", true), ("handoff.cost > 6", false)] {
            let other = Condition::from(text);
            other.share(&done);
            assert_eq!(other.compiled.get().is_some(), shared, "{text}");
            assert_eq!(other.compiled(&ROOTS).unwrap().source(), text);
        }
    }
}
