//! All sessions, the latest first.

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
};
use handover_core::{limits::PAGE_ROWS, session::Session};
use maud::{Markup, html};
use std::sync::Arc;

pub(crate) async fn list(ask: Ask) -> Answer {
    let skip = ask.query.number("skip").and_then(|skip| usize::try_from(skip).ok()).unwrap_or(0);
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
    let later = (skip > 0).then(|| ask.query.with("skip", &skip.saturating_sub(PAGE_ROWS).to_string()));
    let earlier = more.then(|| ask.query.with("skip", &(skip + PAGE_ROWS).to_string()));
    let body = html! {
        (parts::head(html! { "Sessions" }, html! {}))
        section.card data-part="sessions" {
            @if found.is_empty() {
                (parts::empty("No sessions yet", "A session is one conversation or request, from start to end. Run the charter workflow to see some:", Some("handover demo")))
            } @else {
                table.rows {
                    thead { tr { th { "Session" } th { "Who has it" } th { "Where it stands" } th { "Asked for" } th { "Opened" } } }
                    tbody { @for session in &found { (row(&ask, session)) } }
                }
            }
            (parts::pager(later, earlier))
        }
    };
    Page::new("Sessions", Nav::Sessions, body).hears(Hears::All).answer(&ask).await
}

fn row(ask: &Ask, session: &Arc<Session>) -> Markup {
    html! {
        tr data-key=(session.id) {
            td { (parts::session(&session.id)) }
            td { (parts::agent(&session.active_agent)) }
            td { (super::session::standing(session)) @if let Some(flow) = &session.flow { " " span.soft { (flow.state) } } }
            td.wide { (parts::quoted(&session.original_request, 90)) }
            td { (parts::ago(session.opened_at, ask.now)) }
        }
    }
}
