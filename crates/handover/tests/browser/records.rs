//! The audit trail: found by what one knows, verified before one's eyes, and taken away.

use crate::house::House;
use handover_client::failed;
use serde_json::{Value, json};

/// What a link gives.
const FETCH: &str = "\
const [href, done] = arguments;
fetch(href, {credentials: 'same-origin'}).then(answer => answer.text()).then(done, why => done(String(why)));";

#[tokio::test(flavor = "multi_thread")]
async fn records_are_found_verified_and_downloaded() {
    let house = House::new();
    let (one, two) = (house.session("rome", "A trip to Rome").await, house.session("oslo", "A trip to Oslo").await);
    house.hand_over(&one, "writer", "Write to Rome").await;
    let taken = house.take("writer").await;
    house.give_back(&taken, json!("Cara Roma")).await;
    house.hand_over(&two, "editor", "Correct the letter to Oslo").await;
    let taken = house.take("editor").await;
    let client = house.client();
    client.give_back(taken.handoff.id, taken.lease, &failed("The ink is out"), None).await.unwrap();
    let browser = house.visitor("ada", "admin --house", "/audit").await;
    browser.see("rome").await;
    browser.see("oslo").await;
    let count = "return document.querySelectorAll('[data-part=records] tbody tr').length";
    let all = browser.run(count, vec![]).await.as_u64().unwrap();
    for (field, value, seen, gone) in [
        ("Session", "oslo", "oslo", "rome"),
        ("To agent", "writer", "rome", "oslo"),
        ("What happened", "completed", "rome", "oslo"),
        ("Handoff", &taken.handoff.id.to_string(), "oslo", "rome"),
    ] {
        browser.goto(&house.at("/audit")).await;
        browser.fill(field, value).await;
        browser.press("Search").await;
        browser.at("?").await;
        browser.holds("return document.querySelector('[data-part=records]').innerText.includes(a)", &[seen]).await;
        browser.holds("return !document.querySelector('[data-part=records]').innerText.includes(a)", &[gone]).await;
        let some = browser.run(count, vec![]).await.as_u64().unwrap();
        assert!(some > 0 && some < all, "{field}: {some} of {all}");
        let address = browser.url().await;
        // Back leads to what was there before, and the address to what was found.
        browser.back().await;
        browser.see("oslo").await;
        browser.goto(&address).await;
        assert_eq!(browser.run(count, vec![]).await.as_u64(), Some(some), "{address}");
    }
    browser.press("Verify now").await;
    browser.see("all as it was written").await;
    browser.everybody_can_use("a verified trail").await;
    browser.goto(&house.at("/audit?session=oslo")).await;
    let href = browser.run("return document.querySelector('a[download]').href", vec![]).await;
    let lines = browser.run_async(FETCH, vec![href]).await;
    let lines: Vec<Value> = lines.as_str().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["record"]["session_id"] == json!("oslo")), "{lines:?}");
    browser.end();
}
