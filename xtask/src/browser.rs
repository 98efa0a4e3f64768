//! A browser for the tests of the dashboard and for its pictures: Chromium with its driver, a font, and axe.

use crate::{
    node::{modules, starts},
    run::{cargo, root, show},
    sdk::install,
    tidy::pictures as kept,
    tree,
};
use std::{fs, path::PathBuf, process::Command};

/// Where the tests lie, with the version of axe that they are made for.
const FOLDER: &str = "crates/handover/tests/browser";
/// What has to be installed where a browser is missing.
const PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-dejavu-core"];
/// Any of these shows pages.
const BROWSERS: [&str; 3] = ["chromium", "google-chrome", "chromium-browser"];
/// Drives it.
const DRIVER: &str = "chromedriver";
/// Says to the tests where axe is.
const AXE: &str = "HANDOVER_AXE";
/// Says to them where pictures are kept.
const PICTURES: &str = "HANDOVER_PICTURES";

/// Makes sure of a browser and of axe, and says to a command where they are.
pub fn ready(command: &mut Command) -> Result<(), String> {
    if !is_there() {
        install(&PACKAGES, "a browser for the tests of the dashboard is missing")?;
        if !is_there() {
            return Err(format!("{} are installed, and cannot be started", PACKAGES.join(", ")));
        }
    }
    command.env(AXE, axe()?);
    Ok(())
}

fn is_there() -> bool {
    starts(DRIVER) && BROWSERS.iter().any(|name| starts(name))
}

fn axe() -> Result<PathBuf, String> {
    let file = modules(FOLDER, "browser-node")?.join("axe-core/axe.min.js");
    if file.is_file() { Ok(file) } else { Err(format!("{} is missing", file.display())) }
}

/// `cargo xtask pictures`: takes the pictures of every page anew, with real data.
pub fn pictures() -> Result<(), String> {
    let mut command =
        cargo(&["test", "--package", "handover", "--test", "browser", "--locked", "--", "--exact", "pictures::taken"]);
    ready(&mut command)?;
    show(command.arg("--nocapture").env(PICTURES, root().join(kept::FOLDER)))?;
    // What they were taken of: tidy notices when a page changes and its picture does not.
    let digest = kept::digest(&tree::files(&root())?);
    fs::write(root().join(kept::TAKEN), digest + "\n").map_err(|e| format!("{}: {e}", kept::TAKEN))
}
