//! Files that are not YAML, or more of it than is read.

use super::refused;
use expect_test::expect;
use handover::settings;

#[test]
fn an_empty_file() {
    refused(
        "",
        &expect![[r#"
        error[HO0102]: the file is empty
         --> handover.yaml:1:1
          = hint: begin with `agents:`
    "#]],
    );
    let empty = settings::parse("x", "").unwrap_err();
    for text in ["\n\n", "# only a comment\n", "---\n", "~\n", "\u{feff}"] {
        assert_eq!(settings::parse("x", text).unwrap_err(), empty, "{text:?}");
    }
}

#[test]
fn a_tab_for_indentation() {
    refused(
        "agents:\n\t- id: a\n",
        &expect![[r#"
            error[HO0112]: a tab indents this line
             --> handover.yaml:2:1
              |
            2 |  - id: a
              | ^
              = hint: indent with spaces; a tab is not allowed there
        "#]],
    );
    refused(
        "agents:\n  - id: a\n\t  name: x\n",
        &expect![[r#"
            error[HO0112]: a tab indents this line
             --> handover.yaml:3:1
              |
            3 |    name: x
              | ^
              = hint: indent with spaces; a tab is not allowed there
        "#]],
    );
}

#[test]
fn a_field_out_of_line() {
    refused(
        "agents:\n  - id: a\n    name\n    kind: human\n",
        &expect![[r#"
        error[HO0112]: expected `:` after a name
         --> handover.yaml:3:5
          |
        3 |     name
          |     ^
          = hint: fields of one object begin in the same column; a field is `name: value`, an entry `- value`
    "#]],
    );
    refused(
        "agents:\n  - id: a\n     name: x\n",
        &expect![[r#"
            error[HO0112]: a colon is not expected here
             --> handover.yaml:3:10
              |
            3 |      name: x
              |          ^
              = hint: indent the line like its neighbours; put quotes around a text with a colon in it
        "#]],
    );
    refused(
        "agents:\n  - id: a\n   name: x\n",
        &expect![[r#"
            error[HO0112]: the line does not fit those above it
             --> handover.yaml:3:4
              |
            3 |    name: x
              |    ^
              = hint: fields of one object begin in the same column; a field is `name: value`, an entry `- value`
        "#]],
    );
}

#[test]
fn something_that_is_not_closed() {
    refused(
        "agents:\n  - {id: a, tags: [x\n",
        &expect![[r#"
            error[HO0112]: the bracket `[` is not closed
             --> handover.yaml:2:19
              |
            2 |   - {id: a, tags: [x
              |                   ^
              = hint: look for a bracket that is not closed, or a comma that is missing
        "#]],
    );
    refused(
        "agents:\n  - id: 'a\n  - id: b\n",
        &expect![[r#"
        error[HO0112]: the quotes are not closed
         --> handover.yaml:2:9
          |
        2 |   - id: 'a
          |         ^
          = hint: close them where the text ends
    "#]],
    );
    refused(
        "agents:\n  - id: \"a\n",
        &expect![[r#"
            error[HO0112]: the quotes are not closed
             --> handover.yaml:2:9
              |
            2 |   - id: "a
              |         ^
              = hint: close them where the text ends
        "#]],
    );
    refused(
        "agents:\n  - {id: a]\n",
        &expect![[r#"
            error[HO0112]: the bracket `{` is closed by `]`
             --> handover.yaml:2:5
              |
            2 |   - {id: a]
              |     ^
              = hint: look for a bracket that is not closed, or a comma that is missing
        "#]],
    );
}

#[test]
fn a_text_that_needs_quotes() {
    refused(
        "agents:\n  - id: a\n    description: one: two\n",
        &expect![[r#"
            error[HO0112]: a colon is not expected here
             --> handover.yaml:3:21
              |
            3 |     description: one: two
              |                     ^
              = hint: indent the line like its neighbours; put quotes around a text with a colon in it
        "#]],
    );
    refused(
        "agents:\n  - id: a\n    description: @here\n",
        &expect![[r#"
            error[HO0112]: a text cannot begin with `@`
             --> handover.yaml:3:18
              |
            3 |     description: @here
              |                  ^
              = hint: put quotes around it
        "#]],
    );
    refused(
        "agents:\n  - id: a\n    description: *all\n",
        &expect![[r#"
            error[HO0112]: the alias stands for nothing
             --> handover.yaml:3:18
              |
            3 |     description: *all
              |                  ^
              = hint: mark a value before it with `&name`, or put quotes around a text that begins with `*`
        "#]],
    );
}

#[test]
fn a_field_given_twice() {
    refused(
        "agents: []\nagents: []\n",
        &expect![[r#"
        error[HO0112]: `agents` is given twice; the first is in line 1
         --> handover.yaml:2:1 in agents
          |
        2 | agents: []
          | ^^^^^^
          = hint: give it once
    "#]],
    );
    refused(
        "agents:\n  - {id: a, capabilities: [{id: x, id: y}]}\n",
        &expect![[r#"
        error[HO0112]: `id` is given twice; the first is in line 2
         --> handover.yaml:2:36 in agents[0].capabilities[0].id
          |
        2 |   - {id: a, capabilities: [{id: x, id: y}]}
          |                                    ^^
          = hint: give it once
    "#]],
    );
}

#[test]
fn a_second_document() {
    refused(
        "agents: []\n---\nagents: []\n",
        &expect![[r#"
        error[HO0112]: a second document begins here
         --> handover.yaml:2:1
          |
        2 | ---
          | ^^^
          = hint: put everything into one document, without `---`
    "#]],
    );
}

#[test]
fn tags_lists_as_names_and_merging() {
    refused(
        "agents:\n  - &a {id: a, max_concurrent_tasks: !!int 3}\n  - {<<: *a, id: b}\n  - {id: c, [x]: y}\n",
        &expect![[r#"
            error[HO0104]: the tag `!!int` is not read
             --> handover.yaml:2:38
              |
            2 |   - &a {id: a, max_concurrent_tasks: !!int 3}
              |                                      ^^^^^
              = hint: leave it out; a text may stand in quotes

            error[HO0105]: there is no field `<<`
             --> handover.yaml:3:6 in agents[1].<<
              |
            3 |   - {<<: *a, id: b}
              |      ^^
              = hint: merging is not read; use an alias for a whole value, or give the fields here

            error[HO0104]: expected a name before the colon, found a list or an object
             --> handover.yaml:4:13 in agents[2]
              |
            4 |   - {id: c, [x]: y}
              |             ^
              = hint: put quotes around a text that begins with a bracket
        "#]],
    );
}

#[test]
fn an_alias_inside_of_what_it_stands_for() {
    refused(
        "agents: &all\n  - {id: a, tags: *all}\n",
        &expect![[r#"
        error[HO0112]: an alias stands inside of what it stands for
         --> handover.yaml:2:19
          |
        2 |   - {id: a, tags: *all}
          |                   ^^^^
          = hint: write out what is meant
    "#]],
    );
}

#[test]
fn bytes_that_are_not_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("handover.yaml");
    std::fs::write(&file, b"agents:\n  - id: caf\xe9\n").unwrap();
    let error = settings::read(&file).unwrap_err();
    let shown = error.to_string().replace(&error.file, "handover.yaml");
    expect![[r#"
        error[HO0108]: the byte 0xe9 is not UTF-8
         --> handover.yaml:2:12
          |
        2 |   - id: caf�
          |            ^
          = hint: save the file as UTF-8
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_file_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let error = settings::read(folder.path().join("nowhere.yaml")).unwrap_err();
    assert!(error.to_string().starts_with("error[HO0112]: there is no such file\n --> "), "{error}");
}

#[test]
fn a_mark_of_byte_order_and_line_ends_of_another_system_are_no_mistakes() {
    let settings = settings::parse("x", "\u{feff}agents:\r\n  - id: a\r\n    tags: [x]\r\n").unwrap();
    assert_eq!(settings.agents[0].tags, ["x"]);
}

#[test]
fn a_line_is_counted_the_same_whatever_ends_it() {
    let text = "agents:\n  - id: a\n    kind: robot\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        let error = settings::parse("x", &text).unwrap_err();
        let mistake = &error.mistakes[0];
        assert_eq!((mistake.line, mistake.column, mistake.source.trim_end()), (3, 11, "    kind: robot"), "{text:?}");
    }
}
