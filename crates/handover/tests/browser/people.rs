//! Work for people: a task is taken and given back, a question is answered, on the page that shows them.

use crate::house::House;
use handover_core::ids::HandoffId;
use serde_json::json;

fn item(id: HandoffId) -> String {
    format!("[id='{id}']")
}

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
