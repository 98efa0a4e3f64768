//! Every agent at a bench without an engine: what it ends with, what it does once, and what becomes of each fault.

use super::*;
use crate::{
    faults::{Fault, QuoteFault},
    http::Server,
    mail::Email,
    market::{Market, MarketSettings},
};
use handover_core::time::Timestamp;
use handover_engine::clock::{Clock, ManualClock};
use parking_lot::Mutex;
use serde::{Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

const REGISTER_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workflows/charter/data/clients.csv");

/// A bench in memory. Pausing moves the clock.
struct Double {
    payload: Value,
    clock: ManualClock,
    steps: Mutex<BTreeMap<String, Value>>,
    states: Mutex<Vec<String>>,
    paused: Mutex<Vec<u64>>,
}

impl Double {
    fn new(payload: Value, clock: &ManualClock) -> Self {
        let clock = clock.clone();
        Self { payload, clock, steps: Mutex::default(), states: Mutex::default(), paused: Mutex::default() }
    }
}

impl Bench for Double {
    fn payload(&self) -> &Value {
        &self.payload
    }

    fn session(&self) -> &'static str {
        "request-1"
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn step<T, R, F>(&self, name: &str, run: F) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned + Send,
        R: Future<Output = Result<T, Failure>> + Send,
        F: FnOnce() -> R + Send,
    {
        let known = self.steps.lock().get(name).cloned();
        if let Some(known) = known {
            return Ok(serde_json::from_value(known)?);
        }
        let output = run().await?;
        self.steps.lock().insert(name.to_owned(), serde_json::to_value(&output)?);
        Ok(output)
    }

    async fn advance(&self, state: &str) -> Result<(), Failure> {
        self.states.lock().push(state.to_owned());
        Ok(())
    }

    async fn pause(&self, ms: u64) {
        self.paused.lock().push(ms);
        self.clock.advance(Duration::from_millis(ms));
    }
}

/// An office with a market, all in one folder.
struct Scene {
    folder: tempfile::TempDir,
    clock: ManualClock,
    _market: Server,
    office: Office,
}

impl Scene {
    async fn new(faults: Faults) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::at("2026-11-16T09:00:00Z".parse::<Timestamp>().unwrap());
        let settings = MarketSettings { first_after_ms: 1_000, every_ms: 500, folder: None, faults: faults.clone() };
        let market = Market::open(settings, Arc::new(clock.clone())).unwrap();
        let market = market.listen("127.0.0.1:0").await.unwrap();
        let office = Office::open(CharterSettings {
            register: REGISTER_FILE.into(),
            market: market.address().to_string(),
            mail: Delivery::Outbox(folder.path().join("outbox")),
            sender_name: default_sender_name(),
            sender: default_sender(),
            poll_ms: 100,
            retry_base_ms: 1_000,
            faults,
            state: None,
        });
        Self { office: office.unwrap(), folder, clock, _market: market }
    }

    fn bench(&self, payload: Value) -> Double {
        Double::new(payload, &self.clock)
    }

    async fn run(&self, agent: &str, payload: Value) -> Ending {
        run(agent, &self.bench(payload), &self.office).await.unwrap()
    }

    fn letters(&self) -> usize {
        std::fs::read_dir(self.folder.path().join("outbox")).map_or(0, Iterator::count)
    }
}

fn quotes(quotes: QuoteFault) -> Faults {
    Faults { quotes, ..Faults::default() }
}

fn fault(fail_first: u32, permanently: bool) -> Fault {
    Fault { fail_first, permanently }
}

fn rfp_data() -> Value {
    json!({"client_name": "Jane Miller", "from": "Paris", "from_code": "LBG", "to": "Nice", "to_code": "NCE",
        "date": "2026-11-20", "passengers": 4, "urgency": "normal"})
}

/// Adds the data of an ending to what was known, as the rules of a workflow do.
fn onward(known: &Value, ending: &Ending) -> Value {
    let mut next = known.clone();
    for (name, value) in ending.data.as_object().unwrap() {
        next[name] = value.clone();
    }
    next
}

