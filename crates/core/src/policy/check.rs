//! Whether the settings can be: every time one that can be waited for, every number one that makes sense, every name
//! once, every expression one that compiles.

use super::{ApprovalRule, EXPRESSION_ROOTS, Policy, SessionLimits};
use crate::{
    budget::{Budget, Limit},
    decide::validate::Checks,
    limits,
    refusal::{Code, HandoffError, Refusal},
};
use std::collections::BTreeSet;

impl Policy {
    /// Checks every setting.
    ///
    /// # Errors
    /// With every setting that cannot be.
    pub fn check(&self) -> Result<(), HandoffError> {
        let mut checks = Checks::default();
        self.check_times(&mut checks);
        self.check_limits(&mut checks);
        self.check_budgets(&mut checks);
        self.check_approvals(&mut checks);
        self.check_experiments(&mut checks);
        checks.done()
    }

    fn check_times(&self, checks: &mut Checks) {
        for (name, ms) in [
            ("accept_ms", self.accept_ms),
            ("human_accept_ms", self.human_accept_ms),
            ("queue_ms", self.queue_ms),
            ("lease_ms", self.lease_ms),
            ("execution_ms", self.execution_ms),
            ("approval_ms", self.approval_ms),
            ("breaker.cooldown_ms", self.breaker.cooldown_ms),
        ] {
            checks.wait(&format!("policy.{name}"), ms);
        }
    }

    fn check_limits(&self, checks: &mut Checks) {
        let classes = &self.classes;
        let mut sets = vec![
            ("policy.limits".to_owned(), &self.limits),
            ("policy.classes.simple".to_owned(), &classes.simple),
            ("policy.classes.medium".to_owned(), &classes.medium),
            ("policy.classes.complex".to_owned(), &classes.complex),
        ];
        sets.extend(self.workflows.iter().map(|(name, set)| (format!("policy.workflows.{name}"), set)));
        checks.count("policy.workflows", self.workflows.len(), limits::NAMED_LIMITS_MAX, "NAMED_LIMITS_MAX");
        for (field, set) in sets {
            check_session_limits(&field, set, checks);
        }
        let within = self.loops.repeats_within as usize;
        checks.count("policy.loops.repeats_within", within, limits::WATCH_MOVES_MAX, "WATCH_MOVES_MAX");
    }

    fn check_budgets(&self, checks: &mut Checks) {
        let budgets = &self.budgets;
        for (field, limit) in [("tenant", budgets.tenant.as_ref()), ("agent", budgets.agent.as_ref())] {
            if let Some(limit) = limit {
                check_limit(&format!("policy.budgets.{field}"), limit, checks);
            }
        }
        checks.count("policy.budgets.tenants", budgets.tenants.len(), limits::NAMED_LIMITS_MAX, "NAMED_LIMITS_MAX");
        for (name, limit) in &budgets.tenants {
            check_limit(&format!("policy.budgets.tenants.{name}"), limit, checks);
        }
        if let Some(budget) = &budgets.handoff {
            check_budget("policy.budgets.handoff", budget, checks);
        }
        checks.count("policy.budgets.prices", budgets.prices.len(), limits::NAMED_LIMITS_MAX, "NAMED_LIMITS_MAX");
        for (model, price) in &budgets.prices {
            checks.range(&format!("policy.budgets.prices.{model}.input"), price.input, 0.0, f64::MAX);
            checks.range(&format!("policy.budgets.prices.{model}.output"), price.output, 0.0, f64::MAX);
        }
    }

    fn check_approvals(&self, checks: &mut Checks) {
        checks.count("policy.approvals", self.approvals.len(), limits::APPROVAL_RULES_MAX, "APPROVAL_RULES_MAX");
        let mut seen = BTreeSet::new();
        for (i, rule) in self.approvals.iter().enumerate() {
            let field = format!("policy.approvals[{i}]");
            once(&format!("{field}.name"), &rule.name, &mut seen, checks);
            check_rule(&field, rule, checks);
        }
    }

