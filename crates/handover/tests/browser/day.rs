//! A day of a busy house, lived through in a minute: the charter team with its rules, faults and people, and beside it a desk
//! that has letters written. The records are what the engine writes; only the clock is hurried.

use handover::{
    engine::{
        Start,
        clock::{Clock as _, ManualClock, SystemClock},
    },
    prelude::*,
    settings,
    team::{DESK, Places, Team},
    workflow,
};
use handover_core::time::Timestamp;
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

/// The settings of the house, for the day and for the server after it.
pub const SETTINGS: &str = "\
policy:
  human: ann
  human_accept_ms: 172800000
  limits: {handoffs: 30, tokens: 60000, cost: 2.5}
  breaker: {failures: 3, cooldown_ms: 3600000}
  budgets:
    prices: {small: {input: 0.8, output: 4.0}}
    tenant: {cost: 40, per: day}
  approvals:
    - name: dear
      when: {expression: 'has(handoff.payload.top_proposals) && handoff.payload.top_proposals[0].price > 6500'}
      approvers: [{who: ann, within_ms: 14400000}, {who: ops}]
    - {name: risky, when: {risk: high}, approvers: [{who: ann}, {who: ops}]}
  experiments: [{name: who-writes, a: best_match, b: learned, share: 0.5}]
agents:
  - {id: ann, kind: human, description: Decides what is dear}
  - {id: ops, kind: human, description: Looks after the house}
  - {id: researcher, kind: worker, description: Looks things up, max_concurrent_tasks: 20}
  - {id: legal, kind: worker, description: Reads contracts, max_concurrent_tasks: 20}
";
const DAY: Duration = Duration::from_secs(86_400);
/// How much faster the clock goes while something is done: so much each beat.
const BEAT: Duration = Duration::from_millis(2);
const BEAT_MEANS: Duration = Duration::from_millis(40);
/// How long a part of the day may take in truth.
const PATIENCE: Duration = Duration::from_secs(60);
/// Who flies from where to where.
const REQUESTS: [&str; 10] = [
    "Jane Miller: four people from Paris to Nice on Friday",
    "José García: six people from Madrid to Lisbon in 10 days",
    "Bjørn Østergård: eight people from Oslo to London in 5 days",
    "Six people from Zürich to Ibiza, as soon as possible",
    "Jürgen Müller: five people from Munich to Geneva in 6 days",
    "Omar Haddad: two people from London to Geneva in 10 days",
    "Ana Sousa: three people from Lisbon to Paris in 4 days",
    "Jane Miller: somebody to Nice, please",
    "Li Wei: seven people from London to Zürich in 8 days",
    "Łukasz Żak: four people from Berlin to Rome in 9 days",
];
const LETTERS: [&str; 6] = [
    "Answer the complaint about the late departure",
    "Thank the crew of the morning flight",
    "Explain the cancellation terms to a new client",
    "Invite our best clients to the open day",
    "Confirm the catering for Friday",
    "Tell the hangar about the new schedule",
];

/// How many requests come at a time, from the evening over the night into the afternoon; and on average.
const BUSY: [usize; 12] = [2, 1, 1, 1, 2, 4, 6, 8, 9, 8, 9, 9];
const USUAL: usize = 5;

pub struct Day {
    pub engine: Engine,
    clock: ManualClock,
    _team: Team,
}

impl Day {
    /// Opens the house a day ago.
    pub async fn begin(folder: &Path) -> Self {
        let now = SystemClock::starting_at_least(Timestamp(0)).now();
        let clock = ManualClock::at(Timestamp(now.0 - i64::try_from(DAY.as_millis()).unwrap()));
        let options = Options { clock: Some(Arc::new(clock.clone())), sync: false, ..Options::default() };
        let engine = Engine::open_with(folder.join("handover.db"), options).await.unwrap();
        let team = charter(&engine, folder).await;
        settings::parse("handover.yaml", SETTINGS).unwrap().apply(&engine).await.unwrap();
        writers(&engine).await;
        let hurried = clock.clone();
        tokio::spawn(async move {
            let mut beat = tokio::time::interval(BEAT);
            loop {
                beat.tick().await;
                hurried.advance(BEAT_MEANS);
            }
        });
        Self { engine, clock, _team: team }
    }

