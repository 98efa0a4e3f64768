//! Stepping in by hand: hand over to somebody else, take back, try again, end. Each with a reason, which the audit trail
//! keeps.

use crate::{
    ask::{Answer, Ask},
    page::Done,
    parts,
};
use handover_core::{
    access::Right,
    command::Command,
    handoff::{Handoff, Request, Status},
    ids::{AgentId, HandoffId},
    message::{NewMessage, Role},
    session::Session,
};
use maud::{Markup, html};
use std::time::Duration;

/// How long somebody has for what is handed over by hand, unless it says otherwise.
const BY_HAND: Duration = Duration::from_secs(3_600);

/// What can be done in a session.
pub(crate) fn card(ask: &Ask, session: &Session, handoffs: &[Handoff]) -> Markup {
    let operates = ask.may(Right::Operate);
    let open: Vec<&Handoff> = handoffs.iter().rev().filter(|handoff| !handoff.status().is_closed()).take(5).collect();
    let stuck = stuck_at(session);
    let over = session.ended_at.is_some();
    let last = handoffs.iter().rev().find(|handoff| stuck.is_none_or(|step| step == handoff.id));
    let failed = last.filter(|last| open.is_empty() && (stuck.is_some() || is_retried(last)));
    html! {
        section.card.step-in data-part="step-in" {
            h2 { "Step in" }
            @for handoff in &open {
                @if operates { (of_handoff(ask, handoff, stuck)) }
            }
            @if let Some(failed) = failed.filter(|_| operates) { (retry(ask, failed)) }
            @if !over && may_speak(ask, &session.active_agent) { (hand_over(ask, session)) }
            @if !over && operates { (end(ask, session)) }
            (parts::agent_list(&ask.engine))
        }
    }
}

/// The step at which a workflow could not go on: trying it again lets it go on.
pub(crate) fn stuck_at(session: &Session) -> Option<HandoffId> {
    session.flow.as_ref().and_then(|flow| flow.stuck.as_ref()).map(|stuck| stuck.step)
}

/// Whether whoever looks may speak for this agent.
fn may_speak(ask: &Ask, agent: &AgentId) -> bool {
    ask.engine.caller().may_act_as(agent)
}

fn is_retried(handoff: &Handoff) -> bool {
    matches!(handoff.status(), Status::Failed | Status::TimedOut | Status::Cancelled)
}

/// What can be done with one handoff, open or closed.
pub(crate) fn of_handoff(ask: &Ask, handoff: &Handoff, stuck: Option<HandoffId>) -> Markup {
    let id = handoff.id.to_string();
    html! {
        @match handoff.status() {
            Status::AwaitingApproval => {
                p { "#" (handoff.n) " waits for a yes: " a href=(format!("/approvals?at={id}")) { "decide" } }
                (cancel(ask, handoff))
            },
            Status::Offered | Status::Deferred | Status::Running => {
                (redirect(ask, handoff))
                @if handoff.status() != Status::Offered { (retry(ask, handoff)) }
                (cancel(ask, handoff))
            },
            Status::Failed | Status::TimedOut | Status::Cancelled => (retry(ask, handoff)),
            // What was done is done again only where the workflow could not go on after it.
            Status::Completed | Status::Escalated => @if stuck == Some(handoff.id) { (retry(ask, handoff)) },
        }
    }
}

fn fold(id: &str, title: Markup, inside: Markup) -> Markup {
    html! { details id=(id) { summary { (title) } (inside) } }
}

/// The field for an agent. There may be more than any list can hold: the list of the page suggests some, and says who can take
/// nothing now.
fn choice(id: &str) -> Markup {
    html! {
        label for=(id) { "To whom" }
        input id=(id) name="to_agent" list="agents" required autocomplete="off" spellcheck="false" placeholder="name of an agent";
    }
}

fn redirect(ask: &Ask, handoff: &Handoff) -> Markup {
    let key = format!("redirect-{}", handoff.id);
    let inside = parts::form(
        ask,
        &format!("{}/redirect", parts::handoff_url(handoff.id)),
        html! {
            div { (choice(&format!("{key}-to"))) }
            div { (parts::reason_field(&format!("{key}-why"), "why it goes to somebody else")) }
            div.buttons { button.main type="submit" { "Hand it to them" } }
        },
    );
    fold(&key, html! { "Give #" (handoff.n) " to somebody else" }, inside)
}

