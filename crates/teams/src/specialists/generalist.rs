//! The generalist: understands what is asked, asks whoever can, one after the other, and answers.

use super::{Finding, PART, findings, project};
use crate::{
    bench::text,
    room::{Room, ended, failed},
    shelf::terms,
    words::counted,
};
use handover_core::{
    handoff::{Request, Return, ReturnStatus},
    refusal::Code,
};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::{Value, json};

/// Words of a request, and the capabilities that it takes, in the order in which they are asked. Nothing is deployed
/// before it is tested.
const NEEDS: [(&[&str], &[&str]); 3] = [
    (&["test", "quality", "coverage"], &["testing"]),
    (&["secure", "security", "secret", "audit"], &["security"]),
    (&["deploy", "deployment", "release", "ship", "production"], &["testing", "deployment"]),
];
/// The order in which specialists are asked.
const ORDER: [(&str, &str); 3] = [
    ("testing", "Say which functions have no test, and whether the tests can fail"),
    ("security", "Look for secrets and risky calls"),
    ("deployment", "Say whether it can be deployed as it is"),
];

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let asked = text(work.payload(), "request").unwrap_or(&work.handoff().request.original_request);
    let needed = needed(asked);
    if needed.is_empty() {
        let say = "nothing in the request calls for a specialist; ask about tests, security or a deployment";
        return Ok(failed(work, "NOT_UNDERSTOOD", json!({"error_message": say}), say));
    }
    work.move_state("CONSULTING").await?;
    let project = project(work, room)?;
    let mut consulted: Vec<Value> = Vec::new();
    let mut found: Vec<Finding> = Vec::new();
    for (capability, task) in needed {
        let answer = match ask(work, &project, (capability, task), &consulted).await? {
            Ok(answer) => answer,
            Err(say) => {
                return Ok(failed(work, "NO_SPECIALIST", json!({"capability": capability, "error_message": say}), say));
            }
        };
        if !matches!(answer.status, ReturnStatus::Success | ReturnStatus::Partial) {
            let say = format!("{} could not answer: {}", answer.from_agent, answer.notes);
            return Ok(failed(work, "SPECIALIST_FAILED", json!({"capability": capability, "error_message": say}), say));
        }
        found.extend(findings(&answer.result.body));
        let summary = answer.result.body.get("summary").cloned().unwrap_or(Value::Null);
        consulted.push(json!({"capability": capability, "agent": answer.from_agent, "summary": summary}));
    }
    work.move_state("ANSWERING").await?;
    answer(work, &consulted, &found).await
}

/// Which specialists a request takes.
fn needed(asked: &str) -> Vec<(&'static str, &'static str)> {
    let words = terms(asked);
    let speaks = |known: &str| terms(known).iter().all(|term| words.contains(term));
    let wanted: Vec<&str> = NEEDS
        .iter()
        .filter(|(known, _)| known.iter().any(|word| speaks(word)))
        .flat_map(|(_, all)| *all)
        .copied()
        .collect();
    ORDER.into_iter().filter(|(capability, _)| wanted.contains(capability)).collect()
}

/// Delegates to whoever has the capability. That nobody has it is an answer too.
async fn ask(
    work: &Work,
    project: &str,
    (capability, task): (&str, &str),
    so_far: &[Value],
) -> Result<Result<Return, String>, Failure> {
    let from = work.handoff().to_agent.as_str();
    let mut request = Request::delegation_by(from, capability, task, PART)?
        .because(&format!("This takes somebody who knows about {capability}"))
        .payload(json!({"project": project}));
    request.original_request.clone_from(&work.handoff().request.original_request);
    request.context.completed_work = json!(so_far);
    match work.delegate(capability, request).await {
        Ok(answer) => Ok(Ok(answer)),
        Err(error) if error.refusals.iter().any(|refusal| refusal.code == Code::NobodyCan) => {
            Ok(Err(format!("nobody here knows about {capability}")))
        }
        Err(error) => Err(error.into()),
    }
}

/// The answer to the user: whether it is ready, and what has to be mended first.
async fn answer(work: &Work, consulted: &[Value], found: &[Finding]) -> Result<Done, Failure> {
    let told = |finding: &Finding| format!("{}: {}", finding.at, finding.what).trim_start_matches(": ").to_owned();
    let part = |blocks: bool| {
        let mut part: Vec<String> = found.iter().filter(|finding| finding.blocks == blocks).map(told).collect();
        part.sort_unstable();
        part.dedup();
        part
    };
    let (blockers, notes) = (part(true), part(false));
    let ready = blockers.is_empty();
    let say = match blockers.len() {
        0 => format!(
            "It is ready. {} looked at it, and nothing stands in the way.",
            counted(consulted.len(), "specialist")
        ),
        count => format!("It is not ready: {} to mend first. {}.", counted(count, "thing"), blockers.join("; ")),
    };
    work.step("answer", || async { Ok::<_, Failure>(work.say(say.clone()).await.map(drop)?) }).await?;
    let data = json!({"ready": ready, "blockers": blockers, "notes": notes, "consulted": consulted});
    Ok(ended(work, "ANSWERED", data, say))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_who_is_needed() {
        for (asked, expected) in [
            ("Deploy the app to production", vec!["testing", "deployment"]),
            ("Are there any secrets in it?", vec!["security"]),
            ("Is it tested?", vec!["testing"]),
            ("Test it, audit it and ship it", vec!["testing", "security", "deployment"]),
            ("What is for lunch?", vec![]),
        ] {
            let needed: Vec<&str> = needed(asked).into_iter().map(|(capability, _)| capability).collect();
            assert_eq!(needed, expected, "{asked}");
        }
    }
}