    /// Lives through the day, with about so many sessions of the charter team.
    pub async fn live(&self, sessions: usize) {
        let (parts, now) = (sessions / USUAL, SystemClock::starting_at_least(Timestamp(0)).now());
        let (end, mut count) = (now.0 - 60_000, 0);
        for part in 0..parts {
            let mut begun = Vec::new();
            for n in 0..BUSY[part * BUSY.len() / parts] {
                let text = REQUESTS[count % REQUESTS.len()];
                begun.push(self.request(&format!("charter-{count}"), text).await);
                if n % 2 == 0 {
                    let task = LETTERS[count / 2 % LETTERS.len()];
                    begun.push(self.letter(&format!("letter-{count}"), task).await);
                }
                count += 1;
            }
            self.settle(&begun).await;
            // The last ones still wait for a yes.
            if part + 1 < parts {
                self.say_yes().await;
                self.settle(&begun).await;
            }
            self.end_letters(&begun).await;
            let left = end - self.clock.now().0;
            let rest = i64::try_from(parts - part).unwrap();
            self.clock.advance(Duration::from_millis(u64::try_from(left / rest).unwrap_or(0)));
        }
    }

    async fn request(&self, name: &str, text: &str) -> SessionId {
        let id = SessionId::new(name).unwrap();
        let start = Start::of("charter", AgentId::new(DESK).unwrap()).asking(text).with(json!({ "text": text }));
        self.engine.start(&id, start).await.unwrap();
        id
    }

    async fn letter(&self, name: &str, task: &str) -> SessionId {
        let id = SessionId::new(name).unwrap();
        self.engine.open_session(&id, Open::by(DESK).unwrap().asking(task)).await.unwrap();
        let said = format!("{task}, please. Keep it short and friendly.");
        self.engine.say(&id, vec![NewMessage::new(Role::User, said)]).await.unwrap();
        let request = Request::delegation_by(DESK, "writing", task, Duration::from_secs(3_600)).unwrap();
        self.engine.initiate(&id, request.because("A client waits for it")).await.unwrap();
        id
    }

    /// Waits until nothing moves by itself any more: all is over, or waits for a person.
    async fn settle(&self, sessions: &[SessionId]) {
        let (begun, mut look) = (Instant::now(), tokio::time::interval(Duration::from_millis(20)));
        for id in sessions {
            loop {
                let session = self.engine.session(id).await.unwrap();
                let still = |handoff: &Arc<Handoff>| handoff.status() == Status::AwaitingApproval;
                let moves = !session.open.values().all(still);
                if session.ended_at.is_some() || !moves {
                    break;
                }
                assert!(begun.elapsed() < PATIENCE, "{id} does not settle: {:?}", session.open);
                look.tick().await;
            }
        }
    }

    /// A letter that is written ends its session; one that the model could not write is written by hand.
    async fn end_letters(&self, sessions: &[SessionId]) {
        for id in sessions {
            let session = self.engine.session(id).await.unwrap();
            if session.workflow.is_none() && session.open.is_empty() {
                let reason = if session.failed.is_some() { "Written by hand" } else { "The letter is out" };
                let end = Command::End { by: AgentId::new(DESK).unwrap(), reason: reason.to_owned() };
                self.engine.submit(id, end, None).await.unwrap();
            }
        }
    }

    async fn say_yes(&self) {
        for asked in self.engine.approvals(None).await.unwrap() {
            let by = asked.deciders.first().map_or("ops", String::as_str);
            self.engine.approve(asked.handoff.id, by, "The client knows the price").await.unwrap();
        }
    }
}

async fn charter(engine: &Engine, folder: &Path) -> Team {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows/charter");
    let mut flow = workflow::read(home.join("workflow.yaml")).unwrap().workflow;
    flow.with["market"] = json!({"first_after_ms": 600, "every_ms": 400});
    flow.with["poll_ms"] = json!(200);
    flow.with["faults"] =
        json!({"market": {"fail_first": 7}, "register": {"fail_first": 3}, "mail": {"fail_first": 2}});
    Team::assemble(engine, &flow, &Places { home, run: folder.join("charter-run") }).await.unwrap()
}

