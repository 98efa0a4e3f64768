//! A model that works on a step of a workflow: how the step may end, and what has to come with it.

use super::{
    Here, LlmAgent, guidance,
    handoff_tools::{self, FINISH, Names},
};
use crate::model::ToolSpec;
use handover_core::{
    guidance::available,
    handoff::Kind,
    session::Session,
    workflow::{Rule, Workflow},
};
use handover_engine::agent::{Failure, Work};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

impl LlmAgent {
    /// What holds for this piece of work.
    pub(super) async fn here(&self, work: &Work) -> Result<Here, Failure> {
        let handoff = work.handoff();
        let session = work.engine().session(&handoff.session_id).await?;
        let others = available(Some(&self.profile.id), work.engine().agents());
        let step = self.step(work, &session);
        // The rules say where a step goes: whoever works on one has no tool for that which it does not list.
        let names = if step.is_some() && self.profile.tools.is_empty() {
            Names::default()
        } else {
            Names::of(&self.profile, &others)
        };
        let mut tools = names.specs(&others);
        let outside: Vec<String> = self.profile.tools.iter().filter(|name| !Names::is_ours(name)).cloned().collect();
        let toolbox = self.tools.toolbox(&outside).await;
        tools.extend(toolbox.specs().into_iter().filter(|tool| !Names::is_ours(&tool.name)));
        let words = step.as_ref().map(|(words, _)| words.clone());
        tools.extend(step.map(|(_, tool)| tool));
        // While somebody above decides, the session is with them; that changes nothing for whoever answers the user.
        let asked_by_user = session.serves(&handoff.request.from_agent) && handoff.request.kind == Kind::Delegation;
        // Whoever owns the session talks to the user; the steps of a workflow are work, not talk.
        let owner = *session.lasting_owner() == self.profile.id && session.flow.is_none();
        let mut words = words;
        if !toolbox.troubles().is_empty() {
            // A model that lacks a tool should know why, and not look for it.
            let lacking = format!("## Tools That Cannot Be Had Now\n\n- {}", toolbox.troubles().join("\n- "));
            words = Some(words.map_or_else(|| lacking.clone(), |words| format!("{words}\n\n{lacking}")));
        }
        Ok(Here {
            system: guidance::system(&self.profile, &names, &others, words.as_deref()),
            tools,
            toolbox,
            asked_by_user,
            speaks_to_user: asked_by_user || owner,
        })
    }

    /// How the present step of a workflow may end, in words and as a tool.
    fn step(&self, work: &Work, session: &Arc<Session>) -> Option<(String, ToolSpec)> {
        let flow = session.flow.as_ref().filter(|_| session.is_step(work.handoff().id))?;
        let workflow = work.engine().workflow(session.workflow.as_deref()?).ok()?;
        let rules: Vec<&Rule> = ways(&workflow, self.profile.id.as_str(), &flow.state);
        let signals: BTreeSet<&str> =
            rules.iter().flat_map(|rule| rule.trigger_state.iter()).map(String::as_str).collect();
        let lines: Vec<String> = rules.iter().map(|rule| line(rule, work.payload())).collect();
        let about = workflow.states.get(&flow.state).map(|state| state.about.clone()).unwrap_or_default();
        let words = format!(
            "## Your Step\n\nYour step is {}. {about}\nEnd it by calling `{FINISH}` once, with new data alone: what you were \
             given goes along by itself. Where the work goes:\n{}",
            flow.state,
            lines.join("\n")
        );
        let mut properties = json!({
            "data": {"type": "object", "description": "What came of it"},
            "notes": {"type": "string", "description": "A sentence for people"},
            "failed": {"type": "boolean"},
        });
        let mut required = vec!["data"];
        if !signals.is_empty() {
            properties["signal"] = json!({"type": "string", "enum": signals});
            required.push("signal");
        }
        let tool = ToolSpec {
            name: FINISH.to_owned(),
            description: "Ends your step. Your part is over then.".to_owned(),
            parameters: handoff_tools::object(&properties, &required),
        };
        Some((words, tool))
    }
}

fn ways<'a>(workflow: &'a Workflow, agent: &str, state: &str) -> Vec<&'a Rule> {
    workflow.rules.iter().filter(|rule| rule.from.as_str() == agent && workflow.fires_in(rule, state)).collect()
}

/// A way in words: when, where to, and what has to come along that was not given.
fn line(rule: &Rule, given: &Value) -> String {
    let when = if rule.trigger_state.is_empty() { "any end".to_owned() } else { rule.trigger_state.join(" or ") };
    let to = rule.to.as_ref().map_or_else(|| "the end".to_owned(), ToString::to_string);
    let condition = rule.condition.as_ref().map(|condition| format!(", where `{}`", condition.source()));
    let missing = |name: &&String| given.get(name.as_str()).is_none();
    let fields: Vec<&str> = rule.payload.required.iter().filter(missing).map(String::as_str).collect();
    let needs = if fields.is_empty() { String::new() } else { format!("; needs {}", fields.join(", ")) };
    format!("- {when}{} → {to}: {}{needs}", condition.unwrap_or_default(), rule.reason)
}
