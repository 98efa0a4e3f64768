//! A server that is killed under load, again and again: nothing that it acknowledged is lost, and nothing is done twice.

use crate::place::{Place, Served, free};
use handover::core::{
    agent::{AgentKind, Profile},
    command::Answer,
    handoff::Request,
    ids::{AgentId, SessionId},
};
use handover_client::{Claiming, Client, Opening, done};
use serde_json::json;
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;

const CLIENTS: usize = 24;
const HANDOFFS: usize = 8;
/// After so many acknowledged steps the server is killed.
const KILLED_AFTER: [usize; 3] = [100, 250, 400];

/// Nothing limits how often anything is handed over.
const SETTINGS: &str = "\
policy:
  limits: {handoffs: 4294967295, escalations: 4294967295, chain: 4294967295}
  loops: {repeats_within: 0, idle_rounds: 0, pair_per_minute: 0}
  breaker: {failures: 0}
";

/// What was acknowledged so far, and a bell for whoever waits for more.
#[derive(Default)]
struct Acknowledged {
    steps: AtomicUsize,
    bell: Notify,
}

impl Acknowledged {
    fn one_more(&self) {
        self.steps.fetch_add(1, Ordering::SeqCst);
        self.bell.notify_waiters();
    }

    async fn until(&self, steps: usize) {
        loop {
            let mut rung = std::pin::pin!(self.bell.notified());
            rung.as_mut().enable();
            if self.steps.load(Ordering::SeqCst) >= steps {
                return;
            }
            rung.await;
        }
    }
}

fn request(client: usize, n: usize) -> Request {
    let request = Request::delegation("planner", &format!("pilot-{client}"), "find a jet", Duration::from_secs(600));
    request.unwrap().payload(json!({"job": n})).key(&format!("job-{client}-{n}"))
}

/// One client: hands over, takes the work, gives it back. Gives what it was answered first.
async fn busy(client: Client, number: usize, acknowledged: Arc<Acknowledged>) -> Vec<Answer> {
    let session = SessionId::new(format!("s-{number}")).unwrap();
    let pilot = AgentId::new(format!("pilot-{number}")).unwrap();
    let opening = Opening::by("planner").unwrap().named(session.as_str()).unwrap().asking("a jet");
    client.open_session(&opening).await.unwrap();
    let mut answers = Vec::new();
    for n in 0..HANDOFFS {
        answers.push(client.hand_off(&session, &request(number, n)).await.unwrap());
        acknowledged.one_more();
        let claiming = Claiming { wait_ms: 30_000, ..Claiming::default() };
        let taken = client.claim(&pilot, &claiming).await.unwrap().expect("there is work");
        acknowledged.one_more();
        client.give_back(taken.handoff.id, taken.lease, &done(json!({"done": n})), None).await.unwrap();
        acknowledged.one_more();
    }
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed_under_load() {
    let place = Place::new(None);
    place.write("handover.yaml", SETTINGS);
    let mut served = Served::of(place, free());
    let client = Client::new(&format!("http://{}", served.address), None).unwrap();
    for name in std::iter::once("planner".to_owned()).chain((0..CLIENTS).map(|n| format!("pilot-{n}"))) {
        client.register(&Profile::named(&name).unwrap().kind(AgentKind::Worker).at_once(100)).await.unwrap();
    }
    let acknowledged = Arc::new(Acknowledged::default());
    let clients: Vec<_> = (0..CLIENTS).map(|n| tokio::spawn(busy(client.clone(), n, acknowledged.clone()))).collect();
    for steps in KILLED_AFTER {
        acknowledged.until(steps).await;
        served.kill();
        served.begin();
    }
    let mut made = BTreeSet::new();
    for (number, task) in clients.into_iter().enumerate() {
        let answers = task.await.unwrap();
        for (n, answer) in answers.iter().enumerate() {
            assert!(made.insert(answer.handoffs[0]), "each is made once");
            let session = SessionId::new(format!("s-{number}")).unwrap();
            let again = client.hand_off(&session, &request(number, n)).await.unwrap();
            assert_eq!(again, *answer, "a repeated request gets its first answer");
        }
    }
    for id in &made {
        let result = client.returned(*id, Duration::from_secs(1)).await.unwrap().expect("it is over");
        assert!(result.result.body["done"].is_number(), "{result:?}");
    }
    served.kill();
    let counted = served.place.json("stats");
    assert_eq!(counted["total_handoffs"], CLIENTS * HANDOFFS, "none is lost, and none is made twice");
    assert_eq!(counted["by_status"]["completed"], CLIENTS * HANDOFFS);
    let verified = served.place.output("verify");
    assert!(verified.status.success(), "{}", crate::place::told(&verified));
}
