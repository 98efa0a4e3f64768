//! What is blocked, and on whom.

use super::Open;
use crate::{
    ask::Ask,
    parts,
    people::{self, Awaits, Count, Found},
};
use handover_core::{
    agent::{Agent, AgentKind, Standing},
    guard::breaker::BreakerState,
    handoff::{Handoff, Phase},
    ids::AgentId,
    limits::{OFFER_LATE_MS, OVERVIEW_ROWS},
    time::Timestamp,
};
use maud::{Markup, html};

/// One thing that does not go on by itself.
pub(super) struct Blocked {
    key: String,
    tone: &'static str,
    badge: &'static str,
    /// On whom.
    on: Markup,
    what: Markup,
    /// In which session, and from whom.
    place: Markup,
    until: Option<Timestamp>,
    href: String,
}

fn agent_of(ask: &Ask, id: &AgentId) -> Option<Agent> {
    ask.engine.agent(id).ok()
}

/// Everything that is blocked, as far as was looked; what waits for people first.
pub(super) async fn list(ask: &Ask, open: &Open) -> Found<Blocked> {
    let for_person = |handoff: &Handoff| {
        people::awaits(&ask.engine, handoff).and_then(|awaits| match awaits {
            Awaits::Word => Some(approval(handoff)),
            Awaits::Answer => question(handoff, "wait"),
            Awaits::Work => Some(task(handoff)),
        })
    };
    let waiting = open.for_people(&ask.engine);
    let mut rows: Vec<Blocked> = waiting.rows.into_iter().filter_map(for_person).collect();
    rows.extend(breakers(ask));
    rows.extend(stops(ask).await);
    rows.extend(open.offered.rows.iter().filter_map(|handoff| offer(ask, handoff)));
    let others = open.put_off.rows.iter().filter(|handoff| people::awaits(&ask.engine, handoff).is_none());
    rows.extend(others.map(|handoff| question(handoff, "idle").unwrap_or_else(|| put_off(handoff))));
    Found { rows, more: waiting.more || open.offered.more }
}

fn of(handoff: &Handoff, tone: &'static str, badge: &'static str, on: Markup, why: &str) -> Blocked {
    let task = parts::quoted(&handoff.request.task.description, 70);
    // Several wait for the same: what the user wants tells them apart.
    let (from, wanted) = (&handoff.request.from_agent, &handoff.request.original_request);
    Blocked {
        key: handoff.id.to_string(),
        tone,
        badge,
        on,
        what: html! { (why) (task) },
        place: html! {
            "#" (handoff.n) " of " (parts::session(&handoff.session_id)) ", from " (parts::agent(from))
            @if *wanted != handoff.request.task.description { ": " (parts::quoted(wanted, 60)) }
        },
        until: handoff.due(),
        href: parts::handoff_url(handoff.id),
    }
}

fn approval(handoff: &Handoff) -> Blocked {
    let asked = handoff.approval.as_ref().and_then(|approval| approval.approver.clone());
    let on = html! { @match asked { Some(name) => strong { (name) }, None => strong { "anybody but " (handoff.request.from_agent) } } };
    let href = format!("/approvals#{}", handoff.id);
    Blocked { href, ..of(handoff, "wait", "approval", on, "has to say yes: ") }
}

fn question(handoff: &Handoff, tone: &'static str) -> Option<Blocked> {
    let asked = handoff.open_question()?;
    let on = parts::agent(&handoff.request.from_agent);
    let what = html! { "has to answer " (handoff.to_agent) ": " (parts::quoted(&asked.question, 70)) };
    Some(Blocked { href: "/inbox".into(), what, ..of(handoff, tone, "question", on, "") })
}

fn task(handoff: &Handoff) -> Blocked {
    let verb = if handoff.lease().is_some() { "works on: " } else { "has to take: " };
    let href = format!("/inbox?as={}", parts::encoded(handoff.to_agent.as_str()));
    Blocked { href, ..of(handoff, "wait", "person", parts::agent(&handoff.to_agent), verb) }
}

