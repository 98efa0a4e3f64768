//! Clients that hand over, take work and give it back, at whichever node answers, and remember what was acknowledged.

use handover::core::{
    command::Answer,
    handoff::{Request, ReturnStatus},
    ids::{AgentId, HandoffId, SessionId},
    refusal::Code,
};
use handover_client::{Claiming, Client, Error, Opening, done};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;

/// Each third piece of work is for the clerk, who lives in the nodes.
const CLERK_EVERY: usize = 3;
/// How often a client goes through all its tries before it gives up: troubles come one upon the other.
const PATIENCE: usize = 20;

/// What was acknowledged so far, and a bell for whoever waits for more.
#[derive(Default)]
pub struct Going {
    steps: AtomicUsize,
    over: AtomicBool,
    bell: Notify,
}

impl Going {
    fn one_more(&self) {
        self.steps.fetch_add(1, Ordering::SeqCst);
        self.bell.notify_waiters();
    }

    pub fn steps(&self) -> usize {
        self.steps.load(Ordering::SeqCst)
    }

    pub async fn until(&self, steps: usize) {
        loop {
            let mut rung = std::pin::pin!(self.bell.notified());
            rung.as_mut().enable();
            if self.steps() >= steps {
                return;
            }
            rung.await;
        }
    }

    /// Clients finish what they are at.
    pub fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }
}

/// A handoff that was acknowledged.
pub struct Made {
    pub session: SessionId,
    pub request: Request,
    pub answer: Answer,
}

impl Made {
    pub fn id(&self) -> HandoffId {
        self.answer.handoffs[0]
    }
}

fn request(client: usize, n: usize, to: &str) -> Request {
    let request = Request::delegation("planner", to, "find a jet", Duration::from_secs(3_600));
    request.unwrap().payload(json!({"job": n})).key(&format!("job-{client}-{n}"))
}

/// Asks again for as long as the trouble is of the passing sort.
async fn patiently<T, F: Future<Output = Result<T, Error>>>(mut ask: impl FnMut() -> F) -> Result<T, Error> {
    for _ in 1..PATIENCE {
        match ask().await {
            Err(error) if error.is_passing() => {}
            answered => return answered,
        }
    }
    ask().await
}

/// One client with a session of its own and an agent of its own.
pub async fn busy(client: Client, number: usize, going: Arc<Going>) -> Vec<Made> {
    let session = SessionId::new(format!("s-{number}")).unwrap();
    let pilot = AgentId::new(format!("pilot-{number}")).unwrap();
    let opening = Opening::by("planner").unwrap().named(session.as_str()).unwrap().asking("a jet");
    let opened = patiently(|| client.open_session(&opening)).await;
    // Its first answer may be lost: the session is there all the same.
    assert!(opened.as_ref().err().is_none_or(|error| error.has(Code::IdTaken)), "{opened:?}");
    let mut made = Vec::new();
    for n in 0.. {
        if going.over.load(Ordering::SeqCst) {
            break;
        }
        let to = if n % CLERK_EVERY == 0 { "clerk" } else { pilot.as_str() };
        let request = request(number, n, to);
        let answer = patiently(|| client.hand_off(&session, &request)).await.unwrap();
        going.one_more();
        let id = answer.handoffs[0];
        made.push(Made { session: session.clone(), request, answer });
        if to == pilot.as_str() {
            carry_out(&client, &pilot, id, n, &going).await;
        }
        let returned = patiently(|| client.returned(id, Duration::from_secs(60))).await.unwrap();
        let came = returned.as_ref().is_some_and(|back| back.handoff_id == id && back.status == ReturnStatus::Success);
        assert!(came, "{id} does not come back as it should: {returned:?}");
        going.one_more();
    }
    made
}

/// Takes the work and gives it back. Where a lease ran out in the trouble, it is taken anew.
async fn carry_out(client: &Client, pilot: &AgentId, id: HandoffId, n: usize, going: &Going) {
    let claiming = Claiming { wait_ms: 10_000, lease_ms: Some(5_000), ..Claiming::default() };
    loop {
        let Some(taken) = patiently(|| client.claim(pilot, &claiming)).await.unwrap() else { continue };
        assert_eq!(taken.handoff.id, id, "an agent of one session gets its work");
        going.one_more();
        let giving = done(json!({"done": n}));
        let given = patiently(|| client.give_back(id, taken.lease, &giving, None)).await;
        match given {
            Ok(_) => return going.one_more(),
            // Given back before, and the answer was lost on its way.
            Err(error) if error.has(Code::Closed) => return going.one_more(),
            Err(error) if error.has(Code::StaleLease) || error.has(Code::NotRunning) => {}
            Err(error) => panic!("{id} could not be given back: {error}"),
        }
    }
}
