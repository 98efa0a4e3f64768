//! What every agent ends with, and what it does once.

use super::*;

#[tokio::test]
async fn a_request_becomes_a_letter() {
    let scene = Scene::new(Faults::default()).await;
    let mut known = json!({"text": "Jane Miler: four people from Paris to Nice on Friday 20 November"});
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

        For the flight of 4 people from Paris to Nice on 2026-11-20 we propose 1 aircraft, the best first.

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
    let letter = std::fs::read_dir(scene.folder.path().join("outbox")).unwrap().next().unwrap().unwrap().path();
    let letter = std::fs::read_to_string(letter).unwrap();
    assert!(letter.contains("Dear client,") && letter.contains("To the desk: no address of the client"), "{letter}");
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
    let email = Email {
        message_id: "other@charter.example".into(),
        date: scene.clock.now(),
        sender_name: String::new(),
        sender: default_sender(),
        recipient_name: String::new(),
        recipient: "other@example.com".into(),
        subject: String::new(),
        text: String::new(),
        html: String::new(),
    };
    other["email_payload"] = json!(email);
    assert_eq!(scene.run("communication", other).await.data["message_id"], known["message_id"]);
    let nothing = scene.run("communication", json!({})).await;
    assert_eq!(
        (nothing.signal, nothing.say.as_str()),
        ("SENDING_PROPOSAL_FAILED", "there are no proposals to write about")
    );
}

#[tokio::test]
async fn the_requests_that_ship_are_understood() {
    let scene = Scene::new(Faults::default()).await;
    let folder = Path::new(REGISTER_FILE).with_file_name("requests");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let ending = scene.run("orchestrator", serde_json::from_str(&text).unwrap()).await;
        let expected = if path.ends_with("incomplete.json") { "ANALYZING_FAILED" } else { "ANALYZING_COMPLETE" };
        assert_eq!(ending.signal, expected, "{text}: {}", ending.say);
        count += 1;
    }
    assert_eq!(count, 4);
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
