//! What was decided lately, from the audit trail.

use crate::{ask::Ask, parts, wrong::Wrong};
use handover_core::{
    event::Event,
    ids::{AgentId, HandoffId, SessionId},
    limits::{AUDIT_LOOK_RECORDS, PAGE_DECIDED},
    record::Record,
    time::Timestamp,
};
use handover_engine::RecordQuery;
use maud::{Markup, html};

/// A decision that was made.
pub(super) struct Decided {
    position: u64,
    at: Timestamp,
    granted: bool,
    by: String,
    /// Whose key it was.
    caller: String,
    comment: String,
    handoff: HandoffId,
    session: SessionId,
    between: Option<(AgentId, AgentId)>,
}

/// The latest decisions, as far as the latest records go.
pub(super) async fn decided(ask: &Ask) -> Result<Vec<Decided>, Wrong> {
    let mut found = Vec::new();
    for word in ["approved", "denied"] {
        let query = RecordQuery {
            event_type: Some(word.to_owned()),
            latest_first: true,
            limit: PAGE_DECIDED,
            ..RecordQuery::default()
        };
        let (records, _) = ask.engine.audit_page(query, AUDIT_LOOK_RECORDS).await?;
        found.extend(records.iter().filter_map(|stored| read(stored.position, &stored.text)));
    }
    found.sort_unstable_by_key(|one: &Decided| std::cmp::Reverse(one.position));
    found.truncate(PAGE_DECIDED);
    Ok(found)
}

fn read(position: u64, text: &str) -> Option<Decided> {
    let record: Record = serde_json::from_str(text).ok()?;
    let (granted, handoff, by, comment) = match record.event {
        Event::Approved { id, by, comment, .. } => (true, id, by, comment),
        Event::Denied { id, by, comment } => (false, id, by, comment),
        _ => return None,
    };
    let between = record.from_agent.zip(record.to_agent);
    Some(Decided {
        position,
        at: record.timestamp,
        granted,
        by,
        caller: record.caller,
        comment,
        handoff,
        session: record.session_id,
        between,
    })
}

pub(super) fn section(ask: &Ask, decided: &[Decided]) -> Markup {
    html! {
        section.card data-part="decided" {
            h2 { "Decided lately" }
            @if decided.is_empty() {
                p.soft { "Nothing was decided in the latest records." }
            } @else {
                table.rows {
                    thead { tr { th { "Decision" } th { "What" } th { "By" } th { "Comment" } th { "When" } } }
                    tbody { @for one in decided { (row(ask, one)) } }
                }
            }
        }
    }
}

/// Whether whoever decided gave their own name: a record names the caller with its key.
fn is_own(one: &Decided) -> bool {
    one.caller.strip_prefix(one.by.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

fn row(ask: &Ask, one: &Decided) -> Markup {
    html! {
        tr data-key=(one.position) {
            td { @if one.granted { (parts::badge("good", "approved")) } @else { (parts::badge("bad", "rejected")) } }
            td {
                a href=(parts::handoff_url(one.handoff)) {
                    @match &one.between {
                        Some((from, to)) => { (from) " → " (to) }
                        None => { (parts::short(one.handoff)) }
                    }
                }
                " in " (parts::session(&one.session))
            }
            td {
                (one.by)
                @if !is_own(one) { " " small.soft { "through " (one.caller) } }
            }
            td.wide { (parts::quoted(&one.comment, 120)) }
            td { (parts::ago(one.at, ask.now)) }
        }
    }
}
