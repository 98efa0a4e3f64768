//! Each of the thirteen rules, made to act through the binary in the way that the page of the workflow says.

use crate::{
    Place, QUICK, page,
    story::{Hop, Story},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// What must be seen of a rule.
struct Rule {
    id: &'static str,
    way: (&'static str, &'static str),
    /// The signal, and the states before and after.
    signal: &'static str,
    states: (&'static str, &'static str),
    priority: &'static str,
    task: &'static str,
    /// Every field of the payload.
    payload: &'static str,
    /// Values in the payload.
    values: &'static [(&'static str, &'static str)],
    /// How long it waits, in milliseconds.
    waits_ms: i64,
}

const fn rule(id: &'static str, way: (&'static str, &'static str), signal: &'static str) -> Rule {
    Rule { id, way, signal, states: ("", ""), priority: "normal", task: "", payload: "", values: &[], waits_ms: 0 }
}

const SEARCH: &str = "search_flights";
const ERROR: &str = "handle_error";

fn expected() -> Vec<Rule> {
    vec![
        Rule {
            states: ("ANALYZING", "FETCHING_CLIENT_DATA"),
            priority: "high",
            task: "fetch_client_data",
            payload: "client_name request_id rfp_data session_id",
            values: &[("/client_name", "Jane Miller"), ("/rfp_data/passengers", "4"), ("/rfp_data/to_code", "NCE")],
            ..rule("1.1", ("orchestrator", "client_data"), "ANALYZING_COMPLETE")
        },
        Rule {
            states: ("ANALYZING", "SEARCHING_FLIGHTS"),
            task: SEARCH,
            payload: "request_id rfp_data session_id",
            values: &[("/rfp_data/passengers", "6"), ("/rfp_data/from_code", "ZRH"), ("/rfp_data/to_code", "IBZ")],
            ..rule("1.2", ("orchestrator", "flight_search"), "ANALYZING_COMPLETE")
        },
        Rule {
            states: ("ANALYZING", "FAILED"),
            priority: "urgent",
            task: ERROR,
            payload: "error_message error_type request_id rfp_data session_id",
            values: &[("/error_type", "validation_error"), ("/rfp_data/to_code", "NCE")],
            ..rule("1.3", ("orchestrator", "error_monitor"), "ANALYZING_FAILED")
        },
        Rule {
            states: ("FETCHING_CLIENT_DATA", "SEARCHING_FLIGHTS"),
            task: SEARCH,
            payload: "client_preferences client_profile request_id rfp_data session_id",
            values: &[
                ("/client_profile/email", "jane.miller@example.com"),
                ("/client_preferences/preferred_aircraft/0", "Phenom 300E"),
                ("/client_preferences/budget_range/max", "9000"),
                ("/client_preferences/vip_status", "false"),
                ("/client_preferences/special_requirements", "[]"),
            ],
            ..rule("2.1", ("client_data", "flight_search"), "CLIENT_DATA_COMPLETE")
        },
        Rule {
            states: ("FETCHING_CLIENT_DATA", "FETCHING_CLIENT_DATA"),
            priority: "high",
            task: ERROR,
            payload: "client_name error_message error_type request_id retry_count retryable rfp_data service session_id",
            values: &[
                ("/error_type", "external_service_error"),
                ("/service", "client_register"),
                ("/error_message", "the register of clients does not answer"),
                ("/retryable", "true"),
            ],
            ..rule("2.2", ("client_data", "error_monitor"), "CLIENT_DATA_FAILED")
        },
        Rule {
            states: ("AWAITING_QUOTES", "ANALYZING_PROPOSALS"),
            task: "analyze_proposals",
            payload: "client_preferences client_profile quotes_count request_id rfp_data rfp_id session_id",
            values: &[("/quotes_count", "6")],
            ..rule("3.1", ("flight_search", "proposal_analysis"), "QUOTES_RECEIVED")
        },
        Rule {
            states: ("SEARCHING_FLIGHTS", "SEARCHING_FLIGHTS"),
            priority: "high",
            task: ERROR,
            payload: "client_preferences client_profile error_message error_type request_id retry_count retryable \
                rfp_data service session_id",
            values: &[("/error_type", "market_error"), ("/service", "charter_market"), ("/retryable", "true")],
            ..rule("3.2", ("flight_search", "error_monitor"), "SEARCHING_FLIGHTS_FAILED")
        },
        Rule {
            states: ("ANALYZING_PROPOSALS", "GENERATING_EMAIL"),
            task: "send_proposal_email",
            payload: "client_preferences client_profile request_id rfp_data rfp_id session_id top_proposals",
            values: &[("/top_proposals/0/rank", "1"), ("/top_proposals/2/rank", "3")],
            ..rule("4.1", ("proposal_analysis", "communication"), "ANALYSIS_COMPLETE")
        },
        Rule {
            states: ("ANALYZING_PROPOSALS", "FAILED"),
            priority: "high",
            task: ERROR,
            payload: "error_message error_type minimum_required quotes_received request_id rfp_id session_id",
            values: &[("/error_type", "insufficient_data"), ("/quotes_received", "2"), ("/minimum_required", "3")],
            ..rule("4.2", ("proposal_analysis", "error_monitor"), "ANALYSIS_FAILED")
        },
        Rule {
            states: ("SENDING_PROPOSAL", "GENERATING_EMAIL"),
            priority: "urgent",
            task: ERROR,
            payload: "client_profile email_payload error_message error_type recipient request_id retry_count retryable \
                rfp_data rfp_id service session_id top_proposals",
            values: &[
                ("/error_type", "email_delivery_error"),
                ("/recipient", "jane.miller@example.com"),
                ("/error_message", "the mail server is busy"),
                ("/retryable", "true"),
            ],
            ..rule("5.1", ("communication", "error_monitor"), "SENDING_PROPOSAL_FAILED")
        },
        Rule {
            states: ("FETCHING_CLIENT_DATA", "FETCHING_CLIENT_DATA"),
            priority: "high",
            task: "fetch_client_data",
            payload: "client_name original_error request_id retry_count rfp_data service session_id",
            values: &[
                ("/retry_count", "1"),
                ("/original_error", "the register of clients does not answer"),
                ("/client_name", "Jane Miller"),
            ],
            waits_ms: 2_000,
            ..rule("6.1", ("error_monitor", "client_data"), "ERROR_RETRY")
        },
        Rule {
            states: ("SEARCHING_FLIGHTS", "SEARCHING_FLIGHTS"),
            priority: "high",
            task: SEARCH,
            payload: "client_preferences client_profile original_error request_id retry_count rfp_data service session_id",
            values: &[("/retry_count", "1"), ("/rfp_data/passengers", "4")],
            waits_ms: 2_000,
            ..rule("6.2", ("error_monitor", "flight_search"), "ERROR_RETRY")
        },
        Rule {
            states: ("GENERATING_EMAIL", "SENDING_PROPOSAL"),
            priority: "urgent",
            task: "send_proposal_email",
            payload: "client_profile email_payload original_error request_id retry_count rfp_data rfp_id service \
                session_id top_proposals",
            values: &[
                ("/retry_count", "1"),
                ("/original_error", "the mail server is busy"),
                ("/email_payload/recipient", "jane.miller@example.com"),
            ],
            waits_ms: 2_000,
            ..rule("6.3", ("error_monitor", "communication"), "ERROR_RETRY")
        },
    ]
}

/// A run for each way of seeing a rule, all at the same time: most of it is waiting for retries.
fn runs(rows: &[page::Row]) -> BTreeMap<String, Story> {
    let ways: BTreeMap<String, Vec<String>> =
        rows.iter().map(|row| (row.see.clone(), row.see.split(' ').map(str::to_owned).collect())).collect();
    std::thread::scope(|scope| {
        let started: Vec<_> = ways
            .into_iter()
            .map(|(name, words)| {
                let run = move || {
                    let more: Vec<&str> = words[1..].iter().map(String::as_str).chain(QUICK).collect();
                    Place::new().story(&[&words[0]], &more)
                };
                (name, scope.spawn(run))
            })
            .collect();
        started.into_iter().map(|(name, run)| (name, run.join().unwrap())).collect()
    })
}

#[test]
fn each_of_the_thirteen_rules_acts_as_the_page_says() {
    let (rows, expected) = (page::rows(), expected());
    assert_eq!(rows.len(), 13);
    let runs = runs(&rows);
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row.rule, expected.id);
        assert_eq!(row.way, format!("{} → {}", expected.way.0, expected.way.1), "rule {} on the page", row.rule);
        assert_eq!(
            (&*row.priority, &*row.next),
            (expected.priority, expected.states.1),
            "rule {} on the page",
            row.rule
        );
        check(runs[&row.see].by(expected.id), expected);
    }
}

