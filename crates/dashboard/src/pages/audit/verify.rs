//! Verifying the trail: once at a time, beside the page, with a result that everybody of the house sees.

use crate::{
    ask::{Answer, Ask, see},
    parts, wrong,
};
use handover_core::{refusal::HandoffError, time::Timestamp};
use handover_engine::{Engine, Verified};
use maud::{Markup, html};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::task::AbortHandle;

/// Where a verification stands.
#[derive(Default)]
enum State {
    #[default]
    Never,
    Runs {
        since: Timestamp,
        by: String,
        task: Option<AbortHandle>,
    },
    /// It ended without a result.
    BrokeOff {
        at: Timestamp,
        by: String,
    },
    Over {
        at: Timestamp,
        took_ms: u64,
        by: String,
        found: Result<Verified, Box<HandoffError>>,
    },
}

/// The one verification of a server.
#[derive(Default)]
pub(crate) struct Verifying(Arc<Mutex<State>>);

impl Drop for Verifying {
    fn drop(&mut self) {
        // Whatever ends says so in the same place: it is not held meanwhile.
        let state = std::mem::take(&mut *self.0.lock());
        if let State::Runs { task: Some(task), .. } = state {
            task.abort();
        }
    }
}

impl Verifying {
    /// Begins, unless one runs already.
    fn begin(&self, ask: &Ask) {
        let (since, by) = (ask.now, ask.engine.caller().name.clone());
        let mut state = self.0.lock();
        if matches!(*state, State::Runs { .. }) {
            return;
        }
        let running = Running { place: self.0.clone(), engine: ask.engine.clone(), since, by: by.clone(), told: false };
        let job = tokio::spawn(running.run());
        *state = State::Runs { since, by, task: Some(job.abort_handle()) };
    }
}

/// A verification under way. However it ends, its end is told: else nobody could begin another.
struct Running {
    place: Arc<Mutex<State>>,
    engine: Engine,
    since: Timestamp,
    by: String,
    told: bool,
}

impl Running {
    async fn run(mut self) {
        let found = self.engine.verify().await.map_err(Box::new);
        let at = self.engine.now();
        self.told = true;
        *self.place.lock() = State::Over { at, took_ms: at.since(self.since), by: self.by.clone(), found };
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.told {
            *self.place.lock() = State::BrokeOff { at: self.engine.now(), by: self.by.clone() };
        }
    }
}

/// Begins a verification. For whoever runs the house: what does not fit may be anybody's.
pub(crate) async fn begin(ask: Ask) -> Answer {
    ask.engine.operator()?;
    ask.house.verifying.begin(&ask);
    Ok(see("/audit#verify"))
}

pub(super) fn card(ask: &Ask) -> Markup {
    let state = ask.house.verifying.0.lock();
    let runs = matches!(*state, State::Runs { .. });
    html! {
        section.card.verify id="verify" data-part="verify" data-again[runs] aria-live="polite" {
            (parts::form(ask, "/audit/verify", html! {
                div.row {
                    div.grow {
                        @match &*state {
                            State::Never => { p { strong { "Verify the trail" } } p.soft { (PROMISE) } }
                            State::Runs { since, by, .. } => {
                                p { (parts::badge("run", "verifying")) " about " (parts::number(ask.engine.feed_position())) " records" }
                                p.soft { "Begun by " (by) " " (parts::ago(*since, ask.now)) ". " a href="/audit#verify" { "Look again" } }
                            }
                            State::BrokeOff { at, by } => {
                                p { (parts::badge("wait", "broke off")) " It came to no result. Begin it again; the log of the server may say why." }
                                p.soft { "Begun by " (by) ", broken off " (parts::ago(*at, ask.now)) }
                            }
                            State::Over { at, took_ms, by, found } => { (result(ask, (*at, *took_ms), by, found)) }
                        }
                    }
                    button type="submit" disabled[runs] { @if runs { "Verifying…" } @else { "Verify now" } }
                }
            }))
        }
    }
}

const PROMISE: &str = "Every record is hashed and follows the one before it; checkpoints are kept; sessions, handoffs and messages are what the records say.";

fn result(ask: &Ask, time: (Timestamp, u64), by: &str, found: &Result<Verified, Box<HandoffError>>) -> Markup {
    let (at, took_ms) = time;
    html! {
        @match found {
            Ok(found) => {
                p {
                    (parts::badge("good", "all as it was written")) " "
                    (parts::number(found.records)) " records of " (parts::number(found.sessions)) " sessions, "
                    (parts::number(found.handoffs)) " closed handoffs, " (parts::number(found.messages)) " messages, "
                    (parts::number(found.checkpoints)) " checkpoints, " (parts::number(found.accounts)) " accounts"
                }
            }
            Err(error) => {
                p { (parts::badge("bad", "broken")) }
                (wrong::problem(error))
                @for place in error.refusals.iter().filter_map(|refusal| refusal.details["session_id"].as_str()) {
                    p { a href=(format!("/audit?session={}", parts::encoded(place))) { "Its records" } }
                }
            }
        }
        p.soft { "By " (by) " " (parts::ago(at, ask.now)) ", in " (parts::length(took_ms)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_breaks_off_does_not_run_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path().join("house.db")).await.unwrap();
        let running = |place: &Arc<Mutex<State>>| Running {
            place: place.clone(),
            engine: engine.clone(),
            since: Timestamp(0),
            by: "ann".into(),
            told: false,
        };
        for breaks in [true, false] {
            let place = Arc::new(Mutex::new(State::Runs { since: Timestamp(0), by: "ann".into(), task: None }));
            let one = running(&place);
            let job = tokio::spawn(async move {
                assert!(!breaks || one.told, "it breaks off");
                one.run().await;
            });
            assert_eq!(job.await.is_err(), breaks);
            match &*place.lock() {
                State::BrokeOff { by, .. } => assert_eq!((by.as_str(), breaks), ("ann", true)),
                State::Over { found, .. } => assert_eq!((found.is_ok(), breaks), (true, false)),
                State::Never | State::Runs { .. } => panic!("it still runs"),
            }
        }
    }
}
