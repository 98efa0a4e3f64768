//! A model that picks costs money: when it is asked, who pays for it, and how many are asked at once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use async_trait::async_trait;
use common::{House, id, session, until, workers};
use handover_core::{
    budget::{Limit, Price},
    command::Open,
    event::Event,
    handoff::Request,
    limits,
    policy::{Mode, SessionLimits, Strategy},
    refusal::Code,
};
use handover_engine::{
    Engine, Filter, Notice,
    agent::Failure,
    picker::{Meter, Pick, PickQuestion, Picker, Usage},
};
use parking_lot::Mutex;
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// What a model does once it was asked and has said what it used.
#[derive(Clone, Copy)]
enum Does {
    Pick(&'static str),
    Nobody,
    Fail,
    Fall,
    Think,
    /// Says what it used when it is stopped.
    ThinkAndTell,
}

struct Model {
    does: Mutex<Does>,
    asked: AtomicUsize,
    /// Questions that somebody thinks about.
    thinking: Arc<AtomicUsize>,
}

impl Model {
    async fn connect(engine: &Engine, does: Does) -> Arc<Self> {
        let model = Arc::new(Self {
            does: Mutex::new(does),
            asked: AtomicUsize::new(0),
            thinking: Arc::new(AtomicUsize::new(0)),
        });
        engine.set_picker(Some(model.clone())).unwrap();
        model
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn thinking(&self) -> usize {
        self.thinking.load(Ordering::SeqCst)
    }
}

struct Thought(Arc<AtomicUsize>);

impl Drop for Thought {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct LastWords<'a>(&'a Meter);

impl Drop for LastWords<'_> {
    fn drop(&mut self) {
        self.0.add(Usage { model: "m".into(), input_tokens: 50, output_tokens: 0 });
    }
}

#[async_trait]
impl Picker for Model {
    async fn pick(&self, _: PickQuestion, meter: &Meter) -> Result<Pick, Failure> {
        self.thinking.fetch_add(1, Ordering::SeqCst);
        let _thought = Thought(self.thinking.clone());
        meter.add(Usage { model: "m".into(), input_tokens: 90, output_tokens: 10 });
        self.asked.fetch_add(1, Ordering::SeqCst);
        let does = *self.does.lock();
        match does {
            Does::Pick(name) => Ok(Pick::Agent { name: name.into(), why: "it knows them".into() }),
            Does::Nobody => Ok(Pick::Nobody { why: "too vague".into() }),
            Does::Fail => Err("no credit".into()),
            Does::Fall => panic!("it fell over"),
            Does::Think => std::future::pending().await,
            Does::ThinkAndTell => {
                let _last = LastWords(meter);
                std::future::pending().await
            }
        }
    }
}

/// A house in which a model picks; 100 tokens of it cost 0.001.
fn house() -> House {
    let mut house = House::new();
    house.policy.routing.strategy = Strategy::Llm;
    house.policy.budgets.prices.insert("m".into(), Price { input: 10.0, output: 10.0 });
    house
}

async fn desks(engine: &Engine) {
    workers(engine, &["planner", "pilot", "sailor"]).await;
}

async fn open(engine: &Engine, name: &str, limits: SessionLimits, mode: Option<Mode>) {
    let open = Open { limits, mode, ..Open::by("planner").unwrap() };
    engine.open_session(&session(name), open).await.unwrap();
}

fn asking(from: &str, task: &str) -> Request {
    let mut request = Request::delegation_by(from, "x", task, Duration::from_secs(60)).unwrap();
    request.capability = None;
    request.candidates = vec![id("pilot"), id("sailor")];
    request
}

/// Tokens and millionths that a session has used.
async fn spent(engine: &Engine, name: &str) -> (u64, u64) {
    let metrics = engine.session(&session(name)).await.unwrap().metrics;
    (metrics.tokens, handover_core::budget::micros(metrics.cost))
}

/// What the ledger in the file says, as anybody with a shell sees it. The engine is closed first.
fn ledger(house: &House) -> String {
    let connection = house.raw();
    let mut find = connection.prepare("SELECT account || ' ' || entry FROM ledger ORDER BY account").unwrap();
    let found = find.query_map([], |row| row.get::<_, String>(0)).unwrap();
    found.map(Result::unwrap).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn nobody_asks_a_model_about_what_is_refused_anyway() {
    let limit = |limits: SessionLimits| (limits, None);
    for (how, (limits, mode), late, from, task, code) in [
        (
            "no handoffs",
            limit(SessionLimits { handoffs: Some(0), ..Default::default() }),
            0,
            "planner",
            "fly",
            Code::TooManyHandoffs,
        ),
        ("works alone", (SessionLimits::default(), Some(Mode::Independent)), 0, "planner", "fly", Code::HandoffsOff),
        (
            "time",
            limit(SessionLimits { time_ms: Some(1_000), ..Default::default() }),
            2,
            "planner",
            "fly",
            Code::TimeSpent,
        ),
        (
            "budget",
            limit(SessionLimits { tokens: Some(0), ..Default::default() }),
            0,
            "planner",
            "fly",
            Code::BudgetSpent,
        ),
        ("a mistake", limit(SessionLimits::default()), 0, "planner", " ", Code::EmptyField),
        ("a stranger", limit(SessionLimits::default()), 0, "pilot", "fly", Code::NotOwner),
    ] {
        // By a list and by the text alone, which fits nobody.
        for listed in [true, false] {
            let house = house();
            let engine = house.open().await;
            desks(&engine).await;
            let model = Model::connect(&engine, Does::Pick("pilot")).await;
            open(&engine, "t", limits, mode).await;
            house.clock.advance(Duration::from_secs(late));
            let mut request = asking(from, task);
            if !listed {
                request.candidates.clear();
            }
            let refused = engine.initiate(&session("t"), request).await.unwrap_err();
            assert_eq!(refused.code(), code, "{how}: {refused}");
            let told: BTreeSet<String> = refused.refusals.iter().map(ToString::to_string).collect();
            assert_eq!(told.len(), refused.refusals.len(), "{how}, and nothing is said twice: {refused}");
            assert_eq!((model.asked(), spent(&engine, "t").await.0), (0, 0), "{how}");
        }
    }
}

#[tokio::test]
async fn a_session_that_falls_back_does_so_without_a_model() {
    let house = house();
    let engine = house.open().await;
    desks(&engine).await;
    let model = Model::connect(&engine, Does::Pick("pilot")).await;
    open(&engine, "t", SessionLimits { handoffs: Some(0), ..Default::default() }, Some(Mode::Fallback)).await;
    let answer = engine.initiate(&session("t"), asking("planner", "fly")).await.unwrap();
    assert_eq!(answer.fallback.unwrap().code(), Code::TooManyHandoffs);
    assert_eq!(model.asked(), 0);
}

#[tokio::test]
async fn what_a_model_uses_is_charged_whatever_comes_of_it() {
    for (does, refused, words) in [
        (Does::Pick("pilot"), None, "session_opened model_asked initiated"),
        (Does::Pick("nemo"), None, "session_opened model_asked initiated"),
        (Does::Fail, None, "session_opened model_asked initiated"),
        (Does::Fall, None, "session_opened model_asked initiated"),
        (Does::Nobody, Some(Code::NobodyCan), "session_opened model_asked"),
    ] {
        let house = house();
        let engine = house.open().await;
        desks(&engine).await;
        Model::connect(&engine, does).await;
        let outcome = engine.initiate(&session("s"), asking("planner", "fly")).await;
        assert_eq!(outcome.err().map(|error| error.code()), refused);
        assert_eq!(common::words(&engine, "s").await.join(" "), words);
        assert_eq!(spent(&engine, "s").await, (100, 1_000));
        engine.verify().await.unwrap();
        engine.close().await.unwrap();
        assert_eq!(ledger(&house), r#"tenant default {"used":{"tokens":100,"micros":1000}}"#, "and no agent's");
    }
}

#[tokio::test]
async fn what_a_model_used_counts_against_the_limits() {
    let mut house = house();
    house.policy.budgets.tenant = Some(Limit { tokens: Some(250), ..Limit::default() });
    let engine = house.open().await;
    desks(&engine).await;
    let model = Model::connect(&engine, Does::Nobody).await;
    for asked in [1, 2, 3, 3] {
        engine.initiate(&session("s"), asking("planner", "fly")).await.unwrap_err();
        assert_eq!(model.asked(), asked);
    }
    let refused = engine.initiate(&session("s"), asking("planner", "fly")).await.unwrap_err();
    assert_eq!(refused.code(), Code::BudgetSpent, "{refused}");
    assert_eq!(spent(&engine, "s").await, (300, 3_000));
}

#[tokio::test]
async fn a_dry_run_with_a_model_is_charged_and_nothing_else() {
    let house = house();
    let engine = house.open().await;
    desks(&engine).await;
    Model::connect(&engine, Does::Pick("sailor")).await;
    let routed = engine.route(&session("s"), &asking("planner", "fly")).await.unwrap();
    assert_eq!(routed.agent, Some(id("sailor")));
    assert_eq!(common::words(&engine, "s").await, ["session_opened", "model_asked"]);
    assert_eq!(spent(&engine, "s").await, (100, 1_000));
}

#[tokio::test]
async fn a_model_stops_when_nobody_waits_for_it() {
    let house = house();
    let engine = house.open().await;
    desks(&engine).await;
    let model = Model::connect(&engine, Does::Think).await;
    let (waits, name) = (engine.clone(), session("s"));
    let caller = tokio::spawn(async move { waits.initiate(&name, asking("planner", "fly")).await });
    until(|| model.asked() == 1).await;
    caller.abort();
    until(|| model.thinking() == 0).await;
    // What it said that it used by then is charged, beside.
    let mut feed = engine.subscribe(Filter::default(), Some(0));
    loop {
        let Some(Notice::Event(message)) = feed.next().await.unwrap() else { panic!("it was never charged") };
        if matches!(message.payload, Event::ModelAsked { .. }) {
            break;
        }
    }
    assert_eq!(spent(&engine, "s").await, (100, 1_000));
    assert_eq!(common::words(&engine, "s").await, ["session_opened", "model_asked"]);
    *model.does.lock() = Does::Pick("pilot");
    engine.initiate(&session("s"), asking("planner", "fly")).await.unwrap();
}

#[tokio::test]
async fn what_a_model_says_when_it_is_stopped_is_charged_too() {
    let house = house();
    let engine = house.open().await;
    desks(&engine).await;
    let model = Model::connect(&engine, Does::ThinkAndTell).await;
    let (waits, name) = (engine.clone(), session("s"));
    let caller = tokio::spawn(async move { waits.initiate(&name, asking("planner", "fly")).await });
    until(|| model.asked() == 1).await;
    house.clock.advance(Duration::from_millis(limits::PICK_MS));
    // Its last words come when they come: what they cost is written after the answer, or before it.
    let mut feed = engine.subscribe(Filter { session: Some(session("s")), ..Filter::default() }, Some(0));
    caller.await.unwrap().unwrap();
    let mut heard = Vec::new();
    while heard.len() < 4 {
        let Some(Notice::Event(message)) = feed.next().await.unwrap() else { panic!("the feed ended") };
        heard.push(message.payload.word());
    }
    assert_eq!(heard, ["session_opened", "model_asked", "initiated", "model_asked"]);
    assert_eq!(spent(&engine, "s").await, (150, 1_500));
}

/// Lets everybody go as far as they come by themselves: nothing on the way to a model waits for the disk.
async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn so_many_models_are_asked_at_once_and_the_next_one_waits() {
    let house = house();
    let engine = house.open_unsynced().await;
    desks(&engine).await;
    let model = Model::connect(&engine, Does::Think).await;
    let ask = |n: usize| {
        let engine = engine.clone();
        tokio::spawn(async move {
            let name = session(&format!("t{n}"));
            let handoff = engine.initiate(&name, asking("planner", "fly")).await.unwrap().handoffs[0];
            engine.trace(handoff).await.unwrap().into_iter().find_map(|record| match record.event {
                Event::Initiated { routing, .. } => routing,
                _ => None,
            })
        })
    };
    for n in 0..limits::PICKS_AT_ONCE_MAX + 2 {
        open(&engine, &format!("t{n}"), SessionLimits::default(), None).await;
    }
    let all: Vec<_> = (0..limits::PICKS_AT_ONCE_MAX).map(ask).collect();
    until(|| model.thinking() == limits::PICKS_AT_ONCE_MAX).await;
    let one_more = ask(limits::PICKS_AT_ONCE_MAX);
    settle().await;
    assert_eq!(model.asked(), limits::PICKS_AT_ONCE_MAX, "it waits for a place");
    // One that goes away leaves its place to the next.
    all[0].abort();
    until(|| model.asked() == limits::PICKS_AT_ONCE_MAX + 1).await;
    let without = ask(limits::PICKS_AT_ONCE_MAX + 1);
    settle().await;
    house.clock.advance(Duration::from_millis(limits::PICK_MS));
    let note = without.await.unwrap().unwrap().note;
    assert!(note.contains("PICKS_AT_ONCE_MAX"), "{note}");
    let note = one_more.await.unwrap().unwrap().note;
    assert!(note.contains("(PICK_MS)") && !note.contains("PICKS_AT_ONCE_MAX"), "{note}");
    until(|| model.thinking() == 0).await;
}
