//! The letter to the client: the ranked proposals, as words and as a page.

use super::{
    CharterSettings,
    scoring::{Proposal, duration},
};
use crate::{
    bench::text,
    mail::{Email, message_id},
};
use handover_core::{time::Timestamp, words::grouped};
use serde_json::Value;
use std::fmt::Write as _;

/// Writes the letter for a payload with proposals.
pub(super) fn letter(
    payload: &Value,
    proposals: &[Proposal],
    session: &str,
    now: Timestamp,
    settings: &CharterSettings,
) -> Email {
    let (rfp, profile) = (&payload["rfp_data"], &payload["client_profile"]);
    let name = text(profile, "name").or_else(|| text(rfp, "client_name")).unwrap_or_default();
    // Whoever asked named an address to answer to; the register knows one; else the desk passes it on.
    let address = text(rfp, "client_email").or_else(|| text(profile, "email"));
    let (recipient_name, recipient) =
        address.map_or((settings.sender_name.as_str(), settings.sender.as_str()), |address| (name, address));
    let mut remarks = remarks(payload);
    if address.is_none() {
        remarks.push("To the desk: no address of the client is known. Please pass this on.".to_owned());
    }
    let flight = Flight::of(rfp);
    Email {
        message_id: message_id(session, &settings.sender),
        date: now,
        sender_name: settings.sender_name.clone(),
        sender: settings.sender.clone(),
        recipient_name: recipient_name.to_owned(),
        recipient: recipient.to_owned(),
        subject: format!("Your flight from {} to {} on {}", flight.from, flight.to, flight.date),
        text: words(name, &flight, proposals, &remarks, settings),
        html: page(name, &flight, proposals, &remarks, settings),
    }
}

struct Flight<'a> {
    from: &'a str,
    to: &'a str,
    date: &'a str,
    people: String,
}

impl<'a> Flight<'a> {
    fn of(rfp: &'a Value) -> Self {
        let part = |name: &str| text(rfp, name).unwrap_or("?");
        let people = match rfp["passengers"].as_u64() {
            Some(1) => "one person".to_owned(),
            Some(count) => format!("{count} people"),
            None => "you".to_owned(),
        };
        Self { from: part("from"), to: part("to"), date: part("date"), people }
    }
}

fn greeting(name: &str) -> String {
    match name {
        "" => "Dear client,".to_owned(),
        name => format!("Dear {name},"),
    }
}

fn opening(flight: &Flight, count: usize) -> String {
    let Flight { from, to, date, people } = flight;
    format!("For the flight of {people} from {from} to {to} on {date} we propose {count} aircraft, the best first.")
}

/// What the client should know besides: wishes that were passed on, and what was taken for granted.
fn remarks(payload: &Value) -> Vec<String> {
    let list = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut remarks = Vec::new();
    let wishes = list(&payload["client_preferences"]["special_requirements"]);
    if !wishes.is_empty() {
        remarks.push(format!("We pass on to the operator: {}.", wishes.join("; ")));
    }
    if let Some(notes) = text(&payload["rfp_data"], "notes") {
        remarks.push(format!("You noted: {notes}"));
    }
    let assumed = list(&payload["rfp_data"]["assumptions"]);
    if !assumed.is_empty() {
        remarks.push(format!("Please tell us if this is not what you meant: {}.", assumed.join("; ")));
    }
    remarks
}

fn words(
    name: &str,
    flight: &Flight,
    proposals: &[Proposal],
    remarks: &[String],
    settings: &CharterSettings,
) -> String {
    let mut out = format!("{}\n\n{}\n", greeting(name), opening(flight, proposals.len()));
    for proposal in proposals {
        let Proposal { rank, operator, aircraft, seats, reasoning, .. } = proposal;
        let (price, time) = (grouped(proposal.price), duration(proposal.flight_minutes));
        // Writing to a text does not fail.
        let _ =
            write!(out, "\n{rank}. {aircraft} of {operator}\n   EUR {price}, {time}, {seats} seats\n   {reasoning}\n");
    }
    for remark in remarks {
        let _ = write!(out, "\n{remark}\n");
    }
    let _ = write!(out, "\nAnswer this mail to book one of them.\n\n{}\n", settings.sender_name);
    out
}

fn page(name: &str, flight: &Flight, proposals: &[Proposal], remarks: &[String], settings: &CharterSettings) -> String {
    let opening = opening(flight, proposals.len());
    let mut out =
        format!("<!DOCTYPE html>\n<html><body>\n<p>{}</p>\n<p>{}</p>\n", safe(&greeting(name)), safe(&opening));
    out.push_str("<table border=\"1\" cellpadding=\"6\" style=\"border-collapse:collapse\">\n");
    out.push_str("<tr><th></th><th>Aircraft</th><th>Price</th><th>Flight</th><th>Why</th></tr>\n");
    for proposal in proposals {
        let Proposal { rank, seats, .. } = proposal;
        let (aircraft, operator) = (safe(&proposal.aircraft), safe(&proposal.operator));
        let (price, time, why) =
            (grouped(proposal.price), duration(proposal.flight_minutes), safe(&proposal.reasoning));
        let _ = writeln!(
            out,
            "<tr><td>{rank}</td><td>{aircraft}, {seats} seats<br>{operator}</td><td>EUR {price}</td><td>{time}</td>\
            <td>{why}</td></tr>"
        );
    }
    out.push_str("</table>\n");
    for remark in remarks {
        let _ = writeln!(out, "<p>{}</p>", safe(remark));
    }
    let sender = safe(&settings.sender_name);
    let _ = write!(out, "<p>Answer this mail to book one of them.</p>\n<p>{sender}</p>\n</body></html>\n");
    out
}

/// A text that means nothing but itself in HTML.
fn safe(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
