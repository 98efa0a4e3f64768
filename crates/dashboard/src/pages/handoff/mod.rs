//! One handoff: its story in ten steps, what crossed, how its target was found, what it used, how it ended.

mod crossing;
mod routing;
mod story;

use super::session::{baton, history, latest, step_in};
use crate::{
    ask::{Answer, Ask},
    page::{Done, Hears, Nav, Page},
    parts,
    wrong::Wrong,
};
use handover_core::{
    access::Right,
    budget::Amount,
    command::Command,
    handoff::Handoff,
    ids::HandoffId,
    limits::{PAGE_HANDOFFS, PAGE_RECORDS},
    record::Record,
};
use handover_engine::{Engine, RecordQuery};
use maud::{Markup, html};

/// The first records of a handoff and its last ones, whether or not there are more between them: those are steps and signs of
/// life, and its end must not be lost behind them.
async fn records(engine: &Engine, id: HandoffId) -> Result<Vec<Record>, Wrong> {
    let first = RecordQuery { handoff: Some(id), limit: PAGE_RECORDS, ..RecordQuery::default() };
    let mut found = engine.audit(first.clone()).await?;
    if let Some(last) = found.last().filter(|_| found.len() == PAGE_RECORDS) {
        let after = last.position;
        let mut rest = engine.audit(RecordQuery { after, latest_first: true, ..first }).await?;
        rest.reverse();
        found.append(&mut rest);
    }
    Ok(found.iter().filter_map(|stored| serde_json::from_str(&stored.text).ok()).collect())
}

pub(crate) async fn show(ask: Ask) -> Answer {
    let id = ask.handoff()?;
    let handoff = ask.engine.handoff(id).await?;
    let session = ask.engine.session(&handoff.session_id).await?;
    let others = latest(&ask.engine, &handoff.session_id, PAGE_HANDOFFS).await?;
    let records = records(&ask.engine, id).await?;
    let body = html! {
        (head(&ask, &handoff))
        (baton::strip(&ask, &session, Some(&handoff)))
        div.split {
            div {
                (task(&ask, &handoff))
                (story::card(&ask, &handoff, &records))
                (result(&ask, &handoff))
                (routing::card(&records))
                (crossing::card(&handoff))
            }
            aside aria-label="About the handoff" {
                @if ask.may(Right::Operate) { (acts(&ask, &handoff, step_in::stuck_at(&session))) }
                (budget(&handoff))
                (history::card(&ask, &session, &others, Some(id)))
            }
        }
    };
    let title = format!("#{} {} to {}", handoff.n, handoff.request.from_agent, handoff.to_agent);
    Page::new(title, Nav::Sessions, body).hears(Hears::Session(handoff.session_id.clone())).answer(&ask).await
}

fn head(ask: &Ask, handoff: &Handoff) -> Markup {
    html! {
        p.ways { a href=(parts::session_url(&handoff.session_id)) { "← Session " (handoff.session_id) } }
        div data-part="head" {
            (parts::head(
                html! { "#" (handoff.n) " " (handoff.request.from_agent) " → " (handoff.to_agent) },
                html! { (parts::standing(handoff)) span.soft { (parts::kind_words(handoff.request.kind)) ", " (parts::ago(handoff.opened_at, ask.now)) } },
            ))
            @for warning in &handoff.warnings { p.warn { (warning) } }
        }
    }
}

fn acts(ask: &Ask, handoff: &Handoff, stuck: Option<HandoffId>) -> Markup {
    let offered = step_in::of_handoff(ask, handoff, stuck);
    html! {
        @if !offered.0.trim().is_empty() { section.card.step-in data-part="step-in" { h2 { "Step in" } (offered) (parts::agent_list(&ask.engine)) } }
    }
}

