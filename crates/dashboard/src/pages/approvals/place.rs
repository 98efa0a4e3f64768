//! Where in the list of approvals somebody is. Links and forms carry it along, so that they come back to where they were.

use crate::{fields::Fields, parts};
use maud::{Markup, html};

/// A page of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Only what this person may decide.
    pub(super) who: Option<String>,
    /// The number after which the page begins; 0 is the first page.
    pub(super) after: u64,
    /// The same of the page before it.
    pub(super) before: u64,
    /// The one that stands first, because a link led to it.
    pub(super) at: Option<String>,
}

impl Place {
    /// As a query or a form says.
    pub(super) fn of(fields: &Fields) -> Self {
        Self {
            who: fields.some("who").map(str::to_owned),
            after: fields.number("after").unwrap_or(0),
            before: fields.number("before").unwrap_or(0),
            at: fields.some("at").map(str::to_owned),
        }
    }

    /// The page before this one. How far back that one's own begins is not known: from there it goes to the first.
    pub(super) fn back(&self) -> Self {
        Self { who: self.who.clone(), after: self.before, ..Self::default() }
    }

    /// The page after this one.
    pub(super) fn on(&self, next: u64) -> Self {
        Self { who: self.who.clone(), after: next, before: self.after, at: None }
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let number = |number: u64| Some(number).filter(|number| *number > 0).map(|number| number.to_string());
        let all = [
            ("who", self.who.clone()),
            ("after", number(self.after)),
            ("before", number(self.before)),
            ("at", self.at.clone()),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The address, with which of them is looked at next.
    pub(super) fn url(&self, next: &str) -> String {
        let next = Some(("next", next.to_owned())).filter(|(_, next)| !next.is_empty());
        let pairs: Vec<String> = next
            .into_iter()
            .chain(self.pairs())
            .map(|(name, value)| format!("{name}={}", parts::encoded(&value)))
            .collect();
        if pairs.is_empty() { "/approvals".to_owned() } else { format!("/approvals?{}", pairs.join("&")) }
    }

    /// What a form carries of it.
    pub(super) fn fields(&self) -> Markup {
        html! { @for (name, value) in self.pairs() { (parts::hidden(name, &value)) } }
    }
}
