//! What was decided lately, from the pulse.

use crate::{ask::Ask, parts, pulse::Decided};
use handover_core::limits::PAGE_DECIDED;
use maud::{Markup, html};

/// The latest decisions that exist for whoever asks, as far as the pulse goes back.
pub(super) async fn decided(ask: &Ask) -> Vec<Decided> {
    ask.house.pulse.nears(&ask.engine, ask.position).await;
    let caller = ask.engine.caller();
    let all: Vec<Decided> = ask.house.pulse.look(&caller.tenant, |tenant, _, _| tenant.decisions().cloned().collect());
    let mut found = Vec::new();
    for one in all {
        if found.len() == PAGE_DECIDED {
            break;
        }
        if !caller.is_restricted() || ask.engine.handoff(one.handoff).await.is_ok() {
            found.push(one);
        }
    }
    found
}

pub(super) fn section(ask: &Ask, decided: &[Decided]) -> Markup {
    html! {
        section.card data-part="decided" {
            h2 { "Decided lately" }
            @if decided.is_empty() {
                p.soft { "Nothing was decided in the latest records." }
            } @else {
                table.rows {
                    thead { tr { th { "Decision" } th { "What" } th { "By" } th { "Comment" } th { "When" } } }
                    tbody { @for one in decided { (row(ask, one)) } }
                }
            }
        }
    }
}

/// Whether whoever decided gave their own name: a record names the caller with its key.
fn is_own(one: &Decided) -> bool {
    one.caller.strip_prefix(one.by.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

fn row(ask: &Ask, one: &Decided) -> Markup {
    html! {
        tr data-key=(one.position) {
            td { @if one.granted { (parts::badge("good", "approved")) } @else { (parts::badge("bad", "rejected")) } }
            td {
                a href=(parts::handoff_url(one.handoff)) {
                    @match &one.between {
                        Some((from, to)) => { (from) " → " (to) }
                        None => { (parts::short(one.handoff)) }
                    }
                }
                " in " (parts::session(&one.session))
            }
            td {
                (one.by)
                @if !is_own(one) { " " small.soft { "through " (one.caller) } }
            }
            td.wide { (parts::quoted(&one.comment, 120)) }
            td { (parts::ago(one.at, ask.now)) }
        }
    }
}
