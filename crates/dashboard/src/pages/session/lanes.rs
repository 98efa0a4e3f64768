//! A timeline with a lane for each agent: when each was asked, when it worked, and how it ended.

use super::scale::{self, Scale};
use crate::{ask::Ask, parts};
use handover_core::{handoff::Handoff, session::Session, time::Timestamp};
use maud::{Markup, html};
use std::collections::BTreeSet;

const WIDE: u64 = 720;
/// Room for the names.
const NAMES: u64 = 140;
/// Where lanes begin: half of the first words on the scale stand before it.
const LEFT: u64 = 156;
/// Room for the half of the last words on the scale.
const RIGHT: u64 = 36;
const LANE: u64 = 30;
const HEAD: u64 = 24;
/// Lanes of one drawing; a session with more agents shows those of its latest handoffs.
const LANES: usize = 24;

/// Where a time is in the drawing.
struct Places {
    from: Timestamp,
    scale: Scale,
}

impl Places {
    fn x(&self, at: Timestamp) -> u64 {
        LEFT + self.scale.x(at.since(self.from))
    }
}

pub(super) fn card(ask: &Ask, session: &Session, handoffs: &[Handoff]) -> Markup {
    let Some(first) = handoffs.first() else { return html! {} };
    let end = |handoff: &Handoff| handoff.closed_at.unwrap_or(ask.now);
    let to = handoffs.iter().map(end).max().unwrap_or(ask.now);
    let (from, ms) = (first.opened_at, to.since(first.opened_at));
    let worked = |handoff: &Handoff| Some((handoff.accepted_at?.since(from), end(handoff).since(from)));
    let work: Vec<(u64, u64)> = handoffs.iter().filter_map(worked).collect();
    let places = Places { from, scale: Scale::new(ms, WIDE - LEFT - RIGHT, &work) };
    let mut lanes: Vec<&str> = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for handoff in handoffs.iter().rev() {
        for name in [handoff.to_agent.as_str(), handoff.request.from_agent.as_str()] {
            if names.insert(name) && lanes.len() < LANES {
                lanes.push(name);
            }
        }
    }
    lanes.reverse();
    let cut = cut(handoffs.len(), session.handoffs, names.len());
    let high = HEAD + lanes.len() as u64 * LANE + 8;
    let lane_of = |name: &str| lanes.iter().position(|lane| *lane == name).map(|at| HEAD + at as u64 * LANE);
    html! {
        section.card data-part="lanes" {
            header { h2 { "Timeline" } span.soft { "over " (parts::length(ms)) (cut) } }
            p.sideways { "The timeline is wider than the window: move it sideways." }
            div.lanes tabindex="0" role="region" aria-label="Timeline" {
                // Names stay where they are while the rest is moved.
                svg.names viewBox=(format!("0 0 {NAMES} {high}")) role="group" aria-label="The agents of the lanes" {
                    @for (at, name) in lanes.iter().enumerate() {
                        @let y = HEAD + at as u64 * LANE + LANE / 2;
                        text x=(NAMES - 2) y=(y + 4) text-anchor="end" { (name.chars().take(20).collect::<String>()) }
                    }
                }
                svg.spans viewBox=(format!("{NAMES} 0 {} {high}", WIDE - NAMES)) role="group" aria-label="A lane for each agent, from left to right" {
                    @for at in 0..lanes.len() {
                        @let y = HEAD + at as u64 * LANE + LANE / 2;
                        line.lane x1=(LEFT) x2=(WIDE) y1=(y) y2=(y) {}
                    }
                    @for (x, words) in places.scale.marks() { text x=(LEFT + x) y="12" text-anchor="middle" { (words) } }
                    @for (x, long) in places.scale.folds() { (fold(LEFT + x, long, high)) }
                    @for handoff in handoffs {
                        @if let (Some(source), Some(target)) = (lane_of(handoff.request.from_agent.as_str()), lane_of(handoff.to_agent.as_str())) {
                            (span(handoff, &places, source, target, end(handoff)))
                        }
                    }
                }
            }
        }
    }
}

/// What of a session the drawing has no room for.
fn cut(shown: usize, all: u64, names: usize) -> String {
    let handoffs = u64::try_from(shown).is_ok_and(|shown| shown < all);
    let handoffs = handoffs.then(|| format!(", of the latest {shown} of {} handoffs", parts::number(all)));
    let lanes = (names > LANES).then(|| format!(", with {LANES} of {names} agents, those who worked last"));
    [handoffs, lanes].into_iter().flatten().collect()
}

/// A stretch in which nobody worked, with how long it was.
fn fold(x: u64, long: u64, high: u64) -> Markup {
    let about = scale::about(long);
    html! {
        g.fold {
            title { "Nobody worked for " (about) }
            rect.gap x=(x) y=(HEAD - 6) width=(scale::FOLD_WIDE) height=(high - HEAD + 6) {}
            line.gap-edge x1=(x) x2=(x) y1=(HEAD - 6) y2=(high) {}
            line.gap-edge x1=(x + scale::FOLD_WIDE) x2=(x + scale::FOLD_WIDE) y1=(HEAD - 6) y2=(high) {}
            text x=(x + scale::FOLD_WIDE / 2) y="12" text-anchor="middle" { "⋯ " (about) " ⋯" }
        }
    }
}

/// From the lane of the source down or up to that of the target: dashed while it waits, filled while somebody works.
fn span(handoff: &Handoff, places: &Places, source: u64, target: u64, end: Timestamp) -> Markup {
    let (asked, over) = (places.x(handoff.opened_at), places.x(end));
    let taken = handoff.accepted_at.map(|at| places.x(at));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said() {
        for (shown, all, names, expected) in [
            (3, 3, 4, ""),
            (100, 1_200, 4, ", of the latest 100 of 1,200 handoffs"),
            (30, 30, 31, ", with 24 of 31 agents, those who worked last"),
        ] {
            assert_eq!(cut(shown, all, names), expected);
        }
    }
}
