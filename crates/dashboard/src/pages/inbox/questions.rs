//! What agents ask before they go on, and the answer to it.

use super::Wanted;
use crate::{
    ask::Ask,
    parts,
    people::{self, Awaits, Found},
};
use handover_core::{
    access::Right,
    handoff::{Exchange, Handoff},
    limits::{PAGE_TASKS, WAITING_LOOK_ROWS},
};
use maud::{Markup, html};

/// What is asked, a page of it.
pub(super) struct Asked {
    /// Of people: they have to be told.
    people: Found<Handoff>,
    /// Of agents: they answer by themselves, and somebody may be quicker.
    agents: Found<Handoff>,
    /// Whether what waits was not looked at to its end.
    cut: bool,
}

impl Asked {
    pub(super) fn is_empty(&self) -> bool {
        self.people.rows.is_empty() && self.agents.rows.is_empty()
    }
}

/// Handoffs that wait for an answer, the eldest first, out of what is put off.
pub(super) async fn asked(ask: &Ask, wanted: &Wanted, put_off: &Found<Handoff>) -> Asked {
    let first = wanted.first(ask).await.filter(|one| one.open_question().is_some());
    let page = |of_people: bool| {
        let fits = |one: &&&Handoff| wanted.whose.as_ref().is_none_or(|whose| one.request.from_agent == *whose);
        let found = people::questions(&ask.engine, put_off, of_people);
        let mut rows: Vec<Handoff> = found.rows.iter().filter(fits).map(|one| (*one).clone()).collect();
        let here = |one: &&Handoff| (people::awaits(&ask.engine, one) == Some(Awaits::Answer)) == of_people;
        if let Some(first) = first.as_ref().filter(here) {
            rows.retain(|one| one.id != first.id);
            rows.insert(0, first.clone());
        }
        let more = rows.len() > PAGE_TASKS;
        rows.truncate(PAGE_TASKS);
        Found { rows, more }
    };
    Asked { people: page(true), agents: page(false), cut: put_off.more }
}

/// The name under which whoever looks may answer: that of the source, or their own where they run the work.
fn answers_as(ask: &Ask, handoff: &Handoff) -> Option<String> {
    let (caller, from) = (ask.engine.caller(), &handoff.request.from_agent);
    if !ask.may(Right::Act) {
        return None;
    }
    if caller.acts_as.is_some() && caller.may_act_as(from) {
        return Some(from.to_string());
    }
    let own = match caller.acts_as.as_deref() {
        Some(agents) => agents.first().map(ToString::to_string),
        None => Some(ask.own_name().to_owned()),
    };
    own.filter(|_| ask.may(Right::Operate))
}

pub(super) fn section(ask: &Ask, asked: &Asked) -> Markup {
    html! {
        (part(ask, "Questions", &asked.people))
        @if !asked.agents.rows.is_empty() {
            (part(ask, "Asked of agents", &asked.agents))
            p.soft { "Agents answer by themselves; these are not counted as waiting for people." }
        }
        @if asked.cut && !asked.is_empty() {
            p.soft { "Questions are looked for among the " (WAITING_LOOK_ROWS) " eldest that are put off." }
        }
    }
}

fn part(ask: &Ask, title: &str, found: &Found<Handoff>) -> Markup {
    html! {
        @if !found.rows.is_empty() {
            h2.part { (title) }
            ol.asked { @for handoff in &found.rows { @if let Some(open) = handoff.open_question() { (item(ask, handoff, open)) } } }
            @if found.more { p.soft { "There are more. They show when these are answered." } }
        }
    }
}

fn item(ask: &Ask, handoff: &Handoff, open: &Exchange) -> Markup {
    let id = handoff.id;
    html! {
        li.card.item id=(id) data-item data-key=(format!("{id}-{}", handoff.questions.len())) tabindex="-1"
            aria-labelledby=(format!("question-{id}")) {
            header {
                span { (parts::agent(&handoff.to_agent)) " asks " (parts::agent(&handoff.request.from_agent)) }
                span.soft { (parts::ago(open.asked_at, ask.now)) }
                span.push { (parts::left(handoff, ask.now)) }
            }
            h3.title id=(format!("question-{id}")) { (parts::fold(&open.question)) }
            p.soft {
                "About " a href=(parts::handoff_url(id)) { (parts::quoted(&handoff.request.task.description, 160)) }
                " in " (parts::session(&handoff.session_id))
            }
            @for before in handoff.questions.iter().rev().skip(1) {
                @if let Some(given) = &before.answer {
                    p.soft { "Before: " (parts::quoted(&before.question, 200)) " " b { (given.by) ": " } (parts::quoted(&given.text, 200)) }
                }
            }
            @match answers_as(ask, handoff) {
                Some(name) => { div.decide { (answer(ask, handoff, &name)) } }
                None => {
                    p.soft.undecided { "Whoever handed it over answers, or an operator." }
                }
            }
        }
    }
}

fn answer(ask: &Ask, handoff: &Handoff, name: &str) -> Markup {
    let id = handoff.id;
    let inside = html! {
        (parts::hidden("by", name))
        (super::seen(ask))
        div {
            label for=(format!("answer-{id}")) { "Answer" @if parts::key_name(name).is_some() { " as " (name) } }
            textarea id=(format!("answer-{id}")) name="text" required data-press="a" {}
        }
        div.buttons { button.main type="submit" { "Answer" } }
    };
    parts::form_of(ask, &format!("/inbox/{id}/answer"), "long", inside)
}
