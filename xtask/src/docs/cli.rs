//! The page of the command line, made from its definition.

use super::{MARK, Page};
use clap::{Arg, Command};
use handover::cli::{self, GROUPS, exit};

pub fn page() -> Page {
    let mut command = cli::command();
    command.build();
    Page { path: "docs/reference/cli.md".to_owned(), text: text(&command) }
}

fn text(command: &Command) -> String {
    let mut text = format!(
        "{MARK}\n\n# The command line\n\n\
         Data goes to stdout, all else to stderr. A table fits the terminal, or `COLUMNS`; without a terminal nothing is \
         cut, and times\nare written in full. Ids may be given by their beginning, where no other begins so.\n\n\
         The database is opened where it is free, and reading takes up no work. Where another process holds it and answers \
         (`handover keep`,\nor any program that calls `handover::cli::desk::serve`), that process carries the command out, \
         over a socket beside the file that\nits owner alone can reach. Timers run in a process that stays: a single command \
         lets nothing expire.\n\nA file of settings (`--config`, or `handover.yaml` of the folder) is applied by every command \
         that changes something: its agents are\nregistered and its policy decides. Who only looks registers nobody.\n"
    );
    text += "\n## For every command\n";
    text += &options(command.get_arguments().filter(|arg| arg.is_global_set()));
    text += "\nWith `--json` a command writes one JSON document; `run`, `demo`, `watch` and `audit` write one for each line \
             ([their fields](../guides/command-line.md)). An error \
             is a JSON line on stderr:\n`{\"error\": {\"code\", \"message\", \"hint\", \"refusals\", \"exit\"}}`; what is \
             not the engine's has no `code` and no `refusals`.\n";
    text += "\n## Exit codes\n\n| code | means |\n|---|---|\n";
    for (code, meaning) in exit::CODES {
        text += &format!("| {code} | {meaning} |\n");
    }
    for (title, names) in GROUPS {
        text += &format!("\n## {title}\n");
        let found = names.iter().filter(|name| **name != "help").filter_map(|name| command.find_subcommand(name));
        found.for_each(|command| text += &one(command, "handover"));
    }
    text
}

/// A command, and those below it.
fn one(command: &Command, above: &str) -> String {
    let name = format!("{above} {}", command.get_name());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("\n### {name}\n\n{about}.\n\n```\n{usage}\n```\n");
    let own = |arg: &&Arg| !arg.is_global_set() && !arg.is_hide_set() && arg.get_id() != "help";
    text += &options(command.get_arguments().filter(own));
    if let Some(after) = command.get_after_help() {
        text += &format!("\n```\n{after}\n```\n");
    }
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    below.for_each(|below| text += &one(below, &name));
    text
}

fn options<'a>(args: impl Iterator<Item = &'a Arg>) -> String {
    let rows: Vec<String> = args.map(row).collect();
    if rows.is_empty() { String::new() } else { format!("\n| option | means |\n|---|---|\n{}", rows.concat()) }
}

fn row(arg: &Arg) -> String {
    let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let value = value.map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let name = match (arg.get_long(), value) {
        (Some(long), Some(value)) => format!("--{long} {value}"),
        (Some(long), None) => format!("--{long}"),
        (None, value) => value.unwrap_or_default(),
    };
    let mut means = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let words: Vec<String> = arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if arg.get_action().takes_values() && !words.is_empty() {
        means += &format!("; one of {}", words.join(", "));
    }
    if let Some(default) = arg.get_default_values().first().filter(|_| arg.get_action().takes_values()) {
        means += &format!("; `{}` when left out", default.to_string_lossy());
    }
    if let Some(variable) = arg.get_env() {
        means += &format!("; also as `{}`", variable.to_string_lossy());
    }
    format!("| `{}` | {} |\n", name.replace('|', "\\|"), means.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_on_the_page() {
        let command = cli::command();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let page = page().text;
        for name in command.get_subcommands().map(Command::get_name) {
            assert_eq!(listed.iter().filter(|listed| **listed == name).count(), 1, "{name}");
            assert!(page.contains(&format!("### handover {name}\n")), "{name}");
        }
        assert_eq!(listed.len(), command.get_subcommands().count() + 1, "and the help itself");
    }

    #[test]
    fn an_option_is_told_with_its_words_and_its_default() {
        let page = page().text;
        assert!(
            page.contains(
                "| `--db FILE` | The database file, handover.db when nothing is said; also as `HANDOVER_DB` |"
            )
        );
        assert!(page.contains("one of `urgent`, `high`, `normal`, `low` |"));
        assert!(page.contains("| `--payload JSON\\|@FILE` | Data that goes with it |"));
    }
}
