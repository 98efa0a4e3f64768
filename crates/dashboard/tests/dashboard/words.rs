//! Words that pages have in common, and that say what they mean.

use crate::{
    desk::{delegation, id},
    house::House,
};
use handover_core::{access::Role, handoff::Request};

async fn house() -> House {
    let house = House::open().await;
    house.staffed(&["planner", "pilot"], &["anna"]).await;
    house
}

#[tokio::test]
async fn a_picture_and_its_page_say_the_same() {
    let house = house().await;
    house.handed(Request { needs_approval: true, ..delegation("planner", "pilot", "fly") }).await;
    let seen = house.get(&house.local(), "/sessions/s").await;
    let (_, picture) = seen.text.split_once("data-part=\"flow\"").expect("a picture");
    assert!(picture.contains("waits for a yes"), "{picture}");
    seen.hides("awaiting approval");
}

#[tokio::test]
async fn nobody_answers_as_local() {
    let house = house().await;
    let asked = house.handed(delegation("planner", "pilot", "fly")).await;
    let taken = house.engine.accept(asked, &id("pilot"), None, None).await.unwrap();
    house.engine.ask(asked, taken.lease, "Where to?").await.unwrap();
    let seen = house.get(&house.local(), "/inbox").await;
    seen.shows(&format!("<label for=\"answer-{asked}\">Answer</label>")).hides("Answer as");
    let seen = house.get(&house.signed_in(Role::Operator).await, "/inbox").await;
    seen.shows("Answer as operator (").shows(">For</label>").shows(">everybody</option>").hides("everybody's");
}

#[tokio::test]
async fn who_is_well_is_healthy_and_ids_stay_whole() {
    let house = house().await;
    house.get(&house.local(), "/team").await.shows(">healthy<").hides(">there<");
    house.get(&house.local(), "/sessions").await.shows("<td class=\"id\"><a href=\"/sessions/s\"");
}
