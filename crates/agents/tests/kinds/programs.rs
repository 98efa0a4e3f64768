//! Programs: what they may write, what they may do wrong, and what is left of them.

use crate::common::{House, asked, asking, begun, id, program, session, told, within};
use expect_test::expect;
use handover_agents::staff::StaffSettings;
use handover_core::{
    handoff::{Kind, Request, ReturnStatus},
    limits::PROGRAM_GRACE_MS,
    trace,
};
use handover_engine::Engine;
use serde_json::{Value, json};
use std::{fs, path::Path, time::Instant};

async fn with(house: &House, script: &str) -> Engine {
    let engine = house.open().await;
    let staff = house.staff(&engine, StaffSettings::default()).await;
    staff.employ(&engine, program("counter", script), json!({"unit": "words"})).await.unwrap();
    engine
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_program_writes_comes_back() {
    let scripts = [
        r#"echo '{"data": {"words": 2}, "notes": "counted", "score": 0.5}'"#,
        r#"echo '{"text": "Two words."}'"#,
        r#"echo '{"failed": true, "notes": "no dictionary"}'"#,
        "true",
        "printf '\\n \\n'",
        "echo hello",
        "echo '[1]'",
        r#"echo '{"word": 1}'"#,
        r#"echo '{"data": 1} {"data": 2}'"#,
        r"printf '\377\376'",
        r"printf '\033[31mred\033[0m'",
        "echo no such file >&2; exit 3",
        r"printf '\033[31mno such colour\033[0m' >&2; exit 3",
        "kill -KILL $$",
        r#"echo '{"goto": "nobody"}'"#,
        r#"echo '{"data": 1, "signal": "READY"}'"#,
    ];
    let mut all = String::new();
    for script in scripts {
        let house = House::new();
        let engine = with(&house, script).await;
        let handoff = begun(&engine, asking("counter")).await;
        let result = told(&within(engine.returned(handoff)).await.unwrap());
        all += &format!("{script}\n  {}\n", result.replace(&handoff.to_string(), "ID"));
        engine.close().await.unwrap();
    }
    expect![[r#"
        echo '{"data": {"words": 2}, "notes": "counted", "score": 0.5}'
          counter success {"words":2} score 0.5 counted
        echo '{"text": "Two words."}'
          counter success "Two words."
        echo '{"failed": true, "notes": "no dictionary"}'
          counter failed null no dictionary
        true
          counter success null
        printf '\n \n'
          counter success null
        echo hello
          counter failed null `sh` wrote no answer that can be read: expected value at line 1 column 1; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: hello
        echo '[1]'
          counter failed null `sh` wrote no answer that can be read: invalid type: sequence, expected a map at line 1 column 0; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: [1]
        echo '{"word": 1}'
          counter failed null `sh` wrote no answer that can be read: unknown field `word`, expected one of `signal`, `failed`, `reject`, `question`, `data`, `text`, `notes`, `score`, `set`, `goto`, `update`; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: {"word": 1}
        echo '{"data": 1} {"data": 2}'
          counter failed null `sh` wrote no answer that can be read: trailing characters at line 1 column 13; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: {"data": 1} {"data": 2}
        printf '\377\376'
          counter failed null `sh` wrote no answer that can be read: expected value at line 1 column 1; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: ��
        printf '\033[31mred\033[0m'
          counter failed null `sh` wrote no answer that can be read: expected value at line 1 column 1; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: red
        echo no such file >&2; exit 3
          counter failed null `sh` ended with exit status 3: no such file
        printf '\033[31mno such colour\033[0m' >&2; exit 3
          counter failed null `sh` ended with exit status 3: no such colour
        kill -KILL $$
          counter failed null `sh` was ended by a signal: 9 (SIGKILL): it said nothing
        echo '{"goto": "nobody"}'
          counter failed null its result was refused: counter->nobody: HO0202 to_agent: "nobody" is not registered; HO0303 from_agent: only desk owns the session and can give it away, not counter
        echo '{"data": 1, "signal": "READY"}'
          counter failed 1 its result was refused: desk->counter: HO1008 signal: handoff ID is no step of a workflow, and ends without a signal
    "#]].assert_eq(&all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_reads_its_work() {
    let house = House::new();
    let engine = with(&house, r#"printf '{"data": %s}' "$(cat)""#).await;
    let handoff = begun(&engine, asking("counter")).await;
    let mut read = within(engine.returned(handoff)).await.unwrap().result.body;
    assert_eq!(read["handoff_id"].take(), json!(handoff));
    assert!(read["brief"].take().as_str().unwrap().contains("> Count the words"));
    assert!(read["deadline"].take().is_string());
    let traceparent = read["traceparent"].take();
    assert!(trace::from_header(traceparent.as_str().unwrap()).is_some(), "{traceparent}");
    expect![[r#"
        {
          "agent": "counter",
          "attempt": 1,
          "brief": null,
          "deadline": null,
          "from": "desk",
          "handoff_id": null,
          "payload": {
            "text": "one two"
          },
          "reason": "Count the words",
          "request": "Count the words",
          "session_id": "s",
          "state": null,
          "task": {
            "description": "Count the words",
            "priority": "normal",
            "type": ""
          },
          "trace_id": null,
          "traceparent": null,
          "type": "delegation",
          "variables": {},
          "with": {
            "unit": "words"
          }
        }
    "#]]
    .assert_eq(&format!("{read:#}\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_knows_where_it_stands_in_its_trace() {
    let house = House::new();
    let script =
        r#"read -r work; case "$work" in *"\"traceparent\":\"$TRACEPARENT\""*) echo '{"data": "the same"}';; esac"#;
    let engine = with(&house, script).await;
    let handoff = begun(&engine, asking("counter")).await;
    assert_eq!(within(engine.returned(handoff)).await.unwrap().result.body, json!("the same"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_sets_is_set_and_where_it_sends_the_work_the_work_goes() {
    let house = House::new();
    let engine = house.open().await;
    let staff = house.staff(&engine, StaffSettings::default()).await;
    let sends = r#"echo '{"data": 2, "set": {"words": 2}, "goto": {"one": {"to_agent": "writer", "task": "Write it down", "reason": "It is counted"}}}'"#;
    staff.employ(&engine, program("counter", sends), Value::Null).await.unwrap();
    let writes = r#"case "$(cat)" in *'"words":2'*) echo '{"text": "It is 2."}';; *) echo '{"failed": true}';; esac"#;
    staff.employ(&engine, program("writer", writes), Value::Null).await.unwrap();
    let mut request = Request::new(Kind::Sequential, id("desk"), "Count the words");
    request.to_agent = Some(id("counter"));
    request.completes_segment = true;
    begun(&engine, request).await;
    let written = within(async {
        loop {
            let history = engine.handoff_history(&session(), 0, 10).await.unwrap();
            match history.iter().find(|handoff| handoff.to_agent == id("writer")) {
                Some(writer) => break engine.returned(writer.id).await.unwrap(),
                None => tokio::task::yield_now().await,
            }
        }
    })
    .await;
    assert_eq!(told(&written), "writer success \"It is 2.\"");
    let session = engine.session(&session()).await.unwrap();
    assert_eq!(session.variables["words"].value, json!(2));
    assert_eq!(session.active_agent, id("writer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_declines_goes_to_the_next() {
    let house = House::new();
    let engine = house.open().await;
    let staff = house.staff(&engine, StaffSettings::default()).await;
    let no = r#"echo '{"reject": "\u001b[31mnot my language"}'"#;
    let mut first = program("first", no).can("count");
    first.capabilities[0].proficiency = 1.0;
    let mut second = program("second", "echo '{\"data\": 2}'").can("count");
    second.capabilities[0].proficiency = 0.5;
    staff.employ(&engine, first, Value::Null).await.unwrap();
    staff.employ(&engine, second, Value::Null).await.unwrap();
    let mut request = asking("first");
    request.to_agent = None;
    request.capability = Some("count".to_owned());
    assert_eq!(told(&asked(&engine, request.clone()).await), "second success 2");
    engine.remove_agent(&id("second")).await.unwrap();
    request.task.payload = json!({"text": "three"});
    let nobody = asked(&engine, request).await;
    assert_eq!(nobody.status, ReturnStatus::Failed);
    assert!(nobody.notes.contains("not my language"), "{}", nobody.notes);
}

/// Whether a process goes on. One that nobody has waited for yet does not.
fn lives(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim_start().starts_with(['Z', 'X']))
}

async fn gone(file: &Path) {
    let process = fs::read_to_string(file).unwrap();
    within(async {
        while lives(process.trim()) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_never_ends_is_ended_with_all_that_it_started() {
    let scripts = [
        "echo $$ > FILE; exec tail -f /dev/null",
        "trap '' TERM; echo $$ > FILE; while :; do tail -f /dev/null; done",
        "tail -f /dev/null & echo $! > FILE; wait",
        "echo $$ > FILE; exec cat /dev/zero > /dev/null",
    ];
    for script in scripts {
        let house = House::new();
        let engine = house.open().await;
        let staff = house.staff(&engine, StaffSettings::default()).await;
        let file = house.path("process");
        let mut endless = program("endless", &script.replace("FILE", file.to_str().unwrap()));
        endless.max_execution_ms = Some(600);
        staff.employ(&engine, endless, Value::Null).await.unwrap();
        let mut request = asking("endless");
        request.return_protocol.on_timeout = handover_core::handoff::OnTimeout::Fail;
        let ended = asked(&engine, request).await;
        assert_eq!(ended.status, ReturnStatus::Timeout, "{script}: {}", ended.notes);
        gone(&file).await;
        engine.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_it_writes_is_bounded() {
    let cases = [
        ("yes", ReturnStatus::Failed, "wrote more than 4194304 bytes and was ended"),
        // What it says of its trouble may be as long as it likes.
        ("yes trouble | head -c 5000000 >&2; echo '{\"data\": 1}'", ReturnStatus::Success, ""),
        ("yes trouble | head -c 5000000 >&2; exit 1", ReturnStatus::Failed, "exit status 1: trouble trouble"),
        ("head -c 200000 /dev/zero | tr '\\0' x >&2; exit 1", ReturnStatus::Failed, "exit status 1: xxx"),
        // It leaves somebody behind who holds its pipes.
        ("tail -f /dev/null & echo '{\"data\": 1}'", ReturnStatus::Success, ""),
    ];
    for (script, status, notes) in cases {
        let house = House::new();
        let engine = with(&house, script).await;
        let begun = Instant::now();
        let ended = asked(&engine, asking("counter")).await;
        assert_eq!(ended.status, status, "{script}: {}", ended.notes);
        assert!(ended.notes.contains(notes) && ended.notes.len() < 20_000, "{script}: {}", ended.notes);
        assert!(begun.elapsed().as_millis() < u128::from(PROGRAM_GRACE_MS) * 20, "{script}");
        engine.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_is_told_of() {
    let house = House::new();
    let engine = house.open().await;
    let staff = house.staff(&engine, StaffSettings::default()).await;
    let mut missing = program("missing", "");
    missing.command = vec!["./no-such-program".into()];
    staff.employ(&engine, missing, Value::Null).await.unwrap();
    let mut nowhere = program("nowhere", "true");
    nowhere.folder = Some("no/such/folder".into());
    staff.employ(&engine, nowhere, Value::Null).await.unwrap();
    for (agent, part) in [("missing", "No such file"), ("nowhere", "there is no folder")] {
        let ended = asked(&engine, asking(agent)).await;
        assert!(ended.status == ReturnStatus::Failed && ended.notes.contains(part), "{}", ended.notes);
    }
}
