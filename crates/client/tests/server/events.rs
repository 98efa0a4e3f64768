//! What happens is heard, also across a server that ends and begins again.

use crate::{House, LONG, counting};
use futures_util::StreamExt as _;
use handover_client::{Error, Event, Events, Listening};
use handover_core::{ids::SessionId, refusal::Code};

async fn next(events: &mut Events) -> Event {
    tokio::time::timeout(LONG, events.next()).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missed_and_nothing_is_heard_twice_across_a_restart() {
    let (mut house, client, session) = House::with_team().await;
    let mut events = client.events(Listening { types: vec!["AGENT_HANDOFF".into()], ..Listening::default() });
    events.begin().await.unwrap();
    let mut ids = Vec::new();
    for round in 0..3 {
        let id = client.hand_off(&session, &counting(&format!("round {round}"))).await.unwrap().handoffs[0];
        ids.push(id);
        if round == 0 {
            assert_eq!(next(&mut events).await.kind, "AGENT_HANDOFF");
        }
        house.end().await;
        house.begin().await;
    }
    // The second and the third came while nobody was on the line.
    let heard = [next(&mut events).await, next(&mut events).await];
    assert!(heard[0].position < heard[1].position);
    assert!(heard.iter().all(|event| event.context.session_id == session && event.kind == "AGENT_HANDOFF"));
    let from_the_start = Listening { after: Some(0), types: vec!["AGENT_HANDOFF".into()], ..Listening::default() };
    let all: Vec<Event> = client.events(from_the_start).into_stream().take(3).map(Result::unwrap).collect().await;
    assert_eq!((all[1].id.as_str(), all[2].id.as_str()), (heard[0].id.as_str(), heard[1].id.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_heard_is_refused_at_once() {
    let (_house, client, _) = House::with_team().await;
    let session = Some(SessionId::new("nowhere").unwrap());
    let mut events = client.events(Listening { session, ..Listening::default() });
    let error = events.next().await.unwrap_err();
    assert!(matches!(error, Error::Refused { status: 404, .. }) && error.has(Code::UnknownSession), "{error:?}");
}
