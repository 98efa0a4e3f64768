//! What becomes of each fault: another try, or a word to a person.

use super::*;

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
    assert_eq!((ending.signal, ending.data["error_type"].as_str()), ("ANALYSIS_FAILED", Some("insufficient_data")));
}

#[tokio::test]
async fn the_monitor_counts_the_tries() {
    let scene = Scene::new(Faults::default()).await;
    for (payload, signal, say) in [
        (
            json!({"error_type": "market_error", "service": MARKET, "error_message": "busy", "retryable": true}),
            "ERROR_RETRY",
            "Try 1 of 3 for the charter market: busy",
        ),
        (
            json!({"error_type": "market_error", "service": MARKET, "error_message": "busy", "retryable": true, "retry_count": 2}),
            "ERROR_RETRY",
            "Try 3 of 3 for the charter market: busy",
        ),
        (
            json!({"error_type": "market_error", "service": MARKET, "error_message": "busy", "retryable": true, "retry_count": 3}),
            "ERROR_FINAL",
            "The charter market failed again after 3 retries: busy. \
            Look after the service, and begin the request again.",
        ),
        (
            json!({"error_type": "quote_timeout", "service": MARKET, "quotes_count": 1}),
            "ERROR_FINAL",
            "too few quotes came in time, 1 of the three that are needed. \
            Ask operators by telephone, or offer the client another day.",
        ),
        (json!({}), "ERROR_FINAL", "it failed with `unknown_error` and said no more. Somebody has to look."),
        (json!([1]), "ERROR_FINAL", "it failed with `unknown_error` and said no more. Somebody has to look."),
    ] {
        let bench = scene.bench(payload);
        let ending = error_monitor(&bench).await.unwrap();
        assert_eq!((ending.signal, ending.say.as_str()), (signal, say));
        // How long the next try waits is for the workflow to say.
        assert!(bench.paused.lock().is_empty());
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
