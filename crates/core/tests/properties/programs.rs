//! Programs: a scene, and statements of which some make sense.

use proptest::prelude::*;

/// A scene and up to sixty statements.
pub fn any() -> impl Strategy<Value = Vec<String>> {
    (scene(), prop::collection::vec(statement(), 1..60)).prop_map(|(mut program, rest)| {
        program.extend(rest);
        program
    })
}

fn scene() -> impl Strategy<Value = Vec<String>> {
    let policy = prop_oneof![
        Just("policy human=p queue=3m"),
        Just("policy queue=3m"),
        Just("policy human=p approval=high queue=3m"),
    ];
    let rule = one_of(&[
        "rule none from=nobody",
        "rule none from=nobody",
        "rule two to=c,e ask=ann:20s,boss:20s",
        "rule when risk=medium ask=boss:30s expiry=approve when=handoff.payload.amount>1",
    ]);
    (policy, rule).prop_map(|(policy, rule)| {
        let scene = [
            "agent a up=r risk=medium",
            "agent b cap=code:0.9 up=r",
            "agent c cap=code:0.5 up=r",
            "agent d cap=code:0.7 risk=low up=b",
            "agent e cap=code:0.3 exec=20s",
            "agent r up=q",
            "agent q up=p",
            "agent p kind=human",
            policy,
            rule,
            "open s by a",
        ];
        scene.iter().map(|text| (*text).to_owned()).collect()
    })
}

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(words)
}

/// A handoff that stands where the statement makes sense, or any at all.
fn which() -> impl Strategy<Value = String> {
    prop_oneof![6 => (0..8usize).prop_map(|n| format!("@{n}")), 1 => (0..8usize).prop_map(|n| format!("#{n}"))]
}

fn time() -> impl Strategy<Value = &'static str> {
    one_of(&["1s", "3s", "10s", "31s", "70s", "10m", "2h", "-5s", "-1h"])
}

fn source() -> impl Strategy<Value = &'static str> {
    one_of(&["owner", "owner", "owner", "owner", "owner", "owner", "a", "b", "c", "r", "nobody"])
}

fn initiate() -> impl Strategy<Value = String> {
    let target = one_of(&["b", "b", "b", "c", "c", "d", "e", "r", "a", "p", "?", "nobody"]);
    let kind =
        one_of(&["sequential complete", "sequential complete", "sequential", "delegation", "delegation", "escalation"]);
    let time = one_of(&["timeout=5s", "timeout=5s", "timeout=30s", "timeout=60s", "timeout=60s", "timeout=10m", ""]);
    let on = one_of(&["on=retry", "on=retry", "on=escalate", "on=fail"]);
    let more = one_of(&[
        "",
        "",
        "",
        "cap=code",
        "among=c,d,e",
        "need=code:0.6",
        "blocking",
        "approval",
        "deadline=40s",
        "priority=urgent cap=code",
        "risk=high",
        "risk=medium",
        "ladder=r:20s,q:20s",
        "set=x:1",
        "among=b,c,d,e,f",
    ]);
    (source(), target, kind, time, on, more)
        .prop_map(|(from, to, kind, time, on, more)| format!("initiate - {from}->{to} {kind} {time} {on} {more}"))
}

fn broadcast() -> impl Strategy<Value = String> {
    let targets = one_of(&["b,c,d", "b,c", "c,d,e,f", "b", "b,b", "?", "a,b"]);
    let how = one_of(&["all", "any", "majority", "quorum:2", "best_of"]);
    let on = one_of(&["on=retry", "on=retry", "on=escalate", "on=fail"]);
    let more = one_of(&["", "", "cap=code", "blocking", "nobody-waits", "approval"]);
    (source(), targets, how, on, more).prop_map(|(from, to, how, on, more)| {
        format!("initiate - {from}->{to} broadcast {how} timeout=30s {on} {more}")
    })
}

fn answer() -> impl Strategy<Value = String> {
    let by = || one_of(&["target", "target", "target", "target", "b", "f"]);
    let lease = one_of(&["", "lease=5s", "lease=10m", "local", "lease=1ms"]);
    prop_oneof![
        14 => (which(), by(), lease).prop_map(|(n, by, lease)| format!("accept {n} by {by} as L1 {lease}")),
        2 => (which(), by()).prop_map(|(n, by)| format!("reject {n} by {by}")),
        1 => (which(), by(), one_of(&["5s", "2m"])).prop_map(|(n, by, time)| format!("defer {n} by {by} {time}")),
        1 => (which(), one_of(&["boss", "a", "b"]), one_of(&["", "", "digest=1", "digest=now", "to=c", "task=other"]))
            .prop_map(|(n, by, more)| format!("approve {n} by {by} {more}")),
        1 => (which(), one_of(&["boss", "source"]), one_of(&["to=c", "task=other", "priority=high", "to=d", ""]))
            .prop_map(|(n, by, more)| format!("amend {n} by {by} {more}")),
        1 => (which(), one_of(&["boss", "a"])).prop_map(|(n, by)| format!("deny {n} by {by}")),
    ]
}

