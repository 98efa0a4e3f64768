//! What the file says after the children are dead, against what they said while they lived.

use crate::{child, client, log::Log, process};
use handover::{
    core::{event::Event, limits, record::Record, session::Session},
    prelude::*,
    store::RecordQuery,
};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

/// How a check is done.
#[derive(Debug, Clone, Copy)]
pub struct How {
    pub clients: u64,
    /// Nothing may be open any more.
    pub last: bool,
}

/// What a check found.
#[derive(Debug, Default)]
pub struct Found {
    pub lost: Vec<String>,
    pub handoffs: u64,
    pub completed: u64,
    /// Handoffs that ended because too many processes had died with them, as they must.
    pub given_up: u64,
    pub records: u64,
}

impl Found {
    fn must(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.lost.push(what());
        }
    }
}

/// Opens the engine on what the dead have left, and compares.
fn check(folder: &Path, log: &Log, how: How) -> Found {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let options = Options { background: false, ..child::options() };
        let engine = Engine::connect(&process::store(folder), options).await.expect("it opens after any death");
        let mut found = Found::default();
        for number in 0..how.clients {
            look_at(&engine, number, log, how.last, &mut found).await;
        }
        found.records = engine.verify().await.expect("the trail is whole").records;
        engine.close().await.expect("it closes");
        found
    })
}

/// Checks and fails with everything that is wrong.
pub fn must_hold(folder: &Path, log: &Log, how: How) -> Found {
    let found = check(folder, log, how);
    assert!(log.repeated.is_empty(), "executed again after completion: {:#?}", log.repeated);
    assert!(found.lost.is_empty(), "acknowledged and lost, in round {}: {:#?}", log.round, found.lost);
    found
}

async fn look_at(engine: &Engine, number: u64, log: &Log, last: bool, found: &mut Found) {
    let id = client::session(number);
    let session = match engine.session(&id).await {
        Ok(session) => session,
        Err(error) => {
            let acked = log.set.contains_key(&number) || log.said.contains_key(&number);
            found.must(!acked && !last, || format!("client {number}: {error}"));
            return;
        }
    };
    let done = look_at_variable(&session, number, log, found);
    look_at_messages(engine, &session, number, log, found).await;
    let all = history(engine, &id).await;
    found.handoffs += all.len() as u64;
    let taken = returns_taken(engine, &id).await;
    look_at_handoffs(&all, &taken, log, found);
    look_at_jobs(&all, &taken, (number, done), log, found);
    for open in session.open.values() {
        found.must(!last, || format!("client {number}: {} stays open: {:?}", open.id, open.phase));
        found.must(open.due().is_some(), || format!("client {number}: {} has no due time", open.id));
    }
    let locked: usize = session.locks.values().map(Vec::len).sum();
    found.must(!last || locked == 0, || format!("client {number}: {:?} stay locked", session.locks));
}

fn look_at_variable(session: &Session, number: u64, log: &Log, found: &mut Found) -> u64 {
    let acked = log.set.get(&number).copied().unwrap_or(0);
    let stored = session.variables.get("jobs");
    let (version, value) = stored.map_or((0, 0), |jobs| (jobs.version, jobs.value.as_u64().unwrap_or(0)));
    found.must(version >= acked, || format!("client {number}: version {acked} was acked, {version} is stored"));
    found.must(version == value, || format!("client {number}: version {version} has value {value}"));
    version
}

async fn look_at_messages(engine: &Engine, session: &Session, number: u64, log: &Log, found: &mut Found) {
    let acked = log.said.get(&number).copied().unwrap_or(0);
    let stored = session.mark.messages;
    found.must(stored >= acked, || format!("client {number}: {acked} messages were acked, {stored} are stored"));
    let mut n = 0;
    while n < stored {
        let page = engine.messages(&session.id, n + 1, stored).await.expect("it can be read");
        if page.is_empty() {
            break;
        }
        for message in page {
            n += 1;
            let right = message.n == n && message.said.content == client::text(number, n);
            found.must(right, || format!("client {number}: message {n} is {message:?}"));
        }
    }
    found.must(n == stored, || format!("client {number}: {n} of {stored} messages can be read"));
}

