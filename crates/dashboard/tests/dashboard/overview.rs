//! The overview: what happens, what is blocked and on whom, what comes next, figures; for whom which.

use crate::house::House;
use axum::http::StatusCode;
use handover_core::{
    access::{NewKey, Role},
    agent::{AgentKind, Profile},
    command::{Giving, Open, Update},
    handoff::{Metrics, Outcome, Request, ReturnStatus},
    ids::{AgentId, HandoffId, SessionId},
    limits::{OVERVIEW_ROWS, PAGE_ROWS, WAITING_LOOK_ROWS},
    refusal::Code,
};
use serde_json::json;
use std::time::Duration;

const HOSTILE: &str = "<script>alert('x')</script> \"quoted\" & more";

pub fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

/// `ann` plans, `bob` and `cleo` work, `dora` is a person.
pub async fn team(house: &House) {
    for name in ["ann", "bob", "cleo"] {
        let profile = Profile::named(name).unwrap().kind(AgentKind::Worker).at_once(5);
        house.engine.register_profile(profile).await.unwrap();
    }
    house.engine.register_profile(Profile::named("dora").unwrap().kind(AgentKind::Human)).await.unwrap();
}

pub async fn hand_over(house: &House, session: &str, to: &str, task: &str) -> HandoffId {
    let id = SessionId::new(session).unwrap();
    house.engine.resume_session(&id, Open::by("ann").unwrap()).await.unwrap();
    let request = Request::delegation("ann", to, task, Duration::from_secs(600)).unwrap();
    house.engine.initiate(&id, request).await.unwrap().handoffs[0]
}

pub async fn done(house: &House, handoff: HandoffId, by: &str, status: ReturnStatus) {
    let lease = house.engine.accept(handoff, &agent(by), None, None).await.unwrap().lease;
    let metrics = Metrics { tokens: 1_200, cost: 0.25, ..Metrics::default() };
    let giving = Giving {
        status,
        result: Outcome { body: json!("there"), ..Outcome::default() },
        updates: Update { metrics, ..Update::default() },
        notes: String::new(),
        signal: None,
    };
    house.engine.give_back(handoff, lease, giving, None).await.unwrap();
}

/// Fails so often that it is left alone.
pub async fn open_breaker(house: &House, name: &str) {
    for number in 0..5 {
        let handoff = hand_over(house, &format!("s{number}"), name, &format!("task {number}")).await;
        done(house, handoff, name, ReturnStatus::Failed).await;
        if house.engine.breaker(&agent(name)).unwrap().open_until.is_some() {
            return;
        }
    }
    panic!("the breaker of {name} never opened");
}

#[tokio::test]
async fn the_first_visit_teaches_the_next_step() {
    let house = House::open().await;
    let seen = house.get(&house.local(), "/").await;
    assert_eq!(seen.status, StatusCode::OK);
    seen.shows("Nothing was handed over yet").shows("handover agents register --name me").shows("handover hand-off");
    seen.hides("class=\"stat");
    team(&house).await;
    hand_over(&house, "s", "bob", "a jet").await;
    house.get(&house.local(), "/").await.hides("Nothing was handed over yet").shows("Happening now");
}

#[tokio::test]
async fn what_happens_what_is_blocked_and_what_comes_next() {
    let house = House::open().await;
    team(&house).await;
    let running = hand_over(&house, "s", "bob", "fly the jet").await;
    house.engine.accept(running, &agent("bob"), None, None).await.unwrap();
    let task = hand_over(&house, "s", "dora", "sign the paper").await;
    let asked = hand_over(&house, "q", "cleo", "find the crew").await;
    let lease = house.engine.accept(asked, &agent("cleo"), None, None).await.unwrap().lease;
    house.engine.ask(asked, lease, "Which airport?").await.unwrap();
    // An agent that is asked answers by itself; a person has to be told.
    let session = SessionId::new("d").unwrap();
    house.engine.resume_session(&session, Open::by("dora").unwrap()).await.unwrap();
    let request = Request::delegation("dora", "bob", "find the keys", Duration::from_secs(600)).unwrap();
    let of_dora = house.engine.initiate(&session, request).await.unwrap().handoffs[0];
    let lease = house.engine.accept(of_dora, &agent("bob"), None, None).await.unwrap().lease;
    house.engine.ask(of_dora, lease, "Which keys?").await.unwrap();
    let mut asking = Request::delegation("ann", "bob", "pay the fuel", Duration::from_secs(600)).unwrap();
    asking.needs_approval = true;
    let approval = house.engine.initiate(&SessionId::new("s").unwrap(), asking).await.unwrap().handoffs[0];
    for browser in [house.local(), house.signed_in(Role::Viewer).await] {
        let seen = house.get(&browser, "/").await;
        seen.shows("fly the jet").shows("1 running").shows("href=\"/team/bob\"");
        seen.shows("has to answer cleo: Which airport?").shows("has to say yes: ").shows("anybody but ann");
        seen.shows("has to take: ")
            .shows(&format!("href=\"/inbox?at={task}#{task}\""))
            .shows("Somebody else is asked, unless ");
        seen.shows("<b>3</b><span>wait for people</span>").shows("data-live=\"/live?after=");
        seen.shows(&format!("href=\"/approvals?at={approval}#{approval}\""))
            .shows("It is denied, unless somebody says yes");
        seen.shows("<span class=\"badge idle\">question</span> <a class=\"agent\" href=\"/team/ann\">ann</a>");
        seen.shows("<span class=\"badge wait\">question</span> <a class=\"agent\" href=\"/team/dora\">dora</a>");
        seen.shows("Times out, unless ");
        let card = seen.text.split("id=\"blocked\"").nth(1).unwrap().split("</section>").next().unwrap();
        for (session, rows) in [("s", 2), ("q", 1), ("d", 1)] {
            assert_eq!(card.matches(&format!("href=\"/sessions/{session}\"")).count(), rows, "{session}: {card}");
        }
    }
}

