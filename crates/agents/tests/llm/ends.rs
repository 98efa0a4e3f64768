//! How a turn ends that does not end by itself.

use crate::common::{Fake, Script, Team, calls, member, says, told, turns, within};
use expect_test::{Expect, expect};
use handover_agents::model::{Ask, Reply, StopReason};
use handover_core::{agent::Profile, budget::Limit, limits::CALLS_AT_ONCE_MAX};
use serde_json::json;
use std::sync::Arc;

async fn ends(script: Script, lead: Profile, expected: &Expect) -> Team {
    let folder = tempfile::tempdir().unwrap();
    let model = Fake::new(script, 100);
    let team = Team::of(&folder.path().join("h.db"), &[lead], &model, &Arc::default()).await;
    let answered = within(team.talk.say("Go")).await.unwrap();
    expected.assert_eq(&told(&answered));
    team
}

fn lead() -> Profile {
    member("lead | | Leads | | handoff")
}

fn never(_: &str, _: &Ask) -> Reply {
    calls("Again.", &[("list_specialists", json!({}))])
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_has_enough() {
    ends(
        never,
        lead(),
        &expect![[r#"
        lead (Failed, 225 tokens, 15 asks): the model was asked 15 times and still wants tools (TURN_ITERATIONS_MAX)
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_has_used_up_its_tokens() {
    let budget = Some(Limit { tokens: Some(40), ..Limit::default() });
    ends(
        never,
        Profile { budget, ..lead() },
        &expect![[r#"
        lead (Failed, 15 tokens, 1 asks): 15 tokens are used, and there are no more for it
    "#]],
    )
    .await;
}

fn cut(_: &str, ask: &Ask) -> Reply {
    let calls = calls("Once upon a ti", &[("list_specialists", json!({}))]);
    assert_eq!(turns(ask), 0, "what was cut is not called");
    Reply { stop: StopReason::Length, ..calls }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_cut() {
    ends(
        cut,
        lead(),
        &expect![[r#"
        lead (Partial, 15 tokens, 1 asks): Once upon a ti
    "#]],
    )
    .await;
}

fn refuses(_: &str, _: &Ask) -> Reply {
    Reply { stop: StopReason::Refused, ..says("I cannot help with that.") }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_refused() {
    ends(
        refuses,
        lead(),
        &expect![[r#"
        lead (Failed, 15 tokens, 1 asks): the model declined: I cannot help with that.
    "#]],
    )
    .await;
}

fn many(_: &str, ask: &Ask) -> Reply {
    let list = vec![("list_specialists", json!({})); CALLS_AT_ONCE_MAX + 2];
    if turns(ask) == 0 { calls("Many.", &list) } else { says("Enough.") }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_wants_too_much_at_once() {
    let team = ends(
        many,
        lead(),
        &expect![[r#"
        lead (Success, 30 tokens, 2 asks): Enough.
    "#]],
    )
    .await;
    let results: Vec<String> =
        team.transcript().await.lines().filter(|line| line.starts_with("lead ⟵")).map(str::to_owned).collect();
    let done = results.iter().filter(|line| line.contains("\"specialists\"")).count();
    assert_eq!((results.len(), done), (CALLS_AT_ONCE_MAX + 2, CALLS_AT_ONCE_MAX), "{results:?}");
    assert!(results.last().unwrap().contains("this was not done"), "{results:?}");
}
