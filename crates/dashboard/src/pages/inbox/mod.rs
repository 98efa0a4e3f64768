//! The inbox of people: what failed and they are to look at, questions that wait for an answer, work that is offered to them or
//! theirs already, and results that came back.

mod act;
mod came_back;
mod give;
mod looks;
mod questions;
mod step;
mod task;

pub(crate) use act::{answer, ask_back, decline, defer, give_back, keep, note, note_all, take};

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page, Waiting},
    parts,
    people::{self, Found, Tasks, Waits},
    wrong::Wrong,
};
use handover_core::{
    access::Right,
    agent::Agent,
    context::View,
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId},
    limits::{PAGE_TASKS, PEOPLE_LOOK_MAX, QUEUE_LOOK_MAX},
};
use maud::{Markup, html};
use step::Step;

/// A piece of work for a person, with what they are shown of it and how it may end.
struct Task {
    handoff: Handoff,
    view: Option<View>,
    step: Option<Step>,
}

/// Whose inbox is shown, and what stands first in it.
struct Wanted {
    whose: Option<AgentId>,
    at: Option<HandoffId>,
    skip: usize,
}

impl Wanted {
    fn of(ask: &Ask) -> Result<Self, Wrong> {
        let whose = match ask.query.some("as") {
            Some(_) => Some(ask.query.agent("as")?),
            None => None,
        };
        let skip = ask.query.skip();
        Ok(Self { whose, at: ask.query.get("at").parse().ok().filter(|_| skip == 0), skip })
    }

    /// The handoff that is to stand first, where it exists for whoever looks.
    async fn first(&self, ask: &Ask) -> Option<Handoff> {
        ask.engine.handoff(self.at?).await.ok()
    }
}

pub(crate) async fn list(ask: Ask) -> Answer {
    let wanted = Wanted::of(&ask)?;
    let chosen = wanted.whose.as_ref();
    let people = people(&ask, chosen);
    let all = everything(&ask, chosen, &people).await?;
    let put_off = people::put_off(&ask.engine).await?;
    let to_look = people::to_look(&ask).await?;
    let tasks = tasks(&ask, &wanted, &people, &all).await?;
    let questions = questions::asked(&ask, &wanted, &put_off).await;
    let returns = came_back::waiting(&ask, chosen, &people).await?;
    let body = html! {
        (parts::head(html! { "Inbox" }, filter(chosen, &people)))
        @if !tasks.rows.is_empty() || !questions.is_empty() { (keys(&ask)) }
        section data-part="failed" aria-label="Failed" { (looks::section(&ask, &wanted, &to_look).await) }
        section data-part="questions" aria-label="Questions" { (questions::section(&ask, &questions)) }
        section data-part="tasks" aria-labelledby="tasks" {
            h2.part id="tasks" { "Tasks" }
            @if tasks.rows.is_empty() { (nothing(&ask, chosen, &people.rows)) }
            ol.asked { @for task in &tasks.rows { (task::item(&ask, task)) } }
            (further(&ask, &wanted, &all))
            @if people.more && chosen.is_none() {
                p.soft { "Looked for is what the " (PEOPLE_LOOK_MAX) " people with the most to do have." }
            }
        }
        section data-part="returns" aria-label="Results" { (came_back::section(&ask, &returns)) }
    };
    let page = Page::new("Inbox", Nav::Inbox, body);
    // Rows of a further page must not move under whoever reads them.
    let page = if wanted.skip == 0 { page.hears(Hears::All) } else { page };
    if chosen.is_some() {
        return page.answer(&ask).await;
    }
    let waits = Waits { put_off: &put_off, tasks: &all, to_look: &to_look }.inbox(&ask.engine);
    page.counted(Waiting::with_inbox(&ask, waits).await?).answer(&ask).await
}

/// The people for whom whoever looks may speak, those with work first. Whoever is named need not be a person.
fn people(ask: &Ask, chosen: Option<&AgentId>) -> Found<Agent> {
    let caller = ask.engine.caller();
    let mut found = people::people(&ask.engine, |agent| caller.may_act_as(&agent.profile.id));
    let named = chosen.filter(|chosen| found.rows.iter().all(|agent| agent.profile.id != **chosen));
    let named = named.filter(|chosen| caller.may_act_as(chosen)).and_then(|chosen| ask.engine.agent(chosen).ok());
    found.rows.extend(named);
    found
}

