//! All sessions, the latest first, or those that wait or stand somewhere.

use crate::{
    ask::{Answer, Ask, see},
    page::{Hears, Nav, Page},
    parts,
    people::{self, Found},
    wrong::Wrong,
};
use handover_core::{
    glance::Glance,
    handoff::{Handoff, Status},
    ids::{HandoffId, SessionId},
    limits::PAGE_ROWS,
    refusal::HandoffError,
};
use handover_engine::Engine;
use maud::{Markup, html};

/// Which sessions are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    All,
    /// Those in which somebody has to say, answer or do something.
    Waiting,
    /// Those of a workflow in one of its states.
    Flow(String, String),
}

impl Shown {
    fn of(word: &str) -> Self {
        match word.rsplit_once(':') {
            Some((workflow, state)) => Self::Flow(workflow.to_owned(), state.to_owned()),
            None if word == "waiting" => Self::Waiting,
            None => Self::All,
        }
    }
}

pub(crate) async fn list(ask: Ask) -> Answer {
    let wanted = ask.query.get("find");
    if !wanted.is_empty()
        && let Some(place) = find(&ask.engine, wanted).await?
    {
        return Ok(see(&place));
    }
    let (shown, skip) = (Shown::of(ask.query.get("show")), ask.query.skip());
    let ids = ids(&ask, &shown, skip).await?;
    let found = ask.engine.glances(&ids.rows).await?;
    let turned = shown != Shown::Waiting;
    let (later, earlier) = if turned { ask.query.around(skip, ids.more) } else { (None, None) };
    let body = html! {
        (parts::head(html! { "Sessions" }, search(&ask, wanted, &shown)))
        @if !wanted.is_empty() { p.warn role="status" { "There is neither a session nor a handoff " strong { (wanted) } " here." } }
        section.card data-part="sessions" {
            @if found.is_empty() { (nothing(&ask, &shown)) } @else { (table(&ask, &found)) }
            @if ids.more && !turned { p.soft { "There may be more. They show when these go on." } }
            (parts::pager(later, earlier))
        }
    };
    let page = Page::new("Sessions", Nav::Sessions, body);
    // Rows of a further page must not move under whoever reads them.
    let page = if skip == 0 { page.hears(Hears::All) } else { page };
    page.answer(&ask).await
}

/// The sessions that are shown, a page of them.
async fn ids(ask: &Ask, shown: &Shown, skip: usize) -> Result<Found<SessionId>, HandoffError> {
    let engine = &ask.engine;
    let mut rows = match shown {
        Shown::Waiting => return waiting(ask).await,
        Shown::All => engine.sessions(skip, PAGE_ROWS + 1).await?,
        Shown::Flow(workflow, state) => engine.sessions_in_state(workflow, state, skip, PAGE_ROWS + 1).await?,
    };
    let more = rows.len() > PAGE_ROWS;
    rows.truncate(PAGE_ROWS);
    Ok(Found { rows, more })
}

/// The sessions in which somebody is waited for, whoever waits longest first.
async fn waiting(ask: &Ask) -> Result<Found<SessionId>, HandoffError> {
    let engine = &ask.engine;
    let approvals = people::open(engine, Status::AwaitingApproval, PAGE_ROWS).await?;
    let put_off = people::put_off(engine).await?;
    let tasks = people::tasks(engine, &people::people(engine, |_| true)).await?;
    let to_look = people::to_look(ask).await?;
    let mut more = approvals.more || put_off.more || to_look.more || tasks.count().more;
    more |= tasks.count().found > PAGE_ROWS;
    let tasks = tasks.page(engine, 0, PAGE_ROWS).await?;
    let mut all: Vec<Handoff> = approvals.rows.into_iter().chain(put_off.rows).chain(tasks).collect();
    all.retain(|handoff| people::awaits(engine, handoff).is_some());
    let mut all: Vec<_> = all.into_iter().map(|handoff| (handoff.opened_at, handoff.session_id)).collect();
    all.extend(to_look.rows.into_iter().map(|one| (one.at, one.session)));
    all.sort();
    let mut rows: Vec<SessionId> = Vec::new();
    for (_, session) in all {
        if !rows.contains(&session) {
            rows.push(session);
        }
    }
    let more = more || rows.len() > PAGE_ROWS;
    rows.truncate(PAGE_ROWS);
    Ok(Found { rows, more })
}