fn task(ask: &Ask, handoff: &Handoff) -> Markup {
    let request = &handoff.request;
    let words = |text: &str| {
        if text.is_empty() {
            html! {}
        } else {
            parts::fold(text)
        }
    };
    let reason = if request.reason == request.task.description { "" } else { request.reason.as_str() };
    let rows = [
        ("Why", words(reason)),
        ("The user wants", words(&request.user_intent)),
        ("Priority", html! { (parts::priority_word(request.task.priority)) }),
        ("Risk", html! { (parts::risk_word(request.audit.risk_level)) }),
        ("Why so", words(&request.audit.decision_rationale)),
        ("Attempt", html! { (handoff.attempt) }),
        ("Must be over", handoff.hard_deadline.map(|at| parts::until(at, ask.now)).unwrap_or_default()),
        (
            "Tried again for",
            request
                .retry_of
                .map(|before| html! { a href=(parts::handoff_url(before)) { (parts::short(before)) } })
                .unwrap_or_default(),
        ),
        (
            "Part of",
            handoff
                .parent_id
                .map(|parent| html! { a href=(parts::handoff_url(parent)) { (parts::short(parent)) } })
                .unwrap_or_default(),
        ),
        ("Path", html! { (handoff.path.iter().map(ToString::to_string).collect::<Vec<_>>().join(" → ")) }),
    ];
    html! {
        section.card data-part="task" {
            h2 { "What is to be done" }
            div.talk {
                (parts::fold(&request.task.description))
                (parts::facts(&rows))
                @if !request.task.payload.is_null() { (parts::body(&request.task.payload)) }
                @for asked in &handoff.questions {
                    div.warn {
                        (handoff.to_agent) " asked: " (parts::fold(&asked.question))
                        @if let Some(given) = &asked.answer { div { (given.by) ": " (parts::fold(&given.text)) } }
                        @else { " " a href=(parts::inbox_url(handoff.id)) { "Answer it" } }
                    }
                }
            }
        }
    }
}

fn result(ask: &Ask, handoff: &Handoff) -> Markup {
    let Some(result) = &handoff.result else { return html! {} };
    html! {
        section.card.long data-part="result" {
            header { h2 { "What came back" } span.soft { "from " (result.from_agent) " to " (result.to_agent) ", " (parts::ago(result.completion_time, ask.now)) } }
            div.talk {
                @if result.result.body.is_null() && result.notes.is_empty() { p.soft { "Nothing but its end." } }
                (parts::body(&result.result.body))
                @if !result.notes.is_empty() { div { span.small.soft { "Notes" } div { (parts::fold(&result.notes)) } } }
                @if !result.context_updates.variables_changed.is_empty() {
                    p.soft { "Variables set: " @for name in result.context_updates.variables_changed.keys().take(50) { code { (name) } " " } }
                }
            }
        }
    }
}

/// What was set aside, and what was used of it.
fn budget(handoff: &Handoff) -> Markup {
    let share = handoff.reservation.as_ref().map(|held| held.share).unwrap_or_default();
    let used = Amount {
        tokens: handoff.metrics.tokens,
        micros: (handoff.metrics.cost * 1e6) as u64,
        ms: handoff.metrics.duration_ms,
    };
    let row =
        |used: String, most: Option<String>| html! { (used) @if let Some(most) = most { span.soft { " of " (most) } } };
    let rows = [
        ("Tokens", row(parts::number(used.tokens), share.tokens.map(parts::number))),
        ("Cost", row(parts::micros(used.micros), share.micros.map(parts::micros))),
        ("Time", row(parts::length(used.ms), share.ms.map(parts::length))),
        (
            "Used below it",
            if handoff.spent_below.is_nothing() {
                html! {}
            } else {
                html! { (parts::number(handoff.spent_below.tokens)) " tokens, " (parts::micros(handoff.spent_below.micros)) }
            },
        ),
    ];
    html! { section.card data-part="budget" { h2 { "Budget" } (parts::facts(&rows)) } }
}

/// Gives it to somebody else.
pub(crate) async fn redirect(ask: Ask) -> Answer {
    let id = ask.handoff()?;
    let (by, to, reason) = (ask.name(), ask.form.agent("to_agent")?, ask.form.needed("reason")?.to_owned());
    ask.submit(id, Command::Redirect { handoff: id, by, to, reason }).await?;
    Ok(ask.done(&parts::handoff_url(id), Done::Redirected))
}

/// Has it tried once more: the same one while it is open, a new one when it is over.
pub(crate) async fn retry(ask: Ask) -> Answer {
    let id = ask.handoff()?;
    let (by, reason) = (ask.name(), ask.form.needed("reason")?.to_owned());
    let answer = ask.submit(id, Command::Retry { handoff: id, by, reason }).await?;
    let place = answer.handoffs.first().copied().unwrap_or(id);
    Ok(ask.done(&parts::handoff_url(place), Done::Retried))
}

/// Takes it back.
pub(crate) async fn cancel(ask: Ask) -> Answer {
    let id = ask.handoff()?;
    let (by, reason) = (ask.name(), ask.form.needed("reason")?.to_owned());
    ask.submit(id, Command::Cancel { handoff: id, by, reason }).await?;
    Ok(ask.done(&parts::handoff_url(id), Done::Cancelled))
}
