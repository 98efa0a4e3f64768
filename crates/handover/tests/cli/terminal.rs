//! Width and colours: what is cut and painted, and when.

use crate::Place;
use expect_test::expect;

fn shown(place: &Place, line: &str, environment: &[(&str, &str)]) -> String {
    let output = place.command(line).envs(environment.iter().copied()).output().unwrap();
    place.masked(&String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_table_fits_the_width() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to anna --task 'Read every page of the contract and say what is missing'");
    let at = |width: &str| format!("{width}\n{}", shown(&place, "handoffs", &[("COLUMNS", width)]));
    expect![[r#"
        140
        ID        STATUS   FROM → TO    TYPE        SESSION  BEGUN                     TASK
        aaaaaaaa  offered  desk → anna  delegation  trip     2026-01-01T00:00:00.000Z  Read every page of the contract and say what is missing
        80
        ID        STATUS   FROM → TO    SESSION  TASK
        aaaaaaaa  offered  desk → anna  trip     Read every page of the contract and sa…
        40
        ID        STATUS   TASK
        aaaaaaaa  offered  Read every page of t…
    "#]].assert_eq(&[at("140"), at("80"), at("40")].concat());
    let wide = shown(&place, "handoffs", &[]);
    assert!(wide.contains("say what is missing"), "nothing is cut without a width: {wide}");
}

#[test]
fn colours_are_there_when_they_are_asked_for() {
    let place = Place::with_team();
    let plain = shown(&place, "agents", &[]);
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let painted = shown(&place, "agents --color always", &[]);
    expect![[r#"
        ESC[2mAGENTESC[0m  ESC[2mKINDESC[0m    ESC[2mSTANDINGESC[0m   ESC[2mWORKESC[0m    ESC[2mCANESC[0m
        ESC[1mannaESC[0m   human   ESC[32mavailableESC[0m  0 of 1  review
        ESC[1mbobESC[0m    worker  ESC[32mavailableESC[0m  0 of 1  search 0.7, review 0.4
        ESC[1mdeskESC[0m   worker  ESC[32mavailableESC[0m  0 of 1
    "#]]
    .assert_eq(&painted.replace('\u{1b}', "ESC"));
    assert_eq!(shown(&place, "agents --color never", &[("CLICOLOR_FORCE", "1")]), plain);
    assert!(shown(&place, "-h --color always", &[]).contains('\u{1b}'));
    assert!(!shown(&place, "-h", &[]).contains('\u{1b}'));
}

#[test]
fn a_text_cannot_command_the_terminal() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to anna --task 'two\nlines'");
    let table = shown(&place, "handoffs", &[]);
    assert!(table.contains("two lines"), "{table}");
}
