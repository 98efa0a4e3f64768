//! What the tests of the shipped workflows share: a copy of a folder, a run, and what it came to as text.

use handover::engine::Start;
use handover::{
    core::{event::Event, record::Record, workflow::Workflow},
    prelude::*,
    team::{DESK, Places, Team},
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The folder of a shipped workflow, copied so that a test may change it, and a database.
pub struct House {
    folder: tempfile::TempDir,
    file: &'static str,
    changes: Vec<(String, String)>,
}

/// A session that has ended, and everything that can be asked about it.
pub struct Run {
    pub engine: Engine,
    pub id: SessionId,
    pub folder: PathBuf,
    pub rules: BTreeSet<String>,
    _folder: tempfile::TempDir,
}

impl House {
    /// The workflow of this file in its folder, such as `research/workflow.yaml`.
    pub fn of(file: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows");
        let team = file.split('/').next().unwrap();
        copy(&shipped.join(team), &folder.path().join(team));
        Self { folder, file, changes: Vec::new() }
    }

    /// With another text in its file.
    pub fn saying(mut self, old: &str, new: &str) -> Self {
        self.changes.push((old.to_owned(), new.to_owned()));
        self
    }

    /// Without a file of its folder.
    pub fn without(self, path: &str) -> Self {
        fs::remove_file(self.folder.path().join(path)).unwrap();
        self
    }

    /// With another text in a file of its folder.
    pub fn with(self, path: &str, text: &str) -> Self {
        fs::write(self.folder.path().join(path), text).unwrap();
        self
    }

    fn workflow(&self) -> Workflow {
        let path = self.folder.path().join(self.file);
        let mut text = fs::read_to_string(&path).unwrap();
        for (old, new) in &self.changes {
            assert!(text.contains(old), "{old}");
            text = text.replace(old, new);
        }
        fs::write(&path, text).unwrap();
        handover::workflow::read(&path).unwrap().workflow
    }

    /// The data that ships with the workflow.
    pub fn input(&self, name: &str) -> Value {
        let team = self.file.split('/').next().unwrap();
        serde_json::from_str(&fs::read_to_string(self.folder.path().join(team).join(name)).unwrap()).unwrap()
    }

    /// Runs one session to its end.
    pub async fn run(self, input: Value) -> Run {
        let workflow = self.workflow();
        let home = self.folder.path().join(self.file).parent().unwrap().to_owned();
        let places = Places { home, run: self.folder.path().join("run") };
        let engine = open(self.folder.path()).await;
        let _team = Team::assemble(&engine, &workflow, &places).await.unwrap();
        let id = SessionId::new("s-1").unwrap();
        let start = Start::of(&workflow.name, AgentId::new(DESK).unwrap()).with(input);
        engine.start(&id, start).await.unwrap();
        engine.ended(&id).await.unwrap();
        engine.verify().await.unwrap();
        let rules = workflow.rules.into_iter().map(|rule| rule.id).collect();
        Run { engine, id, folder: places.run.join("s-1"), rules, _folder: self.folder }
    }

    /// Why the team cannot be assembled.
    pub async fn refused(self) -> String {
        let places = Places { home: self.folder.path().to_owned(), run: self.folder.path().join("run") };
        let engine = open(self.folder.path()).await;
        let refused = Team::assemble(&engine, &self.workflow(), &places).await;
        refused.err().unwrap().to_string()
    }
}

/// These tests are about rules, not about the disk.
async fn open(folder: &Path) -> Engine {
    Engine::open_with(folder.join("x.db"), Options { sync: false, ..Options::default() }).await.unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

impl Run {
    async fn events(&self) -> Vec<Event> {
        let query = RecordQuery { session: Some(self.id.clone()), limit: 500, ..RecordQuery::default() };
        let records = self.engine.audit(query).await.unwrap();
        records.iter().map(|stored| serde_json::from_str::<Record>(&stored.text).unwrap().event).collect()
    }

    /// How the state went, and whose step it was: one line for each change.
    pub async fn states(&self) -> Vec<String> {
        let lines = self.events().await.into_iter().filter_map(|event| match event {
            Event::StateChanged(change) => Some(format!(
                "{} -> {}{}{}{}{}",
                change.from,
                change.to,
                change.rule.map(|rule| format!(" by {rule}")).unwrap_or_default(),
                if change.signal.is_empty() { String::new() } else { format!(" on {}", change.signal) },
                change.agent.map(|agent| format!(": {agent}")).unwrap_or_default(),
                if change.trouble.is_empty() { String::new() } else { format!("; {}", change.trouble) },
            )),
            Event::StateMoved { from, to, .. } => Some(format!("{from} -> {to}, moved")),
            _ => None,
        });
        lines.collect()
    }

    /// The rules that counted.
    pub async fn fired(&self) -> BTreeSet<String> {
        let rules = self.events().await.into_iter().filter_map(|event| match event {
            Event::StateChanged(change) => change.rule,
            _ => None,
        });
        rules.collect()
    }

    /// Everybody who was handed something, in order: from whom, to whom, under what, and with which fields.
    pub async fn history(&self) -> Vec<String> {
        let all = self.engine.get_handoff_history(&self.id).await.unwrap();
        let place = |id: HandoffId| all.iter().position(|handoff| handoff.id == id).map_or(0, |at| at + 1);
        let line = |handoff: &Handoff| {
            let fields = handoff.request.task.payload.as_object().into_iter().flat_map(|fields| fields.keys());
            let fields: Vec<&str> = fields.map(String::as_str).collect();
            let parent = handoff.parent_id.map(|id| format!(" below {}", place(id))).unwrap_or_default();
            let path: Vec<&str> = handoff.path.iter().map(AgentId::as_str).collect();
            format!("{:?}{parent} {}: {}", handoff.request.kind, path.join(" > "), fields.join(" "))
        };
        all.iter().map(line).collect()
    }

    /// What the last step gave.
    pub async fn result(&self) -> Value {
        let all = self.engine.get_handoff_history(&self.id).await.unwrap();
        let last = all.iter().rfind(|handoff| handoff.request.kind == Kind::Sequential).unwrap();
        let whole = self.engine.handoff(last.id).await.unwrap();
        whole.result.as_ref().unwrap().result.body.clone()
    }

    /// A file that the run has written.
    pub fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    /// Everything that was said, and by whom.
    pub async fn said(&self) -> Vec<String> {
        let messages = self.engine.messages(&self.id, 1, 100).await.unwrap();
        let by = |message: &handover::core::message::Message| {
            message.said.agent.as_ref().map_or_else(|| "user".to_owned(), ToString::to_string)
        };
        messages.iter().map(|message| format!("{}: {}", by(message), message.said.content)).collect()
    }
}

/// Whether these runs have let every rule of the workflow count.
pub async fn all_fired(runs: &[Run]) {
    let mut fired = BTreeSet::new();
    for run in runs {
        fired.append(&mut run.fired().await);
    }
    assert_eq!(fired, runs[0].rules);
}
