//! What the house says of breakers: its book, its feed, its operator, and who has none.

use crate::{check, play::Play, words::name};
use expect_test::expect;
use handover_core::{command::Caller, event::Event, guard::breaker::BreakerState};
use handover_engine::{Filter, Notice};

#[tokio::test]
async fn a_breaker_that_moves_is_in_the_feed_of_the_house() {
    let mut play = Play::begin().await;
    let owner = Caller::new("owner", "handover:house").of_house();
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

#[test]
fn an_operator_resets_it() {
    check(
        "policy handoffs=20
         open s by a
         trip b
         caller key acts=a
         reset b
         caller local
         reset b
         breaker b
         initiate h1 a->b delegation
         reset nobody
         book",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            reset b: refused HO0302 key is bound to certain agents
            reset b: done
            breaker b: closed, 0 failures
            initiate h1 a->b delegation: made
            reset nobody: refused HO0208 "nobody" is not registered
            book: breaker_moved of b opened: it failed 3 times in a row; breaker_moved of b closed: reset, by local"#]],
    );
}

#[test]
fn a_person_is_never_left_alone() {
    check(
        "policy handoffs=20
         agent b human
         open s by a
         trip b
         breaker b
         initiate h1 a->b delegation",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            breaker b: closed, 0 failures
            initiate h1 a->b delegation: made"#]],
    );
}

#[test]
fn switched_off_it_counts_nothing() {
    check(
        "policy handoffs=20 failures=0
         open s by a
         trip b
         breaker b
         initiate h1 a->b delegation",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            breaker b: closed, 0 failures
            initiate h1 a->b delegation: made"#]],
    );
}
