//! Postings count all together or not at all, and can be taken back.

use super::*;

const WITHIN: Share = Share { tokens: Some(100), micros: None, ms: None };

fn tokens(tokens: u64) -> Amount {
    Amount { tokens, ..Amount::default() }
}

fn post(account: &str, change: Change) -> Posting {
    Posting { account: Account::stored(account.to_owned()), change }
}

fn failed(second: i64) -> Change {
    Change::Failed { at: Timestamp(second * 1_000), after: 1, cooldown_ms: 30_000 }
}

fn shown(ledger: &Ledger) -> Vec<(String, Entry)> {
    let mut all: Vec<_> = ledger.iter().map(|(account, entry)| (account.to_string(), entry.clone())).collect();
    all.retain(|(_, entry)| *entry != Entry::default());
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// Something in every account that the postings below touch.
fn begun() -> Ledger {
    let mut ledger = Ledger::default();
    let reserve = Change::Reserve { amount: tokens(40), within: WITHIN };
    ledger.post(&[post("tenant t", reserve), post("agent a", Change::Use(tokens(7)))]).unwrap();
    ledger
}

fn all_kinds() -> Vec<Posting> {
    vec![
        post("tenant t", Change::Release(tokens(30))),
        post("tenant t", Change::Use(tokens(5))),
        post("agent a", Change::Ended { succeeded: true, ms: 8, micros: 9 }),
        post("agent a", failed(1)),
        post("tenant t", Change::Hold(tokens(3))),
        post("tenant t", Change::Reserve { amount: tokens(20), within: WITHIN }),
    ]
}

#[test]
fn all_postings_count_or_none() {
    let mut ledger = begun();
    let before = shown(&ledger);
    let mut postings = all_kinds();
    postings.push(post("tenant t", Change::Reserve { amount: tokens(99), within: WITHIN }));
    assert_eq!(ledger.post(&postings).unwrap_err().as_str(), "tenant t");
    assert_eq!(shown(&ledger), before);
    assert!(!ledger.is_tripped());
}

#[test]
fn what_could_not_be_written_is_taken_back_and_the_rest_stays() {
    let mut ledger = begun();
    let before = shown(&ledger);
    let posted = ledger.post(&all_kinds()).unwrap();
    assert!(ledger.is_tripped());
    let meanwhile = [post("tenant t", Change::Use(tokens(11)))];
    ledger.post(&meanwhile).unwrap();
    ledger.take_back(&all_kinds(), &posted);
    assert!(!ledger.is_tripped());
    ledger.take_back(&meanwhile, &Posted::default());
    assert_eq!(shown(&ledger), before);
}

#[test]
fn a_breaker_that_somebody_else_moved_meanwhile_stays_as_they_left_it() {
    let mut ledger = Ledger::default();
    let postings = [post("agent a", failed(1))];
    let posted = ledger.post(&postings).unwrap();
    ledger.post(&[post("agent a", Change::Reset)]).unwrap();
    ledger.take_back(&postings, &posted);
    assert!(!ledger.is_tripped());
    assert!(ledger.breaker(&AgentId::new("a").unwrap()).is_quiet());
}

#[test]
fn what_is_over_is_forgotten_unless_something_is_set_aside() {
    let forget = |account: &str| post(account, Change::Forget);
    let reserve = || Change::Reserve { amount: tokens(1), within: WITHIN };
    for (postings, left) in [
        (vec![], vec!["agent a", "tenant t"]),
        (vec![forget("agent a")], vec!["tenant t"]),
        (vec![forget("tenant t")], vec!["agent a", "tenant t"]),
        (vec![post("tenant t", Change::Release(tokens(40))), forget("tenant t")], vec!["agent a"]),
        // What was set aside and given back, with nothing used, leaves nothing behind.
        (vec![post("tenant t", Change::Release(tokens(40)))], vec!["agent a"]),
        // It may be addressed again, and counts from the beginning.
        (vec![forget("agent a"), post("agent a", reserve())], vec!["agent a", "tenant t"]),
        (vec![forget("never was")], vec!["agent a", "tenant t"]),
    ] {
        let mut ledger = begun();
        ledger.post(&[post("agent a", failed(1))]).unwrap();
        let before = shown(&ledger);
        let posted = ledger.post(&postings).unwrap();
        let mut names: Vec<&str> = ledger.iter().map(|(account, _)| account.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, left, "{postings:?}");
        assert_eq!(ledger.is_tripped(), !postings.iter().any(|posting| *posting == forget("agent a")));
        ledger.take_back(&postings, &posted);
        assert_eq!(shown(&ledger), before, "{postings:?}");
        assert!(ledger.is_tripped());
        assert_eq!(ledger.iter().count(), before.len());
    }
}

#[test]
fn a_refusal_leaves_no_empty_account() {
    let mut ledger = Ledger::default();
    let too_much = Change::Reserve { amount: tokens(101), within: WITHIN };
    ledger.post(&[post("agent a", Change::Use(tokens(1))), post("tenant t", too_much)]).unwrap_err();
    assert_eq!(ledger.iter().count(), 0);
}

#[test]
fn an_account_is_held_as_somebody_else_keeps_it() {
    let mut ledger = begun();
    let agent = post("agent a", failed(1));
    ledger.post(std::slice::from_ref(&agent)).unwrap();
    let elsewhere = ledger.get(&agent.account).cloned();
    assert!(!ledger.replace(&agent.account, elsewhere.clone()), "it is the same");
    assert!(ledger.replace(&agent.account, None));
    assert!(!ledger.is_tripped() && ledger.get(&agent.account).is_none());
    assert!(!ledger.replace(&agent.account, Some(Entry::default())), "an account with nothing in it is not kept");
    assert!(ledger.replace(&agent.account, elsewhere));
    assert!(ledger.is_tripped());
    assert!(ledger.replace(&agent.account, None));
    let more = [post("tenant t", Change::Use(tokens(1))), agent];
    let posted = ledger.post(&more).unwrap();
    let other = |account: &Account| account.as_str() != "agent a";
    assert!(posted.moved().len() == 1 && posted.only(other).moved().is_empty());
}
