//! The help of every command, as it is read in a terminal of 100 columns.

use crate::Place;
use expect_test::expect_file;

/// The names of all commands, with those below them.
fn all(command: &clap::Command, above: &str) -> Vec<String> {
    let mut names = Vec::new();
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let name = format!("{above} {}", below.get_name());
        names.push(name.trim().to_owned());
        names.extend(all(below, &name));
    }
    names
}

#[test]
fn every_command_has_help() {
    let place = Place::new();
    let mut text = String::new();
    let names = all(&handover::cli::command(), "");
    for line in
        ["-h".to_owned(), "--help".to_owned()].into_iter().chain(names.iter().map(|name| format!("help {name}")))
    {
        let output = place.command(&line).env("COLUMNS", "100").output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        // What holds for every command is shown once.
        let shown = if line.starts_with('-') { &shown } else { shown.split("\nEverywhere:").next().unwrap() };
        text += &format!("$ handover {line}\n{shown}\n");
        assert!(output.status.success() && output.stderr.is_empty(), "{line}");
    }
    expect_file!["help.txt"].assert_eq(&text);
}

#[test]
fn without_a_command_the_list_is_shown() {
    let place = Place::new();
    assert_eq!(place.good(""), place.good("-h"));
}

#[test]
fn every_shell_gets_a_script() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.good(&format!("completions {shell}")).contains("give-back"), "{shell}");
    }
}