/// All that these people have to do: their own first, then by urgency and age.
async fn everything(ask: &Ask, chosen: Option<&AgentId>, people: &Found<Agent>) -> Result<Tasks, Wrong> {
    if let Some(chosen) = chosen {
        // Says no where this is somebody else's.
        ask.engine.waiting_returns(chosen, 1).await?;
    }
    let theirs = people.rows.iter().filter(|agent| chosen.is_none_or(|chosen| agent.profile.id == *chosen));
    let asked = Found { rows: theirs.cloned().collect(), more: chosen.is_none() && people.more };
    Ok(people::tasks(&ask.engine, &asked).await?)
}

/// A page of it.
async fn tasks(ask: &Ask, wanted: &Wanted, people: &Found<Agent>, all: &Tasks) -> Result<Found<Task>, Wrong> {
    let mut found = all.page(&ask.engine, wanted.skip, PAGE_TASKS).await?;
    let theirs = |handoff: &Handoff| {
        let open = matches!(handoff.status(), Status::Running | Status::Offered);
        open && people.rows.iter().any(|agent| agent.profile.id == handoff.to_agent)
    };
    if let Some(first) = wanted.first(ask).await.filter(theirs) {
        found.retain(|handoff| handoff.id != first.id);
        found.insert(0, first);
    }
    let mut rows = Vec::with_capacity(found.len());
    for handoff in found {
        let view = ask.engine.view(handoff.id, None).await.ok();
        let step = step::of(ask, &handoff).await;
        rows.push(Task { handoff, view, step });
    }
    Ok(Found { rows, more: all.count().found > wanted.skip + PAGE_TASKS })
}

/// The way to further tasks, and how far was looked.
fn further(ask: &Ask, wanted: &Wanted, all: &Tasks) -> Markup {
    let (skip, count) = (wanted.skip, all.count());
    let at = |skip: usize| ask.query.with("skip", &skip.to_string());
    let before = (skip > 0).then(|| at(skip.saturating_sub(PAGE_TASKS)));
    let on = (count.found > skip + PAGE_TASKS).then(|| at(skip + PAGE_TASKS));
    html! {
        @if on.is_some() { p.soft { "There are more: " (parts::at_least(count)) " in all, the most urgent first." } }
        (parts::pages(before, on))
        @if count.more { p.soft { "Looked at are the " (QUEUE_LOOK_MAX) " most urgent of each queue." } }
    }
}

/// What every form of the page carries: whose work was looked at.
fn seen(ask: &Ask) -> Markup {
    html! { @if let Some(whose) = ask.query.some("as") { (parts::hidden("view", whose)) } }
}

/// Whether whoever looks may work as this agent.
fn may_work(ask: &Ask, agent: &AgentId) -> bool {
    ask.may(Right::Act) && ask.engine.caller().may_act_as(agent)
}

fn keys(ask: &Ask) -> Markup {
    html! {
        @if ask.may(Right::Act) {
            div.keys {
                kbd { "j" } " " kbd { "k" } " next and previous · " kbd { "a" } " take or answer · " kbd { "e" } " result · " kbd { "q" }
                " ask · " kbd { "l" } " later · " kbd { "r" } " decline · " kbd { "Esc" } " leaves a field · "
                (parts::keys_switch())
            }
        }
    }
}

/// Whose work is shown. Where there are more people than a list has room for, whoever is not in it is named.
fn filter(chosen: Option<&AgentId>, people: &Found<Agent>) -> Markup {
    html! {
        @if !people.rows.is_empty() {
            form.filter.push method="get" action="/inbox" {
                label for="as" { "For" }
                @if people.more {
                    input id="as" name="as" list="people" value=[chosen] placeholder="everybody" spellcheck="false";
                    datalist id="people" { @for agent in &people.rows { option value=(agent.profile.id) {} } }
                } @else {
                    select id="as" name="as" {
                        option value="" { "everybody" }
                        @for agent in &people.rows {
                            option value=(agent.profile.id) selected[chosen == Some(&agent.profile.id)] { (agent.profile.id) }
                        }
                    }
                }
                button type="submit" { "Show" }
            }
        }
    }
}

fn nothing(ask: &Ask, chosen: Option<&AgentId>, people: &[Agent]) -> Markup {
    match chosen {
        Some(chosen) => {
            parts::empty(&format!("Nothing waits for {chosen}"), "What is handed to them shows here at once.", None)
        }
        None if people.is_empty() => parts::empty(
            "No people yet",
            "A person is an agent of the kind human: work is handed to them like to anybody else, and they do it here.",
            Some(&format!(
                "{}\nhandover agents register --name anna --kind human --description 'Decides about refunds'",
                ask.settings()
            )),
        ),
        None => parts::empty(
            "Nothing to do",
            "Nobody of your people has work. What is handed to them shows here at once; to try it:",
            Some(&super::overview::begin(ask)),
        ),
    }
}
