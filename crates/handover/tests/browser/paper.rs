//! A session on paper: readable, light, with everything in it, and with times that still mean something tomorrow.

use crate::house::House;
use handover_core::message::{NewMessage, Role};
use serde_json::json;

/// What is to be seen of an element, and in which colours.
const COLOURS: &str = "\
const luminance = text => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number); return (r + g + b) / 3; };
const at = getComputedStyle(document.querySelector(arguments[0]));
return [luminance(at.color), luminance(getComputedStyle(document.body).backgroundColor)];";

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_printed_as_a_report() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let words = |n: u32| NewMessage::new(Role::User, format!("Sentence {n} of the letter."));
    for part in 0..3 {
        house.client().say(&session, &(0..50).map(|n| words(part * 50 + n)).collect::<Vec<_>>()).await.unwrap();
    }
    let long = "A long story that a screen would fold. ".repeat(30) + "The very end.";
    house.client().say(&session, &[NewMessage::new(Role::User, &long)]).await.unwrap();
    house.hand_over(&session, "writer", "Write to the mayor").await;
    let taken = house.take("writer").await;
    house.give_back(&taken, json!("Dear mayor")).await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.see_not("Sentence 0 of").await;
    browser.press("For printing").await;
    browser.see("Sentence 0 of the letter.").await;
    browser.everybody_can_use("a report").await;
    // In a dark room, on white paper.
    browser.media("print", true, false);
    for selector in ["body", ".badge", ".baton .hand", ".hg-label"] {
        let seen = browser.run(COLOURS, vec![json!(selector)]).await;
        let (ink, paper) = (seen[0].as_f64().unwrap(), seen[1].as_f64().unwrap());
        assert!(ink < 140.0 && paper > 250.0, "{selector}: {ink} on {paper}");
    }
    for hidden in ["header.side", "[data-part=step-in]", "form", ".off-paper"] {
        browser.holds("return ![...document.querySelectorAll(a)].some(e => e.checkVisibility())", &[hidden]).await;
    }
    let said = "return getComputedStyle(document.querySelector('.talk time'), '::after').content";
    let said = browser.run(said, vec![]).await;
    let like = regex::Regex::new(r#"^"\d{1,2} [A-Z][a-z]{2} 20\d\d, \d\d:\d\d UTC"$"#).unwrap();
    assert!(said.as_str().is_some_and(|said| like.is_match(said)), "{said}");
    // What is folded on a screen is open on paper.
    let open = "return [...document.querySelectorAll('details.fold .words')].some(e => e.textContent.endsWith('The very end.') && e.checkVisibility({contentVisibilityAuto: true}))";
    browser.holds(open, &[]).await;
    let pdf = browser.tells("Page.printToPDF", &json!({"printBackground": true}));
    assert!(pdf["data"].as_str().is_some_and(|data| data.len() > 10_000));
    browser.end();
}
