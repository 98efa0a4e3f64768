//! A handoff is seen as it happens, and a page goes on when the server ends and begins again.

use crate::house::House;
use handover_client::failed;
use serde_json::json;

/// What the browser says while the server is away.
const AWAY: &[&str] = &["net::ERR_", "/live"];
/// The page is the same one, and was not loaded again.
const MARK: &str = "window.here = 'since the beginning'";
const MARKED: &str = "return window.here === 'since the beginning'";

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_is_seen_as_it_happens() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.see("Nothing has been handed over yet").await;
    browser.is_live().await;
    browser.run(MARK, vec![]).await;
    let id = house.hand_over(&session, "writer", "Write to the mayor").await;
    browser.see("Write to the mayor").await;
    browser.see("on offer").await;
    // Parts that the page did not have until now.
    browser.see_one("[data-part=lanes]").await;
    browser.see_one("[data-part=flow]").await;
    let taken = house.take("writer").await;
    browser.see("running").await;
    house.give_back(&taken, json!("Dear mayor, all is well.")).await;
    browser.see("completed").await;
    browser.holds(MARKED, &[]).await;
    // The way to the story, and back.
    browser.press("Write to the mayor").await;
    browser.at(&format!("/handoffs/{id}")).await;
    browser.see("Dear mayor, all is well.").await;
    browser.back().await;
    browser.at("/sessions/letter").await;
    browser.see("completed").await;
    // What comes after going back is seen, too.
    house.hand_over(&session, "editor", "Correct the letter").await;
    browser.see("Correct the letter").await;
    let taken = house.take("editor").await;
    let client = house.client();
    client.give_back(taken.handoff.id, taken.lease, &failed("The ink is out"), None).await.unwrap();
    browser.see("failed").await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_is_seen_to_move() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.media("", false, true);
    browser.is_live().await;
    // An animation is over soon; what begins is written down.
    browser
        .run("window.begun = []; addEventListener('animationstart', event => begun.push(event.animationName))", vec![])
        .await;
    house.hand_over(&session, "writer", "Write to the mayor").await;
    for name in ["fresh", "pass"] {
        browser.holds("return window.begun.includes(a)", &[name]).await;
    }
    // Whoever wants nothing to move sees the same, and nothing moves.
    browser.media("", false, false);
    browser.run("window.begun = []", vec![]).await;
    house.hand_over(&session, "editor", "Correct the letter").await;
    browser.see("Correct the letter").await;
    // What is new is marked as such; two frames later its movement would have begun.
    browser.see_one(".fresh").await;
    let frames = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done([...window.begun, ...document.getAnimations().map(one => one.animationName)])))";
    assert_eq!(browser.run_async(frames, vec![]).await, json!([]));
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_without_a_line_does_not_say_live() {
    let house = House::new();
    let browser = house.visitor("olga", "operator", "/sessions").await;
    browser.is_live().await;
    browser.runs_scripts(false);
    browser.goto(&house.at("/sessions")).await;
    browser.see("not live yet").await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_follows_from_the_first_visit_on() {
    let house = House::new();
    let browser = house.visitor("olga", "operator --house", "/").await;
    browser.see("Nothing was handed over yet").await;
    browser.everybody_can_use("the first visit").await;
    browser.run(MARK, vec![]).await;
    let session = house.session("letter", "A letter to the mayor").await;
    house.hand_over(&session, "writer", "Write to the mayor").await;
    browser.see("Happening now").await;
    browser.see_not("Nothing was handed over yet").await;
    let taken = house.take("writer").await;
    browser.see("1 running").await;
    let waits = house.hand_over_dear(&session, "writer", "Print 500 letters").await;
    browser.see("ann has to say yes").await;
    browser.see_one("#menu .count").await;
    house.give_back(&taken, json!("Dear mayor")).await;
    browser.see_not("1 running").await;
    // Whoever fails again and again is left alone, and seen to be; an operator brings them back.
    for task in ["Correct one", "Correct two", "Correct three"] {
        house.hand_over(&session, "editor", task).await;
        let taken = house.take("editor").await;
        let client = house.client();
        client.give_back(taken.handoff.id, taken.lease, &failed("The ink is out"), None).await.unwrap();
    }
    browser.see("editor is left alone after 3 failures").await;
    browser.holds(MARKED, &[]).await;
    browser.goto(&house.at("/team/editor")).await;
    browser.everybody_can_use("an agent that is left alone").await;
    browser.fill_in("form[action$='/breaker']", "Reason", "The ink is here").await;
    browser.press("Close the breaker").await;
    browser.see("The breaker is closed").await;
    // Everything leads on: from what is blocked to where it is decided.
    browser.goto(&house.at("/")).await;
    browser.press("Look at this approval").await;
    browser.see_one(&format!("[id='{waits}']")).await;
    browser.back().await;
    browser.see("ann has to say yes").await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_comes_back_with_the_server() {
    let mut house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.is_live().await;
    browser.run(MARK, vec![]).await;
    house.hand_over(&session, "writer", "Write before").await;
    browser.see("Write before").await;
    house.served.kill();
    browser.see("connection lost").await;
    house.served.begin();
    house.hand_over(&session, "editor", "Correct after").await;
    browser.see("Correct after").await;
    browser.is_live().await;
    // Heard live again, and not only looked up once.
    let taken = house.take("editor").await;
    browser.see("running").await;
    house.give_back(&taken, json!("It is fine.")).await;
    browser.see("completed").await;
    browser.holds(MARKED, &[]).await;
    browser.end_but_for(AWAY);
}
