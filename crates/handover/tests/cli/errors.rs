//! What goes wrong: what is said, how it can be mended, and the exit code.

use crate::Place;
use expect_test::expect;

#[test]
fn a_refusal_says_how_to_mend_it() {
    let place = Place::with_team();
    place.says(
        "hand-off --session trip --to ana --task Read
         hand-off --session tirp --to anna --task Read
         hand-off --session trip --to anna --task Read --payload '{a'
         hand-off --session trip --to anna --task Read --payload @none.json
         hand-off --session trip --to anna --task Read --timeout soon
         agents show ana
         agents register none.yaml
         agents register --name x --can search=much
         agents register --name 'a b'
         handoffs show 12
         handoffs show ffffff
         handoffs --since soon
         run nothere
         check nothere
         take ffffff --as anna --for ever
         approve 00000000-0000-4000-8000-000000000000 --digest x
         explain HO0000",
        &expect![[r#"
            $ handover hand-off --session trip --to ana --task Read
            ! handover: HO0202 desk->ana: to_agent: "ana" is not registered
            !   hint: did you mean "anna"?
            !   more: handover explain HO0202
            = 1
            $ handover hand-off --session tirp --to anna --task Read
            ! handover: HO0301 there is no session tirp
            !   hint: did you mean `trip`?
            !   more: handover explain HO0301
            = 1
            $ handover hand-off --session trip --to anna --task Read --payload '{a'
            ! handover: HO0111 payload: key must be a string at line 1 column 2
            !   hint: give JSON such as '{"seats": 4}' or '"done"', or a file as @FILE
            !   more: handover explain HO0111
            = 1
            $ handover hand-off --session trip --to anna --task Read --payload @none.json
            ! handover: none.json cannot be read: No such file or directory (os error 2)
            !   hint: check the path and its permissions
            = 1
            $ handover hand-off --session trip --to anna --task Read --timeout soon
            ! handover: HO0104 desk->anna: return_protocol.timeout: expected a length of time, found "soon"
            !   hint: write it as "30s", "5m", "PT30S" or a number of seconds
            !   more: handover explain HO0104
            = 1
            $ handover agents show ana
            ! handover: HO0208 "ana" is not registered
            !   hint: did you mean "anna"?
            !   more: handover explain HO0208
            = 1
            $ handover agents register none.yaml
            ! handover: none.yaml cannot be read: No such file or directory (os error 2)
            !   hint: check the path and its permissions
            = 1
            $ handover agents register --name x --can search=much
            ! handover: `much` is no number
            !   hint: say how well it can do this from 0 to 1, as in search=0.8
            = 1
            $ handover agents register --name 'a b'
            ! handover: HO0108 id: "a b": it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
            !   hint: Remove the character that the message shows.
            !   more: handover explain HO0108
            = 1
            $ handover handoffs show 12
            ! handover: HO0501 `12` is no id of a handoff
            !   hint: give at least its first 4 characters (PREFIX_CHARS_MIN)
            !   more: handover explain HO0501
            = 1
            $ handover handoffs show ffffff
            ! handover: HO0501 no handoff begins with ffffff
            !   hint: `handover handoffs` lists them
            !   more: handover explain HO0501
            = 1
            $ handover handoffs --since soon
            ! handover: HO0104 `soon` is no time
            !   hint: write it as 10m (ago), 2026-03-01 or 2026-03-01T08:00:00Z
            !   more: handover explain HO0104
            = 1
            $ handover run nothere
            ! error[HO0112]: there is no such file
            !  --> nothere
            !   = hint: check the path
            = 1
            $ handover check nothere
            ! error[HO0112]: there is no such file
            !  --> nothere
            !   = hint: check the path
            = 1
            $ handover take ffffff --as anna --for ever
            ! handover: HO0501 no handoff begins with ffffff
            !   hint: `handover handoffs` lists them
            !   more: handover explain HO0501
            = 1
            $ handover approve UUID --digest x
            ! handover: HO0108 digest: `x` is no digest
            !   hint: `handover approvals --json` shows it
            !   more: handover explain HO0108
            = 1
            $ handover explain HO0000
            ! handover: there is no code HO0000; codes go from HO0101 to HO1108
            !   hint: `handover explain` lists all of them
            = 1
        "#]],
    );
}

#[test]
fn a_command_line_that_cannot_be_ends_with_3() {
    let place = Place::new();
    place.says(
        "handofs
         take x
         agents register
         watch --count 0
         --color pink stats
         handoffs --status gone",
        &expect![[r#"
            $ handover handofs
            ! error: unrecognized subcommand 'handofs'
            ! 
            !   tip: some similar subcommands exist: 'hand-off', 'handoffs'
            ! 
            ! Usage: handover [OPTIONS] <COMMAND>
            ! 
            ! For more information, try '--help'.
            = 3
            $ handover take x
            ! error: the following required arguments were not provided:
            !   --as <AGENT>
            ! 
            ! Usage: handover take --as <AGENT> <ID|--next>
            ! 
            ! For more information, try '--help'.
            = 3
            $ handover agents register
            ! error: the following required arguments were not provided:
            !   <FILE|--name <AGENT>>
            ! 
            ! Usage: handover agents register <FILE|--name <AGENT>> [-- <WORD>...]
            ! 
            ! For more information, try '--help'.
            = 3
            $ handover watch --count 0
            ! error: invalid value '0' for '--count <N>': 0 is not in 1..18446744073709551615
            ! 
            ! For more information, try '--help'.
            = 3
            $ handover --color pink stats
            ! error: invalid value 'pink' for '--color <WHEN>'
            !   [possible values: auto, always, never]
            ! 
            ! For more information, try '--help'.
            = 3
            $ handover handoffs --status gone
            ! error: invalid value 'gone' for '--status <STATUS>'
            !   [possible values: awaiting_approval, offered, deferred, running, completed, failed, timed_out, escalated, cancelled]
            ! 
            ! For more information, try '--help'.
            = 3
        "#]],
    );
}

#[test]
fn programs_get_errors_as_json() {
    let place = Place::with_team();
    place.says(
        "agents show ana --json
         --json handofs
         --db none.db stats --json
         --json explain HO0000
         handoffs --json show ffff",
        &expect![[r#"
            $ handover agents show ana --json
            ! {"error":{"code":"HO0208","exit":1,"hint":"did you mean \"anna\"?","message":"\"ana\" is not registered","refusals":[{"code":"HO0208","hint":"did you mean \"anna\"?","message":"\"ana\" is not registered"}]}}
            = 1
            $ handover --json handofs
            ! {"error":{"exit":3,"hint":"handover help","message":"unrecognized subcommand 'handofs'"}}
            = 3
            $ handover --db none.db stats --json
            ! {"error":{"exit":1,"hint":"begin with `handover agents register --name NAME` or `handover demo`, or name a file with --db FILE","message":"there is no database none.db"}}
            = 1
            $ handover --json explain HO0000
            ! {"error":{"exit":1,"hint":"`handover explain` lists all of them","message":"there is no code HO0000; codes go from HO0101 to HO1108"}}
            = 1
            $ handover handoffs --json show ffff
            ! {"error":{"code":"HO0501","exit":1,"hint":"`handover handoffs` lists them","message":"no handoff begins with ffff","refusals":[{"code":"HO0501","hint":"`handover handoffs` lists them","message":"no handoff begins with ffff"}]}}
            = 1
        "#]],
    );
}

#[test]
fn a_damaged_database_is_our_trouble() {
    let place = Place::new();
    std::fs::write(place.path().join("handover.db"), "this is no database, but a longer text than its header is")
        .unwrap();
    let output = place.output("stats");
    assert_eq!(output.status.code(), Some(2), "{}", crate::told(&output));
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let place = Place::with_team();
    for line in ["explain", "agents", "watch --after 0", "completions bash"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place.command(line).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()), "{line}");
    }
}