#[tokio::test]
async fn figures_count_what_ended() {
    let house = House::open().await;
    team(&house).await;
    for number in 0..4 {
        let handoff = hand_over(&house, &format!("s{number}"), "bob", &format!("task {number}")).await;
        let status = if number == 0 { ReturnStatus::Failed } else { ReturnStatus::Success };
        done(&house, handoff, "bob", status).await;
    }
    house.dashboard.caught_up().await;
    for range in ["", "?range=6h", "?range=24h", "?range=nonsense"] {
        let seen = house.get(&house.local(), &format!("/{range}")).await;
        seen.shows("<b>75 %</b><span>succeeded</span>").shows("<b>4,800</b><span>tokens</span>");
        seen.shows("<b>1.00</b><span>cost</span>")
            .shows("role=\"img\" aria-label=\"Throughput, per ")
            .shows("3 completed");
    }
    house
        .get(&house.local(), "/?range=6h")
        .await
        .shows("per 6 minutes")
        .shows("aria-current=\"true\" title=\"The last 6 hours\"");
}

#[tokio::test]
async fn when_everything_fails_the_chart_says_so() {
    let house = House::open().await;
    team(&house).await;
    let handoff = hand_over(&house, "s", "bob", "a jet").await;
    done(&house, handoff, "bob", ReturnStatus::Failed).await;
    house.dashboard.caught_up().await;
    let seen = house.get(&house.local(), "/").await;
    seen.shows("class=\"stat bad\"><b>0 %</b><span>succeeded").shows("succeeded at most 0 %");
    // It was counted for less than a minute, so that the rate is not that of an hour.
    seen.shows("<b>1.0</b><span>done per minute");
}

#[tokio::test]
async fn what_was_taken_last_is_shown_first() {
    let house = House::open().await;
    house.engine.register_profile(Profile::named("ann").unwrap()).await.unwrap();
    house.engine.register_profile(Profile::named("bob").unwrap().at_once(200)).await.unwrap();
    for number in 0..PAGE_ROWS + 2 {
        let handoff = hand_over(&house, &format!("s{number}"), "bob", &format!("paper {number};")).await;
        house.engine.accept(handoff, &agent("bob"), None, None).await.unwrap();
    }
    let seen = house.get(&house.local(), "/").await;
    let card = seen.text.split("id=\"now\"").nth(1).unwrap().split("</section>").next().unwrap();
    let (first, last) = (card.find(&format!("paper {};", PAGE_ROWS + 1)), card.find(&format!("paper {PAGE_ROWS};")));
    assert!(first.is_some() && first < last, "{card}");
    assert!(card.contains("href=\"/handoffs?status=running\""), "{card}");
}

#[tokio::test]
async fn whoever_sees_only_some_sessions_gets_no_figures_of_all() {
    let house = House::open().await;
    team(&house).await;
    hand_over(&house, "mine", "bob", "my own work").await;
    hand_over(&house, "theirs", "cleo", "work of others").await;
    let mut new = NewKey::of("narrow", Role::Viewer);
    new.sessions = Some([SessionId::new("mine").unwrap()].into());
    let key = house.engine.make_key(new).await.unwrap().1;
    let seen = house.get(&house.with_key(&key).await, "/").await;
    seen.shows("my own work").hides("work of others").hides("Throughput").shows("Figures over time are for those");
}

