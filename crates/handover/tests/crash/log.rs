//! What the children have said, over all rounds, and what must never be said after it.

use std::collections::{HashMap, HashSet, VecDeque};

/// A job that was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acked {
    pub handoff: String,
    pub success: bool,
}

/// The log of all rounds.
#[derive(Default)]
pub struct Log {
    pub round: u64,
    /// The child of this round has opened the engine.
    pub open: bool,
    /// The child of this round has done all it was asked for.
    pub finished: bool,
    /// By client and job.
    pub acked: HashMap<(u64, u64), Acked>,
    /// The output of each step whose record is durable, by handoff and name.
    pub stepped: HashMap<(String, String), String>,
    /// The last version that was acknowledged, by client.
    pub set: HashMap<u64, u64>,
    /// The last message that was acknowledged, by client.
    pub said: HashMap<u64, u64>,
    /// Codes of refusals in this round.
    pub refused: Vec<String>,
    /// Acknowledgements of any kind.
    pub acknowledgements: u64,
    /// Runs that went on with what an earlier process had begun.
    pub resumed: u64,
    /// What should not have been.
    pub repeated: Vec<String>,
    /// Whose return was taken: no run after it.
    returned: HashSet<String>,
    /// Members of decided broadcasts, with the round: no run in a later process.
    ended: HashMap<String, u64>,
    runs: HashSet<String>,
    tail: VecDeque<String>,
}

impl Log {
    /// A new process begins.
    pub fn next_round(&mut self) {
        self.round += 1;
        self.open = false;
        self.finished = false;
        self.refused.clear();
    }

    /// The last lines.
    pub fn tail(&self) -> Vec<&str> {
        self.tail.iter().map(String::as_str).collect()
    }

    /// The last job that any client was acknowledged.
    pub fn last_job(&self) -> u64 {
        self.acked.keys().map(|(_, job)| *job).max().unwrap_or(0)
    }

    /// Takes down a line.
    pub fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["opened"] => self.open = true,
            ["finished"] => self.finished = true,
            ["run", handoff] => self.run(handoff),
            ["effect", handoff, step] => self.effect(handoff, step),
            ["stepped", handoff, step, value] => self.step(handoff, step, value),
            ["returned", handoff] => {
                self.acknowledgements += 1;
                self.returned.insert(handoff.to_owned());
            }
            ["ended", handoff] => {
                self.ended.entry(handoff.to_owned()).or_insert(self.round);
            }
            ["acked", client, job, status, handoff] => self.ack((number(client), number(job)), status, handoff),
            ["set", client, version] => raise(&mut self.set, number(client), number(version)),
            ["said", client, count] => raise(&mut self.said, number(client), number(count)),
            ["refused", code] => self.refused.push(code.to_owned()),
            _ => panic!("the child said something unknown: {line}"),
        }
        self.acknowledgements += u64::from(matches!(words[0], "stepped" | "acked" | "set" | "said"));
        self.tail.push_back(format!("{}: {line}", self.round));
        if self.tail.len() > 20 {
            self.tail.pop_front();
        }
    }

    fn run(&mut self, handoff: &str) {
        self.forbid_after_end(handoff, "run");
        self.resumed += u64::from(!self.runs.insert(handoff.to_owned()));
    }

    fn effect(&mut self, handoff: &str, step: &str) {
        self.forbid_after_end(handoff, step);
        if self.stepped.contains_key(&(handoff.to_owned(), step.to_owned())) {
            self.repeated.push(format!("round {}: step {step} of {handoff} again after its record", self.round));
        }
    }

    fn forbid_after_end(&mut self, handoff: &str, what: &str) {
        let ended = self.ended.get(handoff).is_some_and(|round| *round < self.round);
        if ended || self.returned.contains(handoff) {
            self.repeated.push(format!("round {}: {what} of {handoff} after its end", self.round));
        }
    }

    fn step(&mut self, handoff: &str, step: &str, value: &str) {
        let before = self.stepped.insert((handoff.to_owned(), step.to_owned()), value.to_owned());
        if before.is_some_and(|before| before != value) {
            self.repeated.push(format!("round {}: step {step} of {handoff} with another output", self.round));
        }
    }

    fn ack(&mut self, job: (u64, u64), status: &str, handoff: &str) {
        let acked = Acked { handoff: handoff.to_owned(), success: status == "success" };
        let before = self.acked.insert(job, acked.clone());
        if before.is_some_and(|before| before != acked) {
            self.repeated.push(format!("round {}: job {job:?} has another answer: {acked:?}", self.round));
        }
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

fn raise(map: &mut HashMap<u64, u64>, client: u64, to: u64) {
    let entry = map.entry(client).or_default();
    *entry = to.max(*entry);
}
