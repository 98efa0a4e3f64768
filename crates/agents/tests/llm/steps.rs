//! A model on a step of a workflow: what its rules refuse comes back to it, and it mends it.

use crate::common::{Fake, Team, calls, member, says, turns, within};
use expect_test::expect;
use handover_agents::model::{Ask, Reply};
use handover_core::{
    agent::{AgentKind, Profile},
    ids::{AgentId, SessionId},
    workflow::Workflow,
};
use handover_engine::Start;
use serde_json::json;
use std::sync::Arc;

fn workflow() -> Workflow {
    serde_json::from_value(json!({
        "name": "w",
        "agents": {"lead": {}, "desk": {}},
        "start": "LOOKING",
        "states": {
            "LOOKING": {"agent": "lead", "about": "Look for it."},
            "DONE": {"end": "completed"}, "LOST": {"end": "failed"}
        },
        "rules": [
            {"id": "1", "from": "lead", "trigger_state": "FOUND", "reason": "it is there", "next_state": "DONE",
             "payload": {"required": ["place"]}},
            {"id": "2", "from": "lead", "trigger_state": "NOT_FOUND", "reason": "it is not there", "next_state": "LOST"}
        ],
    }))
    .unwrap()
}

fn looks(_: &str, ask: &Ask) -> Reply {
    let ends = |text: &str, arguments| calls(text, &[("finish_step", arguments)]);
    match turns(ask) {
        0 => ends("A.", json!({"data": {}, "signal": "FUND"})),
        1 => ends("B.", json!({"data": {}, "signal": "FOUND"})),
        2 => ends("C.", json!({"data": "here"})),
        3 => ends("D.", json!({"data": {"place": "here"}, "signal": "FOUND", "notes": "under the bed"})),
        _ => says("?"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_rules_refuse_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let model = Fake::new(looks, 9);
    let desk = Profile::named("desk").unwrap().kind(AgentKind::Human);
    let profiles = [member("lead | | Leads | | recall"), desk];
    let team = Team::of(&folder.path().join("h.db"), &profiles, &model, &Arc::default()).await;
    team.engine.define(workflow()).await.unwrap();
    let session = SessionId::new("w-1").unwrap();
    team.engine.start(&session, Start::of("w", AgentId::new("desk").unwrap())).await.unwrap();
    let ended = within(team.engine.ended(&session)).await.unwrap();
    let flow = ended.flow.as_ref().unwrap();
    assert_eq!(flow.state, "DONE");
    let mut all = model.seen.lock()[0].1.system.clone() + "\n--\n";
    for message in team.engine.messages(&session, 1, 100).await.unwrap() {
        all += &format!("{:?}: {}\n", message.said.role, message.said.content);
    }
    expect![[r#"
        You are lead: Leads

        ## Your Step

        Your step is LOOKING. Look for it.
        End it by calling `finish_step` once, with new data alone: what you were given goes along by itself. Where the work goes:
        - FOUND → the end: it is there; needs place
        - NOT_FOUND → the end: it is not there
        --
        Assistant: A.
        Tool: {"error":"the arguments do not fit","hint":"mend them and call again","mistakes":["signal: \"FUND\" is none of [\"FOUND\",\"NOT_FOUND\"]"]}
        Assistant: B.
        Tool: {"error":"this was refused: lead->?: HO1007 result.body.place: rule 1 hands over to nobody: neither the result, nor the step's payload, nor a variable has it","hint":"mend it and try again, do the task yourself, or ask the user","mistakes":[{"code":"HO1007","field":"result.body.place","hint":"","message":"rule 1 hands over to nobody: neither the result, nor the step's payload, nor a variable has it"}]}
        Assistant: C.
        Tool: {"error":"the arguments do not fit","hint":"mend them and call again","mistakes":["signal: it is missing","data: it is string, object is needed"]}
        Assistant: D.
    "#]].assert_eq(&all);
}
