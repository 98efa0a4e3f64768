//! The team: its picture, its table, one agent, and who may step in.

use crate::{
    house::House,
    overview::{agent, done, hand_over, open_breaker, team},
};
use axum::http::StatusCode;
use handover_core::{
    access::{NewKey, Role},
    agent::{AgentKind, Capability, Profile, Standing},
    handoff::{Priority, Request, ReturnStatus},
    ids::SessionId,
    limits::PAGE_ROWS,
};
use std::time::Duration;

#[tokio::test]
async fn an_empty_team_teaches_how_to_register() {
    let house = House::open().await;
    house.get(&house.local(), "/team").await.shows("Nobody is registered yet").shows("handover agents register");
}

#[tokio::test]
async fn the_picture_says_how_often_and_how_well() {
    let house = House::open().await;
    team(&house).await;
    for number in 0..6 {
        let to = if number < 5 { "bob" } else { "cleo" };
        let handoff = hand_over(&house, &format!("s{number}"), to, &format!("task {number}")).await;
        let status = if number < 5 { ReturnStatus::Success } else { ReturnStatus::Failed };
        done(&house, handoff, to, status).await;
    }
    house.dashboard.caught_up().await;
    for browser in [house.local(), house.signed_in(Role::Viewer).await, house.signed_in(Role::Operator).await] {
        let seen = house.get(&browser, "/team").await;
        seen.shows("hg-w5").shows("hg-w1").shows("hg-edge-good").shows("hg-edge-bad").shows("hg-person");
        seen.shows("href=\"/handoffs?from=ann&amp;to=bob\" aria-label=\"ann → bob · ×5");
        seen.shows("left alone after failures").shows("href=\"#agents\"").shows("id=\"agents\"");
        seen.shows("href=\"/team/bob\"").shows("0 of 5").shows("100 %").shows("Thicker is more often");
    }
}

#[tokio::test]
async fn load_and_queue_are_those_of_now() {
    let house = House::open().await;
    team(&house).await;
    let running = hand_over(&house, "s", "bob", "fly").await;
    house.engine.accept(running, &agent("bob"), None, None).await.unwrap();
    hand_over(&house, "t", "bob", "fly again").await;
    let seen = house.get(&house.local(), "/team").await;
    seen.shows("1 of 5 running · 1 waiting").shows("aria-label=\"1 of 5\"").shows("hg-active");
    let seen = house.get(&house.local(), "/team/bob").await;
    seen.shows("Works on").shows("fly again").shows("data-key=\"running-").shows("data-key=\"queue-");
    house.get(&house.local(), "/team/ann").await.shows("Handed over lately").shows("data-key=\"sent-");
}

#[tokio::test]
async fn operators_take_out_and_bring_back_and_others_look() {
    let house = House::open().await;
    team(&house).await;
    let local = house.local();
    let silent = house.act(&local, "/team/bob", "/team/bob/standing", &[("drain", "yes")]).await;
    assert_eq!(silent.status, StatusCode::UNPROCESSABLE_ENTITY, "a reason is needed");
    let why = [("drain", "yes"), ("reason", "too many mistakes")];
    let seen = house.act(&local, "/team/bob", "/team/bob/standing", &why).await;
    assert_eq!((seen.status, seen.to()), (StatusCode::SEE_OTHER, "/team/bob?done=drained"));
    assert_eq!(house.engine.agent(&agent("bob")).unwrap().standing, Standing::Draining);
    house.get(&local, "/team/bob?done=drained").await.shows("It gets nothing new now.").shows("Bring back to work");
    let why = [("drain", "no"), ("reason", "mended")];
    let seen = house.act(&local, "/team/bob", "/team/bob/standing", &why).await;
    assert_eq!(seen.to(), "/team/bob?done=back");
    let book = house.get(&local, "/audit?book=house&type=agent_standing").await;
    book.shows("too many mistakes, by local").shows("mended, by local");
    let without = house.post(&local, "/team/bob/standing", &[("drain", "yes")]).await;
    assert_eq!(without.status, StatusCode::FORBIDDEN);
    let viewer = house.signed_in(Role::Viewer).await;
    house.get(&viewer, "/team/bob").await.hides("Give it nothing new").shows("Operators close breakers");
    for path in ["/team/bob/standing", "/team/bob/breaker"] {
        let seen = house.act(&viewer, "/team/bob", path, &[("drain", "yes"), ("reason", "x")]).await;
        assert_eq!(seen.status, StatusCode::FORBIDDEN, "{path}");
    }
    assert_eq!(house.engine.agent(&agent("bob")).unwrap().standing, Standing::Available);
}

