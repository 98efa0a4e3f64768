//! The questions that a scripted model was asked, the latest of them.

use super::api::Api;
use handover_core::limits::{QUOTE_CHARS_MAX, SCRIPT_ASKED_MAX};
use parking_lot::Mutex;
use serde::Serialize;
use std::collections::VecDeque;

/// A question that was asked, whether it was answered or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The format that it came in.
    pub api: Api,
    /// The model that was asked for; empty where the question could not be read.
    pub model: String,
    /// The agent that the system text introduces; empty where it introduces none.
    pub agent: String,
    /// The digest of the question: the same for the same question in either format.
    pub digest: String,
    /// How many lines the conversation had.
    pub lines: usize,
    /// The status of the answer.
    pub status: u16,
    /// The line of the script whose entry answered; nothing where the question was refused before.
    pub entry: Option<usize>,
}

/// The latest questions, in the order in which they came.
#[derive(Default)]
pub(super) struct Log(Mutex<VecDeque<Asked>>);

impl Log {
    pub(super) fn add(&self, mut asked: Asked) {
        // Names come from outside and are kept for long.
        for name in [&mut asked.model, &mut asked.agent] {
            if let Some((end, _)) = name.char_indices().nth(QUOTE_CHARS_MAX) {
                name.truncate(end);
            }
        }
        let mut log = self.0.lock();
        if log.len() >= SCRIPT_ASKED_MAX {
            log.pop_front();
        }
        log.push_back(asked);
    }

    pub(super) fn all(&self) -> Vec<Asked> {
        self.0.lock().iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_questions_are_forgotten_and_names_are_cut() {
        let log = Log::default();
        for lines in 0..SCRIPT_ASKED_MAX + 3 {
            let (model, agent, digest) = ("ä".repeat(QUOTE_CHARS_MAX + 1), String::new(), String::new());
            log.add(Asked { api: Api::OpenAi, model, agent, digest, lines, status: 200, entry: None });
        }
        let all = log.all();
        assert_eq!((all.len(), all[0].lines), (SCRIPT_ASKED_MAX, 3));
        assert_eq!(all[0].model, "ä".repeat(QUOTE_CHARS_MAX));
    }
}
