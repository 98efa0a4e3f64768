//! A folder of its own with a team, commands that are typed in it, and what is kept of a conversation.

use expect_test::Expect;
use handover::{
    core::message::Role,
    prelude::{AgentId, Engine, SessionId},
};
use regex::Regex;
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// Settings of the environment that would name a provider, or change what is shown.
const VARIABLES: [&str; 8] = [
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_KEY",
    "HANDOVER_DB",
    "COLUMNS",
    "NO_COLOR",
    "CLICOLOR_FORCE",
];

pub struct Place {
    folder: TempDir,
}

impl Place {
    /// A folder with a team that ships: `specialists` or `research`, each with its folder `llm`.
    pub fn with(team: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows").join(team);
        copy(&from, &place.path().join(team));
        place
    }

    /// A folder with the team `team`, of these settings and this script.
    pub fn of(settings: &str, script: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.path().join("team")).unwrap();
        place.write("team/handover.yaml", settings);
        place.write("team/script.yaml", script);
        place
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// Changes a text in a file of the team. It must be there.
    pub fn change(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path().join(name)).unwrap();
        assert!(text.contains(from), "{name} has no {from}");
        self.write(name, &text.replace(from, to));
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handover"));
        command.args(args).current_dir(self.path()).stdin(Stdio::null()).env("USER", "carol");
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Compares everything that a command shows.
    pub fn says(&self, args: &[&str], expect: &Expect) {
        expect.assert_eq(&self.masked(&told(&self.run(args))));
    }

    /// Without what is another each time.
    pub fn masked(&self, text: &str) -> String {
        let mut text = text.replace(self.path().canonicalize().unwrap().to_str().unwrap(), "FOLDER");
        for (pattern, stands) in [
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
            (r"\b[0-9a-f]{8}\b", "aaaaaaaa"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME"),
            (r" +\+?\d+(\.\d)? (ms|s)\b", " TOOK"),
            (r#""duration_ms":\d+"#, r#""duration_ms":0"#),
            (r"\b(call_)?[0-9a-f]{6}_(\d+)", "CALL_$2"),
            (r"127\.0\.0\.1:\d+", "ADDRESS"),
        ] {
            text = Regex::new(pattern).unwrap().replace_all(&text, stands).into_owned();
        }
        text
    }

    fn database(&self) -> PathBuf {
        self.path().join("handover.db")
    }

    /// Whether no answer waits for the user.
    pub fn is_heard(&self) -> bool {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let engine = Engine::open(self.database()).await.unwrap();
            let waiting = engine.waiting_returns(&AgentId::new("user").unwrap(), 1).await.unwrap();
            engine.close().await.unwrap();
            waiting.is_empty()
        })
    }

    /// The conversation as it is kept, a line for each message.
    pub fn transcript(&self, session: &str) -> String {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let engine = Engine::open(self.database()).await.unwrap();
            let messages = engine.messages(&SessionId::new(session).unwrap(), 1, 500).await.unwrap();
            engine.close().await.unwrap();
            let mut text = String::new();
            for message in messages {
                let said = &message.said;
                let who = match (&said.agent, said.role) {
                    (Some(agent), Role::Tool) => format!("{agent} ⟵ {}", said.tool_name.clone().unwrap_or_default()),
                    (Some(agent), _) => agent.to_string(),
                    (None, _) => "user".to_owned(),
                };
                let aside = if said.aside { "  " } else { "" };
                let calls: Vec<String> =
                    said.tool_calls.iter().map(|call| format!(" [{} {}]", call.name, call.arguments)).collect();
                writeln!(text, "{aside}{who}: {}{}", shortened(&said.content), calls.concat()).unwrap();
            }
            self.masked(&text)
        })
    }
}

/// The first line of a text, and how many more there are.
fn shortened(text: &str) -> String {
    let more = text.trim_end().lines().count().saturating_sub(1);
    let first = text.lines().next().unwrap_or_default();
    if more == 0 { first.to_owned() } else { format!("{first} (+{more})") }
}

/// Stdout, then stderr with a mark before each line, then the exit code where it is not 0.
pub fn told(output: &Output) -> String {
    let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        shown += &format!("! {line}\n");
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => shown += &format!("= {code}\n"),
        None => shown += "= killed\n",
    }
    shown
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        // What somebody has deployed or written in the folder is no part of the team.
        if entry.file_name() == "deployed" || entry.file_name() == "written" {
            continue;
        }
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
