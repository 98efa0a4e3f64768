//! Workflows: the state machine as its file says, with the sessions in each state, and how often each rule was used.

mod one;
mod picture;

pub(crate) use one::show;

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
};
use handover_core::{
    limits::{PAGE_ROWS, STATE_COUNT_MAX},
    workflow::Workflow,
};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// How many sessions stand in each state; nothing for whoever sees only some of them.
type Counts = BTreeMap<String, usize>;

pub(crate) async fn list(ask: Ask) -> Answer {
    let all = ask.engine.workflows();
    let skip = ask.query.skip().min(all.len());
    let mut rows = Vec::new();
    for workflow in all.iter().skip(skip).take(PAGE_ROWS) {
        let counts = ask.engine.workflow_states(&workflow.name).await?;
        rows.push((workflow, counts));
    }
    let (later, earlier) = ask.query.around(skip, skip + PAGE_ROWS < all.len());
    let body = html! {
        (parts::head(html! { "Workflows" }, html! {}))
        @for (name, why) in ask.engine.unreadable_workflows() {
            p.warn { strong { (name) } " cannot be read, and its sessions wait: " (parts::quoted(&why, 300)) }
        }
        section.card data-part="workflows" {
            @if all.is_empty() {
                (parts::empty("No workflow is kept here yet", "A workflow is a team that works by rules: states, who is responsible in each, and where the work goes when a step ends. Make one, and run it in the file that this server keeps, while the server is down. A program defines one in the running server by PUT /v1/workflows/NAME.", Some("handover init my-team\nhandover check my-team\nhandover run my-team --db handover.db\nhandover serve --db handover.db")))
            } @else {
                table.rows {
                    thead { tr { th { "Workflow" } th { "What it is for" } th.number { "States" } th.number { "Rules" } th.number { "Sessions that go on" } th.number { "Ended" } } }
                    tbody { @for (workflow, counts) in &rows { (row(workflow, counts)) } }
                }
            }
            (parts::pages(later, earlier))
        }
    };
    Page::new("Workflows", Nav::Workflows, body).hears(Hears::All).answer(&ask).await
}

fn row(workflow: &Workflow, counts: &Counts) -> Markup {
    let (ended, open): (Vec<_>, Vec<_>) = counts.iter().partition(|(state, _)| workflow.end_of(state).is_some());
    let sum = |of: Vec<(&String, &usize)>| {
        let all: usize = of.iter().map(|(_, count)| **count).sum();
        let more = of.iter().any(|(_, count)| **count >= STATE_COUNT_MAX);
        if counts.is_empty() { "–".to_owned() } else { counted(all, more) }
    };
    html! {
        tr data-key=(workflow.name) {
            td { a.agent href=(url(&workflow.name)) { (workflow.name) } }
            td.wide { (parts::quoted(&workflow.description, 120)) }
            td.number data-name="states" { (workflow.states.len()) }
            td.number data-name="rules" { (workflow.rules.len()) }
            td.number data-name="go on" { (sum(open)) }
            td.number data-name="ended" { (sum(ended)) }
        }
    }
}

fn url(name: &str) -> String {
    format!("/workflows/{}", parts::encoded(name))
}

fn state_url(workflow: &str, state: &str) -> String {
    format!("{}?state={}#sessions", url(workflow), parts::encoded(state))
}

/// A count that may have been looked at no further.
fn counted(count: usize, more: bool) -> String {
    let number = parts::number(u64::try_from(count).unwrap_or(u64::MAX));
    if more { format!("{number}+") } else { number }
}

fn in_state(count: usize) -> String {
    counted(count, count >= STATE_COUNT_MAX)
}

/// Where a rule stands on the page of its workflow.
fn rule_place(rule: &str) -> String {
    format!("rule-{}", parts::encoded(rule))
}