#[tokio::test]
async fn a_request_becomes_a_letter() {
    let scene = Scene::new(Faults::default()).await;
    let mut known = json!({"text": "jane miler: four people from Paris to Nice on Friday 20 November"});
    known["text"] = json!("Jane Miler: four people from Paris to Nice on Friday 20 November");
    let mut said = Vec::new();
    for agent in &AGENTS[..5] {
        let ending = scene.run(agent, known.clone()).await;
        assert!(!ending.failed, "{ending:?}");
        said.push(format!("{}: {}", ending.signal, ending.say));
        known = onward(&known, &ending);
    }
    let rfp = known["rfp_id"].as_str().unwrap();
    let expected = [
        "ANALYZING_COMPLETE: A flight for 4 from Paris to Nice on 2026-11-20.".to_owned(),
        "CLIENT_DATA_COMPLETE: The client is Jane Miller, found by similar name.".to_owned(),
        format!("QUOTES_RECEIVED: 3 quotes have come for {rfp}."),
        "ANALYSIS_COMPLETE: 3 quotes compared; the best is Lumen Jets with Phenom 300E.".to_owned(),
        "PROPOSAL_SENT: The proposals are on their way to jane.miller@example.com.".to_owned(),
    ];
    assert_eq!(said, expected);
    assert_eq!(known["top_proposals"].as_array().unwrap().len(), 3);
    assert_eq!(known["client_preferences"]["budget_range"], json!({"min": 4_000, "max": 9_000}));
    assert_eq!(scene.letters(), 1);
}

