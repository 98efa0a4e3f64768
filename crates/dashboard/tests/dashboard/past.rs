//! The past of a long conversation has its handoffs where they began, however many came after them.

use crate::{
    desk::{delegation, id, said, session},
    house::House,
};
use handover_core::{
    agent::Profile,
    command::Open,
    ids::HandoffId,
    limits::{PAGE_HANDOFFS, PAGE_MESSAGES},
    message::{NewMessage, Role},
    policy::{Policy, SessionLimits},
};

const WORKERS: [&str; 6] = ["anna", "bert", "carl", "dora", "emil", "fritz"];

/// A house whose guards let much pass, with a session of anna's.
async fn house() -> House {
    let house = House::open().await;
    for name in WORKERS {
        house.engine.register_profile(Profile::named(name).unwrap()).await.unwrap();
    }
    let limits = SessionLimits { handoffs: Some(1_000), ..SessionLimits::usual() };
    house.engine.set_policy(Policy { limits, ..Policy::default() }).unwrap();
    house.engine.open_session(&session("s"), Open::by("anna").unwrap()).await.unwrap();
    house
}

/// Hands over so often, and takes each back at once.
async fn hands_over(house: &House, what: &str, times: usize) {
    for n in 0..times {
        let task = delegation("anna", WORKERS[1 + n % (WORKERS.len() - 1)], &format!("{what} {n}."));
        let made: HandoffId = house.handed(task).await;
        house.engine.cancel(made, id("anna"), "enough").await.unwrap();
    }
}

async fn fills_a_page(house: &House) {
    let words = (0..PAGE_MESSAGES).map(|n| NewMessage::new(Role::User, format!("word {n}"))).collect();
    house.engine.say(&session("s"), words).await.unwrap();
}

#[tokio::test]
async fn an_old_part_has_its_handoffs() {
    let house = house().await;
    hands_over(&house, "before all", 1).await;
    house.engine.say(&session("s"), said("hello")).await.unwrap();
    hands_over(&house, "early", 3).await;
    fills_a_page(&house).await;
    hands_over(&house, "between", 2).await;
    fills_a_page(&house).await;
    hands_over(&house, "late", PAGE_HANDOFFS + 5).await;
    fills_a_page(&house).await;
    let talk = async |path: &str| {
        let seen = house.get(&house.local(), path).await;
        let (_, talk) = seen.text.split_once("<ol class=\"talk\">").expect("a conversation");
        talk.split("</ol>").next().unwrap().to_owned()
    };
    let passed = |text: &str, what: &str| text.matches(&format!(" {what} ")).count();
    for (from, expected) in [(1, (1, 3, 0)), (2, (0, 3, 0)), (102, (0, 0, 2)), (3, (0, 0, 2))] {
        let shown = talk(&format!("/sessions/s?from={from}")).await;
        let found = (passed(&shown, "before all"), passed(&shown, "early"), passed(&shown, "between"));
        assert_eq!(found, expected, "from {from}: {shown}");
    }
    // Where more began than a page shows, that is said, and leads there.
    let seen = house.get(&house.local(), "/sessions/s?from=202").await;
    let shown = talk("/sessions/s?from=202").await;
    assert_eq!(passed(&shown, "late"), PAGE_HANDOFFS);
    seen.shows("More was handed over in this part than is shown");
    seen.shows(&format!("of the latest {PAGE_HANDOFFS} of {} handoffs", PAGE_HANDOFFS + 11));
    let seen = house.get(&house.local(), "/sessions/s?from=1").await;
    seen.hides("More was handed over");
}
