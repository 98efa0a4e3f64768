//! What stands deeper in a session and a handoff: variables, artifacts, what crossed, how a target was found, long texts; and
//! the letters that press buttons, turned off.

use crate::house::House;
use handover_client::done;
use handover_core::{
    budget::Usage,
    handoff::Request,
    message::{NewMessage, Role},
};
use serde_json::json;
use std::time::Duration;

/// The ten steps of a handoff that goes well, by their names.
const STEPS: [&str; 10] =
    ["trigger", "prepare", "validate", "initiate", "acknowledge", "accept", "execute", "return", "complete", "release"];
/// The numbers and names of the steps that are told, each once, in the order in which they came.
const TOLD: &str = "const told = [...document.querySelectorAll('[data-part=story] .story li')].map(e => \
`${e.querySelector('.n').textContent.trim()} ${e.querySelector('.name').textContent.trim()}`); return [...new Set(told)]";
/// What a part of the page says, in one line.
const PART: &str = "return document.querySelector(`[data-part=${a}]`).innerText.replace(/\\s+/g, ' ').includes(b)";

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_shows_all_of_itself() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let long = "The mayor has written many letters. ".repeat(40) + "This is the end of them.";
    let words = |n: u32| NewMessage::new(Role::User, format!("The mayor wrote letter {n}."));
    let said: Vec<_> = (0..7).map(words).chain([NewMessage::new(Role::User, &long)]).collect();
    house.client().say(&session, &said).await.unwrap();
    // Somebody is found, sees the latest three messages, and has a bound on what it uses.
    let mut request =
        Request::delegation_by("desk", "writing", "Write to the mayor", Duration::from_secs(3_600)).unwrap();
    request.context.transfer = serde_json::from_value(json!({"mode": "full", "max_messages": 3})).unwrap();
    request.context.constraints.budget = serde_json::from_value(json!({"tokens": 9_000, "cost": 40})).unwrap();
    let id = house.ask(&session, &request).await;
    let to = house.client().handoff(id).await.unwrap().to_agent;
    let taken = house.take(to.as_str()).await;
    let mut giving = done(json!("Dear mayor"));
    giving.updates = serde_json::from_value(json!({
        "context": {"tone": "friendly"},
        "artifacts": [{"type": "document", "path": "letters/mayor.md", "description": "The letter itself"}],
    }))
    .unwrap();
    giving.updates.usage = vec![Usage { model: "small".to_owned(), input_tokens: 2_000, output_tokens: 500 }];
    house.client().give_back(taken.handoff.id, taken.lease, &giving, None).await.unwrap();
    let browser = house.visitor("olga", "operator", &format!("/handoffs/{id}")).await;
    for part in ["story", "routing", "crossing", "result", "budget"] {
        browser.see_one(&format!("[data-part={part}]")).await;
    }
    browser.see("chosen").await;
    // What crossed and what was withheld add up, and say why.
    browser.holds(PART, &["crossing", "3 of 8 messages"]).await;
    let withheld = "return [...document.querySelectorAll('[data-part=crossing] tbody tr')].map(row => row.cells[1].textContent.trim()).join() === '5'";
    browser.holds(withheld, &[]).await;
    browser.holds(PART, &["crossing", "Withheld because"]).await;
    browser.see("Variables set").await;
    let steps: Vec<String> = STEPS.iter().enumerate().map(|(at, name)| format!("{} {name}", at + 1)).collect();
    assert_eq!(browser.run(TOLD, vec![]).await, json!(steps));
    browser.holds(PART, &["budget", "2,500 of 9,000"]).await;
    browser.holds(PART, &["budget", "3.00 of 40.00"]).await;
    browser.everybody_can_use("a handoff that is over").await;
    browser.goto(&house.at("/sessions/letter")).await;
    browser.see_one("[data-part=variables]").await;
    browser.see("friendly").await;
    browser.see_one("[data-part=artifacts]").await;
    browser.see("letters/mayor.md").await;
    browser.see_one("[data-part=lanes] svg").await;
    // A long text is folded; it opens, stays open while the page goes on, and closes.
    browser.see_not("This is the end of them.").await;
    browser.press_in(".talk", "The mayor has written").await;
    browser.see("This is the end of them.").await;
    browser.is_live().await;
    house.hand_over(&session, "editor", "Correct the letter").await;
    browser.see("Correct the letter").await;
    browser.see("This is the end of them.").await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_are_turned_off_and_stay_off() {
    let house = House::new();
    let session = house.session("print", "500 letters on paper").await;
    let first = house.hand_over_dear(&session, "writer", "Print the first").await;
    let browser = house.visitor("olga", "operator", "/approvals").await;
    browser.keys("j").await;
    browser.see_one(&format!("[id='{first}'].chosen")).await;
    browser.press("Turn the keys off").await;
    browser.see("The keys are off").await;
    browser.goto(&house.at("/approvals")).await;
    browser.see("The keys are off").await;
    browser.keys("ja").await;
    browser.see_not("Approved.").await;
    browser.holds("return !document.querySelector('.chosen')", &[]).await;
    assert_eq!(house.status(first).await, "awaiting_approval");
    browser.press("turn them on").await;
    browser.keys("j").await;
    browser.see_one(&format!("[id='{first}'].chosen")).await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_led_on_is_there_again_after_going_back() {
    let house = House::new();
    house.session("letter", "A letter to the mayor").await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.press("Hand something over for desk").await;
    browser.fill("To whom", "writer").await;
    browser.fill("What is to be done", "Write to the deputy").await;
    browser.fill("Reason", "The mayor is away").await;
    browser.press_in("#hand-over form", "Hand over").await;
    browser.at("/handoffs/").await;
    browser.back().await;
    browser.at("/sessions/letter").await;
    browser.holds("return !document.querySelector('form[data-sending], form[data-send] button:disabled')", &[]).await;
    browser.end();
}
