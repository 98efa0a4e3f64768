//! Everything leads on: the team and its arrows, workflows and their states, lists, the door and the page
//! of what is refused.

use crate::{
    browser::{Browser, Size},
    house::House,
};
use serde_json::{Value, json};

/// What the browser says of pages that are refused: they are meant to be.
const REFUSED: &[&str] = &["status of 401", "status of 404"];
/// The smallest letters of all drawings, in pixels as they are seen.
const LETTERS: &str = "\
const sizes = [...document.querySelectorAll('.picture svg text')].map(text => {
  const svg = text.ownerSVGElement, scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return parseFloat(getComputedStyle(text).fontSize) * scale;
});
return Math.min(...sizes);";

/// A workflow with a state for each of two.
fn flow() -> Value {
    json!({
        "name": "letters", "agents": {"writer": {}, "editor": {}}, "start": "DRAFT",
        "states": {"DRAFT": {"agent": "writer"}, "CHECK": {"agent": "editor"}, "OUT": {"end": "completed"}},
        "rules": [
            {"id": "written", "from": "writer", "to": "editor", "reason": "Somebody reads it", "next_state": "CHECK"},
            {"id": "checked", "from": "editor", "reason": "It is fine", "next_state": "OUT"},
        ],
    })
}

async fn done(house: &House, session: &str, to: &str, task: &str) {
    let session = house.session(session, "A letter to the mayor").await;
    house.hand_over(&session, to, task).await;
    let taken = house.take(to).await;
    house.give_back(&taken, json!("Dear mayor")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn boxes_and_arrows_of_the_team_are_followed() {
    let house = House::new();
    done(&house, "one", "writer", "Write one").await;
    done(&house, "two", "writer", "Write two").await;
    done(&house, "three", "editor", "Correct three").await;
    let browser = house.visitor("olga", "operator", "/team").await;
    browser.see("who hands over to whom").await;
    browser.see("Load of each").await;
    let smallest = browser.run(LETTERS, vec![]).await.as_f64().unwrap();
    assert!(smallest >= 10.9, "{smallest} px is too small to read");
    // A box leads to its agent.
    browser.press_at("[data-part=flow] a[href='/team/writer']").await;
    browser.at("/team/writer").await;
    browser.see("Ended lately").await;
    browser.see("Write two").await;
    browser.everybody_can_use("an agent").await;
    browser.back().await;
    // An arrow leads to what went its way.
    browser.press_at("[data-part=flow] a[href$='from=desk&to=editor'][tabindex] text").await;
    browser.at("/handoffs?from=desk&to=editor").await;
    browser.see("Correct three").await;
    browser.see_not("Write one").await;
    browser.everybody_can_use("a list of handoffs").await;
    browser.fits("a list of handoffs").await;
    browser.press_at("[data-part=handoffs] a[href^='/handoffs/']").await;
    browser.at("/handoffs/").await;
    browser.see("What crossed").await;
    // On a phone a picture that is too wide says so, and begins at its first box.
    browser.looks(Size::Phone, false);
    browser.goto(&house.at("/team")).await;
    browser.fits("the team on a phone").await;
    let first = "const box = document.querySelector('.picture .hg-box').getBoundingClientRect(), frame = document.querySelector('.picture').getBoundingClientRect();
        return box.left >= frame.left - 1 && box.right <= frame.right + 1";
    browser.holds(first, &[]).await;
    let hint = "return document.querySelector('.picture').classList.contains('wide') === document.querySelector('.sideways').checkVisibility()";
    browser.holds(hint, &[]).await;
    assert!(browser.run(LETTERS, vec![]).await.as_f64().unwrap() >= 10.9);
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_leads_to_its_sessions() {
    let house = House::new();
    let browser = house.visitor("olga", "operator", "/workflows").await;
    house.calls(&browser, "PUT", "/v1/workflows/letters", &flow()).await;
    let first = json!({"session_id": "first", "by": "desk", "request": "A letter to the mayor"});
    house.calls(&browser, "POST", "/v1/workflows/letters/sessions", &first).await;
    browser.goto(&house.at("/workflows")).await;
    browser.press_in("main", "letters").await;
    browser.at("/workflows/letters").await;
    browser.see("written").await;
    browser.see("Somebody reads it").await;
    browser.everybody_can_use("a workflow").await;
    // On a phone the states stand before the drawing, which is long; else they stand below it.
    let before = "const top = part => document.querySelector(part).getBoundingClientRect().top;\
        return (top('.chips') < top('.picture')) === (a === 'before')";
    browser.holds(before, &["below"]).await;
    browser.looks(Size::Phone, false);
    browser.holds(before, &["before"]).await;
    browser.looks(Size::Desktop, false);
    // A rule that is used is counted while it is looked at; so is where the session is.
    let used = "return document.querySelector(`#rule-${a} [data-name=used]`).textContent.trim() === b";
    browser.holds(used, &["written", "0"]).await;
    browser.is_live().await;
    let taken = house.take("writer").await;
    house.give_back(&taken, json!("Dear mayor")).await;
    browser.holds(used, &["written", "1"]).await;
    browser.holds(used, &["checked", "0"]).await;
    browser.press_in(".chips", "CHECK").await;
    browser.at("state=CHECK").await;
    browser.see("Sessions in CHECK").await;
    browser.press_in("[data-part=in-state]", "first").await;
    browser.at("/sessions/first").await;
    browser.see("in CHECK").await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_door_and_what_is_refused_are_for_everybody() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let waits = house.hand_over_dear(&session, "writer", "Print 500 letters").await;
    let browser = Browser::open(Size::Phone, true).await;
    // A link to one place of a page leads there, through the door.
    browser.goto(&house.at(&format!("/approvals#{waits}"))).await;
    browser.see("Your key").await;
    browser.everybody_can_use("the door").await;
    browser.fits("the door").await;
    browser.fill("Your key", "ho_wrong").await;
    browser.press("Sign in").await;
    browser.see("does not open anything").await;
    browser.everybody_can_use("the door, after a wrong key").await;
    browser.fill("Your key", &house.key("olga", "operator")).await;
    browser.press("Sign in").await;
    browser.at(&format!("/approvals#{waits}")).await;
    browser.see("Print 500 letters").await;
    browser.goto(&house.at("/sessions/nowhere")).await;
    browser.see("There is nothing here").await;
    browser.everybody_can_use("a page of what is not there").await;
    // A link in another house's page finds them signed in.
    browser.goto("data:text/html,<title>mail</title><a id=go href=''>the link</a>").await;
    browser.run("document.getElementById('go').href = arguments[0]", vec![json!(house.at("/sessions/letter"))]).await;
    browser.press("the link").await;
    browser.see("A letter to the mayor").await;
    browser.end_but_for(REFUSED);
}
