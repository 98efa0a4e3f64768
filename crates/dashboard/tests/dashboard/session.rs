//! A session and its handoffs: what is shown to whom, and how people step in.

use crate::house::{Browser, House};
use axum::http::StatusCode;
use handover_core::{
    access::Role,
    agent::Profile,
    command::Open,
    handoff::{Request, Status},
    ids::{AgentId, HandoffId, SessionId},
    limits::{PAGE_HANDOFFS, PAGE_MESSAGES},
    message::{NewMessage, Role as Speaks},
    policy::{Policy, SessionLimits},
};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

pub fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

/// A session of anna's with one handoff to bert.
async fn begun(house: &House) -> (SessionId, HandoffId) {
    for name in ["anna", "bert", "carl"] {
        house.engine.register_profile(Profile::named(name).unwrap().can("work")).await.unwrap();
    }
    let session = SessionId::new("s-1").unwrap();
    house.engine.open_session(&session, Open::by("anna").unwrap().asking("Please do it")).await.unwrap();
    let request = Request::delegation("anna", "bert", "Count the stars", HOUR).unwrap().because("bert counts well");
    let made = house.engine.initiate(&session, request).await.unwrap();
    (session, made.handoffs[0])
}

#[tokio::test]
async fn a_session_shows_who_has_what() {
    let house = House::open().await;
    let (session, id) = begun(&house).await;
    house.engine.say(&session, vec![NewMessage::new(Speaks::User, "How many stars are there?")]).await.unwrap();
    let seen = house.get(&house.local(), "/sessions/s-1").await;
    assert_eq!(seen.status, StatusCode::OK);
    seen.shows("Please do it").shows("How many stars are there?").shows("Count the stars").shows("on offer");
    seen.shows("<dt>With</dt><dd><a class=\"agent\" href=\"/team/anna\">anna</a></dd>");
    seen.shows(&format!("/handoffs/{id}")).shows("data-part=\"lanes\"").shows("class=\"hg\"");
    let list = house.get(&house.local(), "/sessions").await;
    list.shows("s-1").shows("on its way");
    let story = house.get(&house.local(), &format!("/handoffs/{id}")).await;
    story.shows("bert counts well").shows("trigger").shows("initiate").shows("What crossed");
}

#[tokio::test]
async fn what_is_not_there_says_so() {
    let house = House::open().await;
    for (path, code) in [
        ("/sessions/nowhere", "HO0301"),
        ("/handoffs/nowhere", "HO0501"),
        ("/handoffs/00000000-0000-4000-8000-000000000000", "HO0501"),
    ] {
        let seen = house.get(&house.local(), path).await;
        assert_eq!(seen.status, StatusCode::NOT_FOUND, "{path}");
        seen.shows(code);
    }
    house
        .get(&house.local(), "/sessions")
        .await
        .shows("No sessions yet")
        .shows("HANDOVER_SERVER=http://")
        .shows("handover hand-off")
        .hides("handover demo");
}

#[tokio::test]
async fn sessions_and_handoffs_are_found_by_their_ids() {
    let house = House::open().await;
    let (_, id) = begun(&house).await;
    let find = async |text: &str| house.get(&house.local(), &format!("/sessions?find={text}")).await;
    assert_eq!(find("s-1").await.to(), "/sessions/s-1");
    assert_eq!(find(&id.to_string()).await.to(), format!("/handoffs/{id}"));
    assert_eq!(find(&id.to_string()[..8]).await.to(), format!("/handoffs/{id}"));
    find("%3Cb%3E").await.shows("&lt;b&gt;").hides("<b>");
    find("zz").await.shows("neither a session nor a handoff");
}

#[tokio::test]
async fn handoffs_are_listed_by_where_they_stand() {
    let house = House::open().await;
    let (session, first) = begun(&house).await;
    let request = Request::delegation("anna", "carl", "Weigh the moon", HOUR).unwrap();
    let second = house.engine.initiate(&session, request).await.unwrap().handoffs[0];
    house.engine.cancel(second, "anna", "too heavy").await.unwrap();
    let list = async |query: &str| house.get(&house.local(), &format!("/handoffs{query}")).await;
    let row = |id: HandoffId| format!("data-key=\"{id}\"");
    list("").await.shows(&row(first)).shows(&row(second)).shows("Weigh the moon");
    list("?status=offered").await.shows(&row(first)).hides(&row(second));
    list("?status=cancelled").await.hides(&row(first)).shows(&row(second));
    list("?to=carl").await.hides(&row(first)).shows(&row(second));
    list("?from=nobody").await.shows("None.");
    list("?status=%3Cb%3E&to=%3Cscript%3E&before=x").await.shows("value=\"&lt;script&gt;\"").hides("<script>");
}

