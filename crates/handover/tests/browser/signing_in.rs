//! Coming in with a key, being sent away without one, and leaving.

use crate::{
    browser::{Browser, Size},
    house::House,
};

/// What the browser says of a page that is refused: it is meant to be.
const REFUSED: &[&str] = &["status of 401"];

#[tokio::test(flavor = "multi_thread")]
async fn a_key_opens_and_its_end_closes() {
    let house = House::new();
    house.session("paris", "A letter to Paris").await;
    let browser = Browser::open(Size::Desktop, false).await;
    browser.goto(&house.at("/sessions")).await;
    browser.see("Your key").await;
    browser.fill("Your key", "ho_nobody_knows_this").await;
    browser.press("Sign in").await;
    browser.see("this key does not open anything").await;
    assert!(!browser.text().await.contains("paris"));
    house.enter(&browser, &house.key("olga", "operator"), "/sessions").await;
    browser.at("/sessions").await;
    browser.see("paris").await;
    browser.see("olga").await;
    // A link can be shared: whoever gets it signs in, and is there.
    let other = Browser::open(Size::Phone, true).await;
    house.enter(&other, &house.key("vera", "viewer"), "/sessions/paris").await;
    other.at("/sessions/paris").await;
    other.see("A letter to Paris").await;
    other.end();
    browser.press("Sign out").await;
    browser.see("Your key").await;
    browser.back().await;
    browser.see("Your key").await;
    // The key is taken back while a page is open: the page is gone at once.
    house.enter(&browser, &house.key("igor", "operator"), "/sessions").await;
    browser.see("paris").await;
    house.revoke("igor");
    browser.see("Your key").await;
    browser.goto(&house.at("/sessions/paris")).await;
    browser.see("Your key").await;
    browser.end_but_for(REFUSED);
}
