//! What happened in a run, read from its JSON lines: who handed over to whom, by which rule, with what.

use serde_json::Value;
use std::fmt::Write as _;

/// A way that the work has gone.
#[derive(Debug, Clone, Default)]
pub struct Hop {
    pub session: String,
    /// Empty for the first step, and for what a state ends by itself.
    pub rule: String,
    pub from: String,
    /// Empty where the workflow ends.
    pub to: String,
    pub priority: String,
    pub task: String,
    pub signal: String,
    /// The states before and after.
    pub states: (String, String),
    pub payload: Value,
    /// How long it waits before it is offered, in milliseconds.
    pub waits_ms: i64,
    /// `completed` or `failed` where the workflow ends.
    pub ended: String,
}

/// What happened.
#[derive(Debug, Default)]
pub struct Story {
    pub hops: Vec<Hop>,
    /// States that an agent has moved to while it worked, with how many hops were before.
    pub moves: Vec<(usize, String, String)>,
    /// The sessions of the last line.
    pub ends: Vec<Value>,
    /// What was handed over, and whose state has not changed yet.
    begun: Vec<Hop>,
}

impl Story {
    pub fn of_lines(lines: &str) -> Self {
        let mut story = Self::default();
        for line in lines.lines() {
            story.hear(&serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
        }
        story
    }

    /// Takes one line down: an event, or an end.
    pub fn hear(&mut self, line: &Value) {
        let event = &line["payload"];
        match text(&event["kind"]).as_str() {
            "initiated" => self.begun.push(begun(line)),
            "state_changed" => {
                let known = self.begun.iter().position(|hop| hop.session == text(&line["context"]["session_id"]));
                let mut hop = known.map(|at| self.begun.remove(at)).unwrap_or_default();
                hop.session = text(&line["context"]["session_id"]);
                hop.rule = text(&event["rule"]);
                hop.signal = text(&event["signal"]);
                hop.states = (text(&event["from"]), text(&event["to"]));
                hop.ended = text(&event["ended"]);
                self.hops.push(hop);
            }
            "state_moved" => self.moves.push((self.hops.len(), text(&event["from"]), text(&event["to"]))),
            _ if line["type"] == "RUN_ENDED" => self.ends.extend(line["sessions"].as_array().unwrap().iter().cloned()),
            _ => {}
        }
    }

    /// The rules that acted, in their order.
    pub fn rules(&self) -> Vec<&str> {
        self.hops.iter().map(|hop| hop.rule.as_str()).filter(|rule| !rule.is_empty()).collect()
    }

    /// The first hop by a rule.
    pub fn by(&self, rule: &str) -> &Hop {
        let found = self.hops.iter().find(|hop| hop.rule == rule);
        found.unwrap_or_else(|| panic!("rule {rule} did not act: {:?}", self.rules()))
    }

    /// The whole way, a line each.
    pub fn sequence(&self) -> String {
        let mut lines = String::new();
        for (at, hop) in self.hops.iter().enumerate() {
            for (_, from, to) in self.moves.iter().filter(|(before, ..)| *before == at) {
                writeln!(lines, "{:<7} {from} ⇒ {to}", "").unwrap();
            }
            let fields: Vec<&str> = hop.payload.as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
            let way = if hop.to.is_empty() { hop.ended.clone() } else { format!("{} → {}", hop.from, hop.to) };
            let what = format!("{:<7} {way} | {} ⇒ {} | {}", hop.rule, hop.states.0, hop.states.1, hop.priority);
            writeln!(lines, "{}", format!("{what} | {}", fields.join(" ")).trim_end_matches([' ', '|'])).unwrap();
        }
        lines
    }
}

fn begun(line: &Value) -> Hop {
    let (request, handoff) = (&line["payload"]["request"], &line["payload"]["handoff"]);
    let time = |value: &Value| value.as_str().map(|text| text.parse::<handover::core::time::Timestamp>().unwrap().0);
    let until =
        Some(&handoff["phase"]).filter(|phase| phase["at"] == "deferred").and_then(|phase| time(&phase["until"]));
    Hop {
        session: text(&line["context"]["session_id"]),
        from: text(&request["from_agent"]),
        to: text(&handoff["to_agent"]),
        priority: text(&request["task"]["priority"]),
        task: text(&request["task"]["type"]),
        payload: request["task"]["payload"].clone(),
        waits_ms: until.map_or(0, |until| until - time(&handoff["opened_at"]).unwrap()),
        ..Hop::default()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
