//! A person says yes, yes with changes, or no; with the mouse, and with nothing but the keyboard.

use crate::{browser::Browser, house::House};
use handover_core::ids::{HandoffId, SessionId};
use serde_json::json;

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// Moves the page's own clock: from now on so much is left of the time of this one.
const MOVE: &str = "\
const [item, left] = arguments, real = window.real ||= Date.now.bind(Date);
const ahead = Date.parse(document.querySelector(`${item} time[data-until]`).dateTime) - left - real();
Date.now = () => real() + ahead;";
/// The seconds that are left, as the page says them, when they are fewer than this.
const LEFT: &str = "\
const said = document.querySelector(`${a} time[data-until]`), seconds = /^(\\d+) s left$/.exec(said.textContent);
return seconds && Number(seconds[1]) < Number(b) && said.classList.contains('close') && seconds[1]";

/// The part of the page about one handoff.
fn item(id: HandoffId) -> String {
    format!("[id='{id}']")
}

#[tokio::test(flavor = "multi_thread")]
async fn yes_yes_but_and_no() {
    let house = House::new();
    let session = house.session("print", "500 letters on paper").await;
    let browser = house.visitor("olga", "operator", "/approvals").await;
    browser.see("All decided").await;
    let yes = house.hand_over_dear(&session, "writer", "Print 500 letters").await;
    // It arrives while the page is looked at, with all that a decision needs.
    for text in ["Print 500 letters", "The client wants it on paper", "the rule dear", "ann", "left"] {
        browser.see(text).await;
    }
    browser.everybody_can_use("approvals").await;
    browser.press_in(&item(yes), "Approve").await;
    browser.see("Approved. It is on its way.").await;
    assert_eq!(house.status(yes).await, "offered");
    let but = house.hand_over_dear(&session, "writer", "Print in gold").await;
    browser.press_in(&item(but), "Edit…").await;
    browser.see("Approve with these changes").await;
    browser.everybody_can_use("approvals, while one is edited").await;
    browser.fill_in(&item(but), "To whom", "editor").await;
    browser.fill_in(&item(but), "Task", "Print in black").await;
    browser.fill_in(&item(but), "Data, as JSON", r#"{"copies": 5}"#).await;
    browser.press_in(&item(but), "Approve with these changes").await;
    browser.see("Approved. It is on its way.").await;
    let taken = house.take("editor").await;
    assert_eq!((taken.task(), taken.payload()), ("Print in black", &json!({"copies": 5})));
    let no = house.hand_over_dear(&session, "writer", "Print on silk").await;
    browser.press_in(&item(no), "Reject…").await;
    browser.fill_in(&item(no), "Why not", "Silk does not last").await;
    browser.press_in(&format!("{} form:has(textarea[required][maxlength])", item(no)), "Reject").await;
    browser.see("Rejected. Whoever asked is told.").await;
    browser.see("Silk does not last").await;
    assert_eq!(house.status(no).await, "cancelled");
    change_only(&house, &session, &browser).await;
    browser.end();
}

/// It is changed and still waits; the time that it has runs before one's eyes.
async fn change_only(house: &House, session: &SessionId, browser: &Browser) {
    let later = house.hand_over_dear(session, "writer", "Print in red").await;
    browser.press_in(&item(later), "Edit…").await;
    browser.fill_in(&item(later), "Task", "Print in blue").await;
    browser.press_in(&item(later), "Change only, decide later").await;
    browser.see("Changed. It still waits for a yes.").await;
    browser.see("Print in blue").await;
    browser.see_not("Print in red").await;
    assert_eq!(house.status(later).await, "awaiting_approval");
    browser.run(MOVE, vec![json!(item(later)), json!(40_000)]).await;
    let first = browser.holds(LEFT, &[&item(later), "41"]).await;
    browser.holds(LEFT, &[&item(later), first.as_str().unwrap()]).await;
    browser.run(MOVE, vec![json!(item(later)), json!(0)]).await;
    let due = "return document.querySelector(`${a} time[data-until]`).textContent === 'due'";
    browser.holds(due, &[&item(later)]).await;
    browser.goto(&house.at("/approvals")).await;
    browser.press_in(&item(later), "Approve").await;
    browser.see("Approved. It is on its way.").await;
    assert_eq!(house.client().handoff(later).await.unwrap().request.task.description, "Print in blue");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_is_enough() {
    let house = House::new();
    let session = house.session("print", "500 letters on paper").await;
    let first = house.hand_over_dear(&session, "writer", "Print the first").await;
    let second = house.hand_over_dear(&session, "writer", "Print the second").await;
    let browser = house.visitor("olga", "operator", "/approvals").await;
    browser.see("Print the second").await;
    browser.keys("j").await;
    browser.see_one(&format!("{}.chosen", item(first))).await;
    browser.keys("j").await;
    browser.see_one(&format!("{}.chosen", item(second))).await;
    browser.keys("k").await;
    browser.see_one(&format!("{}.chosen", item(first))).await;
    browser.keys("a").await;
    browser.see("Approved. It is on its way.").await;
    assert_eq!(house.status(first).await, "offered");
    // The next one is looked at by itself. What is typed into a field decides nothing.
    browser.see_one(&format!("{}.chosen", item(second))).await;
    browser.keys_until("r", "Why not").await;
    browser.keys("a bad idea").await;
    assert_eq!(house.status(second).await, "awaiting_approval");
    browser.keys(&format!("{TAB}{ENTER}")).await;
    browser.see("Rejected. Whoever asked is told.").await;
    browser.see("a bad idea").await;
    assert_eq!(house.status(second).await, "cancelled");
    browser.keys(ESCAPE).await;
    browser.see("All decided").await;
    browser.end();
}