    fn check_experiments(&self, checks: &mut Checks) {
        checks.count("policy.experiments", self.experiments.len(), limits::EXPERIMENTS_MAX, "EXPERIMENTS_MAX");
        let mut seen = BTreeSet::new();
        for (i, experiment) in self.experiments.iter().enumerate() {
            let field = format!("policy.experiments[{i}]");
            once(&format!("{field}.name"), &experiment.name, &mut seen, checks);
            checks.range(&format!("{field}.share"), experiment.share, 0.0, 1.0);
            if experiment.a == experiment.b {
                let message = format!("both arms are {}", experiment.a.word());
                let refusal = Refusal::new(Code::BadPolicy, message).at(format!("{field}.b"));
                checks.add(refusal.hint("compare two different strategies"));
            }
        }
    }
}

fn once<'a>(field: &str, name: &'a str, seen: &mut BTreeSet<&'a str>, checks: &mut Checks) {
    checks.text(field, name);
    if !seen.insert(name) {
        let refusal = Refusal::new(Code::BadPolicy, format!("\"{name}\" is there twice")).at(field);
        checks.add(refusal.hint("give each a name of its own"));
    }
}

pub(crate) fn check_session_limits(field: &str, set: &SessionLimits, checks: &mut Checks) {
    if let Some(cost) = set.cost {
        checks.range(&format!("{field}.cost"), cost, 0.0, f64::MAX);
    }
    if let Some(ms) = set.time_ms {
        checks.wait(&format!("{field}.time_ms"), ms);
    }
    if set.chain == Some(0) || set.chain == Some(1) {
        let refusal = Refusal::new(Code::OutOfRange, "a chain has at least 2 agents").at(format!("{field}.chain"));
        checks.add(refusal.hint("to allow no handoff at all, set handoffs: 0"));
    }
    // More could not be told apart: a session remembers so many.
    if let Some(agents) = set.agents {
        checks.count(&format!("{field}.agents"), agents as usize, limits::WATCH_AGENTS_MAX, "WATCH_AGENTS_MAX");
    }
}

pub(crate) fn check_limit(field: &str, limit: &Limit, checks: &mut Checks) {
    if let Some(cost) = limit.cost {
        checks.range(&format!("{field}.cost"), cost, 0.0, f64::MAX);
    }
}

/// What one handoff asks for is bounded: many of them must still add up.
pub(crate) fn check_budget(field: &str, budget: &Budget, checks: &mut Checks) {
    let mut bounded = |kind: &str, asked: String, max: String, name: &str| {
        let message = format!("{asked} is not between 0 and {max} ({name})");
        let refusal = Refusal::new(Code::OutOfRange, message).at(format!("{field}.{kind}"));
        checks.add(refusal.hint(format!("use 0 to {max}, or leave it out to set no bound of its own")));
    };
    if let Some(tokens) = budget.tokens.filter(|tokens| *tokens > limits::BUDGET_TOKENS_MAX) {
        bounded("tokens", tokens.to_string(), limits::BUDGET_TOKENS_MAX.to_string(), "BUDGET_TOKENS_MAX");
    }
    let money = 0.0..=f64::from(limits::BUDGET_COST_MAX);
    if let Some(cost) = budget.cost.filter(|cost| !money.contains(cost)) {
        bounded("cost", cost.to_string(), limits::BUDGET_COST_MAX.to_string(), "BUDGET_COST_MAX");
    }
    if let Some(ms) = budget.time_ms {
        checks.wait(&format!("{field}.time_ms"), ms);
    }
}

