//! Random programs: sequences of commands as agents, people and timers would send them, most of them valid.

use super::{
    dice::Dice,
    house::{House, NAMES, agent, giving},
};
use handover_core::{
    agent::Risk,
    budget::Budget,
    command::{Command, NewArtifact, Prepared, Write},
    handoff::{Aggregation, Broadcast, Edit, Handoff, Kind, Phase, Priority, Request, Send},
    ids::{AgentId, HandoffId, SessionId},
    message::{NewMessage, Role},
    session::{ArtifactStatus, ArtifactType, LockType},
};
use serde_json::json;
use std::sync::Arc;

/// Runs one more command in a session; how many of these were refused does not matter, what was committed does.
pub async fn step(house: &mut House, id: &SessionId, dice: &mut Dice) -> bool {
    if dice.below(4) == 0 {
        house.wait(dice.below(20_000));
    }
    let command = next(house, id, dice);
    house.run(id, command).await.is_ok()
}

fn somebody(dice: &mut Dice) -> AgentId {
    agent(dice.pick(&NAMES).unwrap())
}

fn open(house: &House, id: &SessionId, dice: &mut Dice) -> Option<Arc<Handoff>> {
    let open: Vec<_> = house.sessions[id].open.values().cloned().collect();
    dice.pick(&open).cloned()
}

fn next(house: &House, id: &SessionId, dice: &mut Dice) -> Command {
    let session = &house.sessions[id];
    let by = session.active_agent.clone();
    match dice.below(16) {
        0 => Command::Say { messages: said(dice), after: None },
        1 => Command::Set { by, writes: writes(dice) },
        2 => Command::Keep { by, artifact: artifact(dice) },
        3 => match session.artifacts.keys().next() {
            Some(id) => Command::MarkArtifact { by, id: *id, status: ArtifactStatus::Final },
            None => Command::Keep { by, artifact: artifact(dice) },
        },
        4 => Command::Decide { by, description: format!("choice {}", dice.below(9)), risk: Risk::Low },
        5 => Command::Lock {
            by,
            path: format!("src/{}.rs", dice.below(3)),
            lock_type: if dice.below(2) == 0 { LockType::Shared } else { LockType::Exclusive },
            lease_ms: 60_000,
        },
        6 => match session.locks.iter().next() {
            Some((path, held)) => Command::Unlock { by: held[0].owner.clone(), path: path.clone() },
            None => Command::CompleteSegment { by },
        },
        7 => match house.waiting.iter().next() {
            Some((of, to)) => Command::Take { of: *of, by: to.clone() },
            None => Command::Set { by, writes: writes(dice) },
        },
        8..=10 => Command::Initiate(Box::new(request(by, dice))),
        _ => match open(house, id, dice) {
            Some(handoff) => about(&handoff, dice),
            None => Command::Initiate(Box::new(request(by, dice))),
        },
    }
}

fn about(handoff: &Handoff, dice: &mut Dice) -> Command {
    let (id, to) = (handoff.id, handoff.to_agent.clone());
    match &handoff.phase {
        Phase::AwaitingApproval { .. } => match dice.below(6) {
            2 | 3 => Command::Amend { handoff: id, by: "boss".into(), edit: edit(dice), digest: None },
            0 => Command::Deny { handoff: id, by: "boss".into(), comment: "no".into(), digest: None },
            1 => Command::Tick { handoff: id },
            _ => Command::Approve { handoff: id, by: "boss".into(), comment: "yes".into(), digest: None, edit: None },
        },
        Phase::Offered { .. } => match dice.below(7) {
            6 => redirect(id, dice),
            0 => Command::Reject { handoff: id, by: to, reason: "busy".into() },
            1 => Command::Defer { handoff: id, by: to, for_ms: 5_000, reason: "later".into() },
            2 => Command::Tick { handoff: id },
            _ => Command::Accept {
                handoff: id,
                by: to,
                lease_ms: Some(10_000 + dice.below(50_000)),
                in_process: dice.below(2) == 0,
                estimated_completion: None,
                manifest: None,
            },
        },
        Phase::Deferred { .. } if handoff.open_question().is_some() => {
            Command::Answer { handoff: id, by: handoff.request.from_agent.to_string(), text: "so".into() }
        }
        Phase::Deferred { .. } => Command::Tick { handoff: id },
        Phase::Running { lease, .. } => match dice.below(10) {
            7 => redirect(id, dice),
            0 => Command::Heartbeat { handoff: id, lease: *lease },
            1 => Command::Record {
                handoff: id,
                lease: *lease,
                name: "step".into(),
                output: json!([1, 2.5]),
                messages: Vec::new(),
            },
            2 => Command::Escalate { handoff: id, lease: *lease, assessment: "too hard".into() },
            3 => Command::Cancel { handoff: id, by: handoff.request.from_agent.to_string(), reason: "no need".into() },
            4 => Command::Tick { handoff: id },
            5 => Command::Reclaim { handoff: id },
            6 => Command::Ask { handoff: id, lease: *lease, question: "how?".into() },
            _ => Command::Return { handoff: id, lease: *lease, giving: Box::new(giving("done")), then: None },
        },
        Phase::Closed { .. } => Command::Tick { handoff: id },
    }
}

