//! What a terminal shows.

use super::samples;
use crate::graph::{Graph, Terminal, text};
use expect_test::{Expect, expect};

fn check(graph: &Graph, width: usize, expected: &Expect) {
    expected.assert_eq(&text(graph, &Terminal::new(width)));
}

#[test]
fn one_after_the_other() {
    check(
        &samples::chain(),
        80,
        &expect![[r#"
            A chain

               ╔═══════╗
               ║ begin ║
               ╚═══╤═══╝
                   ▼
             ┌──────────┐
             │ ✓ search │
             └─────┬────┘
                   │ flight found
                   ▼
            ┌─────────────┐
            │   ● book    │
            │ 2 of 3 done │
            └──────┬──────┘
                   │ paid
                   ▼
              ╔════════╗
              ║ ✓ done ║
              ╚════════╝
        "#]],
    );
}

#[test]
fn work_for_three_and_what_comes_back() {
    check(
        &samples::fan(),
        90,
        &expect![[r#"
        Session trip-7

                        ╭─────────╮
                        │ planner │
                        ╰──────┬──╯
                           ▲ ▲ │
            ┌──────────────┘ │ └───────────────┐
            │ #1 Find a jet  │ #2 Find a room  │ #3 Plan a walk
            ▼                ▼                 ▼
        ╭───────╮        ╭───────╮        ╭─────────╮
        │ pilot │        │ hotel │        │ ● guide │
        ╰───────╯        ╰───────╯        ╰────┬────╯
                                               │ #4 May we spend more?
                                               ▼
                                           ╒═══════╕
                                           │ ◌ ann │
                                           ╘═══════╛

          planner ══▶ pilot    #1 Find a jet          delegation  completed · 1.2 s
          planner ══▶ hotel    #2 Find a room         delegation  failed · 40 ms
          planner ══▶ guide    #3 Plan a walk         delegation  running
          pilot   ╌╌▶ planner  #1                     return      success
          hotel   ╌╌▶ planner  #2                     return      failed
          guide   ──▶ ann      #4 May we spend more?  escalation  offered
    "#]],
    );
}

#[test]
fn a_narrow_terminal_gets_no_texts_beside_lines() {
    check(
        &samples::fan(),
        48,
        &expect![[r#"
            Session trip-7

                      ╭─────────╮
                      │ planner │
                      ╰──────┬──╯
                         ▲ ▲ │
                ┌────────┘ │ └─────────┐
                ▼          ▼           ▼
            ╭───────╮  ╭───────╮  ╭─────────╮
            │ pilot │  │ hotel │  │ ● guide │
            ╰───────╯  ╰───────╯  ╰────┬────╯
                                       ▼
                                   ╒═══════╕
                                   │ ◌ ann │
                                   ╘═══════╛

              planner ══▶ pilot
                  #1 Find a jet · delegation · completed ·…
              planner ══▶ hotel
                  #2 Find a room · delegation · failed · 40…
              planner ══▶ guide
                  #3 Plan a walk · delegation · running
              pilot   ╌╌▶ planner
                  #1 · return · success
              hotel   ╌╌▶ planner
                  #2 · return · failed
              guide   ──▶ ann
                  #4 May we spend more? · escalation · offe…
        "#]],
    );
}

#[test]
fn what_does_not_fit_becomes_a_list() {
    check(
        &samples::fan(),
        30,
        &expect![[r#"
            Session trip-7

            ● guide
            ◌ ann

              planner ══▶ pilot
                  #1 Find a jet · delegat…
              planner ══▶ hotel
                  #2 Find a room · delega…
              planner ══▶ guide
                  #3 Plan a walk · delega…
              pilot   ╌╌▶ planner
                  #1 · return · success
              hotel   ╌╌▶ planner
                  #2 · return · failed
              guide   ──▶ ann
                  #4 May we spend more? ·…
        "#]],
    );
}

#[test]
fn what_leads_back_points_up() {
    check(
        &samples::retry(),
        80,
        &expect![[r#"
            A workflow that tries again

                      ╔═══════╗
                      ║ start ║
                      ╚═══╤═══╝
                          ▼
                      ┌───────┐
                      │ draft │
                      └───────┘
                        ▲   ▲
              ┌─────────┘   └────────┐
              │ ▲ ×2 changes wanted  │ again
              └──┐                   │
                 ▼                   │
            ┌────────┐               │
            │ review │               │
            └────┬───┘               │
            ┌────┴──────┐           ┌┘
            │ approved  │ rejected  │
            └────┐      └─────────┐ │
                 │   ┌────────────│─┘
                 ▼   │            ▼
              ┌──────┴──┐  ╔════════════╗
              │ publish │  ║ ✗ given up ║
              └────┬────┘  ╚════════════╝
                   ▼
              ╔════════╗
              ║ ✓ done ║
              ╚════════╝
        "#]],
    );
}

#[test]
fn a_list_marks_what_leads_back() {
    check(
        &samples::retry(),
        24,
        &expect![[r#"
            A workflow that tries a…

            ✓ done
            ✗ given up

              start   ──▶ draft
              draft   ──▶ review
              review  ──▶ publish
                  approved
              review  ─↺▶ draft
                  ×2 changes wanted…
              publish ──▶ done
              publish ─↺▶ draft
                  again · retry
              review  ─✗▶ given up
                  rejected · error
        "#]],
    );
}

#[test]
fn to_itself() {
    check(
        &samples::alone(),
        80,
        &expect![[r#"
        To itself

        ╭──────────────╮
        │    poller    │
        │ ↺ ×7 not yet │
        ╰───────┬──────╯
                ▼
           ╭────────╮
           │ reader │
           ╰────────╯
    "#]],
    );
}

#[test]
fn two_parts_do_not_mix() {
    check(
        &samples::two(),
        80,
        &expect![[r#"
        Two teams

           ╭───╮        ╭─────╮      ╭──────╮
           │ a │        │  x  │      │ idle │
           ╰─┬─╯        ╰─┬───╯      ╰──────╯
             │            │ ▲
          ┌──┴──┐         │ └─┐
          │ ×3  │         │   │ ×2
          ▼     ▼         ▼   │
        ╭───╮  ╭───╮   ╭───╮  │
        │ b │  │ c │   │ y │  │
        ╰───╯  ╰───╯   ╰┬──╯  │
                        │     └┐
                        │ ×12  │
                        └─┐ ┌──┘
                          ▼ │
                        ╭───┴─╮
                        │  z  │
                        ╰─────╯
    "#]],
    );
}

#[test]
fn long_names_are_cut() {
    check(
        &samples::long(),
        70,
        &expect![[r#"
            Long names

            ╭──────────────────────────────────────╮
            │ customer-support-triage-agent-for-e… │
            │ answers in twenty-four languages, d… │
            ╰───────────────────┬──────────────────╯
                                │ Translate the complaint about t…
                                ▼
                         ╭────────────╮
                         │ translator │
                         ╰──────┬─────╯
                                │ "quoted" [x] <b>&amp; end
                                ▼
                              ╭───╮
                              │ a │
                              ╰───╯

              customer-support-triage-agent-… ──▶ translator
                  Translate the complaint about the late delivery and answer it i…
              translator                      ──▶ a
                  "quoted" [x] <b>&amp; end
        "#]],
    );
}

#[test]
fn wide_signs_take_two_columns() {
    check(
        &samples::wide(),
        60,
        &expect![[r#"
        旅行の計画

                 ╭─────────╮
                 │ 計画者  │
                 │ 東京 🚀 │
                 ╰────┬────╯
             ┌────────┴─────────┐
             │ ×3 飛行機を探す  │ ¿Quién?
             ▼                  ▼
        ╭────────╮          ╒══════╕
        │ 操縦士 │          │ José │
        ╰────────╯          ╘══════╛
    "#]],
    );
}

#[test]
fn ascii_and_colours() {
    let ascii = Terminal { unicode: false, ..Terminal::new(80) };
    expect![[r#"
        A workflow that tries again

                  #=======#
                  # start #
                  #===+===#
                      v
                  +-------+
                  | draft |
                  +-------+
                    ^   ^
          +---------+   +--------+
          | ^ x2 changes wanted  | again
          +--+                   |
             v                   |
        +--------+               |
        | review |               |
        +----+---+               |
        +----+------+           ++
        | approved  | rejected  |
        +----+      +---------+ |
             |   +------------|-+
             v   |            v
          +------+--+  #============#
          | publish |  # ! given up #
          +----+----+  #============#
               v
          #========#
          # + done #
          #========#
    "#]]
    .assert_eq(&text(&samples::retry(), &ascii));
    assert!(text(&samples::fan(), &ascii).is_ascii());
    assert!(text(&samples::fan(), &Terminal { width: 30, ..ascii }).is_ascii());
    let coloured = text(&samples::chain(), &Terminal { colour: true, ..Terminal::new(80) });
    expect![[r#"
        ^[1mA chain^[0m

           ╔═══════╗
           ║ begin ║
           ╚═══╤═══╝
               ▼
         ^[32m┌──────────┐^[0m
         ^[32m│^[0m ^[32m✓ search^[0m ^[32m│^[0m
         ^[32m└─────┬────┘^[0m
               │ flight found
               ▼
        ^[1;36m┌─────────────┐^[0m
        ^[1;36m│^[0m   ^[1;36m● book^[0m    ^[1;36m│^[0m
        ^[1;36m│^[0m ^[2m2 of 3 done^[0m ^[1;36m│^[0m
        ^[1;36m└──────┬──────┘^[0m
               │ paid
               ▼
          ^[32m╔════════╗^[0m
          ^[32m║^[0m ^[32m✓ done^[0m ^[32m║^[0m
          ^[32m╚════════╝^[0m
    "#]]
    .assert_eq(&coloured.replace('\u{1b}', "^"));
}

#[test]
fn sixty_become_a_list() {
    let drawn = text(&samples::sixty(), &Terminal::new(80));
    assert_eq!(drawn.lines().count(), 2 + 59 + 7);
    expect![[r#"
        A team of sixty

          agent-0  ──▶ agent-1   ×7
          agent-0  ──▶ agent-2
          agent-0  ──▶ agent-3   ×8
          agent-0  ──▶ agent-4   ×2"#]]
    .assert_eq(&drawn.lines().take(6).collect::<Vec<_>>().join("\n"));
}