#[tokio::test]
async fn the_letter_is_personal() {
    let scene = Scene::new(Faults::default()).await;
    let proposal = json!({"rank": 1, "quote_id": "q1", "operator": "Jets & <Sons>", "aircraft": "PC-24", "price": 12_400,
        "currency": "EUR", "seats": 8, "flight_minutes": 74,
        "scores": {"price": 100.0, "safety": 90.0, "speed": 80.0, "comfort": 70.0, "total": 85.0}, "reasoning": "Why."});
    let mut rfp = rfp_data();
    rfp["assumptions"] = json!(["Friday is taken as 2026-11-20"]);
    let payload = json!({"rfp_data": rfp, "top_proposals": [proposal],
        "client_profile": {"name": "Bjørn Østergård", "email": "bjorn@ostergard.example"},
        "client_preferences": {"special_requirements": ["Quiet cabin"]}});
    let bench = scene.bench(payload);
    communication(&bench, &scene.office).await.unwrap();
    assert_eq!(*bench.states.lock(), ["SENDING_PROPOSAL"]);
    let email: Email = serde_json::from_value(bench.steps.lock()["letter"].clone()).unwrap();
    let expected = expect_test::expect![[r#"
        Bjørn Østergård <bjorn@ostergard.example>
        Your flight from Paris to Nice on 2026-11-20
        Dear Bjørn Østergård,

        for the flight of 4 people from Paris to Nice on 2026-11-20 we propose 1 aircraft, the best first.

        1. PC-24 of Jets & <Sons>
           EUR 12,400, 1 h 14 min, 8 seats
           Why.

        We pass on to the operator: Quiet cabin.

        Please tell us if this is not what you meant: Friday is taken as 2026-11-20.

        Answer this mail to book one of them.

        Charter Desk
    "#]];
    expected.assert_eq(&format!("{} <{}>\n{}\n{}", email.recipient_name, email.recipient, email.subject, email.text));
    assert!(email.html.contains("Jets &amp; &lt;Sons&gt;") && !email.html.contains("<Sons>"), "{}", email.html);
    assert_eq!(email.date, scene.clock.now());
}

#[tokio::test]
async fn a_proposal_without_an_address_goes_to_the_desk() {
    let scene = Scene::new(Faults::default()).await;
    let known = json!({"text": "Six people from Zürich to Ibiza, as soon as possible"});
    let analyzed = scene.run("orchestrator", known.clone()).await;
    assert!(analyzed.data.get("client_name").is_none() && analyzed.data.get("client_email").is_none());
    let mut known = onward(&known, &analyzed);
    for agent in ["flight-search", "proposal-analysis", "communication"] {
        let ending = scene.run(agent, known.clone()).await;
        known = onward(&known, &ending);
    }
    assert_eq!(known["recipient"], "desk@charter.example");
}

#[tokio::test]
async fn a_bad_request_is_sent_back_with_every_mistake() {
    let scene = Scene::new(Faults::default()).await;
    let ending = scene.run("orchestrator", json!({"from": "Pariss", "passengers": 99})).await;
    assert_eq!((ending.signal, ending.failed), ("ANALYZING_FAILED", true));
    assert_eq!(ending.data["error_type"], "validation_error");
    assert_eq!(ending.data["mistakes"].as_array().unwrap().len(), 4);
    assert_eq!(ending.data["rfp_data"]["passengers"], 99);
    let last = scene.run("error_monitor", ending.data).await;
    assert_eq!(last.signal, "ERROR_FINAL");
    assert!(last.say.ends_with("Ask the client for what is missing or wrong."), "{}", last.say);
}

#[tokio::test]
async fn somebody_unknown_is_served_all_the_same() {
    let scene = Scene::new(Faults::default()).await;
    for (name, note) in
        [("Nobody Known", "nobody in the register"), ("Ana Souza", "the name could be that of Ana Sousa")]
    {
        let ending = scene.run("client_data", json!({ "client_name": name })).await;
        assert_eq!(ending.signal, "CLIENT_DATA_COMPLETE");
        assert!(ending.data.get("client_profile").is_none() && ending.data.get("client_preferences").is_none());
        assert!(ending.data["client_note"].as_str().unwrap().starts_with(note), "{}", ending.data);
    }
}

#[tokio::test]
async fn a_register_that_fails_is_tried_again_or_not() {
    for (faults, expected) in [
        (fault(2, false), "CLIENT_DATA_FAILED true 0, CLIENT_DATA_FAILED true 1, CLIENT_DATA_COMPLETE"),
        (
            fault(9, false),
            "CLIENT_DATA_FAILED true 0, CLIENT_DATA_FAILED true 1, CLIENT_DATA_FAILED true 2, \
            CLIENT_DATA_FAILED true 3, ERROR_FINAL",
        ),
        (fault(0, true), "CLIENT_DATA_FAILED false 0, ERROR_FINAL"),
    ] {
        let scene = Scene::new(Faults { register: faults, ..Faults::default() }).await;
        assert_eq!(retried(&scene, "client_data", json!({"client_name": "Jane Miller"})).await, expected);
    }
}

#[tokio::test]
async fn a_market_that_fails_is_tried_again_or_not() {
    for (faults, expected) in [
        (fault(1, false), "SEARCHING_FLIGHTS_FAILED true 0, QUOTES_RECEIVED"),
        (fault(0, true), "SEARCHING_FLIGHTS_FAILED false 0, ERROR_FINAL"),
    ] {
        let scene = Scene::new(Faults { market: faults, ..Faults::default() }).await;
        assert_eq!(retried(&scene, "flight_search", json!({ "rfp_data": rfp_data() })).await, expected);
    }
    let scene = Scene::new(Faults::default()).await;
    let ending = scene.run("flight_search", json!({})).await;
    assert_eq!((ending.signal, &ending.data["retryable"]), ("SEARCHING_FLIGHTS_FAILED", &json!(false)));
    assert_eq!(ending.say, "`rfp_data` has no `from`");
}

#[tokio::test]
async fn mail_that_fails_is_tried_again_with_the_same_letter() {
    for (faults, expected, letters) in [
        (fault(2, false), "SENDING_PROPOSAL_FAILED true 0, SENDING_PROPOSAL_FAILED true 1, PROPOSAL_SENT", 1),
        (fault(0, true), "SENDING_PROPOSAL_FAILED false 0, ERROR_FINAL", 0),
    ] {
        let scene = Scene::new(Faults { mail: faults, ..Faults::default() }).await;
        let mut known = json!({ "rfp_data": rfp_data() });
        for agent in ["flight_search", "proposal_analysis"] {
            let ending = scene.run(agent, known.clone()).await;
            known = onward(&known, &ending);
        }
        assert_eq!(retried(&scene, "communication", known.clone()).await, expected);
        assert_eq!(scene.letters(), letters);
    }
}

/// Lets an agent work, with the monitor after each failure, until one of them is done.
async fn retried(scene: &Scene, agent: &str, payload: Value) -> String {
    let (mut known, mut signals, mut letter) = (payload, Vec::new(), None);
    loop {
        let ending = scene.run(agent, known.clone()).await;
        if !ending.failed {
            signals.push(ending.signal.to_owned());
            break;
        }
        signals.push(format!("{} {} {}", ending.signal, ending.data["retryable"], ending.data["retry_count"]));
        if let Some(email) = ending.data.get("email_payload") {
            assert_eq!(letter.get_or_insert_with(|| email.clone()), email);
        }
        known = onward(&known, &ending);
        let monitor = scene.run("error_monitor", known.clone()).await;
        if monitor.signal == "ERROR_FINAL" {
            signals.push(monitor.signal.to_owned());
            break;
        }
        assert_eq!(monitor.data["original_error"], known["error_message"]);
        known = onward(&known, &monitor);
    }
    signals.join(", ")
}

#[tokio::test]
async fn quotes_that_are_withdrawn_are_not_compared() {
    let scene = Scene::new(quotes(QuoteFault::Withdraw(1))).await;
    let mut known = json!({ "rfp_data": rfp_data() });
    let ending = scene.run("flight_search", known.clone()).await;
    assert_eq!((ending.signal, &ending.data["quotes_count"]), ("QUOTES_RECEIVED", &json!(3)));
    known = onward(&known, &ending);
    let ending = scene.run("proposal_analysis", known).await;
    assert_eq!((ending.signal, ending.failed), ("ANALYSIS_FAILED", true));
    let expected = json!({"error_type": "insufficient_data", "quotes_received": 2, "minimum_required": 3});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&ending.data[name], value, "{name}");
    }
    assert!(ending.say.starts_with("2 of 3 quotes can be used, 3 are needed: rfp-"), "{}", ending.say);
}