fn nothing(ask: &Ask, shown: &Shown) -> Markup {
    match shown {
        Shown::All => parts::empty(
            "No sessions yet",
            "A session is one conversation or request, from start to end. Commands in another terminal make one:",
            Some(&super::overview::begin(ask)),
        ),
        Shown::Waiting => html! { p.soft { "No session waits for a person." } },
        Shown::Flow(workflow, state) => html! { p.soft { "No session of " (workflow) " is in " (state) "." } },
    }
}

fn table(ask: &Ask, found: &[Glance]) -> Markup {
    html! {
        table.rows {
            thead { tr { th { "Session" } th { "Who has it" } th { "Where it stands" } th { "Asked for" } th { "Workflow" } th { "Last change" } th { "Opened" } } }
            tbody { @for session in found { (row(ask, session)) } }
        }
    }
}

fn search(ask: &Ask, wanted: &str, shown: &Shown) -> Markup {
    html! {
        a href="/handoffs" { "All handoffs" }
        form.filter.push method="get" action="/sessions" {
            label.unseen for="show" { "Which sessions" }
            select id="show" name="show" {
                option value="" { "all" }
                option value="waiting" selected[*shown == Shown::Waiting] { "waiting for a person" }
                (states(ask, shown))
            }
            button type="submit" { "Show" }
        }
        form.find method="get" action="/sessions" role="search" {
            label.unseen for="find" { "Id of a session or a handoff" }
            input id="find" name="find" type="search" value=(wanted) placeholder="id of a session or a handoff" spellcheck="false";
            button type="submit" { "Find" }
        }
    }
}

/// The states of the workflows, for whoever sees all sessions.
fn states(ask: &Ask, shown: &Shown) -> Markup {
    let workflows = if ask.engine.caller().is_restricted() { Vec::new() } else { ask.engine.workflows() };
    html! {
        @for workflow in workflows.iter().take(PAGE_ROWS) {
            optgroup label=(workflow.name) {
                @for state in workflow.states.keys().take(PAGE_ROWS) {
                    @let chosen = matches!(shown, Shown::Flow(name, at) if *name == workflow.name && at == state);
                    option value=(format!("{}:{state}", workflow.name)) selected[chosen] { (state) }
                }
            }
        }
    }
}

/// Where a session or a handoff is, by its id; of a handoff the first letters are enough.
async fn find(engine: &Engine, wanted: &str) -> Result<Option<String>, Wrong> {
    if let Ok(id) = SessionId::new(wanted)
        && engine.session(&id).await.is_ok()
    {
        return Ok(Some(parts::session_url(&id)));
    }
    let Some((first, last)) = HandoffId::between(&wanted.to_ascii_lowercase()) else {
        return Ok(None);
    };
    let found = engine.handoffs_between(first, last, 1).await?;
    Ok(found.first().map(|id| parts::handoff_url(*id)))
}

fn row(ask: &Ask, session: &Glance) -> Markup {
    html! {
        tr data-key=(session.id) {
            td.id { (parts::session(&session.id)) }
            td { (parts::agent(&session.active_agent)) }
            td { (super::session::standing(&ask.engine, session)) @if let Some(flow) = &session.flow { " " span.soft { (flow.state) } } }
            td.wide { (parts::quoted(&session.original_request, 90)) }
            td { @if let Some(name) = &session.workflow { a href=(format!("/workflows/{}", parts::encoded(name))) { (name) } } }
            td data-name="last change" { (parts::ago(session.last_at, ask.now)) }
            td data-name="opened" { (parts::ago(session.opened_at, ask.now)) }
        }
    }
}
