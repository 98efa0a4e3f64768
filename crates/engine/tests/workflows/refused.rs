//! A result that is refused: the step fails, and what came out is not lost.

use crate::{begun, common::*, end_step};
use handover_core::{agent::Profile, handoff::Handoff, limits::PAYLOAD_BYTES_MAX, refusal::Code};
use handover_engine::agent::{Done, Work, agent};
use serde_json::{Value, json};

/// How the step of `c` ended, when it ends so.
async fn ended(done: Done) -> Handoff {
    let house = House::new();
    let engine = begun(&house).await;
    let run = move |_: Work| {
        let done = done.clone();
        async move { Ok(done) }
    };
    engine.register(Profile::named("c").unwrap(), agent(run)).await.unwrap();
    let mut feed = engine.subscribe(handover_engine::Filter::default(), None);
    end_step(&engine, "b", "LOOKED").await;
    loop {
        feed.next().await.unwrap().unwrap();
        let step = engine.handoff_history(&session("s"), 1, 1).await.unwrap().remove(0);
        if step.status().is_closed() {
            engine.close().await.unwrap();
            return step;
        }
    }
}

#[tokio::test]
async fn what_came_out_is_kept_with_the_failure() {
    let found = json!({"quotes": [1, 2, 3]});
    let large = Value::String("x".repeat(PAYLOAD_BYTES_MAX));
    for (done, body, code) in [
        (Done::json(found.clone()).signal("FETCHD"), found.clone(), Code::NoRule),
        (Done::json(found.clone()).signal("FETCHED").score(f64::NAN), found, Code::OutOfRange),
        // What cannot be kept at all is not.
        (Done::json(large).signal("FETCHED"), Value::Null, Code::TooLarge),
    ] {
        let step = ended(done).await;
        let result = step.result.unwrap();
        assert_eq!(result.result.body, body);
        assert!(result.notes.starts_with("its result was refused: ") && result.notes.contains(code.text()));
    }
}