fn redirect(handoff: HandoffId, dice: &mut Dice) -> Command {
    let to = agent(dice.pick(&["bob", "cleo", "dan"]).unwrap());
    Command::Redirect { handoff, by: "boss".into(), to, reason: "it is better so".into() }
}

fn edit(dice: &mut Dice) -> Edit {
    Edit {
        to_agent: (dice.below(2) == 0).then(|| agent(dice.pick(&["bob", "cleo", "dan"]).unwrap())),
        description: (dice.below(2) == 0).then(|| format!("other task {}", dice.below(100))),
        payload: (dice.below(3) == 0).then(|| json!({"x": 0.3, "y": [1e-7, 12_345_678.9]})),
        priority: Some(*dice.pick(&[Priority::Urgent, Priority::Low]).unwrap()),
    }
}

fn request(from: AgentId, dice: &mut Dice) -> Request {
    let kinds = [Kind::Sequential, Kind::Delegation, Kind::Broadcast, Kind::Escalation];
    let kind = *dice.pick(&kinds).unwrap();
    let mut request = Request::new(kind, from, format!("task {}", dice.below(100)));
    request.task.priority = *dice.pick(&[Priority::Urgent, Priority::High, Priority::Normal, Priority::Low]).unwrap();
    request.task.payload = json!({"deep": [null, true, {"x": 0.1}], "text": "zeile\n\u{1F600}"});
    request.audit.decision_rationale = "because".into();
    request.return_protocol.timeout_ms = Some(60_000 + dice.below(60_000));
    request.candidates = vec![agent("bob"), agent("cleo"), agent("dan")];
    request.needs_approval = dice.below(5) == 0;
    if dice.below(2) == 0 {
        request.task.id = format!("T{}", dice.below(5));
    }
    match kind {
        Kind::Sequential => request.completes_segment = true,
        Kind::Delegation => request.blocking = dice.below(4) == 0,
        Kind::Broadcast => {
            let targets = ["bob", "cleo", "dan"].iter().map(|name| Send { to_agent: agent(name), task: None });
            let aggregation = *dice.pick(&[Aggregation::All, Aggregation::Any, Aggregation::Quorum(2)]).unwrap();
            request.candidates = Vec::new();
            request.broadcast = Some(Broadcast { targets: targets.collect(), aggregation });
        }
        Kind::Escalation => request.candidates = Vec::new(),
    }
    if matches!(kind, Kind::Sequential | Kind::Delegation) && dice.below(2) == 0 {
        request.to_agent = Some(somebody(dice));
    }
    request.context.constraints.budget = Some(Budget { cost: Some(0.1 + 0.2), ..Budget::default() });
    request
}

fn said(dice: &mut Dice) -> Vec<Prepared> {
    (0..=dice.below(3))
        .map(|i| {
            let mut message = NewMessage::new(if i == 0 { Role::User } else { Role::Assistant }, format!("words {i}"));
            message.agent = (i > 0).then(|| somebody(dice));
            Prepared::from_new(message)
        })
        .collect()
}

fn writes(dice: &mut Dice) -> Vec<Write> {
    let name = format!("name{}", dice.below(4));
    vec![Write { name, value: json!({"n": dice.below(1_000), "f": 1.0 / 3.0}), expected_version: None }]
}

fn artifact(dice: &mut Dice) -> NewArtifact {
    NewArtifact {
        kind: ArtifactType::Code,
        path: format!("out/{}.txt", dice.below(5)),
        description: "made".into(),
        status: ArtifactStatus::Draft,
    }
}
