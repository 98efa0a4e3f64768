//! What belongs to a session besides its conversation: what it used, variables, artifacts, locks, decisions.

use crate::{ask::Ask, parts};
use handover_core::{
    limits::PAGE_ROWS,
    session::{ArtifactStatus, ArtifactType, Session},
};
use maud::{Markup, html};

/// Holders of one lock that are named.
const LOCK_OWNERS: usize = 5;

/// How much of a limit is used.
fn burn(name: &str, used: u64, most: Option<u64>, say: &dyn Fn(u64) -> String) -> Markup {
    let share = most.filter(|most| *most > 0).map(|most| (used.saturating_mul(100) / most).min(100));
    let tone = match share {
        Some(90..) => "bar bad",
        Some(70..) => "bar wait",
        _ => "bar",
    };
    html! {
        div {
            div.head { span { (name) } span.push.number { (say(used)) @if let Some(most) = most { span.soft { " of " (say(most)) } } } }
            @if let Some(share) = share {
                div class=(tone) role="img" aria-label=(format!("{name}: {share} of 100 used")) {
                    (parts::bar(share))
                }
            }
        }
    }
}

/// What the session used, and how far it may go.
pub(super) fn budget(ask: &Ask, session: &Session) -> Markup {
    let limits = ask.engine.limits_of(session);
    let age = session.ended_at.unwrap_or(ask.now).since(session.opened_at);
    let millionths = |cost: f64| (cost * 1e6) as u64;
    html! {
        section.card data-part="budget" {
            h2 { "Budget" }
            div.talk {
                (burn("Tokens", session.metrics.tokens, limits.tokens, &parts::number))
                (burn("Cost", millionths(session.metrics.cost), limits.cost.map(millionths), &parts::micros))
                (burn("Handoffs", u64::from(session.watch.handoffs), limits.handoffs.map(u64::from), &parts::number))
                @if limits.time_ms.is_some() { (burn("Time", age, limits.time_ms, &parts::length)) }
            }
        }
    }
}

pub(super) fn variables(ask: &Ask, session: &Session) -> Markup {
    let all = &session.variables;
    html! {
        @if !all.is_empty() {
            section.card.long data-part="variables" {
                header { h2 { "Variables" } span.soft { (all.len()) } }
                dl.talk {
                    @for (name, variable) in all.iter().take(PAGE_ROWS) {
                        div {
                            dt { code { (name) } " " span.small.soft { "v" (variable.version) " by " (variable.by) ", " (parts::ago(variable.at, ask.now)) } }
                            dd { (parts::body(&variable.value)) }
                        }
                    }
                }
                @if all.len() > PAGE_ROWS { p.soft { "The first " (PAGE_ROWS) " of " (all.len()) "." } }
            }
        }
    }
}

fn artifact_words(kind: ArtifactType) -> &'static str {
    match kind {
        ArtifactType::File => "file",
        ArtifactType::Code => "code",
        ArtifactType::Document => "document",
        ArtifactType::TestResult => "test result",
        ArtifactType::ReviewComment => "review",
    }
}

pub(super) fn artifacts(ask: &Ask, session: &Session) -> Markup {
    let (all, locks) = (&session.artifacts, &session.locks);
    html! {
        @if !all.is_empty() {
            section.card data-part="artifacts" {
                header { h2 { "Artifacts" } span.soft { (all.len()) } }
                ul.talk {
                    @for artifact in all.values().rev().take(PAGE_ROWS) {
                        li data-key=(artifact.id) {
                            span.by {
                                (artifact_words(artifact.kind))
                                @match artifact.status {
                                    ArtifactStatus::Draft => (parts::badge("idle", "draft")),
                                    ArtifactStatus::Final => (parts::badge("good", "final")),
                                    ArtifactStatus::Superseded => (parts::badge("off", "superseded")),
                                }
                                "by " (artifact.created_by) ", " (parts::ago(artifact.created_at, ask.now))
                            }
                            code { (artifact.path) }
                            @if !artifact.description.is_empty() { span.small { (parts::fold(&artifact.description)) } }
                        }
                    }
                }
                @if all.len() > PAGE_ROWS { p.soft { "The latest " (PAGE_ROWS) " of " (all.len()) "." } }
            }
        }
        @if !locks.is_empty() {
            section.card data-part="locks" {
                h2 { "Locks" }
                ul.talk {
                    @for (path, held) in locks.iter().take(PAGE_ROWS) {
                        li {
                            code { (path) }
                            span.small.soft {
                                @for lock in held.iter().take(LOCK_OWNERS) { (lock.owner) " " (parts::until(lock.until, ask.now)) " " }
                                @if held.len() > LOCK_OWNERS { "and " (held.len() - LOCK_OWNERS) " more" }
                            }
                        }
                    }
                }
                @if locks.len() > PAGE_ROWS { p.soft { "The first " (PAGE_ROWS) " of " (locks.len()) "." } }
            }
        }
    }
}

pub(super) fn decisions(ask: &Ask, session: &Session) -> Markup {
    let all = &session.decisions;
    html! {
        @if !all.is_empty() {
            section.card data-part="decisions" {
                header { h2 { "Decisions" } span.soft { (all.len()) } }
                ul.talk {
                    @for decision in all.iter().rev().take(PAGE_ROWS) {
                        li data-key=(decision.decision_id) {
                            span { (parts::fold(&decision.description)) }
                            span.small.soft { "by " (decision.made_by) ", " (parts::ago(decision.timestamp, ask.now)) }
                        }
                    }
                }
                @if all.len() > PAGE_ROWS { p.soft { "The latest " (PAGE_ROWS) " of " (all.len()) "." } }
            }
        }
    }
}