fn check(hop: &Hop, expected: &Rule) {
    let id = expected.id;
    assert_eq!((&*hop.from, &*hop.to), expected.way, "rule {id}");
    assert_eq!((&*hop.states.0, &*hop.states.1), expected.states, "rule {id}");
    let seen = (&*hop.signal, &*hop.priority, &*hop.task, hop.waits_ms);
    assert_eq!(seen, (expected.signal, expected.priority, expected.task, expected.waits_ms), "rule {id}");
    let fields: Vec<&str> = hop.payload.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields.join(" "), expected.payload, "rule {id}");
    for id_field in ["/request_id", "/session_id"] {
        assert_eq!(hop.payload.pointer(id_field), Some(&Value::from(&*hop.session)), "rule {id}");
    }
    for (field, value) in expected.values {
        let found = hop.payload.pointer(field).map(|found| found.as_str().map_or(found.to_string(), str::to_owned));
        assert_eq!(found.as_deref(), Some(*value), "rule {id}: {field} of {}", hop.payload);
    }
}

#[test]
fn proposals_are_at_most_three_whole_and_in_order() {
    let story = Place::new().story(&["jane.json"], &QUICK);
    let proposals = story.by("4.1").payload["top_proposals"].as_array().unwrap().clone();
    assert_eq!(proposals.len(), 3);
    let total = |proposal: &Value| proposal["scores"]["total"].as_f64().unwrap();
    assert!(proposals.is_sorted_by(|a, b| total(a) >= total(b)), "{proposals:?}");
    for (proposal, rank) in proposals.iter().zip(1..) {
        assert_eq!(proposal["rank"], rank);
        assert!(proposal["price"].as_u64() > Some(0) && !proposal["reasoning"].as_str().unwrap().is_empty());
        for field in ["quote_id", "operator", "aircraft"] {
            assert!(!proposal[field].as_str().unwrap().is_empty(), "{field} of {proposal}");
        }
        for score in ["price", "safety", "speed", "comfort", "total"] {
            assert!((0.0..=100.0).contains(&proposal["scores"][score].as_f64().unwrap()), "{score} of {proposal}");
        }
    }
}

