//! What cannot be talked to, and what is said about it.

use crate::place::{Place, told};
use expect_test::expect;

fn with(settings: &str) -> Place {
    Place::of(settings, "- {say: Hello.}")
}

/// What is shown of teams that cannot work.
fn shown(settings: &[&str], more: &[&str]) -> String {
    let mut text = String::new();
    for settings in settings {
        let place = with(settings);
        let args: Vec<&str> = ["chat", "team", "--say", "Hello"].iter().chain(more).copied().collect();
        text += &format!("{}\n{}\n", settings.trim(), place.masked(&told(&place.run(&args))));
    }
    text
}

#[test]
fn teams_that_cannot_work() {
    let agent = "agents: [{id: anna, kind: llm, model: m}]";
    expect![[r#"
        agents: [{id: anna, kind: llm, model: m}]
        ! handover: HO0206 provider: there is no key: set the environment variable OPENAI_API_KEY
        !   hint: Correct the field that the message names.
        !   more: handover explain HO0206
        = 1

        providers: {main: {api: openai}}
        agents: [{id: anna, kind: llm, model: m}]
        ! handover: HO0206 provider: there is no key: set the environment variable OPENAI_API_KEY
        !   hint: Correct the field that the message names.
        !   more: handover explain HO0206
        = 1

        agents: [{id: anna, kind: llm, model: m, provider: anthropic}]
        ! handover: HO0206 provider: there is no key: set the environment variable ANTHROPIC_API_KEY
        !   hint: Correct the field that the message names.
        !   more: handover explain HO0206
        = 1

        providers: {main: {api: openai, key_env: MY_KEY}}
        agents: [{id: anna, kind: llm, model: m}]
        ! handover: HO0206 provider: there is no key: set the environment variable MY_KEY
        !   hint: Correct the field that the message names.
        !   more: handover explain HO0206
        = 1

        providers: {main: {api: openai, script: script.yaml}}
        agents: [{id: anna, kind: llm, model: m, provider: mian}]
        ! error[HO0206]: there is no provider `mian`
        !  --> team/handover.yaml:2:52 in agents[0].provider
        !   |
        ! 2 | agents: [{id: anna, kind: llm, model: m, provider: mian}]
        !   |                                                    ^^^^
        !   = hint: did you mean `main`?
        ! 
        ! team/handover.yaml: 1 mistake
        = 1

        providers: {main: {api: opnai, script: script.yaml}}
        agents: [{id: anna, kind: llm, model: m}]
        ! error[HO0103]: `opnai` is not one of openai, anthropic
        !  --> team/handover.yaml:1:25 in providers.main.api
        !   |
        ! 1 | providers: {main: {api: opnai, script: script.yaml}}
        !   |                         ^^^^^
        !   = hint: did you mean `openai`?
        ! 
        ! team/handover.yaml: 1 mistake
        = 1

        providers: {main: {api: openai, script: nowhere.yaml}}
        agents: [{id: anna, kind: llm, model: m}]
        ! error[HO0206]: team/nowhere.yaml:1:1: the script cannot be read: No such file or directory (os error 2); give the path of a file that is there and is text
        !  --> team/handover.yaml:1:41 in providers.main.script
        !   |
        ! 1 | providers: {main: {api: openai, script: nowhere.yaml}}
        !   |                                         ^^^^^^^^^^^^
        !   = hint: the path is from the folder of this file
        ! 
        ! team/handover.yaml: 1 mistake
        = 1

        agents: [{id: anna, kind: human}]
        ! handover: HO0208 team/handover.yaml has nobody who could answer
        !   hint: add an agent with `kind: llm`
        !   more: handover explain HO0208
        = 1

        agents: []
        ! handover: HO0208 team/handover.yaml has nobody who could answer
        !   hint: add an agent with `kind: llm`
        !   more: handover explain HO0208
        = 1

    "#]].assert_eq(&shown(
        &[
            // No key for the official one, by name or because nothing is said.
            agent,
            &format!("providers: {{main: {{api: openai}}}}\n{agent}"),
            "agents: [{id: anna, kind: llm, model: m, provider: anthropic}]",
            &format!("providers: {{main: {{api: openai, key_env: MY_KEY}}}}\n{agent}"),
            // A provider that there is not.
            "providers: {main: {api: openai, script: script.yaml}}\nagents: [{id: anna, kind: llm, model: m, provider: mian}]",
            "providers: {main: {api: opnai, script: script.yaml}}\nagents: [{id: anna, kind: llm, model: m}]",
            "providers: {main: {api: openai, script: nowhere.yaml}}\nagents: [{id: anna, kind: llm, model: m}]",
            // Nobody who could answer.
            "agents: [{id: anna, kind: human}]",
            "agents: []",
        ],
        &[],
    ));
}

#[test]
fn nobody_to_talk_to() {
    let place =
        with("providers: {main: {api: openai, script: script.yaml}}\nagents: [{id: anna, kind: llm, model: m}]");
    place.says(
        &["chat", "nowhere", "--say", "Hello"],
        &expect![[r#"
        ! handover: there is no team in nowhere
        !   hint: name a folder with a handover.yaml, such as workflows/specialists/llm
        = 1
    "#]],
    );
    place.says(
        &["chat", "--say", "Hello"],
        &expect![[r#"
        ! handover: there is no team in ./handover.yaml
        !   hint: name a folder with a handover.yaml, such as workflows/specialists/llm
        = 1
    "#]],
    );
    place.says(
        &["chat", "team", "--to", "ana", "--say", "Hello"],
        &expect![[r#"
        ! handover: HO0208 "ana" is not in team/handover.yaml
        !   hint: did you mean `anna`?
        !   more: handover explain HO0208
        = 1
    "#]],
    );
    place.says(
        &["chat", "team", "--session", "a b/c", "--say", "Hello"],
        &expect![[r#"
        ! handover: HO0108 not a name: it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
        !   hint: Remove the character that the message shows.
        !   more: handover explain HO0108
        = 1
    "#]],
    );
    place.says(&["chat", "nowhere", "--json", "--say", "Hello"], &expect![[r#"
        ! {"error":{"exit":1,"hint":"name a folder with a handover.yaml, such as workflows/specialists/llm","message":"there is no team in nowhere"}}
        = 1
    "#]]);
    place.says(
        &["chat", "team", "--say", "Hello"],
        &expect![[r#"
        anna › Hello.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    // Somebody else's conversation.
    place.says(
        &["chat", "team", "--as", "eve", "--say", "Hello"],
        &expect![[r#"
        ! handover: HO0511 session: the session chat serves somebody else than eve
        !   hint: choose another session, or talk as the one whom it serves
        !   more: handover explain HO0511
        = 1
    "#]],
    );
}
