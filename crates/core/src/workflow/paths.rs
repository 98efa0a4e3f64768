//! Which states can be reached, and from which the end can.

use super::{Rule, Workflow};
use std::collections::{BTreeMap, BTreeSet};

impl Workflow {
    /// States that can come after each state. A way without a next state stays.
    fn next(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        self.states.keys().map(|state| (state.as_str(), self.allowed(state).into_iter().collect())).collect()
    }

    /// States that can be reached from the start.
    pub(super) fn reached(&self) -> BTreeSet<&str> {
        let next = self.next();
        spread([self.start.as_str()].into(), |state| next.get(state).into_iter().flatten().copied().collect())
    }

    /// States from which a state that ends can be reached.
    pub(super) fn ending(&self) -> BTreeSet<&str> {
        let mut before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (state, after) in self.next() {
            after.into_iter().for_each(|to| before.entry(to).or_default().push(state));
        }
        let ends = self.states.iter().filter(|(_, state)| state.end.is_some()).map(|(name, _)| name.as_str());
        // A rule that leads nowhere else and to nobody ends the workflow where it is.
        let stops = |rule: &&Rule| rule.to.is_none() && rule.next_state.is_none();
        let stops =
            self.rules.iter().filter(stops).flat_map(|rule| {
                self.states.keys().map(String::as_str).filter(move |state| self.fires_in(rule, state))
            });
        spread(ends.chain(stops).collect(), |state| before.get(state).cloned().unwrap_or_default())
    }
}

/// Everything that can be come to from here.
fn spread<'a>(from: BTreeSet<&'a str>, next: impl Fn(&str) -> Vec<&'a str>) -> BTreeSet<&'a str> {
    let mut seen = from.clone();
    let mut waiting: Vec<&str> = from.into_iter().collect();
    while let Some(state) = waiting.pop() {
        waiting.extend(next(state).into_iter().filter(|state| seen.insert(*state)));
    }
    seen
}
