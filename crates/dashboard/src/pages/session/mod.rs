//! One session: who has it, what was said, what was handed over, and how to step in.

mod around;
pub(crate) mod baton;
pub(crate) mod history;
mod lanes;
mod passed;
mod scale;
pub(crate) mod step_in;
mod talk;

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts, people,
    wrong::Wrong,
};
use handover_core::{
    access::Right,
    glance::{Glance, Stands},
    graph::{self, Graph, Node},
    handoff::{Handoff, Status},
    ids::{AgentId, SessionId},
    limits::{PAGE_HANDOFFS, PAGE_MESSAGES, REPORT_HANDOFFS, REPORT_MESSAGES},
    message::Message,
    session::Session,
    workflow::End,
};
use handover_engine::{Engine, HandoffQuery};
use maud::{Markup, html};
use passed::Passed;
use std::{collections::BTreeMap, sync::Arc};

/// All that the page shows, read at once.
pub(crate) struct Scene {
    pub(crate) session: Arc<Session>,
    /// The latest handoffs, the earliest of them first.
    pub(crate) handoffs: Vec<Handoff>,
    messages: Vec<Message>,
    /// The handoffs that began among the messages that are shown.
    passed: Passed,
    /// Through whom the user's words came, by the number of the message.
    spoken: BTreeMap<u64, String>,
    /// Whether all is shown that a report has room for, and not a page of it.
    whole: bool,
    /// The numbers of the first and the last message that are shown.
    shown: (u64, u64),
}

impl Scene {
    async fn read(engine: &Engine, id: &SessionId, first: Option<u64>, whole: bool) -> Result<Self, Wrong> {
        let session = engine.session(id).await?;
        let handoffs = latest(engine, id, if whole { REPORT_HANDOFFS } else { PAGE_HANDOFFS }).await?;
        let page = if whole { REPORT_MESSAGES } else { PAGE_MESSAGES } as u64;
        let total = session.mark.messages;
        let first = first.unwrap_or_else(|| total.saturating_sub(page - 1)).clamp(1, total.max(1));
        let last = (first + page - 1).min(total);
        let messages = engine.messages(id, first, last).await?;
        let passed = Passed::read(engine, &session, &handoffs, (first, last)).await?;
        let spoken = talk::spoken(engine, id, &messages).await;
        Ok(Self { session, handoffs, messages, passed, spoken, whole, shown: (first, last) })
    }
}

/// So many of the latest handoffs of a session, the earliest of them first.
pub(crate) async fn latest(engine: &Engine, id: &SessionId, limit: usize) -> Result<Vec<Handoff>, Wrong> {
    let query = HandoffQuery { session: Some(id.clone()), latest_first: true, limit, ..HandoffQuery::default() };
    let mut found = engine.handoffs(query).await?;
    found.reverse();
    Ok(found)
}

pub(crate) async fn show(ask: Ask) -> Answer {
    let id = ask.session()?;
    let scene = Scene::read(&ask.engine, &id, ask.query.number("from"), ask.query.get("print") == "all").await?;
    let session = &scene.session;
    let title = format!("Session {}", session.id);
    let body = html! {
        (head(&ask, session))
        (baton::strip(&ask, session, scene.handoffs.last()))
        div.split {
            div {
                (talk::card(&ask, &scene))
                (lanes::card(&ask, session, &scene.handoffs))
                (flow(session, &scene.handoffs))
            }
            aside aria-label="About the session" {
                @if ask.may(Right::Act) && (session.ended_at.is_none() || step_in::stuck_at(session).is_some()) { (step_in::card(&ask, session, &scene.handoffs)) }
                (history::card(&ask, session, &scene.handoffs, None))
                (around::budget(&ask, session))
                (around::variables(&ask, session))
                (around::artifacts(&ask, session))
                (around::decisions(&ask, session))
            }
        }
    };
    let page = Page::new(title, Nav::Sessions, body);
    // A report is long, and stays what it was when somebody asked for it.
    if scene.whole { page.answer(&ask).await } else { page.hears(Hears::Session(id)).answer(&ask).await }
}

fn head(ask: &Ask, session: &Session) -> Markup {
    let facts = [
        ("For", session.user_id.as_ref().map(|user| html! { (user) }).unwrap_or_default()),
        ("With", parts::agent(&session.active_agent)),
        ("Opened", parts::ago(session.opened_at, ask.now)),
        ("Last change", parts::ago(session.last_at, ask.now)),
        ("Messages", html! { (parts::number(session.mark.messages)) }),
        ("Handoffs", html! { (parts::number(session.handoffs)) }),
        ("Workflow", workflow(session)),
    ];
    html! {
        div data-part="head" {
            (parts::head(html! { (session.id) }, html! { (standing(&ask.engine, &Glance::of(session))) }))
            @if !session.original_request.is_empty() { div.lead { (parts::fold(&session.original_request)) } }
            @if let Some(flow) = session.flow.as_ref().filter(|flow| !flow.trouble.is_empty()) {
                p.warn { "It cannot go on: " (flow.trouble) }
            }
        }
        section.card data-part="facts" { h2.unseen { "In short" } (parts::facts(&facts)) }
    }
}

fn workflow(session: &Session) -> Markup {
    let Some(name) = &session.workflow else { return html! {} };
    let state = session.flow.as_ref().map(|flow| flow.state.as_str());
    html! {
        a href=(format!("/workflows/{}", parts::encoded(name))) { (name) }
        @if let Some(state) = state { " in " strong { (parts::name(state)) } }
    }
}

/// How a session stands, in a word.
pub(crate) fn standing(engine: &Engine, session: &Glance) -> Markup {
    let flow = session.flow.as_ref();
    let trouble = flow.is_some_and(|flow| !flow.trouble.is_empty());
    let failed = flow.is_some_and(|flow| flow.ended == Some(End::Failed));
    let waits = |stands: &Stands| people::stands_for(engine, stands).is_some();
    match session {
        _ if trouble => parts::badge("bad", "stuck"),
        _ if session.ended_at.is_some() && failed => parts::badge("bad", "over, failed"),
        _ if session.ended_at.is_some() => parts::badge("good", "over"),
        _ if session.open.iter().any(waits) => parts::badge("wait", "waits for a person"),
        _ if session.open.iter().any(|stands| stands.status == Status::Running) => parts::badge("run", "at work"),
        _ if !session.open.is_empty() => parts::badge("idle", "on its way"),
        _ if session.failed.is_some() => parts::badge("bad", "failed"),
        _ => parts::badge("off", "quiet"),
    }
}

/// Who handed over to whom, as a picture.
fn flow(session: &Session, handoffs: &[Handoff]) -> Markup {
    let mut graph = graph::of_session(session.id.as_str(), handoffs);
    link_agents(&mut graph);
    html! {
        @if !handoffs.is_empty() {
            section.card data-part="flow" {
                header { h2 { "Flow" } @if let Some(note) = graph.note() { span.soft { (note) } } }
                (parts::picture(&graph, "Flow of the session"))
            }
        }
    }
}

/// Boxes of agents lead to them.
pub(crate) fn link_agents(graph: &mut Graph) {
    let ids: Vec<String> = graph.nodes().iter().map(|node| node.id.clone()).collect();
    for id in ids {
        if let Ok(agent) = AgentId::new(&id) {
            graph.change(&id, |node: Node| node.link(&parts::agent_url(&agent)));
        }
    }
}
