//! A timeline with a lane for each agent: when each was asked, when it worked, and how it ended.

use crate::{ask::Ask, parts};
use handover_core::{handoff::Handoff, time::Timestamp};
use maud::{Markup, html};

const WIDE: u64 = 720;
/// Where lanes begin: the names are before it.
const LEFT: u64 = 132;
const LANE: u64 = 30;
const HEAD: u64 = 24;
/// Lanes of one drawing; a session with more agents shows those of its latest handoffs.
const LANES: usize = 24;

struct Scale {
    from: Timestamp,
    ms: u64,
}

impl Scale {
    fn x(&self, at: Timestamp) -> u64 {
        LEFT + at.since(self.from).min(self.ms) * (WIDE - LEFT - 12) / self.ms
    }
}

pub(super) fn card(ask: &Ask, handoffs: &[Handoff]) -> Markup {
    let Some(first) = handoffs.first() else { return html! {} };
    let end = |handoff: &Handoff| handoff.closed_at.unwrap_or(ask.now);
    let to = handoffs.iter().map(end).max().unwrap_or(ask.now);
    let scale = Scale { from: first.opened_at, ms: to.since(first.opened_at).max(1) };
    let mut lanes: Vec<&str> = Vec::new();
    for handoff in handoffs.iter().rev() {
        for name in [handoff.to_agent.as_str(), handoff.request.from_agent.as_str()] {
            if !lanes.contains(&name) && lanes.len() < LANES {
                lanes.push(name);
            }
        }
    }
    lanes.reverse();
    let high = HEAD + lanes.len() as u64 * LANE + 8;
    let lane_of = |name: &str| lanes.iter().position(|lane| *lane == name).map(|at| HEAD + at as u64 * LANE);
    html! {
        section.card data-part="lanes" {
            header { h2 { "Timeline" } span.soft { "over " (parts::length(scale.ms)) } }
            div.lanes tabindex="0" role="region" aria-label="Timeline" {
                svg viewBox=(format!("0 0 {WIDE} {high}")) role="group" aria-label="A lane for each agent, from left to right" {
                    @for (at, name) in lanes.iter().enumerate() {
                        @let y = HEAD + at as u64 * LANE + LANE / 2;
                        line.lane x1=(LEFT) x2=(WIDE) y1=(y) y2=(y) {}
                        text x=(LEFT - 10) y=(y + 4) text-anchor="end" { (name.chars().take(20).collect::<String>()) }
                    }
                    @for part in 0..=4_u64 {
                        @let x = LEFT + part * (WIDE - LEFT - 12) / 4;
                        text x=(x) y="12" text-anchor=(if part == 0 { "start" } else if part == 4 { "end" } else { "middle" }) {
                            (if part == 0 { "0".to_owned() } else { parts::length(scale.ms * part / 4) })
                        }
                    }
                    @for handoff in handoffs {
                        @if let (Some(source), Some(target)) = (lane_of(handoff.request.from_agent.as_str()), lane_of(handoff.to_agent.as_str())) {
                            (span(handoff, &scale, source, target, end(handoff)))
                        }
                    }
                }
            }
        }
    }
}

/// From the lane of the source down or up to that of the target: dashed while it waits, filled while somebody works.
fn span(handoff: &Handoff, scale: &Scale, source: u64, target: u64, end: Timestamp) -> Markup {
    let (asked, over) = (scale.x(handoff.opened_at), scale.x(end));
    let taken = handoff.accepted_at.map(|at| scale.x(at));
    let (top, middle) = (target + 7, source + LANE / 2);
    let words = format!(
        "#{} {} to {}: {}, {}",
        handoff.n,
        handoff.request.from_agent,
        handoff.to_agent,
        parts::status_words(handoff.status()),
        parts::length(end.since(handoff.opened_at))
    );
    html! {
        a href=(parts::handoff_url(handoff.id)) class=(parts::tone(handoff.status())) aria-label=(words) {
            title { (words) }
            path.pass d=(format!("M{asked} {middle}V{}", target + LANE / 2)) {}
            @let wait = taken.unwrap_or(over);
            @if wait > asked { rect.queue x=(asked) y=(top) width=(wait - asked) height="16" rx="4" {} }
            @if let Some(taken) = taken { rect.span x=(taken) y=(top) width=(over.saturating_sub(taken).max(3)) height="16" rx="4" {} }
        }
    }
}