/// Two who write letters, one better than the other, and what they use.
async fn writers(engine: &Engine) {
    let writes = |share: u64, words: &'static str| {
        let count = Arc::new(AtomicU64::new(0));
        agent(move |work: Work| {
            let n = count.fetch_add(1, Ordering::Relaxed);
            async move {
                work.engine().wait(700 + n * 37 % 900).await;
                if n % share == share - 1 {
                    return Err("the model gave no usable answer".into());
                }
                work.say(format!("{words} Here is the letter: {}.", work.handoff().request.task.description)).await?;
                Ok(Done::json(json!({"letter": words, "words": 140 + n % 60})).update(used(n)))
            }
        })
    };
    let profile = |name: &str, about: &str, what: &str, well: f64| {
        Profile::named(name).unwrap().about("Letters", about).can_at(what, well).at_once(4)
    };
    engine
        .register(profile("writer", "Writes letters to clients", "writing", 0.9), writes(11, "Dear client, thank you."))
        .await
        .unwrap();
    engine
        .register(profile("editor", "Shortens and corrects letters", "writing", 0.7), writes(5, "Dear client, sorry."))
        .await
        .unwrap();
    let translator = profile("translator", "Translates letters", "translating", 0.3);
    let fails = agent(async |_| Err::<Done, Failure>("the dictionary cannot be reached".into()));
    engine.register(translator, fails).await.unwrap();
}

fn used(n: u64) -> Update {
    let usage =
        Usage { model: "small".to_owned(), input_tokens: 2_400 + n * 91 % 1_800, output_tokens: 380 + n * 53 % 420 };
    Update {
        usage: vec![usage],
        context: [("tone".to_owned(), json!("friendly"))].into_iter().collect(),
        ..Update::default()
    }
}

impl Day {
    /// What is open at the end of the day: something for everybody.
    pub async fn leave_open(&self) {
        self.failing().await;
        for (n, (task, why)) in [
            ("Call Mr Haddad back about the car at the aircraft", "He asked for a person"),
            ("Choose the hotel of the crew in Nice", "Two are free, and neither is cheap"),
            ("Sign the new contract with the hangar", "Legal has read it"),
        ]
        .into_iter()
        .enumerate()
        {
            let session = self.open(&format!("desk-{n}"), task).await;
            self.ask(&session, "ann", task, why, Risk::Low, Value::Null).await;
        }
        for (n, (task, question)) in [
            ("Read the contract with the caterer", "Which of the two drafts counts, the one of Monday or of Friday?"),
            ("Check the terms for pets on board", "Does the client travel with one dog or with two?"),
        ]
        .into_iter()
        .enumerate()
        {
            let session = self.open(&format!("contract-{n}"), task).await;
            let id = self.ask(&session, "legal", task, "A client waits for it", Risk::Low, Value::Null).await;
            let taken = self.engine.accept(id, &AgentId::new("legal").unwrap(), None, None).await.unwrap();
            self.engine.ask(id, taken.lease, question).await.unwrap();
        }
        for (n, task) in
            ["Find slots at Nice for Friday evening", "Compare handling fees in Geneva"].into_iter().enumerate()
        {
            let session = self.open(&format!("research-{n}"), task).await;
            let id = self.ask(&session, "researcher", task, "The offer needs it", Risk::Low, Value::Null).await;
            let researcher = AgentId::new("researcher").unwrap();
            self.engine.accept(id, &researcher, Some(3_600_000), None).await.unwrap();
        }
        let session = self.open("refund", "Refund Mr Müller for the flight that was cancelled").await;
        let amount = json!({"client": "Jürgen Müller", "amount": 8_400, "currency": "EUR", "booking": "LFMN-1120"});
        self.ask(
            &session,
            "writer",
            "Tell Mr Müller that he gets his money back",
            "He asked three times",
            Risk::High,
            amount,
        )
        .await;
        self.engine.close().await.unwrap();
    }

    async fn open(&self, name: &str, asked: &str) -> SessionId {
        let id = SessionId::new(name).unwrap();
        self.engine.open_session(&id, Open::by(DESK).unwrap().asking(asked)).await.unwrap();
        self.engine.say(&id, vec![NewMessage::new(Role::User, format!("{asked}, please."))]).await.unwrap();
        id
    }

    async fn ask(&self, session: &SessionId, to: &str, task: &str, why: &str, risk: Risk, payload: Value) -> HandoffId {
        let request = Request::delegation(DESK, to, task, Duration::from_secs(86_400)).unwrap();
        let request = request.because(why).risking(risk).payload(payload);
        self.engine.initiate(session, request).await.unwrap().handoffs[0]
    }

    /// Somebody who fails until nobody gives them work any more.
    async fn failing(&self) {
        for n in 0..3 {
            let task = ["Translate the letter to Lisbon", "Translate the menu", "Translate the terms"][n];
            let session = self.open(&format!("translation-{n}"), task).await;
            self.ask(&session, "translator", task, "The client reads Portuguese", Risk::Low, Value::Null).await;
            self.settle(&[session]).await;
        }
    }
}