fn work() -> impl Strategy<Value = String> {
    let lease = || one_of(&["last", "last", "last", "last", "L1", "L9"]);
    let status = one_of(&["success", "success", "partial", "failed", "timeout"]);
    let more = one_of(&[
        "",
        "",
        "",
        "then=c",
        "then=END",
        "then=c,d any",
        "score=0.1234567890123456789",
        "set=x:2",
        "cost=0.30000000000000004 tokens=18446744073709551615",
        "file=x.rs state=review",
        "score=inf",
    ]);
    // Any number that JSON can write must be read back as it was.
    let more = prop_oneof![9 => more.prop_map(str::to_owned), 1 => (1e-300..1e300f64).prop_map(|n| format!("cost={n:e}")),
        2 => (0.0..1.0f64).prop_map(|n| format!("score={n} cost={n}"))];
    prop_oneof![
        5 => (which(), lease(), status, more).prop_map(|(n, l, status, more)| format!("return {n} as {l} {status} {more}")),
        1 => (which(), lease()).prop_map(|(n, l)| format!("heartbeat {n} as {l}")),
        1 => (which(), lease()).prop_map(|(n, l)| format!("record {n} as {l} step")),
        2 => (which(), lease()).prop_map(|(n, l)| format!("escalate {n} as {l} unsure")),
        2 => (which(), lease()).prop_map(|(n, l)| format!("decline {n} as {l}")),
        2 => (which(), lease()).prop_map(|(n, l)| format!("ask {n} as {l}")),
        2 => (which(), one_of(&["source", "source", "boss", "f"])).prop_map(|(n, by)| format!("answer {n} by {by}")),
        1 => (which(), one_of(&["source", "target", "owner", "f"])).prop_map(|(n, by)| format!("cancel {n} by {by}")),
        2 => (which(), one_of(&["ann", "ann", "f"]), one_of(&["b", "c", "d", "e", "r", "p", "target", "nobody"]))
            .prop_map(|(n, by, to)| format!("redirect {n} by {by} to {to}")),
        1 => (which(), one_of(&["ann", "f"])).prop_map(|(n, by)| format!("retry {n} by {by}")),
        1 => (which(), one_of(&["ann", "f"])).prop_map(|(n, by)| format!("retry {n} by {by}").replace('@', "#")),
        1 => which().prop_map(|n| format!("cancel {n} by ann")),
        1 => (which(), one_of(&["source", "f"])).prop_map(|(n, by)| format!("take {n} by {by}").replace('@', "#")),
    ]
}

fn clock() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just("next".to_owned()),
        2 => which().prop_map(|n| format!("tick {n}")),
        2 => which().prop_map(|n| format!("reclaim {n}")),
        2 => time().prop_map(|time| format!("wait {time}")),
        1 => time().prop_map(|time| format!("sleep {}", time.trim_start_matches('-'))),
        1 => (one_of(&["b", "c", "r"]), 0..2u32).prop_map(|(agent, load)| format!("load {agent} {load}")),
        1 => (one_of(&["b", "c", "r"]), one_of(&["available", "unavailable", "draining"]))
            .prop_map(|(agent, standing)| format!("standing {agent} {standing}")),
    ]
}

fn session() -> impl Strategy<Value = String> {
    let lines = one_of(&[
        "complete by owner",
        "complete by b",
        "set by a x=1",
        "set by a b/x=1",
        "set by b x=2@1",
        "keep by a main.rs as F",
        "lock f by b exclusive",
        "lock f by c shared for=5s",
        "unlock f by b",
        "decide by owner risk=high big",
        "decide by owner risk=low small",
        "say hello",
        "turn by owner goto=b tokens=5",
        "turn by owner goto=b,c state=x",
        "turn by owner goto=c",
    ]);
    prop_oneof![40 => lines.prop_map(str::to_owned), 1 => one_of(&["end by owner", "turn by owner goto=END"]).prop_map(str::to_owned)]
}

fn statement() -> impl Strategy<Value = String> {
    prop_oneof![6 => initiate(), 2 => broadcast(), 10 => answer(), 7 => work(), 8 => clock(), 3 => session()]
}
