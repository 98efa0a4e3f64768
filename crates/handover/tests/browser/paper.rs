//! A session on paper: readable, light, with everything in it, and with times that still mean something tomorrow.

use crate::{browser::Browser, house::House};
use base64::{Engine as _, engine::general_purpose::STANDARD};
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
    // Whoever prints the page as it is gets what is folded on it, and finds it folded afterwards.
    browser.see_not("The very end.").await;
    assert!(printed(&browser).await.0.contains("The very end."));
    browser.see_not("The very end.").await;
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
    is_all_there(&browser).await;
    browser.end();
}

/// What is printed has all of it, from the first message to what became of it, over several pages.
async fn is_all_there(browser: &Browser) {
    let (printed, pdf) = printed(browser).await;
    for n in 0..150 {
        assert!(printed.contains(&format!("Sentence {n} of the letter.")), "{n} is not printed");
    }
    for text in ["A letter to the mayor", "The very end.", "Write to the mayor", "completed", "writer"] {
        assert!(printed.contains(text), "{text} is not printed: {printed}");
    }
    for text in ["Sign out", "Say it", "For printing"] {
        assert!(!printed.contains(text), "{text} is printed");
    }
    let pages = regex::bytes::Regex::new(r"/Type /Page\b").unwrap().find_iter(&pdf).count();
    assert!((3..30).contains(&pages), "{pages} pages");
}

/// Prints the page: the text that is on it at that moment, and the file.
async fn printed(browser: &Browser) -> (String, Vec<u8>) {
    // Whatever the page does before it is printed was done when this is asked.
    browser.run("addEventListener('beforeprint', () => { window.printed = document.body.innerText; })", vec![]).await;
    let pdf = browser.tells("Page.printToPDF", &json!({"printBackground": true}));
    let text = browser.run("return window.printed", vec![]).await;
    (text.as_str().unwrap().to_owned(), STANDARD.decode(pdf["data"].as_str().unwrap()).unwrap())
}
