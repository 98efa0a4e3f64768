//! The room of a team that works on files: what it reads, where it writes, and its agents by their names.

use crate::{charter, dojo, folder, research, specialists};
use handover_core::{handoff::Kind, limits::FILE_NAME_CHARS_MAX};
use handover_engine::agent::{Done, Failure, Work};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Every team that comes with the program, and its agents.
pub const TEAMS: [(&str, &[&str]); 4] = [
    ("charter", &charter::AGENTS),
    ("research", &research::AGENTS),
    ("specialists", &specialists::AGENTS),
    ("dojo", &dojo::AGENTS),
];

/// The names of all agents that come with the program, such as `research.docs-researcher`.
pub fn names() -> impl Iterator<Item = String> {
    TEAMS.iter().flat_map(|(team, roles)| roles.iter().map(move |role| format!("{team}.{role}")))
}

/// Whether a name is one of [`names`]: its team and its role.
#[must_use]
pub fn find(name: &str) -> Option<(&'static str, &'static str)> {
    let (team, role) = name.split_once('.')?;
    let (team, roles) = TEAMS.iter().find(|(known, _)| *known == team)?;
    roles.iter().find(|known| **known == role).map(|role| (*team, *role))
}

/// Where a team works.
#[derive(Debug, Clone, PartialEq)]
pub struct Room {
    home: PathBuf,
    run: PathBuf,
    with: Value,
}

impl Room {
    /// A room of a team, with the settings of its workflow.
    ///
    /// # Errors
    /// When the settings are not those of this team, or the team has no room: the charter team has an office.
    pub fn open(team: &str, home: &Path, run: &Path, with: &Value) -> Result<Self, String> {
        let room = Self { home: home.to_owned(), run: run.to_owned(), with: with.clone() };
        match team {
            "research" => room.settings::<research::Settings>().map(drop),
            "specialists" => room.settings::<specialists::Settings>().map(drop),
            "dojo" => room.settings::<dojo::Settings>().map(drop),
            _ => Err(format!("\"{team}\" is not a team that works in a room")),
        }?;
        Ok(room)
    }

    /// The settings of the workflow; the usual ones where it has none.
    pub(crate) fn settings<T: DeserializeOwned + Default>(&self) -> Result<T, String> {
        if self.with.is_null() {
            return Ok(T::default());
        }
        serde_json::from_value(self.with.clone()).map_err(|error| error.to_string())
    }

    /// A path of the workflow's folder.
    pub(crate) fn home(&self, path: &str) -> io::Result<PathBuf> {
        folder::inside(&self.home, path)
    }

    /// Writes a file for people into the folder of this session, and gives its path as seen from the folder of the run.
    /// After a crash the same file is written again.
    pub(crate) async fn write(&self, work: &Work, name: &str, text: String) -> Result<String, Failure> {
        let path = format!("{}/{name}", file_name(work.handoff().session_id.as_str()));
        let place = self.run.join(&path);
        let write = move || {
            place.parent().map_or(Ok(()), fs::create_dir_all)?;
            crate::files::write_whole(&place, text.as_bytes())
        };
        crate::files::off_thread(write).await??;
        Ok(path)
    }
}

/// Lets an agent of a team work.
///
/// # Errors
/// When there is no such agent, a file cannot be read or written, or the engine takes the work away.
pub async fn run(team: &str, role: &str, work: &Work, room: &Room) -> Result<Done, Failure> {
    match team {
        "research" => research::run(role, work, room).await,
        "specialists" => specialists::run(role, work, room).await,
        "dojo" => dojo::run(role, work, room).await,
        _ => Err(nobody(team, role)),
    }
}

pub(crate) fn nobody(team: &str, role: &str) -> Failure {
    format!("no agent \"{team}.{role}\" works in a room").into()
}

/// How a piece of work ends. Only a step of the workflow has a signal: what was delegated just comes back.
pub(crate) fn ended(work: &Work, signal: &str, data: Value, say: impl Into<String>) -> Done {
    let done = Done::json(data).notes(say);
    if work.handoff().request.kind == Kind::Sequential { done.signal(signal) } else { done }
}

/// The same for work that came to nothing.
pub(crate) fn failed(work: &Work, signal: &str, data: Value, say: impl Into<String>) -> Done {
    ended(work, signal, data, say).unsuccessful()
}

/// A text as the name of a file or a folder: letters, digits and dashes.
pub(crate) fn file_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let name: String = text.chars().take(FILE_NAME_CHARS_MAX).map(plain).collect();
    if name.is_empty() { "-".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_name_is_found_and_no_other() {
        assert!(names().count() > 12);
        assert!(names().all(|name| find(&name).is_some()));
        for name in ["research", "research.", "research.cook", "kitchen.cook", "", ".", "charter.docs-researcher"] {
            assert_eq!(find(name), None, "{name}");
        }
    }

    #[test]
    fn a_room_has_the_settings_of_its_team() {
        let open = |team: &str, with: Value| Room::open(team, Path::new("home"), Path::new("run"), &with).is_ok();
        assert!(open("research", json!(null)));
        assert!(open("research", json!({"library": "books"})));
        assert!(!open("research", json!({"libary": "books"})));
        assert!(!open("charter", json!(null)));
    }

    #[test]
    fn any_text_names_a_file() {
        for (text, expected) in [("s-1", "s-1"), ("event/a b", "event-a-b"), ("../..", "-----"), ("", "-")] {
            assert_eq!(file_name(text), expected);
        }
    }
}
