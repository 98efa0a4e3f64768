//! The pages of the interface, beside the dashboard.

use crate::{
    browser::{Browser, Size},
    place::Served,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_interface_is_there_for_everybody() {
    let served = Served::new();
    let browser = Browser::open(Size::Desktop, false).await;
    for (size, dark) in [(Size::Desktop, false), (Size::Phone, true)] {
        browser.looks(size, dark);
        browser.goto(&format!("{}/docs", served.url())).await;
        browser.see("the interface").await;
        browser.fits("the interface").await;
    }
    // The page is long and its sections are alike: the first ones stand for all.
    browser
        .run("document.querySelectorAll('main section').forEach((one, at) => at > 15 && one.remove())", vec![])
        .await;
    browser.everybody_can_use("the interface").await;
    browser.end();
}