fn retry(ask: &Ask, handoff: &Handoff) -> Markup {
    let key = format!("retry-{}", handoff.id);
    let inside = parts::form(
        ask,
        &format!("{}/retry", parts::handoff_url(handoff.id)),
        html! {
            p.soft {
                @if handoff.status().is_closed() { "The same work is handed over once more, as a new handoff." }
                @else { "It is offered to " (handoff.to_agent) " again, at once." }
            }
            div { (parts::reason_field(&format!("{key}-why"), "why it is worth another try")) }
            div.buttons { button.main type="submit" { "Try again" } }
        },
    );
    fold(&key, html! { "Try #" (handoff.n) " again" }, inside)
}

fn cancel(ask: &Ask, handoff: &Handoff) -> Markup {
    let key = format!("cancel-{}", handoff.id);
    let inside = parts::form(
        ask,
        &format!("{}/cancel", parts::handoff_url(handoff.id)),
        html! {
            div { (parts::reason_field(&format!("{key}-why"), "why nobody should do it")) }
            div.buttons { button.bad type="submit" { "Cancel it" } }
        },
    );
    fold(&key, html! { "Cancel #" (handoff.n) }, inside)
}

fn hand_over(ask: &Ask, session: &Session) -> Markup {
    let inside = parts::form(
        ask,
        &format!("{}/hand-over", parts::session_url(&session.id)),
        html! {
            (parts::hidden("from_agent", session.active_agent.as_str()))
            div { (choice("hand-over-to")) }
            div { label for="hand-over-task" { "What is to be done" } textarea id="hand-over-task" name="task" required rows="2" {} }
            div { (parts::reason_field("hand-over-why", "why it goes there")) }
            div {
                label for="hand-over-kind" { "How" }
                select id="hand-over-kind" name="kind" {
                    option value="delegation" { "delegate: the result comes back" }
                    option value="sequential" { "hand on: the session goes with it" }
                }
            }
            div.buttons { button.main type="submit" { "Hand over" } }
        },
    );
    fold("hand-over", html! { "Hand something over for " (session.active_agent) }, inside)
}

fn end(ask: &Ask, session: &Session) -> Markup {
    let inside = parts::form(
        ask,
        &format!("{}/end", parts::session_url(&session.id)),
        html! {
            p.soft { "What is open is cancelled, and nothing more can be handed over in it." }
            div { (parts::reason_field("end-why", "why it is over")) }
            div.buttons { button.bad type="submit" { "End the session" } }
        },
    );
    fold("end-session", html! { "End the session" }, inside)
}

/// Says something.
pub(crate) async fn say(ask: Ask) -> Answer {
    let id = ask.session()?;
    let text = ask.form.needed("text")?;
    let message = match ask.form.some("agent") {
        Some(_) => NewMessage { agent: Some(ask.form.agent("agent")?), ..NewMessage::new(Role::Assistant, text) },
        None => NewMessage::new(Role::User, text),
    };
    ask.engine.say_once(&id, vec![message], None, ask.once()).await?;
    Ok(ask.done(&parts::session_url(&id), Done::Said))
}

/// Hands something over in the name of whoever had the session when the form was made: sent once more, it says the same.
pub(crate) async fn give(ask: Ask) -> Answer {
    let id = ask.session()?;
    let from = match ask.form.some("from_agent") {
        Some(_) => ask.form.agent("from_agent")?,
        None => ask.engine.session(&id).await?.active_agent.clone(),
    };
    let (to, task) = (ask.form.agent("to_agent")?, ask.form.needed("task")?);
    let request = match ask.form.get("kind") {
        "sequential" => Request::sequential(from.as_str(), to.as_str(), task)?,
        _ => Request::delegation(from.as_str(), to.as_str(), task, BY_HAND)?,
    };
    let mut request = request.because(ask.form.needed("reason")?);
    request.idempotency_key = ask.once().map(str::to_owned);
    let answer = ask.engine.initiate(&id, request).await?;
    let place = answer.handoffs.first().map_or_else(|| parts::session_url(&id), |made| parts::handoff_url(*made));
    Ok(ask.done(&place, Done::HandedOver))
}

/// Ends the session.
pub(crate) async fn over(ask: Ask) -> Answer {
    let id = ask.session()?;
    let by = ask.engine.session(&id).await?.active_agent.clone();
    let reason = ask.form.needed("reason")?.to_owned();
    ask.engine.submit(&id, Command::End { by, reason }, ask.once()).await?;
    Ok(ask.done(&parts::session_url(&id), Done::Ended))
}