async fn history(engine: &Engine, session: &SessionId) -> Vec<Handoff> {
    let mut all: Vec<Handoff> = Vec::new();
    loop {
        let after = all.last().map_or(0, |handoff| handoff.n);
        let page = engine.handoff_history(session, after, limits::PAGE_MAX).await.expect("it can be read");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// How often each return was taken, by handoff or group.
async fn returns_taken(engine: &Engine, session: &SessionId) -> HashMap<String, u64> {
    let event_type = Some("return_taken".to_owned());
    let limit = limits::PAGE_MAX;
    let mut query = RecordQuery { session: Some(session.clone()), event_type, limit, ..RecordQuery::default() };
    let mut taken = HashMap::new();
    loop {
        let page = engine.audit(query.clone()).await.expect("it can be read");
        let Some(end) = page.last() else { return taken };
        query.after = end.position;
        for stored in page {
            let record: Record = serde_json::from_str(&stored.text).expect("a record");
            if let Event::ReturnTaken { of, .. } = record.event {
                *taken.entry(of.to_string()).or_default() += 1;
            }
        }
    }
}

fn gave_up(handoff: &Handoff) -> bool {
    handoff.losses > limits::LEASE_LOSSES_MAX
}

/// The job that a handoff belongs to.
fn tag(handoff: &Handoff) -> &str {
    handoff.request.task.description.rsplit(' ').next().unwrap_or_default()
}

/// The handoffs of each job.
fn families(all: &[Handoff]) -> HashMap<&str, Vec<&Handoff>> {
    let mut families: HashMap<&str, Vec<&Handoff>> = HashMap::new();
    for handoff in all {
        families.entry(tag(handoff)).or_default().push(handoff);
    }
    families
}

/// Each handoff by itself: made once, its result made of the outputs that were recorded, its return taken once.
fn look_at_handoffs(all: &[Handoff], taken: &HashMap<String, u64>, log: &Log, found: &mut Found) {
    let mut made: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for handoff in all {
        *made.entry((handoff.to_agent.as_str(), &handoff.request.task.description)).or_default() += 1;
        found.completed += u64::from(handoff.status() == Status::Completed);
        found.given_up += u64::from(gave_up(handoff));
        let times = taken.get(&handoff.id.to_string()).copied().unwrap_or(0);
        found.must(times <= 1, || format!("the return of {} was taken {times} times", handoff.id));
        if let Some(result) = handoff.result.as_ref().filter(|_| handoff.status() == Status::Completed) {
            found.must(result.result.body["tag"] == tag(handoff), || {
                format!("{} has the result {result:?}", handoff.id)
            });
        }
    }
    for ((to, task), times) in made {
        found.must(times == 1, || format!("{times} handoffs to {to} for \"{task}\""));
    }
    let results: HashMap<String, &Handoff> = all.iter().map(|handoff| (handoff.id.to_string(), handoff)).collect();
    for ((id, step), value) in &log.stepped {
        let closed = results.get(id).and_then(|handoff| handoff.result.as_ref()).map(|result| &result.result.body);
        let kept = closed.is_none_or(|body| body.get(step).is_none_or(|kept| kept == value));
        found.must(kept, || format!("step {step} of {id} gave {value}, and its result is {closed:?}"));
    }
}

/// Each job that was acknowledged or counted: its handoff is there, ended as it was said, and returned exactly once.
fn look_at_jobs(
    all: &[Handoff],
    taken: &HashMap<String, u64>,
    (number, done): (u64, u64),
    log: &Log,
    found: &mut Found,
) {
    let by_id: HashMap<String, &Handoff> = all.iter().map(|handoff| (handoff.id.to_string(), handoff)).collect();
    let families = families(all);
    for ((_, job), acked) in log.acked.iter().filter(|((client, _), _)| *client == number) {
        let tag = client::tag(number, *job);
        let Some(handoff) = by_id.get(&acked.handoff) else {
            found.lost.push(format!("job {tag} was acked, and {} is not there", acked.handoff));
            continue;
        };
        let right = handoff.status() == if acked.success { Status::Completed } else { Status::Failed };
        found.must(right, || format!("job {tag} was acked as {acked:?} and is {:?}", handoff.status()));
        let excused = families.get(tag.as_str()).is_some_and(|family| family.iter().any(|member| gave_up(member)));
        found.must(acked.success || excused, || format!("job {tag} failed: {:?}", handoff.result));
        let returned = handoff.broadcast_group_id.map_or(handoff.id.0, |group| group.0).to_string();
        let expected = u64::from(handoff.request.expects_return());
        let times = taken.get(&returned).copied().unwrap_or(0);
        found.must(times == expected, || format!("the return of job {tag} was taken {times} times"));
    }
    for job in 1..=done {
        let tag = client::tag(number, job);
        let family = families.get(tag.as_str());
        found.must(family.is_some(), || format!("job {tag} was counted, and has no handoff"));
        let closed = family.is_none_or(|family| family.iter().all(|member| member.status().is_closed()));
        found.must(closed, || format!("job {tag} was counted and is open"));
    }
}
