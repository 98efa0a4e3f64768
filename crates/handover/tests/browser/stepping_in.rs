//! An operator takes things into their own hands, and a viewer cannot.

use crate::{browser::Browser, house::House};
use handover_client::done;
use serde_json::json;

/// What the browser says of a page that is refused: it is meant to be.
const REFUSED: &[&str] = &["status of 403"];

#[tokio::test(flavor = "multi_thread")]
async fn give_it_to_somebody_else_take_it_back_and_try_again() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let id = house.hand_over(&session, "writer", "Write to the mayor").await;
    let slow = house.take("writer").await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.press("Give #1 to somebody else").await;
    browser.everybody_can_use("stepping in").await;
    browser.fill("To whom", "editor").await;
    browser.fill("Reason", "The writer is on holiday").await;
    browser.press("Hand it to them").await;
    browser.see("It goes to somebody else now.").await;
    browser.see("The writer is on holiday").await;
    let late = house.client().give_back(id, slow.lease, &done(json!("too late")), None).await;
    assert!(late.is_err(), "whoever lost it can still give it back: {late:?}");
    assert_eq!(house.take("editor").await.handoff.id, id);
    browser.see("running").await;
    browser.press("Cancel #1").await;
    browser.fill("Reason", "The mayor has left").await;
    browser.press("Cancel it").await;
    browser.see("Taken back.").await;
    browser.see("The mayor has left").await;
    assert_eq!(house.status(id).await, "cancelled");
    browser.press("Try #1 again").await;
    browser.fill("Reason", "The mayor is back").await;
    browser.press("Try again").await;
    browser.see("It is tried again.").await;
    browser.see("#2").await;
    // The request is the same, and it names the writer.
    let again = house.take("writer").await;
    assert_eq!(again.task(), "Write to the mayor");
    house.give_back(&again, json!("Dear mayor")).await;
    browser.see("Dear mayor").await;
    hand_over_by_hand(&house, &browser).await;
    browser.end();
}

/// Says something, and hands something over in the name of whoever has the session.
async fn hand_over_by_hand(house: &House, browser: &Browser) {
    browser.goto(&house.at("/sessions/letter")).await;
    browser.fill("Say something", "Please be brief.").await;
    browser.press("Say it").await;
    browser.see("Said in the conversation.").await;
    browser.see("Please be brief.").await;
    browser.press("Hand something over for desk").await;
    browser.fill("To whom", "writer").await;
    browser.fill("What is to be done", "Write to the deputy").await;
    browser.fill("Reason", "The mayor is away").await;
    browser.press_in("#hand-over form", "Hand over").await;
    browser.see("Handed over.").await;
    let taken = house.take("writer").await;
    assert_eq!(taken.task(), "Write to the deputy");
    browser.see("running").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_looks_and_does_nothing() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let id = house.hand_over(&session, "writer", "Write to the mayor").await;
    let waits = house.hand_over_dear(&session, "writer", "Print 500 letters").await;
    let browser = house.visitor("vera", "viewer", "/sessions/letter").await;
    browser.see("Write to the mayor").await;
    for page in ["/sessions/letter".to_owned(), format!("/handoffs/{id}"), "/approvals".to_owned()] {
        browser.goto(&house.at(&page)).await;
        browser.see("vera").await;
        for name in
            ["Say it", "Give #1", "Cancel #1", "Try #1", "Hand something over", "Edit…", "Reject…", "Take it", "Answer"]
        {
            assert!(!browser.is_offered(name).await, "{page} offers {name}");
        }
    }
    browser.see("Your role is viewer").await;
    // Whoever sends the form all the same is told why it does not count.
    let force = "\
        const form = document.createElement('form'), [action, fields] = arguments;
        fields.word = document.querySelector('input[name=word]').value;
        Object.assign(form, {method: 'post', action});
        for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement('input'), {name, value}));
        document.body.append(form); form.submit();";
    for (path, fields) in [
        (format!("/handoffs/{id}/cancel"), json!({"reason": "because"})),
        (format!("/handoffs/{id}/redirect"), json!({"reason": "because", "to_agent": "editor"})),
        ("/sessions/letter/say".to_owned(), json!({"text": "I was here"})),
        ("/sessions/letter/end".to_owned(), json!({"reason": "because"})),
    ] {
        browser.goto(&house.at("/approvals")).await;
        browser.run(force, vec![json!(path), fields]).await;
        browser.see("That is not yours to do").await;
        browser.see("HO0309").await;
    }
    assert_eq!((house.status(id).await, house.status(waits).await), ("offered".into(), "awaiting_approval".into()));
    browser.end_but_for(REFUSED);
}
