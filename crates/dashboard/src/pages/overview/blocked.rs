//! What is blocked, and on whom.

use super::Open;
use crate::{ask::Ask, parts};
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
    until: Option<Timestamp>,
    href: String,
}

fn agent_of(ask: &Ask, id: &AgentId) -> Option<Agent> {
    ask.engine.agent(id).ok()
}

fn is_person(ask: &Ask, id: &AgentId) -> bool {
    agent_of(ask, id).is_some_and(|agent| agent.profile.kind == AgentKind::Human)
}

/// How much waits for people: a yes, an answer, work that is theirs.
pub(super) fn for_people(ask: &Ask, open: &Open) -> usize {
    let questions = open.deferred.iter().filter(|handoff| handoff.open_question().is_some()).count();
    let tasks = open.offered.iter().chain(&open.running).filter(|handoff| is_person(ask, &handoff.to_agent)).count();
    open.approvals.len() + questions + tasks
}

/// Everything that is blocked; what waits for people first.
pub(super) fn list(ask: &Ask, open: &Open) -> Vec<Blocked> {
    let mut all: Vec<Blocked> = open.approvals.iter().map(approval).collect();
    all.extend(open.deferred.iter().filter_map(question));
    let theirs = open.offered.iter().chain(&open.running).filter(|handoff| is_person(ask, &handoff.to_agent));
    all.extend(theirs.map(task));
    all.extend(breakers(ask));
    all.extend(stops(ask));
    all.extend(open.offered.iter().filter_map(|handoff| offer(ask, handoff)));
    all.extend(open.deferred.iter().filter(|handoff| handoff.open_question().is_none()).map(put_off));
    all
}

fn of(handoff: &Handoff, tone: &'static str, badge: &'static str, on: Markup, why: &str) -> Blocked {
    let task = parts::quoted(&handoff.request.task.description, 70);
    Blocked {
        key: handoff.id.to_string(),
        tone,
        badge,
        on,
        what: html! { (why) (task) },
        until: handoff.due(),
        href: parts::handoff_url(handoff.id),
    }
}

fn approval(handoff: &Handoff) -> Blocked {
    let asked = handoff.approval.as_ref().and_then(|approval| approval.approver.clone());
    let on = html! { @match asked { Some(name) => strong { (name) }, None => strong { "anybody but " (handoff.request.from_agent) } } };
    Blocked { href: "/approvals".into(), ..of(handoff, "wait", "approval", on, "has to say yes: ") }
}

fn question(handoff: &Handoff) -> Option<Blocked> {
    let asked = handoff.open_question()?;
    let on = parts::agent(&handoff.request.from_agent);
    let what = html! { "has to answer " (handoff.to_agent) ": " (parts::quoted(&asked.question, 70)) };
    Some(Blocked { href: "/inbox".into(), what, ..of(handoff, "wait", "question", on, "") })
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
        until: breaker.open_until.filter(|_| breaker.state == BreakerState::Open),
        href: parts::agent_url(&agent),
    });
    row.collect()
}

/// Workflows that stopped within the last hour.
fn stops(ask: &Ask) -> Vec<Blocked> {
    let caller = ask.engine.caller();
    if caller.is_restricted() {
        return Vec::new();
    }
    let since = Timestamp(ask.now.0.saturating_sub(60 * 60 * 1_000));
    let stops = ask.house.pulse.look(&caller.tenant, |tenant, _, _| tenant.stops(since));
    let row = stops.into_iter().map(|stop| Blocked {
        key: format!("stop-{}-{}", stop.session, stop.at.0),
        tone: "bad",
        badge: "stopped",
        on: parts::session(&stop.session),
        what: html! { (parts::quoted(&stop.why, 90)) " " (parts::ago(stop.at, ask.now)) },
        until: None,
        href: parts::session_url(&stop.session),
    });
    row.collect()
}

pub(super) fn card(ask: &Ask, blocked: &[Blocked]) -> Markup {
    html! {
        section.card id="blocked" data-part="blocked" {
            header { h2 { "Blocked, and on whom" } @if !blocked.is_empty() { (parts::badge("wait", &parts::up_to(blocked.len()))) } }
            @if blocked.is_empty() {
                p.soft { "Nothing is blocked." }
            } @else {
                ul.lines { @for row in blocked.iter().take(OVERVIEW_ROWS) { (line(ask, row)) } }
                @if blocked.len() > OVERVIEW_ROWS {
                    p.more { "and " (parts::up_to(blocked.len() - OVERVIEW_ROWS)) " more: " a href="/approvals" { "approvals" } ", " a href="/inbox" { "inbox" } ", " a href="/team" { "team" } }
                }
            }
        }
    }
}

fn line(ask: &Ask, row: &Blocked) -> Markup {
    html! {
        li data-key=(row.key) {
            div { (parts::badge(row.tone, row.badge)) " " (row.on) " " span.soft { (row.what) } }
            span.when {
                a href=(row.href) { "Look" span.unseen { " at this " (row.badge) } }
                @if let Some(until) = row.until { small.soft { (parts::until(until, ask.now)) } }
            }
        }
    }
}
