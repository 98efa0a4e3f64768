//! Whether everybody can use a page, as axe finds it.

use crate::browser::Browser;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// Names the file of axe; the test command sets it.
const FILE: &str = "HANDOVER_AXE";
/// Runs the rules of WCAG 2.2 AA and the good habits beside them; or those that are named.
const RUN: &str = "\
const [only, done] = arguments, rules = only.length ? {runOnly: {type: 'rule', values: only}} : {};
axe.run(document, {resultTypes: ['violations'], ...rules}).then(found => done(found.violations), why => done(String(why)));";
/// Whether it is there already.
const THERE: &str = "return !!window.axe";

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    All,
    /// What may differ where nothing but the colours does.
    Colours,
}

impl Rules {
    /// Their names, where not all are meant.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &[],
            Self::Colours => &["color-contrast", "link-in-text-block"],
        }
    }
}

/// The script, or a word about where it comes from.
fn script() -> &'static str {
    static SCRIPT: OnceLock<String> = OnceLock::new();
    SCRIPT.get_or_init(|| {
        let file = std::env::var(FILE).unwrap_or_else(|_| {
            panic!("{FILE} does not say where axe is: run `cargo xtask test`, which installs it and says so")
        });
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{FILE} is {file}: {error}"))
    })
}

impl Browser {
    /// Nothing on this page keeps anybody out.
    pub async fn everybody_can_use(&self, page: &str) {
        let told = self.barriers(Rules::All).await;
        assert!(told.is_empty(), "{page} ({}):\n{}", self.url().await, told.join("\n"));
    }

    /// What on this page keeps somebody out.
    pub async fn barriers(&self, rules: Rules) -> Vec<String> {
        if self.run(THERE, vec![]).await != json!(true) {
            self.run(script(), vec![]).await;
        }
        let found = self.run_async(RUN, vec![json!(rules.names())]).await;
        let Value::Array(found) = &found else { panic!("axe: {found}") };
        found.iter().map(told).collect()
    }
}

/// A rule that is broken, and where.
fn told(violation: &Value) -> String {
    let mut text = format!("  {}: {}", shown(&violation["id"]), shown(&violation["help"]));
    for node in violation["nodes"].as_array().into_iter().flatten() {
        let summary = shown(&node["failureSummary"]).replace('\n', "\n        ");
        text += &format!("\n      at {}\n        {}\n        {summary}", node["target"], shown(&node["html"]));
    }
    text
}

fn shown(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
