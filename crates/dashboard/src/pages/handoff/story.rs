//! The story of a handoff: the ten steps, as far as it has come.

use crate::{ask::Ask, parts};
use handover_core::{
    handoff::Handoff,
    limits::{PAGE_RECORDS, PAGE_ROWS},
    record::Record,
};
use handover_engine::{StoryStep, tell};
use maud::{Markup, html};

/// Steps that stand for the same are told once, with how often.
fn told(records: &[Record]) -> Vec<(StoryStep, usize)> {
    let mut steps: Vec<(StoryStep, usize)> = Vec::new();
    for step in records.iter().flat_map(tell) {
        match steps.last_mut() {
            Some((last, times)) if last.what == step.what && last.name == step.name => *times += 1,
            _ => steps.push((step, 1)),
        }
    }
    steps
}

pub(super) fn card(ask: &Ask, handoff: &Handoff, records: &[Record]) -> Markup {
    let steps = told(records);
    let hidden = steps.len().saturating_sub(PAGE_ROWS * 2);
    let first = steps.len().min(PAGE_ROWS);
    html! {
        section.card.long data-part="story" {
            header {
                h2 { "Story" }
                a.push href=(format!("/audit?handoff={}", handoff.id)) { "All records" }
            }
            @if records.len() >= 2 * PAGE_RECORDS {
                p.soft { "Its first and its last " (PAGE_RECORDS) " records are told here. What is between them is in the audit trail." }
            }
            ol.story {
                @for (step, times) in &steps[..first] { (line(ask, handoff, step, *times)) }
                @if hidden > 0 { li { span {} span {} span.soft { (hidden) " more steps are in the audit trail" } } }
                @for (step, times) in &steps[(first + hidden).min(steps.len())..] { (line(ask, handoff, step, *times)) }
            }
        }
    }
}

/// What happened. The time that a sentence names is said as whoever looks has it.
fn words(ask: &Ask, step: &StoryStep) -> Markup {
    let text = step.in_words();
    let Some((at, (before, after))) = step.until.and_then(|at| Some((at, text.split_once(&at.to_string())?))) else {
        return parts::fold(&text);
    };
    html! { (before) (parts::clock(at, ask.now)) (parts::fold(after)) }
}

fn line(ask: &Ask, handoff: &Handoff, step: &StoryStep, times: usize) -> Markup {
    html! {
        li data-key=(format!("step {} {} {}", step.number, step.at.0, step.what.len())) {
            span.n aria-label=(format!("step {} of 10", step.number)) role="img" { (step.number) }
            span.name { (step.name) }
            span.what { (words(ask, step)) @if times > 1 { span.soft { " (" (times) " times)" } } }
            span.after title=(step.at.to_string()) { "+" (parts::length(step.at.since(handoff.opened_at))) }
        }
    }
}
