//! What the book of the house and its feed say of breakers.

use crate::{play::Play, words::name};
use handover_core::{command::Caller, event::Event, guard::breaker::BreakerState};
use handover_engine::{Filter, Notice};

#[tokio::test]
async fn a_breaker_that_moves_is_in_the_feed_of_the_house() {
    let mut play = Play::begin().await;
    let owner = Caller { name: "owner".into(), tenant: "handover:house".into(), acts_as: None };
    let mut feed = play.engine.for_caller(owner).subscribe(Filter::default(), None);
    play.step("policy failures=1").await;
    for statement in ["open s by a", "initiate h a->b delegation", "accept h", "return h failed"] {
        play.step(statement).await;
    }
    let Some(Notice::Event(message)) = feed.next().await.unwrap() else { panic!("nothing came") };
    let Event::BreakerMoved { agent, breaker, why } = &message.payload else { panic!("{message:?}") };
    assert_eq!((agent, why.as_str()), (&name("b"), "it failed"));
    assert!(breaker.open_until.is_some());
    assert_eq!(play.engine.breaker(&name("b")).unwrap().state, BreakerState::Open);
    assert!(play.engine.breaker(&name("nobody")).is_err());
}