#[tokio::test]
async fn words_of_others_are_words() {
    let house = House::open().await;
    let (session, _) = begun(&house).await;
    let bad = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>";
    house.engine.say(&session, vec![NewMessage::new(Speaks::User, bad)]).await.unwrap();
    let request = Request::delegation("anna", "carl", bad, HOUR).unwrap().because(bad);
    let request = request.payload(serde_json::json!({ bad: bad }));
    let id = house.engine.initiate(&session, request).await.unwrap().handoffs[0];
    for path in ["/sessions/s-1".to_owned(), "/sessions".to_owned(), format!("/handoffs/{id}")] {
        let seen = house.get(&house.local(), &path).await;
        assert_eq!(seen.status, StatusCode::OK, "{path}");
        seen.hides("<script>alert").hides("<img src=x");
    }
    house.get(&house.local(), &format!("/handoffs/{id}")).await.shows("&lt;script&gt;alert");
}

#[tokio::test]
async fn somebody_says_something() {
    let house = House::open().await;
    let (session, _) = begun(&house).await;
    let seen = house.act(&house.local(), "/sessions/s-1", "/sessions/s-1/say", &[("text", "hello there")]).await;
    assert_eq!((seen.status, seen.to()), (StatusCode::SEE_OTHER, "/sessions/s-1?done=said"));
    let said = house.engine.messages(&session, 1, 1).await.unwrap();
    assert_eq!((said[0].said.role, said[0].said.content.as_str()), (Speaks::User, "hello there"));
    let empty = house.act(&house.local(), "/sessions/s-1", "/sessions/s-1/say", &[("text", " ")]).await;
    assert_eq!(empty.status, StatusCode::UNPROCESSABLE_ENTITY);
    empty.shows("HO0102");
    house.get(&house.local(), "/sessions/s-1?done=said").await.shows("Said in the conversation.");
    house.get(&house.local(), "/sessions/s-1?done=%3Ci%20x%3E").await.hides("<i x>");
}

#[tokio::test]
async fn an_operator_steps_in() {
    let house = House::open().await;
    let (session, id) = begun(&house).await;
    let browser = house.signed_in(Role::Operator).await;
    let page = format!("/handoffs/{id}");
    let why = ("reason", "bert is on leave");
    let to = house.act(&browser, &page, &format!("{page}/redirect"), &[("to_agent", "carl"), why]).await;
    assert_eq!(to.status, StatusCode::SEE_OTHER, "{}", to.text);
    assert_eq!(house.engine.handoff(id).await.unwrap().to_agent, agent("carl"));
    house.get(&browser, &page).await.shows("bert is on leave");
    let none = house.act(&browser, &page, &format!("{page}/cancel"), &[("reason", "")]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    let back = house.act(&browser, &page, &format!("{page}/cancel"), &[("reason", "not needed")]).await;
    assert_eq!(back.status, StatusCode::SEE_OTHER, "{}", back.text);
    assert_eq!(house.engine.handoff(id).await.unwrap().status(), Status::Cancelled);
    let again = house.act(&browser, &page, &format!("{page}/retry"), &[("reason", "needed after all")]).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER, "{}", again.text);
    assert_eq!(house.engine.session(&session).await.unwrap().open.len(), 1);
    let fields = [("to_agent", "bert"), ("task", "look again"), ("reason", "to be sure"), ("kind", "delegation")];
    let given = house.act(&browser, "/sessions/s-1", "/sessions/s-1/hand-over", &fields).await;
    assert!(given.to().starts_with("/handoffs/"), "{}", given.text);
    let over = house.act(&browser, "/sessions/s-1", "/sessions/s-1/end", &[("reason", "enough")]).await;
    assert_eq!(over.status, StatusCode::SEE_OTHER, "{}", over.text);
    assert!(house.engine.session(&session).await.unwrap().ended_at.is_some());
    house.get(&browser, "/sessions/s-1").await.hides("Step in").hides("Say it");
}

#[tokio::test]
async fn a_viewer_looks_and_does_nothing() {
    let house = House::open().await;
    let (session, id) = begun(&house).await;
    let browser = house.signed_in(Role::Viewer).await;
    let page = format!("/handoffs/{id}");
    for path in ["/sessions/s-1", &page] {
        house.get(&browser, path).await.hides("Step in").hides("data-send");
    }
    let word = house.get(&browser, "/sessions").await.word();
    let (say, hand_over, end) = ("/sessions/s-1/say", "/sessions/s-1/hand-over", "/sessions/s-1/end");
    let (redirect, retry, cancel) = (format!("{page}/redirect"), format!("{page}/retry"), format!("{page}/cancel"));
    for path in [say, hand_over, end, &redirect, &retry, &cancel] {
        let fields = [("word", word.as_str()), ("text", "x"), ("to_agent", "carl"), ("task", "x"), ("reason", "x")];
        let seen = house.post(&browser, path, &fields).await;
        assert_eq!(seen.status, StatusCode::FORBIDDEN, "{path}: {}", seen.text);
        seen.shows("HO03");
    }
    let session = house.engine.session(&session).await.unwrap();
    assert_eq!((session.mark.messages, session.handoffs, session.ended_at), (0, 1, None));
}

