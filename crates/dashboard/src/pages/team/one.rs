//! One agent: what it says of itself, what it has now, what it did lately, and how one steps in.

use super::{figures, health, kind_words, load};
use crate::{
    ask::{Answer, Ask},
    page::{Done, Hears, Nav, Page},
    pages::overview,
    parts,
    people::{self, Found},
    wrong::Wrong,
};
use handover_core::{
    access::Right,
    agent::{Agent, Profile, Risk, Standing},
    guard::breaker::BreakerState,
    handoff::{Handoff, Priority, Status},
    ids::AgentId,
    limits::{OVERVIEW_ROWS, PAGE_ROWS},
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::{Engine, HandoffQuery};
use maud::{Markup, html};

/// The agent that the address names.
fn named(ask: &Ask) -> Result<AgentId, Wrong> {
    let text = ask.param("agent");
    AgentId::new(text).map_err(|_| Refusal::new(Code::UnknownAgent, format!("there is no agent {text}")).into())
}

pub(crate) async fn show(ask: Ask) -> Answer {
    let id = named(&ask)?;
    let agent = ask.engine.agent(&id)?;
    let (to, status) = (Some(id.clone()), Some(Status::Running));
    let query = HandoffQuery { to, status, limit: PAGE_ROWS, ..HandoffQuery::default() };
    let running = people::some(&ask.engine, query).await?;
    let mut queue = Found { rows: ask.engine.queue(&id, PAGE_ROWS + 1).await?, more: false };
    queue.more = queue.rows.len() > PAGE_ROWS;
    queue.rows.truncate(PAGE_ROWS);
    let received = ended(&ask.engine, &id).await?;
    let from = Some(id.clone());
    let lately = HandoffQuery { from, latest_first: true, limit: OVERVIEW_ROWS, ..HandoffQuery::default() };
    let sent = Found { rows: ask.engine.handoffs(lately).await?, more: false };
    let body = html! {
        (parts::head(html! { (id) }, html! { (health(&agent)) span.soft { (kind_words(agent.profile.kind)) } a.push href="/team" { "Team" } }))
        (tiles(&ask, &agent))
        div.overview {
            div {
                (list(&ask, "Works on", "running", &running, "It works on nothing now."))
                (list(&ask, "Waits for it, by level", "queue", &queue, "Nothing waits for it."))
                (list(&ask, "Ended lately", "received", &received, "It has ended nothing lately."))
                (list(&ask, "Handed over lately", "sent", &sent, "It has handed nothing over yet."))
            }
            div { (step_in(&ask, &agent)?) (profile(&ask, &agent)?) }
        }
    };
    Page::new(id.to_string(), Nav::Team, body).hears(Hears::All).answer(&ask).await
}

/// What it ended last. Each end is asked for by itself: what is open may be newer than all of them.
async fn ended(engine: &Engine, id: &AgentId) -> Result<Found<Handoff>, HandoffError> {
    let mut found = Vec::new();
    for status in Status::ALL.into_iter().filter(|status| status.is_closed()) {
        let (to, limit) = (Some(id.clone()), OVERVIEW_ROWS);
        let query = HandoffQuery { to, status: Some(status), latest_first: true, limit, ..HandoffQuery::default() };
        found.extend(engine.handoffs(query).await?);
    }
    found.sort_by_key(|handoff| std::cmp::Reverse(handoff.closed_at));
    found.truncate(OVERVIEW_ROWS);
    Ok(Found { rows: found, more: false })
}

fn tiles(ask: &Ask, agent: &Agent) -> Markup {
    html! {
        div.stats.tiles data-part="tiles" {
            div.stat { b { (agent.load) } span { "of " (agent.profile.max_concurrent_tasks) " running" } }
            div.stat { b { (agent.waiting) } span { "waiting" } }
            @if let Some(figures) = figures(ask, &agent.profile.id) {
                div.stat { b { (figures.success().map_or("–".into(), overview::percent)) } span { "succeeded" } }
                div.stat { b { (overview::short(figures.ended())) } span { "done lately" } }
                div.stat { b { (figures.lasted.within(95).map_or("–".into(), parts::length)) } span { "95 % within" } }
                div.stat { b { (overview::short(figures.tokens)) } span { "tokens" } }
                div.stat { b { (parts::money(figures.cost())) } span { "cost" } }
            }
        }
    }
}

fn list(ask: &Ask, title: &str, part: &str, found: &Found<Handoff>, nothing: &str) -> Markup {
    let handoffs = &found.rows;
    html! {
        section.card data-part=(part) {
            header { h2 { (title) } @if !handoffs.is_empty() { span.soft.small { (parts::at_least(found.count())) } } }
            @if handoffs.is_empty() { p.soft { (nothing) } }
            ul.lines {
                @for handoff in handoffs {
                    li data-key=(format!("{part}-{}", handoff.id)) {
                        div {
                            (parts::standing(handoff)) " " (parts::between(handoff))
                            @if handoff.request.task.priority != Priority::Normal { " " span.tag { (parts::priority_word(handoff.request.task.priority)) } }
                            p.soft { (parts::quoted(&handoff.request.task.description, 80)) " · " (parts::session(&handoff.session_id)) }
                        }
                        span.when {
                            a href=(parts::handoff_url(handoff.id)) { (parts::ago(handoff.closed_at.unwrap_or(handoff.opened_at), ask.now)) }
                            small.soft { (parts::left(handoff, ask.now)) }
                        }
                    }
                }
            }
        }
    }
}

/// Whether this agent is this caller's to change: those of the house are shared by all tenants.
fn may_change(ask: &Ask, profile: &Profile) -> bool {
    let caller = ask.engine.caller();
    let theirs = caller.house || profile.tenant.as_deref() == Some(&caller.tenant);
    ask.may(Right::Operate) && theirs && caller.may_act_as(&profile.id)
}

fn step_in(ask: &Ask, agent: &Agent) -> Result<Markup, HandoffError> {
    let id = &agent.profile.id;
    let breaker = ask.engine.breaker(id)?;
    let (url, may) = (parts::agent_url(id), may_change(ask, &agent.profile));
    let loud = breaker.state != BreakerState::Closed || breaker.failures > 0;
    let draining = agent.standing == Standing::Draining;
    Ok(html! {
        section.card data-part="breaker" {
            header { h2 { "Breaker and health" } }
            (parts::facts(&[
                ("Breaker", overview::breaker_state(Some(&breaker))),
                ("Failures in a row", html! { (breaker.failures) }),
                ("Tried again", breaker.open_until.filter(|until| *until > ask.now).map_or_else(|| html! {}, |until| parts::until(until, ask.now))),
                ("Last heard of", ask.engine.last_heard(id)?.map_or_else(|| html! {}, |at| parts::ago(at, ask.now))),
                ("Load", load(agent)),
            ]))
            @if may {
                @if loud && ask.engine.caller().acts_as.is_none() {
                    (parts::form(ask, &format!("{url}/breaker"), html! {
                        div { (parts::reason_field("breaker-why", "why it is worth another try")) }
                        div.buttons { button type="submit" { "Close the breaker" } }
                    }))
                }
                (parts::form(ask, &format!("{url}/standing"), html! {
                    (parts::hidden("drain", if draining { "no" } else { "yes" }))
                    div { (parts::reason_field("standing-why", if draining { "why it works again" } else { "why it is taken out of work" })) }
                    div.buttons { button type="submit" { @if draining { "Bring back to work" } @else { "Give it nothing new" } } }
                }))
            } @else {
                p.soft.small { "Operators close breakers and take agents out of work; those of the house are for its own operators." }
            }
        }
    })
}

fn profile(ask: &Ask, agent: &Agent) -> Result<Markup, HandoffError> {
    let profile = &agent.profile;
    let text = |text: &str| html! { @if !text.is_empty() { (parts::fold(text)) } };
    let risk = match profile.autonomy_budget.max_risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    };
    Ok(html! {
        section.card data-part="profile" {
            header { h2 { "Profile" } }
            (parts::facts(&[
                ("Name", text(&profile.name)),
                ("Field", text(&profile.specialization)),
                ("What it does", text(&profile.description)),
                ("Can", html! { @for capability in profile.capabilities.iter().take(PAGE_ROWS) { span.tag { (capability.id) } " " } }),
                ("Good at", html! { @for example in profile.examples.iter().take(OVERVIEW_ROWS) { p { (parts::quoted(example, 90)) } } }),
                ("Works on at once", html! { (profile.max_concurrent_tasks) }),
                ("May risk", html! { (risk) }),
                ("Asks", profile.escalates_to.as_ref().map_or_else(|| html! {}, parts::agent)),
                ("Model", text(profile.model.as_deref().unwrap_or_default())),
                ("Version", text(&profile.version)),
                ("Of tenant", html! { @if ask.engine.caller().house { (profile.tenant.as_deref().unwrap_or("shared by all tenants")) } }),
            ]))
        }
    })
}

/// Closes a breaker by hand.
pub(crate) async fn breaker(ask: Ask) -> Answer {
    let id = named(&ask)?;
    ask.engine.reset_breaker_because(&id, ask.form.needed("reason")?).await?;
    Ok(ask.done(&parts::agent_url(&id), Done::Reset))
}

/// Takes an agent out of work, or brings it back.
pub(crate) async fn standing(ask: Ask) -> Answer {
    let id = named(&ask)?;
    let drain = ask.form.get("drain") == "yes";
    ask.engine.drain_because(&id, drain, ask.form.needed("reason")?).await?;
    Ok(ask.done(&parts::agent_url(&id), if drain { Done::Drained } else { Done::BackAtWork }))
}
