//! What is blocked, and on whom.

use super::Open;
use crate::{
    ask::Ask,
    parts,
    people::{self, Count, Found, ToLook},
};
use handover_core::{
    agent::{Agent, AgentKind, Standing},
    guard::breaker::BreakerState,
    handoff::{Handoff, Phase},
    ids::AgentId,
    limits::{OFFER_LATE_MS, OVERVIEW_ROWS, PAGE_ROWS},
    refusal::HandoffError,
    time::Timestamp,
};
use maud::{Markup, html};

/// One thing that does not go on by itself.
pub(super) struct Blocked {
    key: String,
    /// Whether a person has to do something.
    person: bool,
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

/// Everything that is blocked, as far as was looked: what went wrong first, then what has the least time left.
pub(super) async fn list(ask: &Ask, open: &Open) -> Result<Found<Blocked>, HandoffError> {
    let engine = &ask.engine;
    let mut rows = breakers(ask);
    rows.extend(stops(ask).await);
    for (n, one) in open.to_look.rows.iter().enumerate() {
        // No more are read than are shown at first.
        let handoff = if n < OVERVIEW_ROWS { engine.handoff(one.handoff).await.ok() } else { None };
        rows.push(to_look(ask, one, handoff.as_ref()));
    }
    let tasks = open.tasks.page(engine, 0, PAGE_ROWS).await?;
    rows.extend(open.approvals.rows.iter().map(approval));
    rows.extend(people::questions(engine, &open.put_off, true).rows.into_iter().filter_map(|one| question(one, true)));
    rows.extend(tasks.iter().map(task));
    rows.extend(open.offered.rows.iter().filter_map(|handoff| offer(ask, handoff)));
    let others = open.put_off.rows.iter().filter(|handoff| people::awaits(engine, handoff).is_none());
    rows.extend(others.map(|handoff| question(handoff, false).unwrap_or_else(|| put_off(handoff))));
    rows.sort_by_key(|row| (row.tone != "bad", row.until.unwrap_or(Timestamp(i64::MAX))));
    Ok(Found { rows, more: open.offered.more || open.put_off.more })
}

/// Work that failed: somebody is asked to look at it, and nothing was done about it since.
fn to_look(ask: &Ask, one: &ToLook, handoff: Option<&Handoff>) -> Blocked {
    let task = handoff.map_or(one.wanted.as_str(), |handoff| &handoff.request.task.description);
    let why = handoff.and_then(|handoff| handoff.result.as_ref()).map_or("", |result| result.notes.as_str());
    Blocked {
        key: format!("look-{}", one.handoff),
        person: true,
        tone: "bad",
        badge: "failed work",
        on: parts::agent(&one.human),
        what: html! { "is asked to look: " (parts::quoted(task, 70)) @if !why.is_empty() { " (" (parts::quoted(why, 60)) ")" } },
        place: html! { (parts::session(&one.session)) ", " (parts::ago(one.at, ask.now)) },
        until: None,
        href: parts::inbox_url(one.handoff),
    }
}

fn of(handoff: &Handoff, tone: &'static str, badge: &'static str, on: Markup, why: &str) -> Blocked {
    let task = parts::quoted(&handoff.request.task.description, 70);
    // Several wait for the same: what the user wants tells them apart.
    let (from, wanted) = (&handoff.request.from_agent, &handoff.request.original_request);
    Blocked {
        key: handoff.id.to_string(),
        person: false,
        tone,
        badge,
        on,
        what: html! { (why) (task) },
        place: html! {
            "#" (handoff.n) " of " (parts::session(&handoff.session_id)) ", from " (parts::agent(from))
            @if *wanted != handoff.request.task.description { ": " (parts::quoted(wanted, 60)) }
        },
        until: handoff.phase.left_until(),
        href: parts::handoff_url(handoff.id),
    }
}

fn approval(handoff: &Handoff) -> Blocked {
    let asked = handoff.approval.as_ref().and_then(|approval| approval.approver.clone());
    let on = html! { @match asked { Some(name) => strong { (name) }, None => strong { "anybody but " (handoff.request.from_agent) } } };
    Blocked {
        person: true,
        href: parts::approval_url(handoff.id),
        ..of(handoff, "wait", "approval", on, "has to say yes: ")
    }
}

fn question(handoff: &Handoff, person: bool) -> Option<Blocked> {
    let asked = handoff.open_question()?;
    let on = parts::agent(&handoff.request.from_agent);
    let what = html! { "has to answer " (handoff.to_agent) ": " (parts::quoted(&asked.question, 70)) };
    let (tone, href) = (if person { "wait" } else { "idle" }, parts::inbox_url(handoff.id));
    Some(Blocked { person, href, what, ..of(handoff, tone, "question", on, "") })
}

fn task(handoff: &Handoff) -> Blocked {
    let verb = if handoff.lease().is_some() { "works on: " } else { "has to take: " };
    Blocked {
        person: true,
        href: parts::inbox_url(handoff.id),
        ..of(handoff, "wait", "person", parts::agent(&handoff.to_agent), verb)
    }
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
        person: false,
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
                person: false,
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

/// `10 on people, 1 other`: the tile above says the first of them, too.
fn counted(blocked: &Found<Blocked>, people: Count) -> String {
    let others = blocked.rows.iter().filter(|row| !row.person).count();
    let others = Count { found: others, more: blocked.more };
    match (people.found, others.found) {
        (_, 0) => format!("{} on people", parts::at_least(people)),
        (0, _) => parts::at_least(others),
        _ => format!("{} on people, {} other", parts::at_least(people), parts::at_least(others)),
    }
}

pub(super) fn card(ask: &Ask, blocked: &Found<Blocked>, people: Count) -> Markup {
    let rows = &blocked.rows;
    let all = ask.query.get("blocked") == "all";
    let shown = if all { PAGE_ROWS } else { OVERVIEW_ROWS };
    let unread = people.found.saturating_sub(rows.iter().filter(|row| row.person).count());
    let behind = Count { found: rows.len().saturating_sub(shown) + unread, more: blocked.more || people.more };
    html! {
        section.card id="blocked" data-part="blocked" {
            header { h2 { "Blocked, and on whom" } @if !rows.is_empty() { (parts::badge("wait", &counted(blocked, people))) } }
            @if rows.is_empty() {
                p.soft { "Nothing is blocked." }
            } @else {
                ul.lines { @for row in rows.iter().take(shown) { (line(ask, row)) } }
                @if behind.found > 0 {
                    p.more {
                        "and " (parts::at_least(behind)) " more: "
                        @if !all { a href=(format!("/{}#blocked", ask.query.with("blocked", "all"))) { "show them" } ", " }
                        a href="/approvals" { "approvals" } ", " a href="/inbox" { "inbox" } ", " a href="/team" { "team" }
                    }
                } @else if all && rows.len() > OVERVIEW_ROWS {
                    p.more { a href=(format!("/{}#blocked", ask.query.with("blocked", ""))) { "Show fewer" } }
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
