//! The line between the browser and the server is cut, and the server goes on: what happened meanwhile is seen afterwards.

use crate::{
    browser::{Browser, Size},
    house::House,
};
use handover_client::done;
use handover_core::{
    command::NewArtifact,
    limits::{ARTIFACTS_MAX, LIVE_BEHIND_MAX},
};
use handover_stand::Proxy;
use serde_json::json;

/// What the browser says while it reaches nobody.
const AWAY: &[&str] = &["net::ERR_", "/live"];
/// The page is the same one, and was not loaded again.
const MARK: &str = "window.here = 'since the beginning'";
const MARKED: &str = "return window.here === 'since the beginning'";

/// A browser with a line of its own to the house, which can be cut.
struct Line {
    proxy: Proxy,
    browser: Browser,
}

impl Line {
    async fn to(house: &House, path: &str) -> Self {
        let proxy = Proxy::to(&house.served.address.to_string()).unwrap();
        let browser = Browser::open(Size::Desktop, false).await;
        browser.goto(&format!("http://127.0.0.1:{}{path}", proxy.port())).await;
        house.signs_in(&browser, &house.key("olga", "operator")).await;
        browser.is_live().await;
        browser.run(MARK, vec![]).await;
        Self { proxy, browser }
    }

    /// Nothing passes any more, and the page says so.
    async fn cut(&self) {
        self.proxy.shut(true);
        self.proxy.cut();
        self.browser.see("connection lost").await;
    }

    fn mend(&self) {
        self.proxy.shut(false);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_meanwhile_is_seen_afterwards() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let line = Line::to(&house, "/sessions/letter").await;
    let tasks = ["Correct the first", "Correct the second", "Correct the third"];
    line.cut().await;
    for task in tasks {
        house.hand_over(&session, "editor", task).await;
    }
    let seen = line.browser.text().await;
    assert!(!tasks.iter().any(|task| seen.contains(task)), "the line is not cut: {seen}");
    line.mend();
    for task in tasks {
        line.browser.see(task).await;
    }
    line.browser.is_live().await;
    // It is cut again, and so much happens elsewhere that the server does not tell it one by one.
    line.cut().await;
    much_happens(&house).await;
    house.hand_over(&session, "editor", "Correct the fourth").await;
    line.mend();
    line.browser.see("Correct the fourth").await;
    line.browser.is_live().await;
    // Heard live again, and not only looked up once.
    let taken = house.take("editor").await;
    line.browser.see("running").await;
    house.give_back(&taken, json!("It is fine.")).await;
    line.browser.see("completed").await;
    line.browser.holds(MARKED, &[]).await;
    line.browser.end_but_for(AWAY);
}

/// More events than a page is told when it comes back; each artifact is one.
async fn much_happens(house: &House) {
    let kept = ARTIFACTS_MAX as u64;
    for n in 0..=LIVE_BEHIND_MAX / kept {
        let session = house.session(&format!("archive-{n}"), "Keep the old letters").await;
        house.hand_over(&session, "writer", "Keep a thousand letters").await;
        let taken = house.take("writer").await;
        let mut giving = done(json!("All of them"));
        let letter = |n| json!({"type": "document", "path": format!("letters/{n}.md"), "description": "An old letter"});
        giving.updates.artifacts =
            (0..kept).map(|n| serde_json::from_value::<NewArtifact>(letter(n)).unwrap()).collect();
        house.client().give_back(taken.handoff.id, taken.lease, &giving, None).await.unwrap();
    }
}
