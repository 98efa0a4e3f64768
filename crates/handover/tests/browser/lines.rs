//! What a person sees when the line to the server is not what it seems: an answer that is lost, a line that is dead.

use crate::{
    browser::{Browser, Size},
    house::House,
};
use handover_core::limits::PAGE_APPROVALS;

/// The next form is carried out, and its answer does not arrive.
const LOSE: &str = "\
const real = window.fetch;
window.fetch = async (to, how) => {
  if (how?.method !== 'POST') return real(to, how);
  window.fetch = real;
  await real(to, how);
  throw new TypeError('the answer was lost');
};";
/// Writes down what the page says about its line, and lets the server's word be missed at once.
const DEAF: &str = "\
const live = document.getElementById('live');
window.told = [];
new MutationObserver(() => told.push(live.textContent)).observe(live, {childList: true, characterData: true, subtree: true});
document.body.dataset.beat = 100;";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_again_is_done_once() {
    let house = House::new();
    house.session("letter", "A letter to the mayor").await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.is_live().await;
    browser.run(LOSE, vec![]).await;
    browser.fill("Say something", "To the mayor, please").await;
    browser.press("Say it").await;
    browser.see("No answer came. Sending it again does it once.").await;
    browser.press("Say it").await;
    browser.see("Said in the conversation.").await;
    let said = "return document.querySelectorAll('.talk li.user').length === Number(a)";
    browser.holds(said, &["1"]).await;
    // What is said after that is another thing, be it in the same words.
    browser.fill("Say something", "To the mayor, please").await;
    browser.press("Say it").await;
    browser.holds(said, &["2"]).await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_dead_is_noticed() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let browser = house.visitor("olga", "operator", "/sessions/letter").await;
    browser.is_live().await;
    browser.run(DEAF, vec![]).await;
    browser.holds("return window.told.some(words => words.startsWith('connection lost'))", &[]).await;
    browser.run("document.body.dataset.beat = 60000", vec![]).await;
    browser.is_live().await;
    house.hand_over(&session, "writer", "Write after all").await;
    browser.see("Write after all").await;
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_decides_on_a_later_page_stays_there() {
    let house = House::new();
    let mut all = Vec::new();
    for n in 0..PAGE_APPROVALS + 2 {
        let session = house.session(&format!("print-{n}"), "Letters on paper").await;
        all.push(house.hand_over_dear(&session, "writer", &format!("Print number {n}.")).await);
    }
    let browser = house.visitor("olga", "operator", "/approvals").await;
    browser.press("Younger").await;
    browser.see("Print number 20.").await;
    browser.keys_until("ja", "Approved. It is on its way.").await;
    browser.see_one(&format!("[id='{}'].chosen", all[PAGE_APPROVALS + 1])).await;
    browser.at("after=").await;
    browser.see_not("Print number 0.").await;
    // The last of a page leads to the one before it.
    browser.keys_until("a", "Print number 0.").await;
    browser.holds("return !location.search.includes('after=')", &[]).await;
    assert_eq!(house.status(all[0]).await, "awaiting_approval");
    browser.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_phone_a_timeline_begins_with_the_latest() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    house.hand_over(&session, "writer", "Write to the mayor").await;
    let browser = Browser::open(Size::Phone, false).await;
    house.enter(&browser, &house.key("olga", "operator"), "/sessions/letter").await;
    browser.see("The timeline is wider than the window").await;
    let end = "const lanes = document.querySelector('.lanes');\
        return lanes.scrollLeft > 0 && lanes.scrollLeft + lanes.clientWidth >= lanes.scrollWidth - 2";
    browser.holds(end, &[]).await;
    browser.end();
}
