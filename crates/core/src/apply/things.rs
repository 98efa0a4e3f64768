//! What a session holds: variables, decisions, locks.

use super::{Touched, variables_digest};
use crate::{
    ids::{AgentId, HandoffId},
    session::{Decision, Lock, Session, Variable},
    time::Timestamp,
};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

impl Session {
    pub(super) fn set_variables(
        &mut self,
        by: &AgentId,
        set: &BTreeMap<String, (Value, u64)>,
        at: Timestamp,
        touched: &mut Touched,
    ) {
        let variables = Arc::make_mut(&mut self.variables);
        for (name, (value, version)) in set {
            variables.insert(name.clone(), Variable { value: value.clone(), version: *version, by: by.clone(), at });
            touched.variables.push(name.clone());
        }
        let digest = variables_digest(&self.variables);
        self.watch.news += u64::from(digest != self.variables_digest);
        self.variables_digest = digest;
    }

    pub(super) fn add_decision(&mut self, decision: &Decision, touched: &mut Touched) {
        touched.decisions_from.get_or_insert(self.decisions.len());
        Arc::make_mut(&mut self.decisions).push(decision.clone());
        self.watch.news += 1;
    }

    pub(super) fn put_lock(&mut self, path: &str, lock: Lock, at: Timestamp, touched: &mut Touched) {
        // Locks that ran out go with the next one, so that they never add up.
        Arc::make_mut(&mut self.locks).retain(|path, held| {
            let before = held.len();
            held.retain(|lock| lock.until > at);
            if held.len() < before {
                touched.locks.push(path.clone());
            }
            !held.is_empty()
        });
        let locks = Arc::make_mut(&mut self.locks).entry(path.to_owned()).or_default();
        locks.retain(|held| held.owner != lock.owner);
        locks.push(lock);
        touched.locks.push(path.to_owned());
    }

    pub(super) fn release_locks_of(&mut self, id: HandoffId, touched: &mut Touched) {
        let held = |locks: &Vec<Lock>| locks.iter().any(|lock| lock.handoff_id == Some(id));
        let paths: Vec<String> = self.locks.iter().filter(|(_, l)| held(l)).map(|(path, _)| path.clone()).collect();
        for path in paths {
            self.drop_locks(&path, |lock| lock.handoff_id == Some(id), touched);
        }
    }

    pub(super) fn drop_locks(&mut self, path: &str, which: impl Fn(&Lock) -> bool, touched: &mut Touched) {
        let locks = Arc::make_mut(&mut self.locks);
        if let Some(held) = locks.get_mut(path) {
            held.retain(|lock| !which(lock));
            if held.is_empty() {
                locks.remove(path);
            }
            touched.locks.push(path.to_owned());
        }
    }
}