fn check_rule(field: &str, rule: &ApprovalRule, checks: &mut Checks) {
    checks.count(&format!("{field}.approvers"), rule.approvers.len(), limits::APPROVERS_MAX, "APPROVERS_MAX");
    let mut seen = BTreeSet::new();
    for (i, approver) in rule.approvers.iter().enumerate() {
        once(&format!("{field}.approvers[{i}].who"), &approver.who, &mut seen, checks);
        if let Some(ms) = approver.within_ms {
            checks.wait(&format!("{field}.approvers[{i}].within_ms"), ms);
        }
    }
    let when = &rule.when;
    for (name, count) in [("to", when.to.len()), ("from", when.from.len())] {
        checks.count(&format!("{field}.when.{name}"), count, limits::APPROVAL_AGENTS_MAX, "APPROVAL_AGENTS_MAX");
    }
    if let Some(cost) = when.cost_above {
        checks.range(&format!("{field}.when.cost_above"), cost, 0.0, f64::MAX);
    }
    if let Some(Err(mistake)) = when.expression.as_ref().map(|condition| condition.compiled(&EXPRESSION_ROOTS)) {
        let message = format!("{} (line {}, column {})", mistake.message, mistake.line, mistake.column);
        let refusal = Refusal::new(Code::BadExpression, message).at(format!("{field}.when.expression"));
        let details = serde_json::json!({"line": mistake.line, "column": mistake.column});
        checks.add(refusal.hint(mistake.hint.clone()).details(details));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// What is wrong with a policy that has these rules: code, field, message and hint of each mistake.
    fn refused(rules: &Value) -> Vec<String> {
        let policy: Policy = serde_json::from_value(json!({ "approvals": rules })).unwrap();
        let refusals = policy.check().err().map(|error| error.refusals).unwrap_or_default();
        refusals.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn bad_rules_are_refused() {
        let many: Vec<String> = (0..1_001).map(|n| format!("agent-{n}")).collect();
        let crowd: Vec<Value> = (0..17).map(|n| json!({"who": format!("p{n}")})).collect();
        let table = [
            (json!([{"name": "r"}]), ""),
            (json!([{"name": " "}]), "HO0102 policy.approvals[0].name: it is empty"),
            (
                json!([{"name": "r"}, {"name": "r"}]),
                "HO0714 policy.approvals[1].name: \"r\" is there twice (give each a name of its own)",
            ),
            (
                json!([{"name": "r", "approvers": [{"who": ""}]}]),
                "HO0102 policy.approvals[0].approvers[0].who: it is empty",
            ),
            (
                json!([{"name": "r", "approvers": [{"who": "ann"}, {"who": "ann"}]}]),
                "HO0714 policy.approvals[0].approvers[1].who: \"ann\" is there twice (give each a name of its own)",
            ),
            (
                json!([{"name": "r", "approvers": [{"who": "ann", "within_ms": 0}]}]),
                "HO0109 policy.approvals[0].approvers[0].within_ms: 0 ms is not between 1 and 34560000000 (WAIT_MS_MAX)",
            ),
            (
                json!([{"name": "r", "approvers": crowd}]),
                "HO0106 policy.approvals[0].approvers: there are 17; at most 16 are allowed (APPROVERS_MAX)",
            ),
            (
                json!([{"name": "r", "when": {"to": many}}]),
                "HO0106 policy.approvals[0].when.to: there are 1001; at most 1000 are allowed (APPROVAL_AGENTS_MAX)",
            ),
            (json!([{"name": "r", "when": {"cost_above": -1.0}}]), "HO0109 policy.approvals[0].when.cost_above"),
            (
                json!([{"name": "ok"}, {"name": "r", "when": {"expression": "handoff.cost > 5 &&\n hand.risk == 'high'"}}]),
                "HO0715 policy.approvals[1].when.expression: there is no name `hand` (line 2, column 2) (the names are `handoff`",
            ),
            (json!([{"name": "r", "when": {"expression": ""}}]), "HO0715 policy.approvals[0].when.expression"),
            (json!([{"name": "r", "when": {"expression": "handoff.cost + 1"}}]), "HO0715 policy.approvals[0].when"),
        ];
        for (rules, wanted) in table {
            let found = refused(&rules);
            match wanted {
                "" => assert!(found.is_empty(), "{rules}: {found:?}"),
                wanted => assert!(found.len() == 1 && found[0].starts_with(wanted), "{rules}: {found:?}"),
            }
        }
    }
}
