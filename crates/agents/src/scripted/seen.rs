//! A question as a script looks at it: who is asked, what the user said last, which tools came back.

use crate::model::{Ask, CallResult, Line};

/// A question with what conditions and templates ask about.
pub(super) struct Seen<'a> {
    ask: &'a Ask,
    introduced: &'a str,
}

impl<'a> Seen<'a> {
    pub(super) fn new(ask: &'a Ask) -> Self {
        Self { ask, introduced: introduced(&ask.system) }
    }

    pub(super) fn ask(&self) -> &'a Ask {
        self.ask
    }

    pub(super) fn model(&self) -> &'a str {
        &self.ask.model
    }

    /// The words by which the agent is introduced; they begin with its name.
    pub(super) fn introduced(&self) -> &'a str {
        self.introduced
    }

    /// The name of the agent that is asked: the first word by which it is introduced.
    pub(super) fn agent(&self) -> &'a str {
        let end = self.introduced.find(|letter: char| !(letter.is_alphanumeric() || "_-.".contains(letter)));
        self.introduced[..end.unwrap_or(self.introduced.len())].trim_end_matches('.')
    }

    /// The latest words of the user.
    pub(super) fn user(&self) -> &'a str {
        self.users().next_back().unwrap_or_default()
    }

    /// The first words of the user.
    pub(super) fn task(&self) -> &'a str {
        self.users().next().unwrap_or_default()
    }

    fn users(&self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.ask.lines.iter().filter_map(|line| match line {
            Line::User(text) => Some(text.as_str()),
            Line::Model { .. } | Line::Results(_) => None,
        })
    }

    /// Which answer of this conversation is asked for, from 1.
    pub(super) fn turn(&self) -> u64 {
        1 + self.ask.lines.iter().filter(|line| matches!(line, Line::Model { .. })).count() as u64
    }

    /// The results that the conversation ends with.
    pub(super) fn results(&self) -> &'a [CallResult] {
        match self.ask.lines.last() {
            Some(Line::Results(results)) => results,
            Some(Line::User(_) | Line::Model { .. }) | None => &[],
        }
    }

    /// The latest result, wherever it is.
    pub(super) fn last_result(&self) -> &'a str {
        let latest = self.ask.lines.iter().rev().find_map(|line| match line {
            Line::Results(results) => results.last(),
            Line::User(_) | Line::Model { .. } => None,
        });
        latest.map_or("", |result| &result.content)
    }
}

/// Who the system text says the model is: a line `agent: name`, else the first "You are name", else a line
/// `name: name`.
fn introduced(system: &str) -> &str {
    let told = || {
        let at = system.to_ascii_lowercase().find("you are ")? + "you are ".len();
        system[at..].lines().next()
    };
    let found = marked(system, "agent").or_else(told).or_else(|| marked(system, "name"));
    let mut words = found.unwrap_or_default().trim_start();
    for article in ["the ", "an ", "a "] {
        if words.get(..article.len()).is_some_and(|start| start.eq_ignore_ascii_case(article)) {
            words = words[article.len()..].trim_start();
            break;
        }
    }
    words.trim_start_matches(['"', '\'', '`', '*', '“', '‘'])
}

/// What follows this key at the beginning of a line.
fn marked<'s>(system: &'s str, wanted: &str) -> Option<&'s str> {
    system.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        let key = key.trim_start_matches(['-', '*', '#', ' ']).trim_end_matches(['*', ' ']);
        let value = value.trim();
        (key.eq_ignore_ascii_case(wanted) && !value.is_empty()).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_known_by_its_introduction() {
        for (system, name) in [
            ("", ""),
            ("You are generalist.", "generalist"),
            ("You are the deployment agent. You are careful.", "deployment"),
            ("Be brief.\nyou ARE `code-reviewer`, an agent", "code-reviewer"),
            ("Help people.\nname: v1.2\n", "v1.2"),
            ("You are a helper.\nname: x\n", "helper"),
            ("You are a helper.\n**Agent**: x\n", "x"),
            ("- Agent: \"tester\"", "tester"),
            ("name:\nYou are **Ä**.", "Ä"),
            ("İ you are x", "x"),
        ] {
            let ask = Ask { system: system.into(), ..Ask::default() };
            assert_eq!(Seen::new(&ask).agent(), name, "{system:?}");
        }
    }
}
