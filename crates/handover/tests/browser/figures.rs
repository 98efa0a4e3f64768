//! Figures tell what happened: charts, what guards stopped, what comes next, and the arms of an experiment.

use crate::{browser::Browser, house::House};
use handover_client::{done, failed};
use handover_core::{
    budget::Usage, command::Giving, handoff::Request, ids::SessionId, limits::EXPERIMENT_ENDED_MIN, refusal::Code,
};
use serde_json::json;
use std::time::Duration;

/// What a chart says, large and small.
const SAYS: &str = "const card = document.querySelector(`[data-part=${a}]`), words = selector => card.querySelector(selector).textContent.trim(); \
return words('.value') === b && words('.about').startsWith(c)";
/// Something is drawn in a chart.
const DRAWN: &str =
    "return [...document.querySelectorAll(`[data-part=${a}] svg *`)].some(e => e.getBBox && e.getBBox().width > 0)";
/// What a part of the page says, in one line.
const PART: &str = "return document.querySelector(`[data-part=${a}]`).innerText.replace(/\\s+/g, ' ').includes(b)";
/// What stands in a cell.
const CELL: &str = "return document.querySelector(a)?.textContent.trim() === b";

/// The same with what a model used: 2,500 tokens for 3.
fn used(mut giving: Giving) -> Giving {
    giving.updates.usage = vec![Usage { model: "small".to_owned(), input_tokens: 2_000, output_tokens: 500 }];
    giving
}

/// Work that is found somebody for, and comes back so.
async fn ended(house: &House, session: &SessionId, task: &str, giving: &Giving) {
    let (_, to) = house.hand_over_by(session, "writing", task).await;
    let taken = house.take(&to).await;
    house.client().give_back(taken.handoff.id, taken.lease, giving, None).await.unwrap();
}

async fn charts_say(browser: &Browser, charts: [(&str, &str, &str); 4]) {
    for (part, value, about) in charts {
        browser.holds(SAYS, &[part, value, about]).await;
        browser.holds(DRAWN, &[part]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn charts_and_arms_tell_what_happened() {
    let house = House::new();
    let (well, ill) = (used(done(json!("Dear mayor"))), used(failed("The ink is out")));
    for n in 0..3 {
        let session = house.session(&format!("s{n}"), "A letter to the mayor").await;
        ended(&house, &session, &format!("Write {n}"), &well).await;
    }
    let session = house.session("ill", "A letter to the mayor").await;
    ended(&house, &session, "Write in vain", &ill).await;
    let browser = house.visitor("olga", "operator --house", "/").await;
    let four = [
        ("throughput", "4", "done, 4 begun"),
        ("success", "75 %", "of 4"),
        ("tokens", "10,000", "in all"),
        ("cost", "12.00", "in all"),
    ];
    charts_say(&browser, four).await;
    let lasted =
        "return /^[\\d.,]+ (ms|s|min)$/.test(document.querySelector('[data-part=latency] .value').textContent)";
    browser.holds(lasted, &[]).await;
    browser.holds(DRAWN, &["latency"]).await;
    // What is pointed at says what it is, in the time of whoever looks.
    browser.see_one("[data-part=throughput] rect.good").await;
    browser.see_one("[data-part=throughput] rect.bad").await;
    let hour =
        "return /^\\d\\d:\\d\\d$/.test(document.querySelector('[data-part=throughput] time[data-hour]').textContent)";
    browser.holds(hour, &[]).await;
    let told = "return [...document.querySelectorAll('[data-part=throughput] .over title')].some(e => /^\\d\\d:\\d\\d \\d completed/.test(e.textContent))";
    browser.holds(told, &[]).await;
    browser.press("6h").await;
    browser.at("range=6h").await;
    charts_say(&browser, four).await;
    // They go on while they are looked at.
    browser.is_live().await;
    ended(&house, &session, "Write in vain again", &ill).await;
    let five = [
        ("throughput", "5", "done, 5 begun"),
        ("success", "60 %", "of 5"),
        ("tokens", "12,500", "in all"),
        ("cost", "15.00", "in all"),
    ];
    charts_say(&browser, five).await;
    stopped_and_next(&house, &browser).await;
    arms(&house, &browser).await;
    browser.end();
}

/// Two who would wait for each other do not, and that is counted; and what happens by itself is told with its time.
async fn stopped_and_next(house: &House, browser: &Browser) {
    let session = house.session("circle", "A letter to the mayor").await;
    house.hand_over(&session, "writer", "Write to the mayor").await;
    let taken = house.take("writer").await;
    let back = Request::delegation("writer", "desk", "Write it yourself", Duration::from_secs(3_600)).unwrap();
    let refused = house.client().hand_off(&session, &back).await.unwrap_err();
    assert!(refused.has(Code::WaitsForYou), "{refused}");
    house.hand_over_dear(&session, "editor", "Print 500 letters").await;
    browser.holds(CELL, &["[data-part=prevented] [data-name=refused]", "1"]).await;
    browser.holds(PART, &["prevented", "deadlocks"]).await;
    browser.holds(PART, &["prevented", Code::WaitsForYou.text()]).await;
    browser.holds(PART, &["next", "ops is asked, too, unless ann decides"]).await;
    browser.holds(PART, &["next", "Print 500 letters"]).await;
    let left = "return [...document.querySelectorAll('[data-part=next] li')].some(e => e.innerText.includes('unless ann decides') && / left$/.test(e.querySelector('time[data-until]').textContent))";
    browser.holds(left, &[]).await;
    house.give_back(&taken, json!("Dear mayor")).await;
}

/// Both arms stand side by side with their figures, and with a verdict as soon as there can be one.
async fn arms(house: &House, browser: &Browser) {
    browser.goto(&house.at("/experiments")).await;
    browser.see("best match against least loaded").await;
    browser.see("too early").await;
    browser.everybody_can_use("experiments").await;
    // A session stays in its arm, by its name: one is in the first, one in the second.
    let (first, second) = (house.session("right", "Letters").await, house.session("left", "Letters").await);
    for n in 0..EXPERIMENT_ENDED_MIN {
        ended(house, &first, &format!("Write {n} on the right"), &done(json!("Dear mayor"))).await;
        // Not so often in a row that a breaker opens.
        let giving = if n % 3 == 0 { done(json!("Dear mayor")) } else { failed("The ink is out") };
        ended(house, &second, &format!("Write {n} on the left"), &giving).await;
    }
    browser.see("a succeeds more often").await;
    browser.see_not("too early").await;
    let text = browser
        .run("return [...document.querySelectorAll('.arm')].map(e => e.innerText.replace(/\\s+/g, ' '))", vec![]);
    let text = text.await;
    let (first, second) = (text[0].as_str().unwrap(), text[1].as_str().unwrap());
    assert!(first.starts_with("a best match") && second.starts_with("b least loaded"), "{text}");
    let share = regex::Regex::new(r"(\d+) ended .*succeeded (\d+) %.*time on average [\d.,]+ (ms|s)").unwrap();
    let figures = |text: &str| {
        let found = share.captures(text).unwrap_or_else(|| panic!("{text}"));
        (found[1].parse::<u64>().unwrap(), found[2].parse::<u64>().unwrap())
    };
    let ((of_first, well), (of_second, ill)) = (figures(first), figures(second));
    assert!(of_first >= EXPERIMENT_ENDED_MIN && of_second >= EXPERIMENT_ENDED_MIN, "{text}");
    assert!(well > 80 && ill < 50, "{text}");
    browser.everybody_can_use("experiments with a verdict").await;
}