#[tokio::test]
async fn one_session_makes_one_request_however_often_it_asks() {
    let scene = Scene::new(Faults::default()).await;
    let payload = json!({ "rfp_data": rfp_data() });
    let first = scene.run("flight_search", payload.clone()).await;
    let again = scene.run("flight_search", payload.clone()).await;
    assert_eq!(first.data["rfp_id"], again.data["rfp_id"]);
    let bench = scene.bench(payload);
    flight_search(&bench, &scene.office).await.unwrap();
    assert_eq!(*bench.states.lock(), ["AWAITING_QUOTES"]);
    assert_eq!(bench.steps.lock()["rfp"]["Ok"], first.data["rfp_id"]);
}

#[tokio::test]
async fn too_few_quotes_are_waited_for_until_the_workflow_ends_it() {
    let scene = Scene::new(quotes(QuoteFault::Few(2))).await;
    let bench = scene.bench(json!({ "rfp_data": rfp_data() }));
    // The workflow ends the work after a while: here when it has asked a hundred times.
    tokio::select! {
        biased;
        ended = flight_search(&bench, &scene.office) => panic!("{ended:?}"),
        () = async { while bench.paused.lock().len() < 100 { tokio::task::yield_now().await; } } => {}
    }
    assert_eq!(*bench.states.lock(), ["AWAITING_QUOTES"]);
}

#[tokio::test]
async fn a_market_that_goes_away_is_asked_a_few_times() {
    let mut scene = Scene::new(quotes(QuoteFault::None)).await;
    scene.office.market = MarketClient::at("127.0.0.1:1");
    let bench = scene.bench(json!({ "rfp_data": rfp_data(), "rfp_id": "rfp-1" }));
    bench.steps.lock().insert("rfp".into(), json!({"Ok": "rfp-1"}));
    let ending = flight_search(&bench, &scene.office).await.unwrap();
    assert_eq!((ending.signal, ending.data["retryable"].as_bool()), ("SEARCHING_FLIGHTS_FAILED", Some(true)));
    assert_eq!((ending.data["rfp_id"].as_str(), bench.paused.lock().len()), (Some("rfp-1"), 2));
    let ending = scene.run("proposal_analysis", json!({"rfp_id": "rfp-1"})).await;
    assert_eq!((ending.signal, ending.data["error_type"].as_str()), ("ANALYSIS_FAILED", Some("market_error")));
}

