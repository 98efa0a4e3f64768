//! Two at once where there is enough for one: exactly one begins.

use crate::play::Play;
use handover_core::{budget::Budget, command::Open, handoff::Request, ids::SessionId, refusal::Code};
use std::time::Duration;

const ROUNDS: usize = 50;

fn wants(tokens: u64) -> Request {
    let request = Request::delegation("a", "b", "find a jet", Duration::from_secs(60)).unwrap();
    request.budget(Budget { tokens: Some(tokens), ..Budget::default() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_sessions_that_begin_at_once_one_gets_the_budget() {
    let mut play = Play::begin().await;
    play.step("policy tenant=100t").await;
    for round in 0..ROUNDS {
        let mut tasks = Vec::new();
        for side in ["left", "right"] {
            let id = SessionId::new(&format!("{side}-{round}")).unwrap();
            play.engine.open_session(&id, Open::by("a").unwrap()).await.unwrap();
            let engine = play.engine.clone();
            tasks.push(tokio::spawn(async move { engine.initiate(&id, wants(60)).await }));
        }
        let (mut begun, mut refused) = (Vec::new(), 0);
        for task in tasks {
            match task.await.unwrap() {
                Ok(answer) => begun.extend(answer.handoffs),
                Err(error) => {
                    assert_eq!(error.code(), Code::BudgetSpent, "{error}");
                    refused += 1;
                }
            }
        }
        assert_eq!((begun.len(), refused), (1, 1), "round {round}");
        play.engine.cancel(begun[0], &crate::words::name("a"), "next round").await.unwrap();
    }
    play.engine.verify().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_begin_at_once_one_is_the_try() {
    let mut play = Play::begin().await;
    play.step("policy failures=1 cooldown=1s handoffs=9999").await;
    for round in 0..ROUNDS {
        for statement in ["initiate t a->b delegation", "accept t", "return t failed", "wait 1s"] {
            if statement.starts_with("initiate") {
                play.step(&format!("open t{round} by a")).await;
            }
            play.step(statement).await;
        }
        let mut tasks = Vec::new();
        for side in 0..4 {
            let id = SessionId::new(&format!("p{side}-{round}")).unwrap();
            play.engine.open_session(&id, Open::by("a").unwrap()).await.unwrap();
            let engine = play.engine.clone();
            tasks.push(tokio::spawn(async move { engine.initiate(&id, wants(1)).await }));
        }
        let mut begun = Vec::new();
        for task in tasks {
            match task.await.unwrap() {
                Ok(answer) => begun.extend(answer.handoffs),
                Err(error) => assert_eq!(error.code(), Code::BreakerOpen, "{error}"),
            }
        }
        assert_eq!(begun.len(), 1, "round {round}");
        play.engine.cancel(begun[0], &crate::words::name("a"), "next round").await.unwrap();
        play.engine.reset_breaker(&crate::words::name("b")).await.unwrap();
    }
}
