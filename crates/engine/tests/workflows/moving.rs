//! An agent that moves the state, is lost and begins anew passes the states that it came to before.

use crate::{begun, common::*, end_step, stands};
use handover_core::{agent::Profile, limits::CLOSE_MS};
use handover_engine::{
    Engine,
    agent::{Done, Work, agent},
};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// `c` moves through these states. The first run stops after `lost`; what each asked for and was told is noted.
async fn register(engine: &Engine, path: &'static [&'static str], lost: Option<(usize, Arc<Notify>)>, told: &Told) {
    let told = told.clone();
    let run = move |work: Work| {
        let (lost, told) = (lost.clone(), told.clone());
        async move {
            for (i, state) in path.iter().enumerate() {
                let answer = work.move_state(state).await;
                told.lock().push(answer.map_or_else(|error| error.to_string(), |()| (*state).to_owned()));
                if let Some((_, bell)) = lost.as_ref().filter(|(after, _)| *after == i + 1) {
                    bell.notify_one();
                    std::future::pending::<()>().await;
                }
            }
            Ok(Done::text("done").signal("FETCHED"))
        }
    };
    engine.register(Profile::named("c").unwrap(), agent(run)).await.unwrap();
}

type Told = Arc<Mutex<Vec<String>>>;

#[tokio::test]
async fn a_run_that_begins_anew_passes_the_states_it_came_to() {
    for (lost_after, second) in [
        (1, &["SORTING", "PACKING"][..]),
        (2, &["SORTING", "PACKING"]),
        // It may also come by a shorter way.
        (2, &["PACKING"]),
    ] {
        let house = House::new();
        let engine = begun(&house).await;
        let (told, bell) = (Told::default(), Arc::new(Notify::new()));
        register(&engine, &["SORTING", "PACKING"], Some((lost_after, bell.clone())), &told).await;
        end_step(&engine, "b", "LOOKED").await;
        bell.notified().await;
        let closing = tokio::spawn({
            let engine = engine.clone();
            async move { engine.close().await }
        });
        while !closing.is_finished() {
            house.clock.advance(Duration::from_millis(CLOSE_MS));
            tokio::task::yield_now().await;
        }
        let engine = house.open().await;
        told.lock().clear();
        register(&engine, second, None, &told).await;
        engine.ended(&session("s")).await.unwrap();
        assert_eq!(*told.lock(), second, "lost after {lost_after}");
        assert_eq!(stands(&engine).await, ("DONE".into(), true));
        let moved = words(&engine, "s").await.iter().filter(|word| *word == "state_moved").count();
        assert_eq!(moved, 2, "each state once");
        engine.close().await.unwrap();
    }
}
