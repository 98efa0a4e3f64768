//! Three nodes under load while one trouble follows the other.

use crate::{
    books,
    load::{self, Going},
    nodes::{CLERK_AT_ONCE, House},
};
use async_nats::jetstream::consumer::pull::OrderedConfig;
use futures_util::StreamExt;
use handover::core::{agent::AgentKind, agent::Profile};
use handover_client::{Client, Listening};
use handover_stand::Moment;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

const NODES: usize = 3;
const CLIENTS: usize = 12;
/// Steps that are acknowledged between two troubles.
const STEPS: usize = 60;
/// Troubles, unless HANDOVER_CHAOS_ROUNDS says how many.
const ROUNDS: usize = 8;

/// A dice that falls the same way for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

#[derive(Debug, Clone, Copy)]
enum Trouble {
    NodeKilled,
    NodePaused,
    PostgresRestarted,
    PostgresKilled,
    CutAfterCommit,
    NatsKilled,
    NatsPurged,
}

const TROUBLES: [Trouble; 7] = [
    Trouble::NodePaused,
    Trouble::CutAfterCommit,
    Trouble::NodeKilled,
    Trouble::PostgresKilled,
    Trouble::PostgresRestarted,
    Trouble::NatsKilled,
    Trouble::NatsPurged,
];

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a whole number"))
}

impl Trouble {
    async fn happens(self, house: &mut House, node: usize) {
        match self {
            Self::NodeKilled => {
                house.nodes[node].kill();
                house.begin(node);
            }
            Self::NodePaused => {
                house.nodes[node].pause();
                // Until the others take it for gone, and have its work. Each look takes a while by itself.
                while house.there(&house.nodes[node].name) > 0 {}
                house.nodes[node].wake();
            }
            Self::PostgresRestarted => house.postgres.restart().unwrap(),
            // What it had not written to disk is gone with it.
            Self::PostgresKilled => {
                house.postgres.kill().unwrap();
                house.postgres.start_again().unwrap();
            }
            Self::CutAfterCommit => {
                // What every commit carries: the database has it, and the answer does not arrive.
                let way = &house.nodes[node].way;
                let before = way.cuts();
                way.cut_at(b"\"event\":{\"kind\"", Moment::Answered);
                let cut = || way.wait_for_cuts(before + 1, Duration::from_secs(60));
                assert!(tokio::task::block_in_place(cut), "nothing was cut");
            }
            Self::NatsKilled => {
                house.nats.kill().unwrap();
                house.nats.start_again().unwrap();
            }
            Self::NatsPurged => purge(&house.nats.url()).await,
        }
    }
}

async fn purge(url: &str) {
    let client = async_nats::connect(url).await.unwrap();
    let jetstream = async_nats::jetstream::new(client);
    let stream = jetstream.get_stream("HANDOVER").await.unwrap();
    stream.purge().await.unwrap();
}

/// Whatever happened to the stream, all of it is there in the end, in order.
async fn published(url: &str, written: &BTreeSet<String>) {
    let jetstream = async_nats::jetstream::new(async_nats::connect(url).await.unwrap());
    let all = async {
        let stream = jetstream.get_stream("HANDOVER").await.unwrap();
        let consumer = stream.create_consumer(OrderedConfig::default()).await.unwrap();
        let (mut messages, mut missing, mut last) = (consumer.messages().await.unwrap(), written.clone(), 0);
        while !missing.is_empty() {
            let message = messages.next().await.unwrap().unwrap();
            let position = message.headers.as_ref().unwrap().get("Handover-Position").unwrap().as_str();
            let position: u64 = position.parse().unwrap();
            assert!(position > last, "the stream goes back from {last} to {position}");
            last = position;
            let said: serde_json::Value = serde_json::from_slice(&message.payload).unwrap();
            missing.remove(said["id"].as_str().unwrap());
        }
    };
    tokio::time::timeout(Duration::from_secs(120), all).await.expect("the stream has all of it");
}

/// Everything that a listener hears, whichever node it is at, until this event.
async fn heard(client: Client, until: tokio::sync::watch::Receiver<Option<String>>) -> Vec<(u64, String)> {
    let mut events = client.events(Listening { after: Some(0), ..Listening::default() });
    let (mut heard, mut until) = (Vec::new(), until);
    loop {
        let last = heard.last().map(|(_, id): &(u64, String)| id.clone());
        if last.is_some() && *until.borrow() == last {
            return heard;
        }
        tokio::select! {
            event = events.next() => {
                let event = event.unwrap();
                heard.push((event.position, event.id));
            }
            _ = until.changed() => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_nodes_lose_nothing_whatever_happens_to_them() {
    let mut house = House::of(NODES);
    let client = house.client(0);
    for n in 0..CLIENTS {
        let profile = Profile::named(&format!("pilot-{n}")).unwrap().kind(AgentKind::Worker).at_once(1);
        client.register(&profile).await.unwrap();
    }
    let (tell, told) = tokio::sync::watch::channel(None);
    let listener = tokio::spawn(heard(house.client(1), told));
    let going = Arc::new(Going::default());
    let clients: Vec<_> =
        (0..CLIENTS).map(|n| tokio::spawn(load::busy(house.client(n % NODES), n, going.clone()))).collect();
    let seed = u64::try_from(number("HANDOVER_CHAOS_SEED", 7)).unwrap();
    let (mut dice, rounds) = (Dice(seed), number("HANDOVER_CHAOS_ROUNDS", ROUNDS));
    for round in 0..rounds {
        going.until(going.steps() + STEPS).await;
        // First each of them once, then by the dice.
        let trouble = TROUBLES.get(round).copied().unwrap_or_else(|| TROUBLES[dice.below(TROUBLES.len())]);
        let node = dice.below(NODES);
        println!("{:>5} of {rounds}: {trouble:?} (n{node}) after {} steps", round + 1, going.steps());
        trouble.happens(&mut house, node).await;
    }
    going.until(going.steps() + STEPS).await;
    going.end();
    let mut made = Vec::new();
    for task in clients {
        made.extend(task.await.unwrap());
    }
    let trail = books::trail(&house);
    books::each_once(&trail, &made);
    assert_eq!(house.open(), 0, "every session has come to its end");
    for n in 0..CLIENTS {
        assert!(books::at_once(&trail, &format!("pilot-{n}")) <= 1, "pilot-{n} had two at once");
    }
    let most = books::at_once(&trail, "clerk");
    assert_eq!(most, CLERK_AT_ONCE, "the clerk had as much to do as it may have, and never more");
    // A repeated request gets its first answer, from whichever node.
    for (n, first) in made.iter().enumerate().step_by(17) {
        let again = house.client_of(n % NODES).hand_off(&first.session, &first.request).await.unwrap();
        assert_eq!(again, first.answer);
    }
    let last = trail.last().map(|record| format!("{}#{}", record.session_id, record.seq));
    tell.send_replace(last);
    let heard = listener.await.unwrap();
    assert!(heard.is_sorted_by(|a, b| a.0 < b.0), "the feed goes forward");
    let heard: BTreeSet<String> = heard.into_iter().map(|(_, id)| id).collect();
    let written: BTreeSet<String> = trail.iter().map(|r| format!("{}#{}", r.session_id, r.seq)).collect();
    assert_eq!(heard, written, "the feed has no gap");
    published(&house.nats.url(), &written).await;
    let verified = house.output(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    println!("{} handoffs, {} records, {} steps: lost 0, twice 0", made.len(), trail.len(), going.steps());
}