/// An offer to somebody who cannot take it, or has not for long.
fn offer(ask: &Ask, handoff: &Handoff) -> Option<Blocked> {
    let Phase::Offered { since, .. } = &handoff.phase else { return None };
    let agent = agent_of(ask, &handoff.to_agent);
    let why = match agent.as_ref() {
        Some(agent) if agent.profile.kind == AgentKind::Human => return None,
        None => "is not registered any more: ",
        Some(agent) if agent.standing == Standing::Unavailable => "is away: ",
        Some(agent) if agent.standing == Standing::Draining => "takes nothing new: ",
        Some(_) if ask.now.since(*since) < OFFER_LATE_MS => return None,
        Some(agent) if !agent.has_room() => "has its hands full: ",
        Some(_) => "did not take: ",
    };
    Some(of(handoff, "idle", "offer", parts::agent(&handoff.to_agent), why))
}

fn put_off(handoff: &Handoff) -> Blocked {
    let why = if handoff.held_up > 0 { "can take nothing now: " } else { "gets later: " };
    of(handoff, "idle", "later", parts::agent(&handoff.to_agent), why)
}

fn breakers(ask: &Ask) -> Vec<Blocked> {
    let open = ask.engine.breakers().into_iter().filter(|(_, breaker)| breaker.state != BreakerState::Closed);
    let row = open.map(|(agent, breaker)| Blocked {
        key: format!("breaker-{agent}"),
        tone: "bad",
        badge: "breaker",
        on: parts::agent(&agent),
        what: match breaker.state {
            BreakerState::HalfOpen => html! { "failed " (breaker.failures) " times; the next handoff tries it" },
            BreakerState::Open | BreakerState::Closed => {
                html! { "is left alone after " (breaker.failures) " failures" }
            }
        },
        place: html! {},
        until: breaker.open_until.filter(|_| breaker.state == BreakerState::Open),
        href: parts::agent_url(&agent),
    });
    row.collect()
}

/// Workflows that stopped and did not go on since: each session says what is the matter with it now.
async fn stops(ask: &Ask) -> Vec<Blocked> {
    let caller = ask.engine.caller();
    if caller.is_restricted() {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for stop in ask.house.pulse.look(&caller.tenant, |tenant, _, _| tenant.stops()) {
        let Ok(session) = ask.engine.session(&stop.session).await else { continue };
        let trouble = session.flow.as_ref().map_or("", |flow| flow.trouble.as_str());
        if !trouble.is_empty() {
            rows.push(Blocked {
                key: format!("stop-{}-{}", stop.session, stop.at.0),
                tone: "bad",
                badge: "stopped",
                on: parts::session(&stop.session),
                what: html! { (parts::quoted(trouble, 90)) " " (parts::ago(stop.at, ask.now)) },
                place: html! {},
                until: None,
                href: parts::session_url(&stop.session),
            });
        }
    }
    rows
}

pub(super) fn card(ask: &Ask, blocked: &Found<Blocked>) -> Markup {
    let (all, rows) = (blocked.count(), &blocked.rows);
    let behind = Count { found: rows.len().saturating_sub(OVERVIEW_ROWS), ..all };
    html! {
        section.card id="blocked" data-part="blocked" {
            header { h2 { "Blocked, and on whom" } @if !rows.is_empty() { (parts::badge("wait", &parts::at_least(all))) } }
            @if rows.is_empty() {
                p.soft { "Nothing is blocked." }
            } @else {
                ul.lines { @for row in rows.iter().take(OVERVIEW_ROWS) { (line(ask, row)) } }
                @if behind.found > 0 {
                    p.more { "and " (parts::at_least(behind)) " more: " a href="/approvals" { "approvals" } ", " a href="/inbox" { "inbox" } ", " a href="/team" { "team" } }
                }
            }
        }
    }
}

fn line(ask: &Ask, row: &Blocked) -> Markup {
    html! {
        li data-key=(row.key) {
            div {
                (parts::badge(row.tone, row.badge)) " " (row.on) " " span.soft { (row.what) }
                @if !row.place.0.is_empty() { p.soft.small { (row.place) } }
            }
            span.when {
                a href=(row.href) { "Look" span.unseen { " at this " (row.badge) } }
                @if let Some(until) = row.until { small.soft { (parts::until(until, ask.now)) } }
            }
        }
    }
}
