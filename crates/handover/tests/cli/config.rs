//! The file of settings: its agents and its policy hold for the commands of its folder.

use crate::Place;
use expect_test::expect;

const SETTINGS: &str = "\
policy:
  approvals:
    - name: second-look
      when: { to: [bob] }
      approvers: [{ who: anna }]
agents:
  - id: desk
  - id: anna
    kind: human
  - id: bob
    kind: worker
";

#[test]
fn agents_and_policy_come_from_the_file_of_the_folder() {
    let place = Place::new();
    std::fs::write(place.path().join("handover.yaml"), SETTINGS).unwrap();
    place.says(
        "check
         sessions open trip --by desk
         agents
         hand-off --session trip --to bob --task Look
         approvals
         approvals --by bob",
        &expect![[r#"
            $ handover check
            handover.yaml: 3 agents, all good
            $ handover sessions open trip --by desk
            trip is open, owned by desk
            $ handover agents
            AGENT  KIND    STANDING   WORK    CAN
            anna   human   available  0 of 1
            bob    worker  available  0 of 1
            desk   local   available  0 of 1
            $ handover hand-off --session trip --to bob --task Look
            aaaaaaaa  desk → bob  awaiting approval
            ! its story: handover handoffs show aaaaaaaa
            $ handover approvals
            ID        FROM → TO   RULE         ASKED  UNTIL                     TASK
            aaaaaaaa  desk → bob  second-look  anna   2026-01-01T00:00:00.000Z  Look
            ! look: handover handoffs show aaaaaaaa   decide: handover approve aaaaaaaa, or reject aaaaaaaa
            $ handover approvals --by bob
            ! nothing waits for approval
        "#]],
    );
}

#[test]
fn a_file_can_be_named_and_its_mistakes_are_told() {
    let place = Place::new();
    std::fs::write(place.path().join("team.yaml"), SETTINGS).unwrap();
    std::fs::write(place.path().join("bad.yaml"), SETTINGS.replace("id: bob", "id: bob\n    kid: 1")).unwrap();
    place.says(
        "--config team.yaml sessions open trip --by anna
         --config bad.yaml sessions open other --by anna
         --config none.yaml sessions open other --by anna
         check bad.yaml --json
         agents register team.yaml",
        &expect![[r#"
            $ handover --config team.yaml sessions open trip --by anna
            trip is open, owned by anna
            $ handover --config bad.yaml sessions open other --by anna
            ! error[HO0105]: there is no field `kid`
            !   --> bad.yaml:11:5 in agents[2].kid
            !    |
            ! 11 |     kid: 1
            !    |     ^^^
            !    = hint: did you mean `id`?
            ! 
            ! bad.yaml: 1 mistake
            = 1
            $ handover --config none.yaml sessions open other --by anna
            ! error[HO0112]: there is no such file
            !  --> none.yaml
            !   = hint: check the path
            = 1
            $ handover check bad.yaml --json
            ! {"error":{"code":"HO0105","exit":1,"hint":"did you mean `id`?","message":"bad.yaml has 1 mistake","refusals":[{"code":"HO0105","details":{"column":5,"file":"bad.yaml","line":11},"field":"agents[2].kid","hint":"did you mean `id`?","message":"there is no field `kid`, at bad.yaml:11:5"}]}}
            = 1
            $ handover agents register team.yaml
            3 agents are as they were
        "#]],
    );
}

#[test]
fn reading_registers_nobody() {
    let place = Place::with_team();
    std::fs::write(place.path().join("handover.yaml"), SETTINGS.replace("bob", "dora")).unwrap();
    place.good("approvals");
    assert_eq!(place.json("agents").as_array().unwrap().len(), 3);
    place.good("sessions open other --by dora");
    assert_eq!(place.json("agents").as_array().unwrap().len(), 4);
}

#[test]
fn the_database_is_named_by_option_or_environment() {
    let place = Place::new();
    place.good("--db a.db agents register --name one");
    let output = place.command("agents --json").env("HANDOVER_DB", "a.db").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("\"one\""));
    place.good("verify a.db");
}
