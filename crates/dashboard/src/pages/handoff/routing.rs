//! How the target was found: by which strategy, among whom, with which scores.

use crate::parts;
use handover_core::{
    event::{Event, Routed},
    limits::PAGE_ROWS,
    record::Record,
};
use maud::{Markup, html};

pub(super) fn card(records: &[Record]) -> Markup {
    let found = records.iter().filter_map(|record| match &record.event {
        Event::Initiated { routing, .. } | Event::Rerouted { routing, .. } => routing.as_deref(),
        _ => None,
    });
    let found: Vec<&Routed> = found.collect();
    html! {
        @if !found.is_empty() {
            section.card.long data-part="routing" {
                h2 { "Routing" }
                @for routed in found.iter().take(PAGE_ROWS) { (decision(routed)) }
            }
        }
    }
}

fn decision(routed: &Routed) -> Markup {
    html! {
        p {
            @match &routed.agent { Some(agent) => (parts::agent(agent)), None => "nobody" }
            " by " strong { (routed.strategy.word()) }
            @if !routed.by.is_empty() { span.soft { " (" (parts::quoted(&routed.by, 80)) ")" } }
            @if let Some(arm) = &routed.experiment {
                " · experiment " a href="/experiments" { (arm.experiment) } ", arm " (arm.arm)
            }
            @if let Some(shadow) = &routed.shadow { " · the other strategy would take " (parts::agent(shadow)) }
        }
        @if !routed.note.is_empty() { p.soft { (routed.note) } }
        @if !routed.candidates.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Candidates" {
                table {
                    thead { tr { th { "Candidate" } th.number { "Score" } th { "Why" } } }
                    tbody {
                        @for candidate in routed.candidates.iter().take(PAGE_ROWS) {
                            tr {
                                td { (parts::agent(&candidate.agent)) @if routed.agent.as_ref() == Some(&candidate.agent) { " " (parts::badge("good", "chosen")) } }
                                td.number { (format!("{:.2}", candidate.score)) }
                                td.small {
                                    @if candidate.excluded.is_empty() { (candidate.why) }
                                    @else { span.withheld { "left out: " (candidate.excluded) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
