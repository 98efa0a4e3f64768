//! What guards did: breakers that opened, and handoffs that would have gone in a circle or waited for each other.

use crate::{ask::Ask, parts};
use handover_core::{
    guard::breaker::BreakerState,
    ids::AgentId,
    limits::{OVERVIEW_ROWS, PULSE_TURN_MS},
    refusal::Code,
    time::Timestamp,
};
use handover_engine::BreakerView;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// What would never have ended, or nobody could have ended.
const PREVENTED: [(&[Code], &str); 4] = [
    (
        &[Code::WaitsForYou, Code::Circle],
        "deadlocks and circles: the target waited for this very work, or it came back unchanged",
    ),
    (&[Code::Repetition], "repetitions: the same was handed over again"),
    (&[Code::ChainTooLong], "chains that were too long"),
    (&[Code::TooFast], "pairs that handed over too often"),
];

/// Who is left alone, and who was.
pub(super) fn breakers(ask: &Ask) -> Markup {
    let tenant = &ask.engine.caller().tenant;
    let opened = ask.house.pulse.look(tenant, |_, _, counted| counted.breakers.all(ask.now));
    let opened: BTreeMap<AgentId, u64> =
        opened.into_iter().filter(|(agent, _)| ask.engine.agent(agent).is_ok()).collect();
    let now: BTreeMap<AgentId, BreakerView> = ask.engine.breakers().into_iter().collect();
    let names: Vec<&AgentId> = now.keys().chain(opened.keys().filter(|agent| !now.contains_key(*agent))).collect();
    html! {
        section.card data-part="breakers" {
            header { h2 { "Breakers" } span.soft.small.push { "opened lately: " (opened.values().sum::<u64>()) } }
            @if names.is_empty() {
                p.soft { "All closed. An agent that fails several times in a row is left alone for a while; it shows here." }
            } @else {
                table.rows {
                    thead { tr { th { "Agent" } th { "Now" } th.number { "Failures in a row" } th.number { "Opened" } } }
                    tbody {
                        @for agent in names.into_iter().take(OVERVIEW_ROWS) { (breaker(ask, agent, now.get(agent), opened.get(agent).copied().unwrap_or(0))) }
                    }
                }
            }
        }
    }
}

fn breaker(ask: &Ask, agent: &AgentId, now: Option<&BreakerView>, opened: u64) -> Markup {
    html! {
        tr {
            td { (parts::agent(agent)) }
            td { (state(now)) @if let Some(until) = now.and_then(|now| now.open_until).filter(|until| *until > ask.now) { " " small.soft { (parts::until(until, ask.now)) } } }
            td.number data-name="failures" { (now.map_or(0, |now| now.failures)) }
            td.number data-name="opened" { (opened) }
        }
    }
}

/// Where a breaker stands.
pub(crate) fn state(now: Option<&BreakerView>) -> Markup {
    match now.map_or(BreakerState::Closed, |now| now.state) {
        BreakerState::Closed => parts::badge("good", "closed"),
        BreakerState::Open => parts::badge("bad", "open"),
        BreakerState::HalfOpen => parts::badge("wait", "half open"),
    }
}

/// What guards stopped, counted twice: what is on the record of this tenant's sessions, and, for the house, what was refused to
/// all tenants together. Each is counted since another time.
pub(super) fn prevented(ask: &Ask) -> Markup {
    let caller = ask.engine.caller();
    let (recorded, since) =
        ask.house.pulse.look(&caller.tenant, |tenant, since, _| (tenant.guarded.all(ask.now), since));
    let refused = caller.house.then(|| ask.engine.counted().refusals);
    let sum = |counted: &BTreeMap<Code, u64>, codes: &[Code]| -> u64 {
        codes.iter().map(|code| counted.get(code).copied().unwrap_or(0)).sum()
    };
    let counts = |codes: &[Code]| (sum(&recorded, codes), refused.as_ref().map(|refused| sum(refused, codes)));
    let rows: Vec<_> = PREVENTED.iter().map(|(codes, words)| (*words, *codes, counts(codes))).collect();
    let rows: Vec<_> = rows.into_iter().filter(|(.., (here, all))| here + all.unwrap_or(0) > 0).collect();
    html! {
        section.card data-part="prevented" {
            header { h2 { "Stopped by guards" } }
            @if rows.is_empty() {
                p.soft { "Nothing. Work that would wait for itself or go in a circle is refused before it begins, and counted here." }
            } @else {
                table.rows {
                    thead { tr { th.number { "On record" } @if refused.is_some() { th.number { "Refused" } } th { "What" } th { "Code" } } }
                    tbody { @for (words, codes, counts) in rows { (stopped(words, codes, counts)) } }
                }
            }
            p.soft.small { "On record: in your sessions, since " (begun(ask, since)) "." }
            @if refused.is_some() { p.soft.small { "Refused: in the whole house, since the server began " (parts::ago(ask.house.begun, ask.now)) "." } }
        }
    }
}

fn stopped(words: &str, codes: &[Code], (here, all): (u64, Option<u64>)) -> Markup {
    html! {
        tr {
            td.number data-name="on record" { (here) }
            @if let Some(all) = all { td.number data-name="refused" { (all) } }
            td.wide { (words) }
            td { @for code in codes { code { (code.text()) } " " } }
        }
    }
}

/// Since when what is on record was counted: it is forgotten after two turns.
fn begun(ask: &Ask, since: Option<Timestamp>) -> Markup {
    let kept = Timestamp(ask.now.0.saturating_sub(i64::try_from(2 * PULSE_TURN_MS).unwrap_or(i64::MAX)));
    match since {
        Some(since) => parts::ago(since.max(kept), ask.now),
        None => html! { "the server began" },
    }
}
