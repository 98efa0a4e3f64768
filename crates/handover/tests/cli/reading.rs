//! What people read: lists, stories, counts, the trail.

use crate::Place;
use expect_test::expect;

#[test]
fn a_new_folder_says_what_to_do_and_stays_empty() {
    let place = Place::new();
    place.says(
        "agents\n sessions\n stats\n watch\n verify nothing.db",
        &expect![[r#"
        $ handover agents
        ! handover: there is no database handover.db
        !   hint: begin with `handover agents register --name NAME` or `handover demo`, or name a file with --db FILE
        = 1
        $ handover sessions
        ! handover: there is no database handover.db
        !   hint: begin with `handover agents register --name NAME` or `handover demo`, or name a file with --db FILE
        = 1
        $ handover stats
        ! handover: there is no database handover.db
        !   hint: begin with `handover agents register --name NAME` or `handover demo`, or name a file with --db FILE
        = 1
        $ handover watch
        ! handover: there is no database handover.db
        !   hint: begin with `handover agents register --name NAME` or `handover demo`, or name a file with --db FILE
        = 1
        $ handover verify nothing.db
        ! handover: there is no database nothing.db
        !   hint: begin with `handover agents register --name NAME` or `handover demo`, or name a file with --db FILE
        = 1
    "#]],
    );
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn empty_lists_say_what_to_do() {
    let place = Place::new();
    place.good("agents register --name desk");
    place.says(
        "sessions
         handoffs
         approvals
         inbox desk
         audit
         recommend Look
         stats",
        &expect![[r#"
            $ handover sessions
            ! no sessions yet; open one: handover sessions open SESSION --by AGENT
            $ handover handoffs
            ! no handoffs fit; hand something over: handover hand-off --help
            $ handover approvals
            ! nothing waits for approval
            $ handover inbox desk
            ! nothing waits for desk; see what happens: handover watch --agent desk
            $ handover audit
            ! no records fit
            $ handover recommend Look
            ! handover: there is no session yet
            !   hint: open one: handover sessions open SESSION --by AGENT
            = 1
            $ handover stats
            sessions                  0
            handoffs                  0
            pending                   0
            records                   0
            agents                    1

            ! no handoffs yet; see `handover hand-off --help`, or try `handover demo`
        "#]],
    );
}

#[test]
fn agents_are_listed_shown_and_changed() {
    let place = Place::with_team();
    place.says(
        "agents
         agents show bob
         agents drain bob
         agents undrain bob
         agents register --name bob --can search --at-once 3 --max-risk low --escalates-to anna
         agents show bob
         agents register --name bob --can search --at-once 3 --max-risk low --escalates-to anna
         agents reset bob
         agents remove bob
         agents remove bob",
        &expect![[r#"
            $ handover agents
            AGENT  KIND    STANDING   WORK    CAN
            anna   human   available  0 of 1  review
            bob    worker  available  0 of 1  search 0.7, review 0.4
            desk   worker  available  0 of 1
            $ handover agents show bob
            bob
              kind          worker
              standing      available
              work          0 of 1
              can           search 0.7, review 0.4
              may risk      high
            $ handover agents drain bob
            bob is draining: it gets nothing new
            $ handover agents undrain bob
            bob takes work again
            $ handover agents register --name bob --can search --at-once 3 --max-risk low --escalates-to anna
            bob is changed
            $ handover agents show bob
            bob
              kind          worker
              standing      available
              work          0 of 3
              can           search
              may risk      low
              escalates to  anna
            $ handover agents register --name bob --can search --at-once 3 --max-risk low --escalates-to anna
            1 agent is as it was
            $ handover agents reset bob
            bob has no failures on record any more
            $ handover agents remove bob
            bob is removed
            $ handover agents remove bob
            ! handover: HO0208 "bob" is not registered
            !   hint: Register the agent first, or correct its name.
            !   more: handover explain HO0208
            = 1
        "#]],
    );
}

#[test]
fn the_trail_is_asked_exported_and_checked() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to anna --task Read");
    place.says(
        "audit --event initiated
         audit --limit 1
         audit export out --project p
         verify
         audit verify
         audit prune --dry-run
         audit prune
         sessions
         sessions show trip",
        &expect![[r#"
            $ handover audit --event initiated
            POSITION  WHEN                      SESSION  EVENT      FROM → TO    WHY
                   7  2026-01-01T00:00:00.000Z  trip     initiated  desk → anna  Read
            $ handover audit --limit 1
            POSITION  WHEN                      SESSION  EVENT           FROM → TO  WHY
                   5  2026-01-01T00:00:00.000Z  trip     session opened
            ! there may be more: --after 5, or --limit
            $ handover audit export out --project p
            out/p/handoff-audit/records-000000000005-000000000007.jsonl: 2 records
            ! check it anywhere: handover audit verify out/p/handoff-audit/records-000000000005-000000000007.jsonl
            $ handover verify
            2 sessions, 8 records, 0 messages, 2 checkpoints: all as they were written
            $ handover audit verify
            2 sessions, 8 records, 0 messages, 2 checkpoints: all as they were written
            $ handover audit prune --dry-run
            0 sessions would lose records that were kept long enough
            $ handover audit prune
            0 sessions lost records that were kept long enough
            $ handover sessions
            SESSION  STATE   OWNER  HANDOFFS  LAST                      ASKED FOR
            trip     1 open  desk          1  2026-01-01T00:00:00.000Z  Nice
            $ handover sessions show trip
            trip  1 open
              asked for  Nice
              owner      desk
              opened     2026-01-01T00:00:00.000Z
              last       2026-01-01T00:00:00.000Z
              handoffs   1, 1 open
              messages   0, 0 tokens
            ! its handoffs: handover history trip
        "#]],
    );
    let file = std::fs::read_dir(place.path().join("out/p/handoff-audit")).unwrap().next().unwrap().unwrap().path();
    let shown = file.strip_prefix(place.path()).unwrap().display().to_string();
    place.says(
        &format!("audit verify {shown}"),
        &expect![[r#"
        $ handover audit verify out/p/handoff-audit/records-000000000005-000000000007.jsonl
        2 records, no gaps: all as they were written
    "#]],
    );
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("Read", "Rear")).unwrap();
    place.says(
        &format!("audit verify {shown}"),
        &expect![[r#"
            $ handover audit verify out/p/handoff-audit/records-000000000005-000000000007.jsonl
            ! handover: HO0901 line 2: its record does not match its hash
            !   hint: Compare with a backup or an export. Nothing is repaired by itself.
            !   more: handover explain HO0901
            = 2
        "#]],
    );
}

#[test]
fn who_would_be_good_for_a_task_is_said_with_reasons() {
    let place = Place::with_team();
    place.says(
        "recommend 'review a contract'\n recommend 'review a contract' --session trip --limit 1",
        &expect![[r#"
            $ handover recommend 'review a contract'
            anna  0.90
              its profile fits the task at 0.71, by "review"
              its proficiency in review is 1
              it has no record yet
              0 of 1 places taken
            bob  0.67
              its profile fits the task at 0.56, by "review"
              its proficiency in review is 0.4
              it has no record yet
              0 of 1 places taken
            ! for session trip, whose owner desk is left out; --session names another
            $ handover recommend 'review a contract' --session trip --limit 1
            anna  0.90
              its profile fits the task at 0.71, by "review"
              its proficiency in review is 1
              it has no record yet
              0 of 1 places taken
        "#]],
    );
}

#[test]
fn what_happened_is_watched_from_any_time() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to anna --task Read");
    place.says(
        "watch --since 1h --until-idle
         watch --after 0 --count 1
         watch --since 1h --type agent_handoff --agent anna --until-idle
         watch --since 1h --agent bob --until-idle
         watch --until-idle",
        &expect![[r#"
            $ handover watch --since 1h --until-idle
            2026-01-01T00:00:00.000Z  trip          session opened                                  Nice
            2026-01-01T00:00:00.000Z  trip          handed over       desk → anna                   Read
            $ handover watch --after 0 --count 1
            2026-01-01T00:00:00.000Z  trip          session opened                                  Nice
            $ handover watch --since 1h --type agent_handoff --agent anna --until-idle
            2026-01-01T00:00:00.000Z  trip          handed over       desk → anna                   Read
            $ handover watch --since 1h --agent bob --until-idle
            $ handover watch --until-idle
        "#]],
    );
}

#[test]
fn lists_are_filtered() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to anna --task Read");
    place.good("hand-off --session trip --to bob --task Look --type sequential");
    let count = |line: &str| place.json(&format!("handoffs {line}")).as_array().unwrap().len();
    assert_eq!(count(""), 2);
    assert_eq!(count("--to anna"), 1);
    assert_eq!(count("--from anna"), 0);
    assert_eq!(count("--type sequential"), 1);
    assert_eq!(count("--status offered"), 2);
    assert_eq!(count("--status completed"), 0);
    assert_eq!(count("--session trip --limit 1"), 1);
    assert_eq!(count("list --since 1h"), 2);
    assert_eq!(count("--since 2100-01-01"), 0);
}
