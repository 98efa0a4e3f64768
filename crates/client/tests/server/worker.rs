//! Workers: several pieces at once, leases that are kept, an end in good order, and a server that goes away meanwhile.

use crate::{House, LONG, counting};
use handover_client::{Assignment, Client, Tally, Worker, done};
use handover_core::{command::Giving, handoff::ReturnStatus, ids::AgentId, limits::LEASE_MS_MIN, refusal::Code};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::sync::{Semaphore, oneshot};

async fn count(work: Assignment) -> Result<Giving, String> {
    let text = work.payload()["text"].as_str().ok_or("there is no text")?.to_owned();
    match text.as_str() {
        "fail" => Err("no".to_owned()),
        "panic" => panic!("on purpose"),
        text => Ok(done(json!(text.split_whitespace().count()))),
    }
}

fn worker(client: &Client) -> Worker {
    Worker::new(client.clone(), AgentId::new("counter").unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn each_piece_is_given_back_with_what_came_of_it() {
    let (_house, client, session) = House::with_team().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(worker(&client).at_once(2).run_until(count, async { drop(stopped.await) }));
    for (text, status, notes) in [
        ("one two", ReturnStatus::Success, ""),
        ("fail", ReturnStatus::Failed, "no"),
        ("panic", ReturnStatus::Failed, "the worker broke down over it"),
    ] {
        let id = client.hand_off(&session, &counting(text)).await.unwrap().handoffs[0];
        let returned = client.returned(id, LONG).await.unwrap().unwrap();
        assert_eq!((returned.status, returned.notes.as_str()), (status, notes), "{text}");
    }
    stop.send(()).unwrap();
    let tally = tokio::time::timeout(LONG, running).await.unwrap().unwrap().unwrap();
    assert_eq!(tally, Tally { given_back: 3, lost: 0 });
}

/// Work that begins, and ends when it is let go.
struct Gate {
    begun: Semaphore,
    go: Semaphore,
}

fn gate() -> Arc<Gate> {
    Arc::new(Gate { begun: Semaphore::new(0), go: Semaphore::new(0) })
}

async fn through(gate: Arc<Gate>) -> Result<Giving, String> {
    gate.begun.add_permits(1);
    gate.go.acquire().await.unwrap().forget();
    Ok(done(json!("done")))
}

#[tokio::test(flavor = "multi_thread")]
async fn work_goes_on_while_the_server_ends_and_begins_again() {
    let (mut house, client, session) = House::with_team().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let gate = gate();
    let work = {
        let gate = gate.clone();
        move |_| through(gate.clone())
    };
    let running = tokio::spawn(worker(&client).run_until(work, async { drop(stopped.await) }));
    let id = client.hand_off(&session, &counting("x")).await.unwrap().handoffs[0];
    gate.begun.acquire().await.unwrap().forget();
    house.end().await;
    gate.go.add_permits(1);
    house.begin().await;
    let returned = client.returned(id, LONG).await.unwrap().unwrap();
    assert_eq!((returned.status, returned.result.body), (ReturnStatus::Success, json!("done")));
    // What comes afterwards is taken too.
    gate.go.add_permits(1);
    let next = client.hand_off(&session, &counting("y")).await.unwrap().handoffs[0];
    assert!(client.returned(next, LONG).await.unwrap().is_some());
    stop.send(()).unwrap();
    let tally = tokio::time::timeout(LONG, running).await.unwrap().unwrap().unwrap();
    assert_eq!(tally, Tally { given_back: 2, lost: 0 });
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_in_good_order_finishes_what_was_begun() {
    let (house, client, session) = House::with_team().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let gate = gate();
    let work = {
        let gate = gate.clone();
        move |_| through(gate.clone())
    };
    let running = tokio::spawn(worker(&client).run_until(work, async { drop(stopped.await) }));
    let id = client.hand_off(&session, &counting("x")).await.unwrap().handoffs[0];
    gate.begun.acquire().await.unwrap().forget();
    stop.send(()).unwrap();
    gate.go.add_permits(1);
    let tally = tokio::time::timeout(LONG, running).await.unwrap().unwrap().unwrap();
    assert_eq!(tally, Tally { given_back: 1, lost: 0 });
    assert!(house.engine().handoff(id).await.unwrap().status().is_closed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_kept_for_longer_than_it_lasts_and_lost_work_is_let_go() {
    let (_house, client, session) = House::with_team().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let gate = gate();
    let work = {
        let gate = gate.clone();
        move |_| through(gate.clone())
    };
    let short = worker(&client).lease(Duration::from_millis(LEASE_MS_MIN));
    let running = tokio::spawn(short.run_until(work, async { drop(stopped.await) }));
    let id = client.hand_off(&session, &counting("x")).await.unwrap().handoffs[0];
    gate.begun.acquire().await.unwrap().forget();
    // Twice the lease, measured by the server itself: it is waited for a return that does not come.
    let twice = Duration::from_millis(2 * LEASE_MS_MIN);
    assert!(client.returned(id, twice).await.unwrap().is_none());
    assert_eq!(client.handoff(id).await.unwrap().attempt, 1);
    // Taken back while it is worked on: the next beat tells, and nothing is waited for.
    client.cancel(id, &AgentId::new("desk").unwrap(), "enough").await.unwrap();
    stop.send(()).unwrap();
    let tally = tokio::time::timeout(LONG, running).await.unwrap().unwrap().unwrap();
    assert_eq!(tally, Tally { given_back: 0, lost: 1 });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whom_nobody_knows_ends() {
    let house = House::new().await;
    let error = worker(&house.client()).run(count).await.unwrap_err();
    assert!(error.has(Code::UnknownAgent), "{error:?}");
}
