//! Crates keep their walls: who may depend on whom, read from the manifests.

use super::Problem;
use crate::tree::File;

/// Each crate of the house and those of ours that it may use. A new crate needs a line here.
const WALLS: [(&str, &[&str]); 14] = [
    ("core", &[]),
    // The stand is only for tests: it knows nothing of the house, so that each room may try itself on it.
    ("stand", &[]),
    ("store", &["handover-core", "handover-stand"]),
    ("engine", &["handover-core", "handover-store", "handover-stand"]),
    ("agents", &["handover-core", "handover-engine"]),
    ("server", &["handover-core", "handover-engine", "handover-agents", "handover-telemetry"]),
    ("a2a", &["handover-core", "handover-engine"]),
    ("dashboard", &["handover-core", "handover-engine"]),
    ("teams", &["handover-core", "handover-engine"]),
    ("telemetry", &["handover-core", "handover-engine"]),
    ("mcp", &["handover-core", "handover-engine"]),
    ("bus", &["handover-core", "handover-engine", "handover-stand"]),
    // It is tried against a server in the same process.
    ("client", &["handover-core", "handover-engine", "handover-server"]),
    (
        "handover",
        &[
            "handover-core",
            "handover-store",
            "handover-engine",
            "handover-agents",
            "handover-server",
            "handover-teams",
            "handover-telemetry",
            "handover-mcp",
            "handover-client",
            "handover-a2a",
            "handover-dashboard",
            "handover-bus",
            "handover-stand",
        ],
    ),
];

pub fn check(files: &[File]) -> Vec<Problem> {
    files
        .iter()
        .filter_map(|file| Some((file, folder(&file.path)?)))
        .flat_map(|(file, name)| manifest(file, name))
        .collect()
}

/// The folder of a crate, when this is its manifest.
fn folder(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")
}

fn manifest(file: &File, name: &str) -> Vec<Problem> {
    let Some((_, allowed)) = WALLS.iter().find(|(folder, _)| *folder == name) else {
        return vec![Problem::new(
            &file.path,
            0,
            "this crate has no walls yet: give it a line in xtask/src/tidy/walls.rs",
        )];
    };
    let foreign = ours(&file.text).into_iter().filter(|(_, used)| !allowed.contains(&used.as_str()));
    let say = |used: &str| match allowed {
        [] => format!("{name} depends on none of ours, but names {used}"),
        _ => format!("{name} may depend on {} of ours, but names {used}", allowed.join(", ")),
    };
    foreign.map(|(line, used)| Problem::new(&file.path, line, say(&used))).collect()
}

/// Our own crates that a manifest depends on, in any of its tables of dependencies.
fn ours(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            inside = table.contains("dependencies");
            let own = table.rsplit_once("dependencies.").map(|(_, name)| name.trim_matches('"'));
            found.extend(own.filter(|name| is_ours(name)).map(|name| (at + 1, name.to_owned())));
        } else if inside {
            found.extend(named(line).map(|name| (at + 1, name)));
        }
    }
    found
}

/// The crate of ours that a line of such a table names, by its key or by `package`.
fn named(line: &str) -> Option<String> {
    let key = line.split(['.', '=', ' ']).next().unwrap_or_default().trim_matches('"');
    let package = line.split_once("package").and_then(|(_, rest)| rest.split('"').nth(1));
    [package.unwrap_or_default(), key].into_iter().find(|name| is_ours(name)).map(str::to_owned)
}

fn is_ours(name: &str) -> bool {
    name == "handover" || name.starts_with("handover-")
}

#[cfg(test)]
mod tests {
    use super::{super::testing::said, *};

    #[test]
    fn a_wrong_dependency_is_found_in_every_form() {
        let forms = [
            "[dependencies]\nhandover-store.workspace = true",
            "[dev-dependencies]\nhandover-store = { path = \"../store\" }",
            "[dependencies]\nkeeper = { path = \"../store\", package = \"handover-store\" }",
            "[target.'cfg(unix)'.dependencies]\n\"handover-store\" = \"1\"",
        ];
        for form in forms {
            let expected = "crates/core/Cargo.toml:2: core depends on none of ours, but names handover-store";
            assert_eq!(said(check, &[("crates/core/Cargo.toml", form)]), [expected], "{form}");
        }
        assert_eq!(said(check, &[("crates/core/Cargo.toml", "[dependencies.handover-store]\npath = \"x\"")]).len(), 1);
    }

    #[test]
    fn store_and_engine_use_what_lies_below_them() {
        let core = "[package]\nname = \"handover-store\"\n[dependencies]\nhandover-core.workspace = true\n";
        let engine = "[dependencies]\nhandover-engine.workspace = true";
        assert_eq!(said(check, &[("crates/store/Cargo.toml", core), ("crates/engine/Cargo.toml", core)]), [""; 0]);
        let expected = "crates/store/Cargo.toml:2: store may depend on handover-core, handover-stand of ours, but names handover-engine";
        assert_eq!(said(check, &[("crates/store/Cargo.toml", engine)]), [expected]);
    }

    #[test]
    fn a_crate_without_walls_is_found() {
        assert_eq!(said(check, &[("crates/attic/Cargo.toml", "")]).len(), 1);
    }
}