#[tokio::test]
async fn after_a_crash_nothing_is_sent_again() {
    let scene = Scene::new(Faults::default()).await;
    let mut known = json!({ "rfp_data": rfp_data() });
    for agent in ["flight_search", "proposal_analysis", "communication"] {
        let ending = scene.run(agent, known.clone()).await;
        known = onward(&known, &ending);
    }
    // The delivery was not recorded when the process ended, so the agent begins anew.
    let ending = scene.run("communication", known.clone()).await;
    assert_eq!(ending.signal, "PROPOSAL_SENT");
    assert!(ending.say.contains("nothing was sent again"), "{}", ending.say);
    assert_eq!(scene.letters(), 1);
    // A letter of another session is not taken for ours.
    let mut other = known.clone();
    other["email_payload"] = json!({"message_id": "other@charter.example"});
    assert_eq!(scene.run("communication", other).await.data["message_id"], known["message_id"]);
    let nothing = scene.run("communication", json!({})).await;
    assert_eq!(
        (nothing.signal, nothing.say.as_str()),
        ("SENDING_PROPOSAL_FAILED", "there are no proposals to write about")
    );
}

#[tokio::test]
async fn the_monitor_waits_longer_each_time() {
    let scene = Scene::new(Faults::default()).await;
    for (payload, signal, waits, say) in [
        (
            json!({"error_type": "market_error", "service": MARKET, "error_message": "busy", "retryable": true}),
            "ERROR_RETRY",
            vec![1_000],
            "Try 1 of 3 for the charter market: busy",
        ),
        (
            json!({"error_type": "market_error", "service": MARKET, "error_message": "busy", "retryable": true, "retry_count": 2}),
            "ERROR_RETRY",
            vec![4_000],
            "Try 3 of 3 for the charter market: busy",
        ),
        (
            json!({"error_type": "market_error", "service": MARKET, "error_message": "busy", "retryable": true, "retry_count": 3}),
            "ERROR_FINAL",
            vec![],
            "The charter market failed again after 3 retries: busy. \
            Look after the service, and begin the request again.",
        ),
        (
            json!({"error_type": "quote_timeout", "service": MARKET, "quotes_count": 1}),
            "ERROR_FINAL",
            vec![],
            "too few quotes came in time, 1 of the three that are needed. \
            Ask operators by telephone, or offer the client another day.",
        ),
        (json!({}), "ERROR_FINAL", vec![], "it failed with `unknown_error` and said no more. Somebody has to look."),
        (json!([1]), "ERROR_FINAL", vec![], "it failed with `unknown_error` and said no more. Somebody has to look."),
    ] {
        let bench = scene.bench(payload);
        let ending = error_monitor(&bench, &scene.office).await.unwrap();
        assert_eq!((ending.signal, ending.say.as_str()), (signal, say));
        assert_eq!(*bench.paused.lock(), waits);
        assert!(!ending.failed && ending.data.is_object());
    }
}

#[test]
fn a_count_of_another_service_is_none() {
    for (payload, expected) in [
        (json!({"retry_count": 2}), 2),
        (json!({"retry_count": 2, "service": MARKET}), 2),
        (json!({"retry_count": 2, "service": REGISTER}), 0),
        (json!({}), 0),
    ] {
        assert_eq!(retries(&payload, MARKET), expected, "{payload}");
    }
}

#[tokio::test]
async fn the_requests_that_ship_are_understood() {
    let scene = Scene::new(Faults::default()).await;
    let folder = Path::new(REGISTER_FILE).with_file_name("requests");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let ending = scene.run("orchestrator", serde_json::from_str(&text).unwrap()).await;
        assert_eq!(ending.signal, "ANALYZING_COMPLETE", "{text}: {}", ending.say);
        count += 1;
    }
    assert_eq!(count, 3);
    assert!(run("pilot", &scene.bench(json!({})), &scene.office).await.is_err());
}

#[test]
fn settings_are_read_from_yaml() {
    let yaml =
        "register: data/clients.csv\nmarket: 127.0.0.1:7100\nmail: {outbox: outbox}\nfaults: {mail: {fail_first: 1}}\n";
    let settings: CharterSettings = serde_saphyr::from_str(yaml).unwrap();
    assert_eq!((settings.sender.as_str(), settings.poll_ms), ("desk@charter.example", QUOTES_POLL_MS));
    assert!(serde_saphyr::from_str::<CharterSettings>("markt: x").is_err());
}
