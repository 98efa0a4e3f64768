//! The team: who hands over to whom, how often and how well; load, health and queue of each; and one agent by itself.

mod one;
mod picture;

pub(crate) use one::{breaker, show, standing};

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    pages::overview,
    parts,
    pulse::Figures,
};
use handover_core::{
    agent::{Agent, AgentKind, Standing},
    guard::breaker::BreakerState,
    ids::AgentId,
    limits::{PAGE_ROWS, PULSE_TURN_MS},
};
use handover_engine::BreakerView;
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(crate) async fn list(ask: Ask) -> Answer {
    let find = ask.query.get("find").to_lowercase();
    let all = ask.engine.agents();
    let found: Vec<&Agent> = all.iter().filter(|agent| fits(agent, &find)).collect();
    let skip = ask.query.skip().min(found.len());
    let page: Vec<&Agent> = found.iter().skip(skip).take(PAGE_ROWS).copied().collect();
    let (later, earlier) = ask.query.around(skip, skip + PAGE_ROWS < found.len());
    let body = html! {
        (parts::head(html! { "Team" }, html! { span.soft { (parts::number(u64::try_from(all.len()).unwrap_or(0))) " agents" } }))
        @if all.is_empty() {
            (parts::empty("Nobody is registered yet", "Agents are programs, models, services and people who take work. Register one, or a whole team from a file:", Some("handover agents register --name writer --kind human\nhandover agents register handover.yaml")))
        } @else {
            (tiles(&ask, &all))
            (picture::card(&ask, &all))
            section.card id="agents" data-part="agents" {
                header {
                    h2 { "Agents" }
                    form.find.push method="get" action="/team" role="search" {
                        label.unseen for="find" { "Find an agent" }
                        input id="find" name="find" type="search" value=(ask.query.get("find")) placeholder="Name or capability";
                    }
                }
                @if page.is_empty() { p.soft { "Nobody fits." } } @else { (table(&ask, &page)) }
                (parts::pages(later, earlier))
            }
        }
    };
    Page::new("Team", Nav::Team, body).hears(Hears::All).answer(&ask).await
}

/// Load and health of all at a glance; the picture and the table have them one by one.
fn tiles(ask: &Ask, agents: &[Agent]) -> Markup {
    let count = |fits: &dyn Fn(&Agent) -> bool| agents.iter().filter(|agent| fits(agent)).count();
    let open = ask.engine.breakers().into_iter().filter(|(_, breaker)| breaker.state != BreakerState::Closed).count();
    let away = count(&|agent| agent.standing == Standing::Unavailable);
    let rows = [
        ("run", count(&|agent| agent.load > 0), "at work"),
        ("wait", count(&|agent| !agent.has_room()), "have their hands full"),
        ("wait", count(&|agent| agent.waiting > 0), "have work that waits"),
        ("bad", open, "left alone after failures"),
        ("bad", away, "away"),
    ];
    html! {
        div.stats.tiles data-part="tiles" {
            @for (tone, number, words) in rows {
                a class=(if number > 0 { format!("stat {tone}") } else { "stat".to_owned() }) href="#agents" { b { (number) } span { (words) } }
            }
        }
    }
}

/// Whether somebody looks for this agent.
fn fits(agent: &Agent, find: &str) -> bool {
    let profile = &agent.profile;
    find.is_empty()
        || profile.id.as_str().to_lowercase().contains(find)
        || profile.specialization.to_lowercase().contains(find)
        || profile.capabilities.iter().any(|capability| capability.id.to_lowercase().contains(find))
}

/// What was counted of an agent; nothing for whoever sees only some sessions.
fn figures(ask: &Ask, id: &AgentId) -> Option<Figures> {
    let caller = ask.engine.caller();
    (!caller.is_restricted())
        .then(|| ask.house.pulse.look(&caller.tenant, |tenant, _, _| tenant.agents.get(id, ask.now)))
}

fn table(ask: &Ask, agents: &[&Agent]) -> Markup {
    let breakers: BTreeMap<AgentId, BreakerView> = ask.engine.breakers().into_iter().collect();
    let counted = !ask.engine.caller().is_restricted();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Agents" {
            table.rows.team {
                thead {
                    tr {
                        th { "Agent" } th { "Kind" } th { "Can" } th { "Load" } th.number { "Queue" } th { "Health" } th { "Breaker" }
                        @if counted { th.number { "Done" } th.number { "Success" } th.number { "95 % within" } th.number { "Tokens" } th.number { "Cost" } }
                    }
                }
                tbody { @for agent in agents { (row(ask, agent, breakers.get(&agent.profile.id))) } }
            }
        }
        @if counted { p.soft.small { "Figures are of the last " (parts::length(PULSE_TURN_MS)) " to " (parts::length(2 * PULSE_TURN_MS)) ", as far as the server remembers." } }
    }
}

fn row(ask: &Ask, agent: &Agent, breaker: Option<&BreakerView>) -> Markup {
    let profile = &agent.profile;
    html! {
        tr data-key=(profile.id) {
            td { (parts::agent(&profile.id)) }
            td.soft { (kind_words(profile.kind)) }
            td.wide { (capabilities(agent)) }
            td { (load(agent)) }
            td.number data-name="queue" { (agent.waiting) }
            td { (health(agent)) }
            td { @match breaker { Some(_) => (overview::breaker_state(breaker)), None => span.soft { "closed" } } }
            @if let Some(figures) = figures(ask, &profile.id) {
                td.number data-name="done" { (parts::number(figures.ended())) }
                td.number data-name="success" { (figures.success().map_or("–".into(), overview::percent)) }
                td.number data-name="95 % within" { (figures.lasted.within(95).map_or("–".into(), parts::length)) }
                td.number data-name="tokens" { (overview::short(figures.tokens)) }
                td.number data-name="cost" { (parts::money(figures.cost())) }
            }
        }
    }
}

fn kind_words(kind: AgentKind) -> &'static str {
    match kind {
        AgentKind::Local => "in this process",
        AgentKind::Worker => "worker",
        AgentKind::Human => "person",
        AgentKind::Llm => "model",
        AgentKind::Command => "program",
        AgentKind::Http => "service",
        AgentKind::A2a => "remote agent",
    }
}

/// The first few of what it can do.
fn capabilities(agent: &Agent) -> Markup {
    const SHOWN: usize = 3;
    let all = &agent.profile.capabilities;
    html! {
        @for capability in all.iter().take(SHOWN) { span.tag { (parts::quoted(&capability.id, 24)) } " " }
        @if all.len() > SHOWN { span.soft.small { "and " (all.len() - SHOWN) " more" } }
    }
}

/// How much of what it takes at once it has.
fn load(agent: &Agent) -> Markup {
    let (load, most) = (agent.load, agent.profile.max_concurrent_tasks);
    let share = u64::from(load) * 100 / u64::from(most.max(1));
    let tone = if load >= most { "bar wait" } else { "bar" };
    html! {
        span.load {
            span class=(tone) role="img" aria-label=(format!("{load} of {most}")) {
                (parts::bar(share))
            }
            small.soft { (load) " of " (most) }
        }
    }
}

fn health(agent: &Agent) -> Markup {
    match agent.standing {
        Standing::Available if !agent.profile.accepts_handoffs => parts::badge("off", "takes nothing"),
        Standing::Available => parts::badge("good", "healthy"),
        Standing::Unavailable => parts::badge("bad", "away"),
        Standing::Draining => parts::badge("wait", "draining"),
    }
}