/// Somebody who is not in the register is served without a profile, by the same rule.
#[test]
fn a_client_who_is_not_known_goes_the_same_way() {
    let place = Place::new();
    let request = place.at("request.json");
    let text =
        r#"{"client_name": "Zoltan Quibble", "from": "Paris", "to": "Nice", "date": "tomorrow", "passengers": 2}"#;
    std::fs::write(&request, text).unwrap();
    let more: Vec<&str> = ["--input", request.to_str().unwrap()].into_iter().chain(QUICK).collect();
    let story = place.story(&[], &more);
    assert_eq!(story.rules(), ["1.1", "2.1", "3.1", "4.1", "5.done"]);
    let payload = &story.by("2.1").payload;
    assert!(payload.get("client_profile").is_none() && payload.get("client_preferences").is_none(), "{payload}");
    assert_eq!(std::fs::read_dir(place.at("charter-run/outbox")).unwrap().count(), 1, "the desk is written to");
}

/// A failure that no other try can mend goes to the end at once.
#[test]
fn what_cannot_be_mended_is_not_tried_again() {
    for (service, rules) in [
        ("register", ["1.1", "2.2", "6.end"].as_slice()),
        ("market", &["1.1", "2.1", "3.2", "6.end"]),
        ("mail", &["1.1", "2.1", "3.1", "4.1", "5.1", "6.end"]),
    ] {
        let fault = format!("faults.{service}.permanently=true");
        let more: Vec<&str> = ["--with", &fault].into_iter().chain(QUICK).collect();
        let story = Place::new().story(&["jane.json"], &more);
        assert_eq!(story.rules(), rules, "{service}");
        assert_eq!(
            (&story.ends[0]["state"], &story.ends[0]["ended"]),
            (&"FAILED".into(), &"failed".into()),
            "{service}"
        );
        let failed = story.hops.iter().find(|hop| hop.to == "error_monitor").unwrap();
        assert_eq!(failed.payload["retryable"], false, "{service}");
    }
}