#[tokio::test]
async fn words_of_others_stay_words() {
    let house = House::open().await;
    team(&house).await;
    let handoff = hand_over(&house, "s", "bob", HOSTILE).await;
    let lease = house.engine.accept(handoff, &agent("bob"), None, None).await.unwrap().lease;
    let seen = house.get(&house.local(), "/").await;
    seen.hides("<script>alert").shows("&lt;script&gt;alert");
    house.engine.ask(handoff, lease, HOSTILE).await.unwrap();
    house.get(&house.local(), "/").await.hides("<script>alert").shows("has to answer bob: &lt;script&gt;");
}

#[tokio::test]
async fn lists_have_a_bound() {
    let house = House::open().await;
    team(&house).await;
    for number in 0..OVERVIEW_ROWS + 3 {
        hand_over(&house, &format!("s{number}"), "dora", &format!("paper {number}")).await;
    }
    let seen = house.get(&house.local(), "/").await;
    seen.shows("and 3 more: ");
    let card = seen.text.split("id=\"blocked\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert_eq!(card.matches("<li").count(), OVERVIEW_ROWS);
}

#[tokio::test]
async fn a_breaker_that_opens_is_shown_and_leads_to_its_agent() {
    let house = House::open().await;
    team(&house).await;
    open_breaker(&house, "bob").await;
    house.dashboard.caught_up().await;
    let seen = house.get(&house.local(), "/").await;
    seen.shows("is left alone after ").shows("<span class=\"badge bad\">open</span>").shows("opened lately: 1");
}

#[tokio::test]
async fn a_deadlock_that_was_prevented_is_counted() {
    let house = House::open().await;
    team(&house).await;
    house.get(&house.local(), "/").await.hides("<td class=\"wide\">deadlocks");
    let handoff = hand_over(&house, "s", "bob", "fly the jet").await;
    house.engine.accept(handoff, &agent("bob"), None, None).await.unwrap();
    let back = Request::delegation("bob", "ann", "fly it yourself", Duration::from_secs(60)).unwrap();
    let refused = house.engine.initiate(&SessionId::new("s").unwrap(), back).await.unwrap_err();
    assert_eq!(refused.code(), Code::WaitsForYou, "{refused}");
    let seen = house.get(&house.local(), "/").await;
    seen.shows("Stopped by guards").shows("deadlocks and circles").shows("HO0706").hides("Deadlocks prevented");
    let card = seen.text.split("data-part=\"prevented\"").nth(1).unwrap().split("</section>").next().unwrap();
    // What is on record and what was refused are counted apart, each since its own time.
    assert_eq!((card.matches("On record: ").count(), card.matches("Refused: ").count()), (1, 1), "{card}");
    assert!(card.contains("data-name=\"on record\">0<") && card.contains("data-name=\"refused\">1<"), "{card}");
    let viewer = house.signed_in(Role::Viewer).await;
    house.get(&viewer, "/").await.shows("Stopped by guards").hides("in the whole house");
}

#[tokio::test]
async fn work_of_a_person_is_seen_behind_any_number_of_tasks_for_machines() {
    let house = House::open().await;
    for name in ["ann", "bob"] {
        house.engine.register_profile(Profile::named(name).unwrap().at_once(1_000)).await.unwrap();
    }
    house.engine.register_profile(Profile::named("dora").unwrap().kind(AgentKind::Human).at_once(9)).await.unwrap();
    let taken = hand_over(&house, "first", "dora", "read the contract").await;
    house.engine.accept(taken, &agent("dora"), None, None).await.unwrap();
    for number in 0..WAITING_LOOK_ROWS + 1 {
        let handoff = hand_over(&house, &format!("s{number}"), "bob", "fly").await;
        if number < PAGE_ROWS + 1 {
            house.engine.accept(handoff, &agent("bob"), None, None).await.unwrap();
        }
    }
    hand_over(&house, "last", "dora", "sign the paper").await;
    let seen = house.get(&house.local(), "/").await;
    seen.shows("<b>2</b><span>wait for people</span>");
    let card = seen.text.split("id=\"blocked\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(card.contains("sign the paper") && card.contains("read the contract"), "{card}");
    let waiting = house.get(&house.local(), "/sessions?show=waiting").await;
    let rows = |seen: &str| seen.split("data-part=\"sessions\"").nth(1).unwrap().matches("<tr data-key").count();
    assert_eq!(rows(&waiting.text), 2);
    waiting.shows("data-key=\"first\"").shows("data-key=\"last\"");
}
