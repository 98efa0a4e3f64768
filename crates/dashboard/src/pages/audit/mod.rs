//! The audit trail: searched by everything, as sentences with the record behind each; verified; downloaded.

mod export;
mod rows;
mod search;
mod sentence;
mod verify;

pub(crate) use export::export;
pub(crate) use verify::{Verifying, begin as begin_verify};

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
    wrong::Wrong,
};
use handover_core::{
    access::Right,
    limits::{AUDIT_LOOK_RECORDS, PAGE_ROWS},
};
use handover_engine::StoredRecord;
use maud::{Markup, html};
use search::Search;

/// A page of records, the latest first, and the ways on.
struct Found {
    records: Vec<StoredRecord>,
    later: Option<String>,
    earlier: Option<String>,
}

pub(crate) async fn list(ask: Ask) -> Answer {
    let search = Search::read(&ask).await?;
    let found = find(&ask, &search).await?;
    let house = ask.engine.operator().is_ok();
    let body = html! {
        (parts::head(html! { "Audit" }, html! {
            @if house { (books(search.house)) }
        }))
        @if house { (verify::card(&ask)) }
        (search::form(&ask, &search))
        section.card.long data-part="records" {
            header {
                h2 { @if search.house { "The book of the house" } @else { "Records" } }
                @if !search.house && ask.may(Right::Administer) {
                    a.push href=(format!("/audit/export{}", search.link("", ""))) download { "Download JSON lines" }
                }
            }
            @if found.records.is_empty() { (nothing(&ask, &search, found.earlier.is_some())) } @else { (rows::table(&ask, &found.records)) }
            (parts::pager(found.later, found.earlier))
        }
    };
    let page = Page::new("Audit", Nav::Audit, body);
    // A page of the past stays what it is.
    let page = if search.query.before == 0 && search.query.after == 0 { page.hears(Hears::All) } else { page };
    page.answer(&ask).await
}

/// The records of a search. What no index leads to is looked for among the nearest, and the page leads on.
async fn find(ask: &Ask, search: &Search) -> Result<Found, Wrong> {
    let mut query = search.query.clone();
    let forward = query.after > 0;
    query.limit = PAGE_ROWS;
    query.latest_first = !forward;
    let (mut records, next) = if search.house {
        let records = ask.engine.house_page(query.clone()).await?;
        let next = records.last().filter(|_| records.len() == PAGE_ROWS).map(|last| last.position);
        (records, next)
    } else {
        ask.engine.audit_page(query.clone(), AUDIT_LOOK_RECORDS).await?
    };
    if forward {
        records.reverse();
    }
    let (first, last) = (records.first().map(|one| one.position), records.last().map(|one| one.position));
    let link = |name, place: Option<u64>| place.map(|place| search.link(name, &place.to_string()));
    let (later, earlier) = if forward {
        (link("after", next), link("before", last.or(Some(query.after.saturating_add(1)))))
    } else {
        let began = (query.before > 0).then(|| first.unwrap_or(query.before - 1));
        (link("after", began), link("before", next))
    };
    Ok(Found { records, later, earlier })
}

/// The two books that whoever runs the house can read.
fn books(house: bool) -> Markup {
    html! {
        nav.books aria-label="Books" {
            a href="/audit" aria-current=[(!house).then_some("page")] { "Sessions" }
            a href="/audit?book=house" aria-current=[house.then_some("page")] { "The house" }
        }
    }
}

fn nothing(ask: &Ask, search: &Search, more: bool) -> Markup {
    html! {
        @if more {
            p.soft { "None among the " (parts::number(AUDIT_LOOK_RECORDS)) " records that were looked at. Look further by “Earlier”." }
        } @else if search.is_empty() {
            (parts::empty(
                "Nothing is recorded yet",
                "Every step of every handoff is written here before it counts, each record chained to the one before by its hash. \
                 To see some:",
                Some(&super::overview::begin(ask)),
            ))
        } @else {
            (parts::empty("No records fit", "Leave something out, or look at another time.", None))
        }
    }
}
