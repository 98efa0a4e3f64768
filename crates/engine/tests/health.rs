//! Whether agents are well: those of this process are asked, those that pull work are judged by their signs of life.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, book, delegation, id, one_done, session, success, until, user, workers};
use handover_core::{
    agent::{Profile, Standing},
    handoff::Request,
    limits::{CHECKPOINT_MS, HEALTH_AT_ONCE_MAX, HEALTH_MS},
    refusal::Code,
};
use handover_engine::{
    Engine, Options,
    agent::{Agent, Done, Failure, Work},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

fn standing(engine: &Engine, name: &str) -> Standing {
    engine.agent(&id(name)).unwrap().standing
}

struct Patient(Arc<AtomicBool>);

#[async_trait::async_trait]
impl Agent for Patient {
    async fn run(&self, _: Work) -> Result<Done, Failure> {
        Ok(Done::text("ok"))
    }
    async fn health(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn three_bad_answers_make_an_agent_unavailable_and_one_good_brings_it_back() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let well = Arc::new(AtomicBool::new(false));
    engine.register(Profile::named("pilot").unwrap(), Patient(well.clone())).await.unwrap();
    let mut seen = Vec::new();
    for good in [false, false, true, false, false, false, false, true] {
        well.store(good, Ordering::SeqCst);
        engine.check_health().await.unwrap();
        seen.push(standing(&engine, "pilot"));
    }
    use Standing::{Available as Yes, Unavailable as No};
    assert_eq!(seen, [Yes, Yes, Yes, Yes, Yes, No, No, Yes]);
    well.store(false, Ordering::SeqCst);
    for _ in 0..3 {
        engine.check_health().await.unwrap();
    }
    let refused = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap_err();
    assert_eq!(refused.code(), Code::TargetUnavailable);
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert_eq!(standing(&engine, "pilot"), No, "a restart does not forget it");
    engine.register(Profile::named("pilot").unwrap(), Patient(well)).await.unwrap();
    assert_eq!(standing(&engine, "pilot"), Yes, "whoever registers is there");
    let standings: Vec<String> = book(&engine)
        .await
        .iter()
        .filter(|record| record.event_type == "agent_standing")
        .map(|record| record.reason.clone())
        .collect();
    assert_eq!(standings, ["it failed its health checks", "it is well again", "it failed its health checks"]);
}

#[tokio::test]
async fn a_health_check_that_panics_is_a_bad_answer() {
    struct Rash;
    #[async_trait::async_trait]
    impl Agent for Rash {
        async fn run(&self, _: Work) -> Result<Done, Failure> {
            Ok(Done::text("ok"))
        }
        async fn health(&self) -> bool {
            panic!("ouch")
        }
    }
    let house = House::new();
    let engine = house.open().await;
    engine.register(Profile::named("pilot").unwrap(), Rash).await.unwrap();
    for _ in 0..3 {
        engine.check_health().await.unwrap();
    }
    assert_eq!(standing(&engine, "pilot"), Standing::Unavailable);
}

#[tokio::test]
async fn whoever_pulls_work_counts_as_alive_by_its_heartbeat() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "purser"]).await;
    engine.alive(&id("pilot")).await.unwrap();
    let mut seen = Vec::new();
    for minute in 1..=7 {
        house.clock.advance(Duration::from_secs(60));
        if minute == 1 || minute == 6 {
            engine.inbox(&id("pilot"), 1).await.unwrap();
        }
        engine.check_health().await.unwrap();
        seen.push(standing(&engine, "pilot"));
    }
    use Standing::{Available as Yes, Unavailable as No};
    // Heard of in the first minute, three rounds without a word, back by itself in the sixth.
    assert_eq!(seen, [Yes, Yes, Yes, Yes, No, Yes, Yes]);
    assert_eq!(standing(&engine, "purser"), Yes, "one that was never heard of is not judged by its silence");
    assert_eq!(engine.alive(&id("nobody")).await.unwrap_err().code(), Code::UnknownAgent);
}

