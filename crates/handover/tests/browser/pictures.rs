//! Every page with real data, by day and by night, on a desk and on a phone: everybody can use it, it fits, and a picture is
//! taken of it. `cargo xtask pictures` keeps the pictures, after a longer day.

use crate::{
    axe::Rules,
    browser::{Browser, Size},
    day::{Day, SETTINGS},
    place::{Place, Served, free},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Where pictures are kept, when they are.
const KEPT: &str = "HANDOVER_PICTURES";
/// Sessions of the charter team that a day has.
const FEW: usize = 20;
const MANY: usize = 300;
/// How often the overview is looked at until it has all of the day.
const LOOKS: usize = 200;
/// How often they must be the same then.
const STILL: usize = 5;
/// Handoffs among which one is chosen.
const PAGE: usize = 50;
/// In which sizes, and by day and by night: a page is loaded for each size, and its colours change while it is open. All rules
/// are looked at once for each size, and those of colours in all views.
const SIZES: [Size; 2] = [Size::Desktop, Size::Phone];
const VIEWS: [(bool, Rules); 2] = [(false, Rules::Colours), (true, Rules::All)];
/// The figures of the charts, without what is said of times beside them.
const FIGURES: &str = "return [...document.querySelectorAll('.chart .value')].map(e => e.textContent)";
/// What the page has asked for elsewhere.
const ELSEWHERE: &str = "return performance.getEntriesByType('resource').map(e => e.name).filter(name => new URL(name).origin !== location.origin)";
/// What it has asked for here: a style and a script at least.
const HERE: &str = "return performance.getEntriesByType('resource').length >= 2";
/// What stands lower on a page and has a picture of its own: the page, its name, and where it is.
const BELOW: [(&str, &str, &str); 2] =
    [("overview", "charts", ".charts"), ("session", "timeline", "[data-part=lanes]")];
/// How good pictures are, of 100.
const QUALITY: u32 = 50;
/// Every page, by name; what is in braces is found out.
const PAGES: [(&str, &str); 14] = [
    ("team", "/team"),
    ("agent", "/team/flight_search"),
    ("handoffs", "/handoffs"),
    ("sessions", "/sessions"),
    ("session", "/sessions/{session}"),
    ("conversation", "/sessions/letter-0"),
    ("handoff", "/handoffs/{handoff}"),
    ("approvals", "/approvals"),
    ("inbox", "/inbox"),
    ("workflows", "/workflows"),
    ("workflow", "/workflows/charter"),
    ("audit", "/audit"),
    ("experiments", "/experiments"),
    ("overview", "/?range=24h"),
];

#[tokio::test(flavor = "multi_thread")]
async fn taken() {
    let kept = std::env::var_os(KEPT).map(PathBuf::from);
    let place = Place::new(None);
    place.write("handover.yaml", SETTINGS);
    let day = Day::begin(place.path()).await;
    day.live(if kept.is_some() { MANY } else { FEW }).await;
    let waits = day.engine.approvals(None).await.unwrap().remove(0).handoff;
    let first = day.engine.handoff_history(&waits.session_id, 0, PAGE).await.unwrap();
    let handoff = first.iter().find(|handoff| handoff.to_agent.as_str() == "flight_search").unwrap().id;
    day.leave_open().await;
    drop(day);
    let served = Served::of(place, free());
    let browser = Browser::open(Size::Desktop, false).await;
    let mut wrong = Vec::new();
    has_read_up(&browser, &served.url()).await;
    for (name, path) in PAGES {
        let url = served.url()
            + &path.replace("{handoff}", &handoff.to_string()).replace("{session}", waits.session_id.as_str());
        for size in SIZES {
            browser.looks(size, false);
            browser.goto(&url).await;
            if !browser.text().await.contains("open server") {
                wrong.push(format!("{name}, {size:?} is no page: {}", browser.text().await));
                break;
            }
            wrong.extend(
                browser.too_wide().await.into_iter().map(|wide| format!("{name}, {size:?} is too wide: {wide}")),
            );
            wrong.extend(elsewhere(&browser).await.into_iter().map(|url| format!("{name} asks elsewhere: {url}")));
            views(&browser, kept.as_deref(), name, size, &mut wrong).await;
        }
    }
    door(&browser, kept.as_deref(), &mut wrong).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    browser.end();
}

/// The page that is open, by day and by night.
async fn views(browser: &Browser, kept: Option<&Path>, name: &str, size: Size, wrong: &mut Vec<String>) {
    for (dark, rules) in VIEWS {
        browser.looks(size, dark);
        if let Some(kept) = kept {
            take(browser, kept, name, size, dark).await;
        }
        let what = format!("{name}, {size:?}, {}", if dark { "dark" } else { "light" });
        wrong.extend(browser.barriers(rules).await.into_iter().map(|rule| format!("{what}\n{rule}")));
    }
}

/// What this page has asked for at another place than ours. It has asked for something, or this would say nothing.
async fn elsewhere(browser: &Browser) -> Vec<String> {
    browser.holds(HERE, &[]).await;
    let found = browser.run(ELSEWHERE, vec![]).await;
    found.as_array().into_iter().flatten().map(ToString::to_string).collect()
}

/// The door of a house that has keys.
async fn door(browser: &Browser, kept: Option<&Path>, wrong: &mut Vec<String>) {
    let place = Place::new(None);
    place.json("keys make ops --role operator");
    let served = Served::of(place, free());
    for size in SIZES {
        browser.looks(size, false);
        browser.goto(&served.url()).await;
        browser.see("Your key").await;
        views(browser, kept, "sign-in", size, wrong).await;
    }
}

/// The server reads what happened lately when it starts; the figures stand still when it has.
async fn has_read_up(browser: &Browser, url: &str) {
    let (mut before, mut same, mut look) = (None, 0, tokio::time::interval(Duration::from_millis(500)));
    for _ in 0..LOOKS {
        look.tick().await;
        browser.goto(&format!("{url}/?range=24h")).await;
        let figures = browser.run(FIGURES, vec![]).await;
        same = if before.as_ref() == Some(&figures) { same + 1 } else { 0 };
        if same == STILL {
            return;
        }
        before = Some(figures);
    }
    panic!("the figures of the overview never stand still");
}

/// Takes a picture of what is to be seen without scrolling, when the page hears of what happens; and of what stands lower.
async fn take(browser: &Browser, folder: &Path, name: &str, size: Size, dark: bool) {
    browser.is_heard().await;
    browser.run("scrollTo(0, 0)", vec![]).await;
    shoot(browser, folder, name, size, dark);
    for (_, below, place) in BELOW.iter().filter(|(page, ..)| *page == name) {
        browser.run("document.querySelector(arguments[0]).scrollIntoView()", vec![json!(place)]).await;
        shoot(browser, folder, below, size, dark);
    }
}

fn shoot(browser: &Browser, folder: &Path, name: &str, size: Size, dark: bool) {
    let taken = browser.tells("Page.captureScreenshot", &json!({"format": "webp", "quality": QUALITY}));
    let bytes = STANDARD.decode(taken["data"].as_str().unwrap()).unwrap();
    let (colours, of) = (if dark { "dark" } else { "light" }, if size == Size::Phone { "phone" } else { "desktop" });
    std::fs::write(folder.join(format!("{name}-{colours}-{of}.webp")), bytes).unwrap();
}
