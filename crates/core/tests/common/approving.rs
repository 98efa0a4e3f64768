//! Rules for approvals, and what people say to them:
//! `rule big cost=5 ask=ann:1h,bob:2h expiry=approve`, `approve h1 by ann digest=1 task=other`, `amend h1 by a to=c`.

use super::{
    Play, name,
    words::{Words, known, span},
};
use handover_core::{
    command::Command,
    decide::approval_digest,
    digest::Digest,
    handoff::Edit,
    ids::HandoffId,
    policy::{ApprovalRule, Approver, When},
};

impl Play {
    /// Sets a rule, or the one of this name anew; `rule big gone` takes it out.
    pub fn rule(&mut self, w: &Words<'_>) {
        let rule = rule_of(w);
        let place = self.policy.approvals.iter().position(|known| known.name == rule.name);
        match place {
            Some(i) if w.has("gone") => drop(self.policy.approvals.remove(i)),
            Some(i) => self.policy.approvals[i] = rule,
            None => self.policy.approvals.push(rule),
        }
    }

    /// What a person says.
    pub fn deciding(&mut self, w: &Words<'_>) -> Command {
        let handoff = self.handoff(w);
        let digest = w.get("digest").map(|word| self.digest(handoff, word));
        let source = || self.open(handoff).map(|open| open.request.from_agent.to_string());
        let by = match w.after("by").unwrap_or("boss") {
            "source" => source().unwrap_or_else(|| "a".into()),
            other => other.to_owned(),
        };
        let edit = edit_of(w);
        match w.verb() {
            "amend" => Command::Amend { handoff, by, edit, digest },
            "deny" => Command::Deny { handoff, by, comment: "too risky".into(), digest },
            _ => {
                let edit = (!edit.is_empty()).then_some(edit);
                Command::Approve { handoff, by, comment: String::new(), digest, edit }
            }
        }
    }

    fn open(&self, id: HandoffId) -> Option<&handover_core::handoff::Handoff> {
        self.session.as_ref().and_then(|session| session.open.get(&id)).map(AsRef::as_ref)
    }

    /// `digest=2`: the second that was asked for. `digest=now`: as the handoff and the rule are now.
    fn digest(&self, id: HandoffId, word: &str) -> Digest {
        if word == "now" {
            return self.open(id).map(|open| approval_digest(open, &self.policy)).unwrap_or_default();
        }
        let n: usize = word.parse().expect("a number, or now");
        self.digests.get(&id).and_then(|asked| asked.get(n - 1)).copied().unwrap_or_default()
    }
}

fn rule_of(w: &Words<'_>) -> ApprovalRule {
    let number = |key: &str| w.get(key).map(|n| n.parse::<f64>().expect("a number"));
    let when = When {
        risk: w.get("risk").map(known),
        to: w.list("to").into_iter().map(name).collect(),
        from: w.list("from").into_iter().map(name).collect(),
        kinds: w.list("type").into_iter().map(known).collect(),
        cost_above: number("cost"),
        tokens_above: w.get("tokens").map(|n| n.parse().expect("a number")),
        expression: w.get("when").map(Into::into),
    };
    let approvers = w.list("ask").into_iter().map(|text| {
        let (who, time) = text.split_once(':').map_or((text, None), |(who, time)| (who, Some(span(time))));
        Approver { who: who.to_owned(), within_ms: time }
    });
    ApprovalRule {
        name: w.nth(1).to_owned(),
        when,
        approvers: approvers.collect(),
        on_expiry: w.get("expiry").map_or_else(Default::default, known),
    }
}

fn edit_of(w: &Words<'_>) -> Edit {
    let payload = w.get("payload").map(|text| serde_json::from_str(text).expect("JSON without spaces"));
    let big = w.get("big").map(|bytes| serde_json::json!("x".repeat(bytes.parse().expect("a number"))));
    Edit {
        to_agent: w.get("to").map(name),
        description: w.get("task").map(str::to_owned),
        payload: payload.or(big),
        priority: w.get("priority").map(known),
    }
}