#[tokio::test]
async fn whoever_works_is_not_judged_by_its_silence() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "purser"]).await;
    engine.alive(&id("pilot")).await.unwrap();
    let request = Request::delegation("planner", "pilot", "fly", Duration::from_secs(3600)).unwrap();
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    let lease = engine.accept(handoff, &id("pilot"), Some(20 * 60_000), None).await.unwrap().lease;
    let round = async || {
        house.clock.advance(Duration::from_secs(60));
        engine.check_health().await.unwrap();
        standing(&engine, "pilot")
    };
    use Standing::{Available as Yes, Unavailable as No};
    for minute in 1..=10 {
        assert_eq!(round().await, Yes, "minute {minute}");
    }
    engine.give_back(handoff, lease, success("landed"), None).await.unwrap();
    // The return was a sign of life: the first round after it is good, then come three bad ones.
    assert_eq!([round().await, round().await, round().await, round().await], [Yes, Yes, Yes, No]);
    one_done(&engine, "s", "planner", "purser").await;
    for _ in 0..5 {
        round().await;
    }
    assert_eq!(standing(&engine, "purser"), Yes, "one that never asks for work is not judged by its silence");
}

/// Says that it is well once so many are asked.
struct Together {
    enough: usize,
    asked: Arc<AtomicUsize>,
    inside: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[async_trait::async_trait]
impl Agent for Together {
    async fn run(&self, _: Work) -> Result<Done, Failure> {
        Ok(Done::text("ok"))
    }
    async fn health(&self) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(self.inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        while self.asked.load(Ordering::SeqCst) < self.enough {
            tokio::task::yield_now().await;
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
        true
    }
}

#[tokio::test]
async fn many_are_asked_at_once_but_not_all() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    let [asked, inside, most] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
    let everybody = HEALTH_AT_ONCE_MAX + 10;
    for i in 0..everybody {
        let agent =
            Together { enough: HEALTH_AT_ONCE_MAX, asked: asked.clone(), inside: inside.clone(), most: most.clone() };
        engine.register(Profile::named(&format!("a{i}")).unwrap(), agent).await.unwrap();
    }
    engine.check_health().await.unwrap();
    assert_eq!(engine.agents().iter().filter(|agent| agent.failures > 0).count(), 0);
    assert_eq!((asked.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (everybody, HEALTH_AT_ONCE_MAX));
}

/// Never says how it is. Knows whether somebody waits for that.
struct Silent(Arc<AtomicBool>);

struct Inside<'a>(&'a AtomicBool);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

#[async_trait::async_trait]
impl Agent for Silent {
    async fn run(&self, _: Work) -> Result<Done, Failure> {
        Ok(Done::text("ok"))
    }
    async fn health(&self) -> bool {
        self.0.store(true, Ordering::SeqCst);
        let _inside = Inside(&self.0);
        std::future::pending().await
    }
}

#[tokio::test]
async fn an_agent_that_hangs_keeps_no_checkpoint_waiting() {
    let house = House::new();
    let options = Options { background: true, ..house.options() };
    let engine = Engine::open_with(house.file(), options).await.unwrap();
    workers(&engine, &["planner"]).await;
    let asked = Arc::new(AtomicBool::new(false));
    engine.register(Profile::named("pilot").unwrap(), Silent(asked.clone())).await.unwrap();
    house.clock.advance(Duration::from_millis(HEALTH_MS));
    until(|| asked.load(Ordering::SeqCst)).await;
    let checkpoints = async || book(&engine).await.iter().filter(|record| record.event_type == "sealed").count();
    engine.say(&session("s"), vec![user("is anybody there?")]).await.unwrap();
    let before = checkpoints().await;
    house.clock.advance(Duration::from_millis(CHECKPOINT_MS));
    while checkpoints().await == before {
        assert!(asked.load(Ordering::SeqCst), "the checkpoint waited for the agent");
    }
    engine.close().await.unwrap();
    until(|| !asked.load(Ordering::SeqCst)).await;
}
