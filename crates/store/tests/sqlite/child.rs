//! A process that works on a store until it is told to stop, dies, or its disk fails. The tests start themselves again
//! as this; what it was promised, it prints.

use crate::house::{House, agent, delegation, session};
use handover_core::command::Command;
use handover_store::{
    FiguresQuery, FlowRow, HandoffQuery, RecordQuery, Retention, Store, StoreError,
    sqlite::{Options, SqliteStore},
};
use std::{
    path::Path,
    process::{Output, Stdio},
    sync::Arc,
};

const FOLDER: &str = "STORE_TEST_FOLDER";
const ROUNDS: &str = "STORE_TEST_ROUNDS";

/// Runs the child in a folder and waits for its end. `limit` is the largest file it may write, in blocks of 1 KiB.
pub fn run(folder: &Path, rounds: u32, failpoint: Option<&str>, limit: Option<u32>) -> Output {
    let program = std::env::current_exe().unwrap();
    let mut command = match limit {
        // A signal that is ignored stays ignored; writing beyond the limit fails then instead of killing.
        Some(kib) => {
            let mut shell = std::process::Command::new("bash");
            shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {kib}; exec \"$0\" \"$@\"")).arg(program);
            shell
        }
        None => std::process::Command::new(program),
    };
    command.args(["--exact", "child::works", "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).env(ROUNDS, rounds.to_string()).env_remove(handover_store::failpoint::VARIABLE);
    if let Some(failpoint) = failpoint {
        command.env(handover_store::failpoint::VARIABLE, failpoint);
    }
    command.stdin(Stdio::null()).output().unwrap()
}

/// The lines that the child printed with this first word.
pub fn lines(output: &Output, word: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| line.strip_prefix(word)).map(|rest| rest.trim().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn works() {
    let (Ok(folder), Ok(rounds)) = (std::env::var(FOLDER), std::env::var(ROUNDS)) else { return };
    // The harness prints the name of the test without a line break.
    println!();
    let store = match SqliteStore::open(&Path::new(&folder).join("x.db"), Options::default()) {
        Ok(store) => Arc::new(store),
        Err(error) => return println!("refused {error}"),
    };
    let mut house = House::on(store.clone());
    match work(&mut house, rounds.parse().unwrap()).await {
        Ok(()) => println!("finished"),
        Err(error) => {
            println!("failed {error}");
            after_failure(&mut house).await;
        }
    }
    let _ = store.close().await;
}

/// Every method once in each round, with commits between them; what was acknowledged is printed.
async fn work(house: &mut House, rounds: u32) -> Result<(), StoreError> {
    let id = session("one");
    let open = handover_core::command::Open::of(agent("ann"));
    commit(house, Command::Open(open)).await?;
    let (decided, first) = house.house_commit(Vec::new(), Vec::new());
    let positions = house.store.commit(first).await?;
    house.remember(&handover_core::ids::SessionId::house(), &decided, &positions);
    house.book = Some(decided.session);
    for _ in 0..rounds {
        let made = commit(house, Command::Initiate(Box::new(delegation("ann", "bob")))).await?;
        let handoff = made.handoffs[0];
        let accept = Command::Accept {
            handoff,
            by: agent("bob"),
            lease_ms: None,
            in_process: false,
            estimated_completion: None,
            manifest: None,
        };
        let lease = commit(house, accept).await?.lease.unwrap();
        let giving = Box::new(crate::house::giving(&"words ".repeat(500)));
        commit(house, Command::Return { handoff, lease, giving, then: None }).await?;
        commit(house, Command::Take { of: handoff.0, by: agent("ann") }).await?;
        read(house, &id).await?;
        let parts = house.store.prunable(PERIODS, house.now, 10).await?;
        house.prune(parts).await?;
    }
    house.store.close().await
}

const PERIODS: Retention = Retention { active_ms: 1, completed_ms: 1, escalation_ms: 1 };

async fn commit(house: &mut House, command: Command) -> Result<handover_core::command::Answer, StoreError> {
    let id = session("one");
    let decided = house.decide(&id, command).unwrap();
    println!("asked {}", decided.session.head.seq);
    let positions = house.store.commit(house.commit_of(&id, &decided, None)).await?;
    println!("promised {}", decided.session.head.seq);
    house.remember(&id, &decided, &positions);
    Ok(decided.answer)
}

async fn read(house: &House, id: &handover_core::ids::SessionId) -> Result<(), StoreError> {
    let store = &house.store;
    let some = *house.handoffs.keys().next().unwrap();
    store.session(id).await?;
    store.sessions("default", 0, 9).await?;
    store.glances(std::slice::from_ref(id)).await?;
    store.in_states("default", "flow", &["STATE".to_owned()], 9).await?;
    let flow = FlowRow { workflow: "flow".into(), state: "STATE".into() };
    store.sessions_in_state("default", &flow, 0, 9).await?;
    store.handoff(some).await?;
    store.handoffs(&HandoffQuery { limit: 9, ..HandoffQuery::default() }).await?;
    store.handoffs_between("default", some, some, 9).await?;
    store.open_sessions().await?;
    store.figures(&FiguresQuery { tenant: "default".into(), limit: 9, ..FiguresQuery::default() }).await?;
    store.totals().await?;
    store.tenant(id).await?;
    store.whose(id).await?;
    store.handoff_rows(id, 0, 9).await?;
    store.count(id, None, None).await?;
    store.messages(id, 1, 9).await?;
    store.answered(id, "k").await?;
    store.waiting_return(some.0).await?;
    store.waiting_returns(&agent("ann"), 9).await?;
    store.due(house.now, 9).await?;
    store.next_due().await?;
    store.offers(&agent("bob"), 9).await?;
    store.running().await?;
    store.agents().await?;
    store.ledger().await?;
    store.offers_waiting().await?;
    store.reserved().await?;
    store.records(&RecordQuery { limit: 9, ..RecordQuery::default() }).await?;
    store.last_position().await?;
    store.chains(None, 9).await?;
    store.chain(id).await?;
    store.keep_note("space", "key", Some("text".to_owned())).await?;
    store.notes("space", "", 9).await?;
    store.stats("default").await?;
    Ok(())
}

/// After a failure of the disk nothing is written, and everything can still be read.
async fn after_failure(house: &mut House) {
    if let Some(reason) = house.store.stopped() {
        println!("stopped {reason}");
    }
    let decided = house.decide(&session("one"), Command::Initiate(Box::new(delegation("ann", "cleo"))));
    if let Ok(decided) = decided {
        let commit = house.commit_of(&session("one"), &decided, None);
        match house.store.commit(commit).await {
            Err(StoreError::Stopped(reason)) => println!("refused {reason}"),
            other => println!("unexpected {other:?}"),
        }
    }
    match house.store.chain(&session("one")).await {
        Ok(Some(ends)) => println!("read {}", ends.head.0),
        other => println!("read nothing {other:?}"),
    }
}
