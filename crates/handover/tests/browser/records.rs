//! The audit trail: found by what one knows, verified before one's eyes, and taken away.

use crate::{browser::Browser, house::House};
use handover::engine::clock::{Clock as _, SystemClock};
use handover_client::failed;
use handover_core::{handoff::Request, time::Timestamp};
use serde_json::{Value, json};
use std::time::Duration;

/// What the browser says while the server is away.
const AWAY: &[&str] = &["net::ERR_", "/live"];
/// How often a folder is looked at until a download is there.
const LOOKS: usize = 300;
/// Rows of the list, and what it says.
const COUNT: &str = "return document.querySelectorAll('[data-part=records] tbody tr').length";
const LISTED: &str = "return document.querySelector('[data-part=records]').innerText.includes(a)";
const NOT_LISTED: &str = "return !document.querySelector('[data-part=records]').innerText.includes(a)";

#[tokio::test(flavor = "multi_thread")]
async fn records_are_found_verified_and_downloaded() {
    let mut house = House::new();
    let between = rome_and_oslo(&house).await;
    let browser = house.visitor("ada", "admin --house", "/audit").await;
    browser.see("rome").await;
    browser.see("oslo").await;
    let all = browser.run(COUNT, vec![]).await.as_u64().unwrap();
    for (field, value, seen, gone) in [
        ("Session", "oslo", "oslo", "rome"),
        ("From agent", "writer", "rome", "oslo"),
        ("To agent", "writer", "rome", "oslo"),
        ("Task id", "letter-to-oslo", "oslo", "rome"),
        ("What happened", "completed", "rome", "oslo"),
        ("Handoff", &between.handoff, "oslo", "rome"),
    ] {
        browser.goto(&house.at("/audit")).await;
        browser.fill(field, value).await;
        browser.press("Search").await;
        browser.at("?").await;
        finds(&browser, field, all, (seen, gone)).await;
        let (some, address) = (browser.run(COUNT, vec![]).await, browser.url().await);
        // Back leads to what was there before, and the address to what was found.
        browser.back().await;
        browser.see("oslo").await;
        browser.goto(&address).await;
        assert_eq!(browser.run(COUNT, vec![]).await, some, "{address}");
    }
    by_time(&house, &browser, all, &between.time).await;
    browser.goto(&house.at("/audit")).await;
    browser.press("Verify now").await;
    browser.see("all as it was written").await;
    browser.everybody_can_use("a verified trail").await;
    browser.goto(&house.at("/audit?session=oslo")).await;
    let lines = download(&browser).await;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["record"]["session_id"] == json!("oslo")), "{lines:?}");
    broken(&mut house, &browser).await;
    browser.end_but_for(AWAY);
}

/// A moment between the two trips, and a handoff of the second one.
struct Between {
    time: String,
    handoff: String,
}

/// Two trips one after the other. In Rome the writer asks the editor for help.
async fn rome_and_oslo(house: &House) -> Between {
    let client = house.client();
    let rome = house.session("rome", "A trip to Rome").await;
    house.hand_over(&rome, "writer", "Write to Rome").await;
    let taken = house.take("writer").await;
    let help = Request::delegation("writer", "editor", "Correct my Latin", Duration::from_secs(3_600)).unwrap();
    house.ask(&rome, &help).await;
    house.give_back(&house.take("editor").await, json!("Veni")).await;
    house.give_back(&taken, json!("Cara Roma")).await;
    let time = SystemClock::starting_at_least(Timestamp(0)).now().to_string();
    let oslo = house.session("oslo", "A trip to Oslo").await;
    let mut request = Request::delegation("desk", "editor", "Correct the letter", Duration::from_secs(3_600)).unwrap();
    request.task.id = "letter-to-oslo".to_owned();
    house.ask(&oslo, &request).await;
    let taken = house.take("editor").await;
    client.give_back(taken.handoff.id, taken.lease, &failed("The ink is out"), None).await.unwrap();
    Between { time, handoff: taken.handoff.id.to_string() }
}

/// Some of all records are found, and those of one trip alone.
async fn finds(browser: &Browser, by: &str, all: u64, (seen, gone): (&str, &str)) {
    browser.holds(LISTED, &[seen]).await;
    browser.holds(NOT_LISTED, &[gone]).await;
    let some = browser.run(COUNT, vec![]).await.as_u64().unwrap();
    assert!(some > 0 && some < all, "{by}: {some} of {all}");
}

/// A link names a time exactly; the form has fields for it.
async fn by_time(house: &House, browser: &Browser, all: u64, between: &str) {
    for (name, found) in [("since", ("oslo", "rome")), ("until", ("rome", "oslo"))] {
        browser.goto(&house.at(&format!("/audit?{name}={between}"))).await;
        finds(browser, name, all, found).await;
    }
    let choose = "document.getElementById(arguments[0]).value = '2099-12-31T08:00'";
    for (name, found) in [("since", false), ("until", true)] {
        browser.goto(&house.at("/audit")).await;
        browser.run(choose, vec![json!(name)]).await;
        browser.press("Search").await;
        browser.at("2099-12-31").await;
        let some = browser.run(COUNT, vec![]).await.as_u64().unwrap();
        assert_eq!(some, if found { all } else { 0 }, "{name} 2099");
    }
    browser.goto(&house.at("/audit?since=2099-12-31")).await;
    browser.see("No records fit").await;
}

/// Presses the link, and reads what came into the folder for downloads.
async fn download(browser: &Browser) -> String {
    let folder = tempfile::tempdir().unwrap();
    let into = json!({"behavior": "allow", "downloadPath": folder.path()});
    browser.tells("Browser.setDownloadBehavior", &into);
    browser.press("Download JSON lines").await;
    let mut look = tokio::time::interval(Duration::from_millis(50));
    for _ in 0..LOOKS {
        look.tick().await;
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        // A file that is under way has another ending.
        if let Some(file) = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "jsonl")) {
            return std::fs::read_to_string(file).unwrap();
        }
    }
    panic!("no download has come");
}

/// Somebody changes the file behind the server's back. Verifying says so, in red, and leads there.
async fn broken(house: &mut House, browser: &Browser) {
    house.served.kill();
    // Whoever opens the database and closes it leaves everything in one file.
    house.served.place.json("keys");
    let file = house.served.place.path().join("handover.db");
    let (mut bytes, what) = (std::fs::read(&file).unwrap(), b"Correct my Latin");
    let places: Vec<usize> = (0..bytes.len() - what.len()).filter(|at| bytes[*at..].starts_with(what)).collect();
    assert!(!places.is_empty(), "the file has no such text");
    for at in places {
        bytes[at..at + what.len()].copy_from_slice(b"Correct my Greek");
    }
    std::fs::write(&file, bytes).unwrap();
    house.served.begin();
    browser.goto(&house.at("/audit")).await;
    browser.press("Verify now").await;
    browser.see_one("[data-part=verify] .badge.bad").await;
    browser.see("does not match its hash").await;
    browser.see_not("all as it was written").await;
    browser.everybody_can_use("a broken trail").await;
    browser.press("Its records").await;
    browser.at("session=rome").await;
}
