//! Which rule counts when a step has ended.

use super::{Facts, RULE_ROOTS, Rule, Workflow};
use crate::ids::AgentId;

/// The rule that counts.
pub struct Chosen<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// How often its way was gone before.
    pub before: u32,
}

/// Why no rule counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoRule {
    /// What each rule of the agent lacks, in words.
    pub lacks: Vec<String>,
    /// The signals that would lead on.
    pub signals: Vec<String>,
}

impl Workflow {
    /// The first rule of this agent that fits, or why none does.
    ///
    /// # Errors
    /// With what each of its rules lacks.
    pub fn choose<'a>(&'a self, agent: &AgentId, signal: &str, facts: &Facts<'_>) -> Result<Chosen<'a>, NoRule> {
        let flow = facts.session.and_then(|session| session.flow.as_ref());
        let state = flow.map(|flow| flow.state.as_str()).unwrap_or_default();
        let mut none = NoRule::default();
        for rule in self.rules.iter().filter(|rule| rule.from == *agent && self.fires_in(rule, state)) {
            let before = flow.and_then(|flow| flow.tries.get(&rule.id)).copied().unwrap_or(0);
            match lack(rule, signal, before, facts) {
                None => return Ok(Chosen { rule, before }),
                Some(why) => none.lacks.push(format!("rule {}: {why}", rule.id)),
            }
            none.signals.extend(rule.trigger_state.iter().cloned());
        }
        none.signals.sort_unstable();
        none.signals.dedup();
        Err(none)
    }
}

/// What a rule lacks to count now.
fn lack(rule: &Rule, signal: &str, before: u32, facts: &Facts<'_>) -> Option<String> {
    if !rule.trigger_state.is_empty() && !rule.trigger_state.iter().any(|trigger| trigger == signal) {
        return Some(format!("it waits for {}", rule.trigger_state.join(" or ")));
    }
    if let Some(retry) = rule.retry.filter(|retry| before >= retry.max) {
        return Some(format!("its {} tries are used up", retry.max));
    }
    let condition = rule.condition.as_ref()?;
    let answer = match condition.compiled(&RULE_ROOTS) {
        Ok(expression) => expression.holds(facts).map_err(|trouble| trouble.to_string()),
        Err(mistake) => Err(mistake.to_string()),
    };
    match answer {
        Ok(true) => None,
        Ok(false) => Some(format!("`{}` does not hold", condition.source())),
        Err(trouble) => Some(format!("its condition gave no answer: {trouble}")),
    }
}

impl NoRule {
    /// In a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        if self.lacks.is_empty() { "it has no rule in this state".to_owned() } else { self.lacks.join("; ") }
    }
}
