//! All handoffs, the latest first: by where they stand, from whom and to whom.

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
};
use handover_core::{
    handoff::{Handoff, Status},
    ids::{AgentId, SessionId},
    limits::PAGE_ROWS,
    refusal::{Code, Refusal},
};
use handover_engine::HandoffQuery;
use maud::{Markup, html};

pub(crate) async fn list(ask: Ask) -> Answer {
    let status = Status::ALL.into_iter().find(|status| status.word() == ask.query.get("status"));
    let session = ask.query.some("session").map(SessionId::new).transpose();
    let session = session.map_err(|_| Refusal::new(Code::WrongType, "this is no id of a session").at("session"))?;
    let agent = |name| ask.query.some(name).and_then(|text| AgentId::new(text).ok());
    let query = HandoffQuery {
        session,
        status,
        from: agent("from"),
        to: agent("to"),
        after: ask.query.number("before").unwrap_or(0),
        latest_first: true,
        limit: PAGE_ROWS,
        ..HandoffQuery::default()
    };
    let first = query.after == 0;
    let (found, next) = ask.engine.handoffs_page(query).await?;
    let earlier = next.map(|next| ask.query.with("before", &next.to_string()));
    let latest = (!first).then(|| ask.query.with("before", ""));
    let body = html! {
        (parts::head(html! { "Handoffs" }, html! { a.push href="/sessions" { "Sessions" } }))
        (search(&ask, status))
        section.card data-part="handoffs" {
            h2.unseen { "Found" }
            @if found.is_empty() { p.soft { "None." } } @else { (table(&ask, &found)) }
            (parts::pager(latest, earlier))
        }
    };
    let page = Page::new("Handoffs", Nav::Sessions, body);
    // A page of the past stays what it is.
    let page = if first { page.hears(Hears::All) } else { page };
    page.answer(&ask).await
}

fn search(ask: &Ask, status: Option<Status>) -> Markup {
    let field = |name: &str, label: &str, list: Option<&str>| {
        html! {
            div {
                label for=(format!("find-{name}")) { (label) }
                input id=(format!("find-{name}")) name=(name) value=(ask.query.get(name)) list=[list] spellcheck="false";
            }
        }
    };
    html! {
        form.card.search method="get" action="/handoffs" role="search" {
            div.fields {
                div {
                    label for="find-status" { "Where it stands" }
                    select id="find-status" name="status" {
                        option value="" { "anywhere" }
                        @for one in Status::ALL {
                            option value=(one.word()) selected[status == Some(one)] { (parts::status_words(one)) }
                        }
                    }
                }
                (field("from", "From", Some("agents")))
                (field("to", "To", Some("agents")))
                (field("session", "Session", None))
                div { button.main type="submit" { "Show" } }
            }
            (parts::agent_list(&ask.engine))
        }
    }
}

fn table(ask: &Ask, found: &[Handoff]) -> Markup {
    html! {
        table.rows {
            thead { tr { th { "Handoff" } th { "Who" } th { "Where it stands" } th { "What" } th { "Session" } th { "Begun" } } }
            tbody {
                @for handoff in found {
                    tr data-key=(handoff.id) {
                        td { a href=(parts::handoff_url(handoff.id)) { (parts::short(handoff.id)) } }
                        td { (parts::between(handoff)) }
                        td { (parts::standing(handoff)) " " (parts::left(handoff, ask.now)) }
                        td.wide { (parts::quoted(&handoff.request.task.description, 80)) }
                        td { (parts::session(&handoff.session_id)) }
                        td { (parts::ago(handoff.opened_at, ask.now)) }
                    }
                }
            }
        }
    }
}
