//! Work for people: a task is taken and given back, a question is answered, on the page that shows them.

use crate::house::House;
use handover_core::ids::HandoffId;
use serde_json::json;

fn item(id: HandoffId) -> String {
    format!("[id='{id}']")
}

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
/// The field that has the focus, by its name.
const IN_FIELD: &str = "return document.activeElement.name === a && document.activeElement.closest(b)";

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_done_and_a_question_answered() {
    let house = House::new();
    let session = house.session("trip", "A trip to Rome").await;
    let browser = house.visitor("olga", "operator", "/inbox").await;
    browser.everybody_can_use("an empty inbox").await;
    let call = house.hand_over(&session, "ann", "Call the hotel in Rome").await;
    browser.see("Call the hotel in Rome").await;
    browser.everybody_can_use("an inbox with a task").await;
    browser.press_in(&item(call), "Take it as ann").await;
    browser.see("It is yours now.").await;
    assert_eq!(house.status(call).await, "running");
    browser.fill_in(&item(call), "Your result", "The hotel has two rooms.").await;
    browser.press_in(&item(call), "Give it back").await;
    browser.see("Given back. Whoever asked is told.").await;
    assert_eq!(house.status(call).await, "completed");
    let back = house.client().handoff(call).await.unwrap().result.unwrap();
    assert_eq!(back.result.body, json!("The hotel has two rooms."));
    // A question comes while the page is looked at, and its answer goes back to whoever asked.
    let write = house.hand_over(&session, "writer", "Write to the hotel").await;
    let taken = house.take("writer").await;
    house.client().ask_back(write, taken.lease, "In which language?").await.unwrap();
    browser.see("In which language?").await;
    browser.everybody_can_use("an inbox with a question").await;
    browser.fill("Answer as", "In Italian.").await;
    browser.press("Answer").await;
    browser.see("Answered. The work goes on.").await;
    let again = house.take("writer").await;
    assert_eq!(again.handoff.id, write);
    let said = again.handoff.questions[0].answer.as_ref().unwrap();
    assert_eq!(said.text, "In Italian.");
    // A task that nobody wants goes on to somebody else, with the reason.
    let no = house.hand_over(&session, "ann", "Carry the bags").await;
    browser.press_in(&item(no), "Decline…").await;
    browser.fill_in(&item(no), "Reason", "They are too heavy").await;
    browser.press_in(&format!("{} details[open]", item(no)), "Decline").await;
    browser.see("Declined.").await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_is_enough() {
    let house = House::new();
    let session = house.session("trip", "A trip to Rome").await;
    let call = house.hand_over(&session, "ann", "Call the hotel").await;
    let bags = house.hand_over(&session, "ann", "Carry the bags").await;
    let browser = house.visitor("olga", "operator", "/inbox").await;
    browser.see("Carry the bags").await;
    browser.keys("j").await;
    browser.see_one(&format!("{}.chosen", item(call))).await;
    browser.keys("j").await;
    browser.see_one(&format!("{}.chosen", item(bags))).await;
    // Later: it comes back by itself.
    browser.keys_until_holds("l", IN_FIELD, &["for", &item(bags)]).await;
    browser.fill_in(&item(bags), "For how long", "four hours").await;
    browser.fill_in(&format!("{} details[open]", item(bags)), "Reason", "My back hurts").await;
    browser.press_in(&item(bags), "Put it off").await;
    browser.see("Put off. It comes back by itself.").await;
    assert_eq!(house.status(bags).await, "deferred");
    // Taken by a letter, kept, asked back by a letter.
    browser.keys("k").await;
    browser.see_one(&format!("{}.chosen", item(call))).await;
    browser.keys_until("a", "It is yours now.").await;
    assert_eq!(house.status(call).await, "running");
    browser.press_in(&item(call), "Keep it longer").await;
    browser.see("It stays yours for as long again.").await;
    browser.keys("j").await;
    browser.see_one(&format!("{}.chosen", item(call))).await;
    browser.keys_until("q", "Question to desk").await;
    browser.holds(IN_FIELD, &["question", &item(call)]).await;
    browser.keys(&format!("Which hotel? No letter of this is an order: a r l.{TAB}{ENTER}")).await;
    browser.see("Asked. It comes back with the answer.").await;
    assert_eq!(house.status(call).await, "deferred");
    // The question is there for whoever answers: by a letter again.
    browser.keys("j").await;
    browser.see_one(&format!("[data-part=questions] {}.chosen", item(call))).await;
    browser.see("Which hotel?").await;
    browser.keys_until_holds("a", IN_FIELD, &["text", &item(call)]).await;
    browser.keys(&format!("The one by the river.{TAB}{ENTER}")).await;
    browser.see("Answered. The work goes on.").await;
    // With the answer it is on offer again. The result is typed where a letter leads.
    browser.keys("j").await;
    browser.see_one(&format!("[data-part=tasks] {}.chosen", item(call))).await;
    browser.see("The one by the river.").await;
    browser.keys_until("a", "It is yours now.").await;
    browser.keys("j").await;
    browser.see_one(&format!("{}.chosen", item(call))).await;
    browser.keys_until_holds("e", IN_FIELD, &["result", &item(call)]).await;
    browser.keys(&format!("Two rooms are free.{ESCAPE}")).await;
    browser.press_in(&item(call), "Give it back").await;
    browser.see("Given back. Whoever asked is told.").await;
    let back = house.client().handoff(call).await.unwrap().result.unwrap();
    assert_eq!(back.result.body, json!("Two rooms are free."));
    // No, by a letter, with the reason.
    let stairs = house.hand_over(&session, "ann", "Count the stairs").await;
    browser.see("Count the stairs").await;
    browser.keys("j").await;
    browser.see_one(&format!("{}.chosen", item(stairs))).await;
    browser.keys_until("r", "Reason").await;
    browser.keys(&format!("There are too many{TAB}{ENTER}")).await;
    browser.see("Declined.").await;
    browser.end();
}