#[tokio::test]
async fn an_agent_sees_its_own_sessions_alone() {
    let house = House::open().await;
    begun(&house).await;
    let mut new = handover_core::access::NewKey::of("carl", Role::Agent);
    new.agents = Some(vec![agent("carl")]);
    let key = house.engine.make_key(new).await.unwrap().1;
    let seen = house.post(&Browser::default(), "/sign-in", &[("key", &key)]).await;
    let browser = Browser { cookie: crate::house::cookie_of(&seen), ..Browser::default() };
    assert_eq!(house.get(&browser, "/sessions/s-1").await.status, StatusCode::NOT_FOUND);
    house.get(&browser, "/sessions").await.hides("s-1");
}

#[tokio::test]
async fn a_long_session_is_shown_a_page_at_a_time() {
    let house = House::open().await;
    let (session, _) = begun(&house).await;
    for part in 0..3 {
        let words = (0..100).map(|n| NewMessage::new(Speaks::User, format!("word {part} {n};"))).collect();
        house.engine.say(&session, words).await.unwrap();
    }
    let seen = house.get(&house.local(), "/sessions/s-1").await;
    assert_eq!(seen.text.matches("<li class=\"user\"").count(), PAGE_MESSAGES);
    seen.shows("word 2 99;").hides("word 1 99;").shows("messages 201 to 300 of 300").shows("?from=101");
    let earlier = house.get(&house.local(), "/sessions/s-1?from=101").await;
    earlier.shows("word 1 0;").hides("word 2 0;").shows("?from=1\"");
    for from in ["0", "999999", "18446744073709551615", "-1", "x"] {
        assert_eq!(house.get(&house.local(), &format!("/sessions/s-1?from={from}")).await.status, StatusCode::OK);
    }
    // A report that is printed has all of it.
    let whole = house.get(&house.local(), "/sessions/s-1?print=all").await;
    whole.shows("word 0 0;").shows("word 2 99;").hides("Only a part").hides("For printing");
    // It is long, and is not asked for again at each word.
    whole.hides("data-live");
    seen.shows("data-live");
    seen.shows("Only a part of the conversation is printed").shows("?print=all");
}

#[tokio::test]
async fn a_page_has_no_more_handoffs_than_a_page_holds() {
    let house = House::open().await;
    let (session, _) = begun(&house).await;
    let limits = SessionLimits { handoffs: Some(1_000), ..SessionLimits::usual() };
    house.engine.set_policy(Policy { limits, ..Policy::default() }).unwrap();
    // A pair that hands over too often is stopped.
    let others = ["carl", "dora", "emil", "fritz", "gerd"];
    for name in &others[1..] {
        house.engine.register_profile(Profile::named(name).unwrap().can("work")).await.unwrap();
    }
    for n in 0..PAGE_HANDOFFS {
        let request = Request::delegation("anna", others[n % others.len()], &format!("weigh {n}"), HOUR).unwrap();
        let id = house.engine.initiate(&session, request).await.unwrap().handoffs[0];
        house.engine.cancel(id, "anna", "enough").await.unwrap();
    }
    let lines = |seen: &crate::house::Seen| seen.text.matches("data-key=\"history ").count();
    let page = house.get(&house.local(), "/sessions/s-1").await;
    assert_eq!(lines(&page), PAGE_HANDOFFS);
    page.shows("#101 ").hides(">#1 ");
    let whole = house.get(&house.local(), "/sessions/s-1?print=all").await;
    assert_eq!(lines(&whole), PAGE_HANDOFFS + 1);
}

#[tokio::test]
async fn words_through_somebody_elses_key_say_so() {
    let house = House::open().await;
    let (session, id) = begun(&house).await;
    let browser = house.signed_in(Role::Operator).await;
    house.engine.say(&session, vec![NewMessage::new(Speaks::User, "by a program")]).await.unwrap();
    house.act(&browser, "/sessions/s-1", "/sessions/s-1/say", &[("text", "by hand")]).await;
    let seen = house.get(&browser, "/sessions/s-1").await;
    assert_eq!(seen.text.matches(", through operator<").count(), 1, "{}", seen.text);
    let page = format!("/handoffs/{id}");
    house.act(&browser, &page, &format!("{page}/cancel"), &[("reason", "not needed")]).await;
    house.get(&browser, &page).await.shows("cancelled by operator (");
    house.act(&browser, "/sessions/s-1", "/sessions/s-1/end", &[("reason", "enough")]).await;
    let news = house.get(&browser, "/").await;
    news.shows("operator took back what ").shows("operator ended the session");
}
