//! Records as rows: when, what, where; and behind each the record itself with its place in the chain.

use super::sentence::sentence;
use crate::{ask::Ask, parts};
use handover_core::{limits::AUDIT_RECORD_CHARS, record::Record};
use handover_engine::{BusMessage, StoredRecord};
use maud::{Markup, html};
use serde_json::Value;

pub(super) fn table(ask: &Ask, records: &[StoredRecord]) -> Markup {
    html! {
        table.rows.records {
            thead { tr { th { "When" } th { "What happened" } th { "Session" } th { "Handoff" } th.number { "Record" } } }
            tbody { @for stored in records { (row(ask, stored)) } }
        }
    }
}

fn row(ask: &Ask, stored: &StoredRecord) -> Markup {
    let Ok(record) = serde_json::from_str::<Record>(&stored.text) else {
        return html! {
            tr data-key=(stored.position) {
                td {} td.wide { "This record cannot be read." } td { (stored.session_id) } td {} td.number { (stored.position) }
            }
        };
    };
    let (tone, words) = sentence(&record, BusMessage::of(stored).as_ref());
    html! {
        tr data-key=(stored.position) {
            td.at { (parts::ago(record.timestamp, ask.now)) }
            td.wide {
                (parts::badge(tone, &record.event_type.replace('_', " "))) " " (words) " "
                details id=(format!("record-{}", stored.position)) {
                    summary { "record" span.unseen { " " (stored.position) } }
                    (whole(stored, &record))
                }
            }
            td { @if !record.session_id.is_house() { (parts::session(&record.session_id)) } }
            td { @if let Some(id) = record.handoff_id { a href=(parts::handoff_url(id)) { (parts::short(id)) } } }
            td.number { (stored.position) }
        }
    }
}

/// The record with its hash and the one before it.
fn whole(stored: &StoredRecord, record: &Record) -> Markup {
    let value: Value = serde_json::from_str(&stored.text).unwrap_or_default();
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let (shown, cut) = parts::cut(&text, AUDIT_RECORD_CHARS);
    html! {
        div.record {
            dl.chain {
                dt { "Hash" } dd { code { (stored.hash) } }
                dt { "Follows" } dd { code { (record.prev) } }
                dt { "Number" } dd { (record.seq) " of its session" }
                dt { "Asked by" } dd { (record.caller) }
                dt { "At" } dd { (parts::moment(record.timestamp)) }
            }
            pre tabindex="0" { code { (shown) } }
            @if cut { p.soft { "Cut here; the download has the rest." } }
        }
    }
}