#[tokio::test]
async fn an_open_breaker_is_closed_by_hand() {
    let house = House::open().await;
    team(&house).await;
    open_breaker(&house, "bob").await;
    let local = house.local();
    house.get(&local, "/team").await.shows("left alone").shows("hg-bad");
    house.get(&local, "/team/bob").await.shows("Close the breaker");
    let silent = house.act(&local, "/team/bob", "/team/bob/breaker", &[]).await;
    assert_eq!(silent.status, StatusCode::UNPROCESSABLE_ENTITY, "a reason is needed");
    let seen = house.act(&local, "/team/bob", "/team/bob/breaker", &[("reason", "the wing is mended")]).await;
    assert_eq!(seen.to(), "/team/bob?done=reset");
    assert!(house.engine.breaker(&agent("bob")).unwrap().open_until.is_none());
    house.get(&local, "/team/bob").await.hides("Close the breaker");
    house.get(&local, "/audit?book=house&type=breaker_moved").await.shows("the wing is mended, by local");
}

#[tokio::test]
async fn what_ended_is_shown_behind_any_number_that_are_open() {
    let house = House::open().await;
    team(&house).await;
    for (name, status) in [("good", ReturnStatus::Success), ("bad", ReturnStatus::Failed)] {
        let handoff = hand_over(&house, name, "bob", &format!("ended {name}")).await;
        done(&house, handoff, "bob", status).await;
    }
    for number in 0..PAGE_ROWS + 1 {
        hand_over(&house, &format!("o{number}"), "bob", "wait").await;
    }
    let mut urgent = Request::delegation("ann", "bob", "put out the fire", Duration::from_secs(600)).unwrap();
    urgent.task.priority = Priority::Urgent;
    house.engine.initiate(&SessionId::new("o0").unwrap(), urgent).await.unwrap();
    let seen = house.get(&house.local(), "/team/bob").await;
    let card = |part: &str| {
        let (_, rest) = seen.text.split_once(&format!("data-part=\"{part}\"")).unwrap();
        rest.split("</section>").next().unwrap().to_owned()
    };
    assert!(card("received").contains("ended good") && card("received").contains("ended bad"), "{}", card("received"));
    let first = card("queue");
    let first = first.split("<li ").nth(1).unwrap();
    assert!(first.contains("put out the fire"), "{first}");
}

#[tokio::test]
async fn large_teams_come_in_pages_and_are_searched() {
    let house = House::open().await;
    for number in 0..PAGE_ROWS + 5 {
        let mut profile = Profile::named(&format!("agent-{number:03}")).unwrap().kind(AgentKind::Worker);
        if number == 7 {
            profile.capabilities = vec![Capability { id: "baking".into(), proficiency: 1.0 }];
        }
        house.engine.register_profile(profile).await.unwrap();
    }
    let table = |text: &str| text.split("data-part=\"agents\"").nth(1).unwrap().matches("<tr data-key").count();
    let first = house.get(&house.local(), "/team").await;
    assert_eq!(table(&first.text), PAGE_ROWS);
    first.shows("skip=50").shows("with the most to do; the table has all");
    assert_eq!(table(&house.get(&house.local(), "/team?skip=50").await.text), 5);
    assert_eq!(table(&house.get(&house.local(), "/team?find=BAK").await.text), 1);
    house.get(&house.local(), "/team?find=nobody-at-all&skip=999").await.shows("Nobody fits.");
}

#[tokio::test]
async fn hostile_profiles_stay_words_and_strangers_do_not_exist() {
    let house = House::open().await;
    let mut profile = Profile::named("bob").unwrap();
    profile.description = "<script>alert(1)</script>".into();
    profile.specialization = "<b>\"field\"</b>".into();
    profile.capabilities = vec![Capability { id: "<img src=x>".into(), proficiency: 1.0 }];
    house.engine.register_profile(profile).await.unwrap();
    for path in ["/team", "/team/bob", "/team?find=%22%3E%3Cscript%3E"] {
        house.get(&house.local(), path).await.hides("<script>alert").hides("<img").hides("<b>\"").hides("\"><script>");
    }
    for path in ["/team/nobody", "/team/%3Cscript%3E"] {
        let seen = house.get(&house.local(), path).await;
        assert_eq!(seen.status, StatusCode::NOT_FOUND, "{path}");
        seen.hides("<script>");
    }
}

#[tokio::test]
async fn whoever_sees_only_some_sessions_sees_no_figures() {
    let house = House::open().await;
    team(&house).await;
    let handoff = hand_over(&house, "theirs", "bob", "secret work").await;
    done(&house, handoff, "bob", ReturnStatus::Success).await;
    house.dashboard.caught_up().await;
    let mut new = NewKey::of("narrow", Role::Viewer);
    new.sessions = Some([SessionId::new("mine").unwrap()].into());
    let key = house.engine.make_key(new).await.unwrap().1;
    let browser = house.with_key(&key).await;
    house.get(&browser, "/team").await.shows("for those who see all sessions").hides("hg-edge").hides("Success");
    house.get(&browser, "/team/bob").await.hides("secret work").hides("succeeded");
}
