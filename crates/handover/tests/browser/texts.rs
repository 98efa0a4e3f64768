//! Texts of others are shown as texts, whatever is in them; and pages are there without any script.

use crate::house::House;
use handover_core::{
    handoff::Request,
    message::{NewMessage, Role},
};
use serde_json::json;
use std::time::Duration;

/// What would do something, where a page took it for its own.
const BAD: [&str; 4] = [
    "<img src=x onerror='window.taken=1'>",
    "</textarea></script><script>window.taken=1</script>",
    "\"><svg onload=window.taken=1>",
    "<a href=\"javascript:window.taken=1\">press me</a>",
];

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_others_do_nothing() {
    let house = House::new();
    let bad = BAD.join(" ");
    let session = house.session("bad", &bad).await;
    house.client().say(&session, &[NewMessage::new(Role::User, &bad)]).await.unwrap();
    let mut request = Request::delegation("desk", "writer", &bad, Duration::from_secs(3_600)).unwrap();
    request.reason = bad.clone();
    request.task.payload = json!({ bad.as_str(): bad });
    request.needs_approval = true;
    let waits = house.ask(&session, &request).await;
    request.needs_approval = false;
    request.task.description.push_str(" again");
    let over = house.ask(&session, &request).await;
    let taken = house.take("writer").await;
    house.give_back(&taken, json!({ bad.as_str(): bad })).await;
    let asked = house.hand_over(&session, "editor", &bad).await;
    let taken = house.take("editor").await;
    house.client().ask_back(asked, taken.lease, &bad).await.unwrap();
    let browser = house.visitor("olga", "operator", "/sessions").await;
    let pages = ["/", "/sessions", "/sessions/bad", "/approvals", "/inbox", "/audit", "/team"].map(str::to_owned);
    for page in pages.into_iter().chain([waits, over, asked].map(|id| format!("/handoffs/{id}"))) {
        browser.goto(&house.at(&page)).await;
        browser.see("olga").await;
        let found = "return [window.taken === undefined, document.querySelectorAll('main img, main script, [onload], [onerror], a[href^=javascript]').length]";
        assert_eq!(browser.run(found, vec![]).await, json!([true, 0]), "{page}");
    }
    browser.goto(&house.at("/sessions/bad")).await;
    browser.see(BAD[0]).await;
    browser.see(BAD[1]).await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_there_without_script() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let id = house.hand_over_dear(&session, "writer", "Print 500 letters").await;
    let browser = house.visitor("olga", "operator", "/sessions").await;
    browser.runs_scripts(false);
    for (page, text) in [("/sessions/letter", "A letter to the mayor"), ("/approvals", "Print 500 letters")] {
        browser.goto(&house.at(page)).await;
        browser.see(text).await;
    }
    browser.press("Approve").await;
    browser.see("Approved. It is on its way.").await;
    assert_eq!(house.status(id).await, "offered");
    browser.goto(&house.at(&format!("/handoffs/{id}"))).await;
    browser.press("Cancel #1").await;
    browser.fill("Reason", "No more paper").await;
    browser.press("Cancel it").await;
    browser.see("Taken back.").await;
    browser.end();
}
