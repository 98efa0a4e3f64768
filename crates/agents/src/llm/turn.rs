//! The turn of a model: asked, it answers or wants tools; their results go back to it, until it has said what it has to
//! say. Nothing is done here: whoever drives the turn asks the model, calls the tools and may record each of both.

use crate::model::{Ask, Call, CallResult, Line, Reply, StopReason, TokensUsed};
use handover_core::{budget::Usage, limits::TURN_ITERATIONS_MAX};

/// What a turn needs next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The model must be asked, for the n-th time.
    Ask(u32),
    /// These tools must be called. All of their results are wanted before the model is asked again.
    Call(Vec<Call>),
    /// It is over.
    Over(Over),
}

/// How a turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// The model has said what it has to say.
    Said(String),
    /// It was asked as often as it may be, and still wants tools.
    TooLong(u32),
    /// It used more tokens than it had.
    Spent(u64),
    /// The answer was cut at its longest.
    Cut(String),
    /// The model or its provider declined.
    Refused(String),
}

/// A turn, as far as it has come.
#[derive(Debug, Clone)]
pub struct Turn {
    ask: Ask,
    asked: u32,
    tokens_max: Option<u64>,
    tokens: u64,
    usage: Vec<Usage>,
    next: Next,
}

impl Turn {
    /// A turn that begins with this question. `tokens_max` is what it may use.
    #[must_use]
    pub fn new(ask: Ask, tokens_max: Option<u64>) -> Self {
        Self { ask, asked: 0, tokens_max, tokens: 0, usage: Vec::new(), next: Next::Ask(1) }
    }

    /// What it needs next.
    #[must_use]
    pub fn next(&self) -> &Next {
        &self.next
    }

    /// The question as it stands.
    #[must_use]
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// How often the model was asked.
    #[must_use]
    pub fn asked(&self) -> u32 {
        self.asked
    }

    /// What was used, by model.
    #[must_use]
    pub fn usage(&self) -> &[Usage] {
        &self.usage
    }

    /// The model answered. Where its provider does not say what it used, `counted` is taken.
    pub fn heard(&mut self, reply: Reply, counted: impl FnOnce(&Ask, &Reply) -> TokensUsed) {
        self.asked += 1;
        let used = reply.used.unwrap_or_else(|| counted(&self.ask, &reply));
        self.note(&reply.model, used);
        let Reply { text, calls, stop, .. } = reply;
        self.next = match stop {
            StopReason::Refused => Next::Over(Over::Refused(text.clone())),
            // A call that was cut may lack its end: it is not made.
            StopReason::Length => Next::Over(Over::Cut(text.clone())),
            StopReason::Done | StopReason::Tools if calls.is_empty() => Next::Over(Over::Said(text.clone())),
            StopReason::Done | StopReason::Tools => Next::Call(calls.clone()),
        };
        self.ask.lines.push(Line::Model { text, calls });
    }

    /// The tools gave these results, one for each call.
    pub fn called(&mut self, results: Vec<CallResult>) {
        self.ask.lines.push(Line::Results(results));
        self.next = if self.tokens_max.is_some_and(|max| self.tokens >= max) {
            Next::Over(Over::Spent(self.tokens))
        } else if self.asked >= TURN_ITERATIONS_MAX {
            Next::Over(Over::TooLong(self.asked))
        } else {
            Next::Ask(self.asked + 1)
        };
    }

    fn note(&mut self, model: &str, used: TokensUsed) {
        self.tokens = self.tokens.saturating_add(used.input).saturating_add(used.output);
        // Priced by the name that was asked for: it is the one of the price table.
        let model = if self.ask.model.is_empty() { model } else { &self.ask.model };
        match self.usage.iter_mut().find(|usage| usage.model == model) {
            Some(usage) => {
                usage.input_tokens += used.input;
                usage.output_tokens += used.output;
            }
            None => {
                self.usage.push(Usage {
                    model: model.to_owned(),
                    input_tokens: used.input,
                    output_tokens: used.output,
                });
            }
        }
    }
}
