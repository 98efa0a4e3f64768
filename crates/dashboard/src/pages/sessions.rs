//! All sessions, the latest first.

use crate::{
    ask::{Answer, Ask, see},
    page::{Hears, Nav, Page},
    parts,
    wrong::Wrong,
};
use handover_core::{
    ids::{HandoffId, SessionId},
    limits::PAGE_ROWS,
    session::Session,
};
use handover_engine::Engine;
use maud::{Markup, html};
use std::sync::Arc;

pub(crate) async fn list(ask: Ask) -> Answer {
    let wanted = ask.query.get("find");
    if !wanted.is_empty()
        && let Some(place) = find(&ask.engine, wanted).await?
    {
        return Ok(see(&place));
    }
    let skip = ask.query.skip();
    let mut ids = ask.engine.sessions(skip, PAGE_ROWS + 1).await?;
    let more = ids.len() > PAGE_ROWS;
    ids.truncate(PAGE_ROWS);
    let mut found = Vec::with_capacity(ids.len());
    for id in &ids {
        // One that ended to exist for whoever asks is left out.
        if let Ok(session) = ask.engine.session(id).await {
            found.push(session);
        }
    }
    let (later, earlier) = ask.query.around(skip, more);
    let body = html! {
        (parts::head(html! { "Sessions" }, search(wanted)))
        @if !wanted.is_empty() { p.warn role="status" { "There is neither a session nor a handoff " strong { (wanted) } " here." } }
        section.card data-part="sessions" {
            @if found.is_empty() {
                (parts::empty("No sessions yet", "A session is one conversation or request, from start to end. Commands in another terminal make one:", Some(&super::overview::begin(&ask))))
            } @else {
                table.rows {
                    thead { tr { th { "Session" } th { "Who has it" } th { "Where it stands" } th { "Asked for" } th { "Workflow" } th { "Last change" } th { "Opened" } } }
                    tbody { @for session in &found { (row(&ask, session)) } }
                }
            }
            (parts::pager(later, earlier))
        }
    };
    let page = Page::new("Sessions", Nav::Sessions, body);
    // Rows of a further page must not move under whoever reads them.
    let page = if skip == 0 { page.hears(Hears::All) } else { page };
    page.answer(&ask).await
}

fn search(wanted: &str) -> Markup {
    html! {
        a href="/handoffs" { "All handoffs" }
        form.find.push method="get" action="/sessions" role="search" {
            label.unseen for="find" { "Id of a session or a handoff" }
            input id="find" name="find" type="search" value=(wanted) placeholder="id of a session or a handoff" spellcheck="false";
            button type="submit" { "Find" }
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

fn row(ask: &Ask, session: &Arc<Session>) -> Markup {
    html! {
        tr data-key=(session.id) {
            td { (parts::session(&session.id)) }
            td { (parts::agent(&session.active_agent)) }
            td { (super::session::standing(&ask.engine, session)) @if let Some(flow) = &session.flow { " " span.soft { (flow.state) } } }
            td.wide { (parts::quoted(&session.original_request, 90)) }
            td { @if let Some(name) = &session.workflow { a href=(format!("/workflows/{}", parts::encoded(name))) { (name) } } }
            td data-name="last change" { (parts::ago(session.last_at, ask.now)) }
            td data-name="opened" { (parts::ago(session.opened_at, ask.now)) }
        }
    }
}
