//! The whole way of a session, as a picture: states, agents, rules, priorities and the fields of every payload.

use crate::{Place, QUICK};
use expect_test::{Expect, expect};

fn goes(request: &str, faults: &[&str], expect: &Expect) {
    let with = faults.iter().flat_map(|fault| ["--with", fault]);
    let more: Vec<&str> = QUICK.into_iter().chain(with).collect();
    let story = Place::new().story(&[request], &more);
    let last = &story.ends[0];
    expect.assert_eq(&format!("{}{} after {} handoffs\n", story.sequence(), last["ended"], last["handoffs"]));
}

#[test]
fn a_client_who_is_known() {
    goes(
        "jane.json",
        &[],
        &expect![[r#"
                desk → orchestrator | ANALYZING ⇒ ANALYZING | normal | text
        1.1     orchestrator → client_data | ANALYZING ⇒ FETCHING_CLIENT_DATA | high | client_name request_id rfp_data session_id
        2.1     client_data → flight_search | FETCHING_CLIENT_DATA ⇒ SEARCHING_FLIGHTS | normal | client_preferences client_profile request_id rfp_data session_id
                SEARCHING_FLIGHTS ⇒ AWAITING_QUOTES
        3.1     flight_search → proposal_analysis | AWAITING_QUOTES ⇒ ANALYZING_PROPOSALS | normal | client_preferences client_profile quotes_count request_id rfp_data rfp_id session_id
        4.1     proposal_analysis → communication | ANALYZING_PROPOSALS ⇒ GENERATING_EMAIL | normal | client_preferences client_profile request_id rfp_data rfp_id session_id top_proposals
                GENERATING_EMAIL ⇒ SENDING_PROPOSAL
        5.done  completed | SENDING_PROPOSAL ⇒ COMPLETED
        "completed" after 5 handoffs
    "#]],
    );
}

#[test]
fn nobody_is_named() {
    goes(
        "anonymous.json",
        &[],
        &expect![[r#"
                desk → orchestrator | ANALYZING ⇒ ANALYZING | normal | text
        1.2     orchestrator → flight_search | ANALYZING ⇒ SEARCHING_FLIGHTS | normal | request_id rfp_data session_id
                SEARCHING_FLIGHTS ⇒ AWAITING_QUOTES
        3.1     flight_search → proposal_analysis | AWAITING_QUOTES ⇒ ANALYZING_PROPOSALS | normal | quotes_count request_id rfp_data rfp_id session_id
        4.1     proposal_analysis → communication | ANALYZING_PROPOSALS ⇒ GENERATING_EMAIL | normal | request_id rfp_data rfp_id session_id top_proposals
                GENERATING_EMAIL ⇒ SENDING_PROPOSAL
        5.done  completed | SENDING_PROPOSAL ⇒ COMPLETED
        "completed" after 4 handoffs
    "#]],
    );
}

#[test]
fn every_service_fails_once() {
    let faults = ["faults.register.fail_first=1", "faults.market.fail_first=1", "faults.mail.fail_first=1"];
    goes(
        "omar.json",
        &faults,
        &expect![[r#"
                desk → orchestrator | ANALYZING ⇒ ANALYZING | normal | client_email client_name date from notes passengers to urgency
        1.1     orchestrator → client_data | ANALYZING ⇒ FETCHING_CLIENT_DATA | high | client_email client_name request_id rfp_data session_id
        2.2     client_data → error_monitor | FETCHING_CLIENT_DATA ⇒ FETCHING_CLIENT_DATA | high | client_email client_name error_message error_type request_id retry_count retryable rfp_data service session_id
        6.1     error_monitor → client_data | FETCHING_CLIENT_DATA ⇒ FETCHING_CLIENT_DATA | high | client_email client_name original_error request_id retry_count rfp_data service session_id
        2.1     client_data → flight_search | FETCHING_CLIENT_DATA ⇒ SEARCHING_FLIGHTS | normal | client_preferences client_profile request_id rfp_data session_id
        3.2     flight_search → error_monitor | SEARCHING_FLIGHTS ⇒ SEARCHING_FLIGHTS | high | client_preferences client_profile error_message error_type request_id retry_count retryable rfp_data service session_id
        6.2     error_monitor → flight_search | SEARCHING_FLIGHTS ⇒ SEARCHING_FLIGHTS | high | client_preferences client_profile original_error request_id retry_count rfp_data service session_id
                SEARCHING_FLIGHTS ⇒ AWAITING_QUOTES
        3.1     flight_search → proposal_analysis | AWAITING_QUOTES ⇒ ANALYZING_PROPOSALS | normal | client_preferences client_profile quotes_count request_id rfp_data rfp_id session_id
        4.1     proposal_analysis → communication | ANALYZING_PROPOSALS ⇒ GENERATING_EMAIL | normal | client_preferences client_profile request_id rfp_data rfp_id session_id top_proposals
                GENERATING_EMAIL ⇒ SENDING_PROPOSAL
        5.1     communication → error_monitor | SENDING_PROPOSAL ⇒ GENERATING_EMAIL | urgent | client_profile email_payload error_message error_type recipient request_id retry_count retryable rfp_data rfp_id service session_id top_proposals
        6.3     error_monitor → communication | GENERATING_EMAIL ⇒ SENDING_PROPOSAL | urgent | client_profile email_payload original_error request_id retry_count rfp_data rfp_id service session_id top_proposals
        5.done  completed | SENDING_PROPOSAL ⇒ COMPLETED
        "completed" after 11 handoffs
    "#]],
    );
}

#[test]
fn a_request_that_cannot_be_used() {
    goes(
        "incomplete.json",
        &[],
        &expect![[r#"
                desk → orchestrator | ANALYZING ⇒ ANALYZING | normal | text
        1.3     orchestrator → error_monitor | ANALYZING ⇒ FAILED | urgent | error_message error_type request_id rfp_data session_id
        6.end   failed | FAILED ⇒ FAILED
        "failed" after 2 handoffs
    "#]],
    );
}
