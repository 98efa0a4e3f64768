//! Work that failed and that a person is asked to look at.

use super::Wanted;
use crate::{
    ask::Ask,
    parts,
    people::{Found, ToLook},
};
use handover_core::{handoff::Handoff, limits::PAGE_TASKS};
use maud::{Markup, html};

pub(super) async fn section(ask: &Ask, wanted: &Wanted, found: &Found<ToLook>) -> Markup {
    let caller = ask.engine.caller();
    let theirs = |one: &&ToLook| match &wanted.whose {
        Some(chosen) => one.human == *chosen,
        None => caller.may_act_as(&one.human),
    };
    let mut rows: Vec<&ToLook> = found.rows.iter().filter(theirs).collect();
    // The one that was asked for stands first; the others stay as they are.
    rows.sort_by_key(|one| Some(one.handoff) != wanted.at);
    let more = found.more || rows.len() > PAGE_TASKS;
    let mut items = Vec::new();
    for one in rows.into_iter().take(PAGE_TASKS) {
        items.push(item(ask, one, ask.engine.handoff(one.handoff).await.ok().as_ref()));
    }
    html! {
        @if !items.is_empty() {
            h2.part { "Failed" }
            p.soft { "It goes from here when it is tried again or handed to somebody, when the user says something in the session, or when that ends." }
            ol.asked { @for item in items { (item) } }
            @if more { p.soft { "There are more. They show when these were looked at." } }
        }
    }
}

fn item(ask: &Ask, one: &ToLook, handoff: Option<&Handoff>) -> Markup {
    let id = one.handoff;
    let task = handoff.map_or(one.wanted.as_str(), |handoff| &handoff.request.task.description);
    let why = handoff.and_then(|handoff| handoff.result.as_ref()).map_or("", |result| result.notes.as_str());
    html! {
        li.card.item id=(id) data-item data-key=(format!("look-{id}")) tabindex="-1" aria-labelledby=(format!("look-{id}")) {
            header {
                @if let Some(handoff) = handoff { (parts::between(handoff)) (parts::standing(handoff)) }
                span.soft { (parts::agent(&one.human)) " is asked to look" }
                span.push.soft { (parts::ago(one.at, ask.now)) }
            }
            h3.title id=(format!("look-{id}")) { a href=(parts::handoff_url(id)) { (parts::quoted(task, 200)) } }
            @if !why.is_empty() { div { span.soft { "Why: " } (parts::fold(why)) } }
            p.soft { "In " (parts::session(&one.session)) ": try it again, hand it to somebody else, or end it there." }
        }
    }
}
