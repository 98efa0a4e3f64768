//! Questions that change nothing: dry runs, recommendations, and whether a handoff seems due.

use crate::common::{Play, Words, routed::show_routed};
use expect_test::expect;
use handover_core::decide::{self, Heard};

const DESKS: &str = "
    agent a; about a Talks_to_customers
    agent billing cap=invoicing:0.8 max=2; about billing Sends_invoices_and_refunds_customers_who_were_charged_twice
    agent books cap=invoicing:0.4; about books Keeps_the_books,_checks_every_invoice
    agent pilot cap=flying; about pilot Plans_flights_and_books_aircraft
    agent lead; agent boss kind=human
    policy human=boss
    open s by a request=a_refund";

#[test]
fn a_dry_run_says_who_would_get_it() {
    let mut play = Play::new();
    play.run(DESKS);
    let records = play.texts.len();
    let mut out = String::new();
    for story in [
        "initiate - a->? delegation timeout=9s cap=invoicing",
        "initiate - a->? delegation timeout=9s task=refund_the_invoice",
        "initiate - a->books delegation timeout=9s task=refund_the_invoice",
        "initiate - a->books delegation timeout=9s cap=flying",
        "initiate - a->bilingl delegation timeout=9s",
        "initiate - a->? delegation cap=sailing",
        "initiate - a->? delegation timeout=9s cap=sailing",
        "initiate - a->billing,pilot broadcast all timeout=9s",
        "initiate - a->? escalation",
    ] {
        let request = play.request(&Words::of(story));
        let session = play.session.as_ref().expect("a session");
        let routed = play.world(|world| decide::dry_run(session, &request, world));
        let text = routed.map_or_else(|error| format!("refused {error}"), |routed| show_routed(&routed));
        out += &format!("{story}\n    {}\n", text.replace('\n', "\n    "));
    }
    assert_eq!(play.texts.len(), records, "nothing is written");
    expect![[r#"
        initiate - a->? delegation timeout=9s cap=invoicing
            billing, best_match by capability invoicing
              billing 0.80: its proficiency in invoicing is 0.8; 0 of 2 places taken
              books 0.40: its proficiency in invoicing is 0.4; 0 of 1 places taken
        initiate - a->? delegation timeout=9s task=refund_the_invoice
            billing, semantic by the task
              billing 0.48: its profile fits the task at 0.48, by "invoice", "refund"
              books 0.36: its profile fits the task at 0.36, by "invoice", "refund"
        initiate - a->books delegation timeout=9s task=refund_the_invoice
            books, semantic by its name
              books 0.36: its profile fits the task at 0.36
              billing 0.48: its profile fits the task at 0.48, by "invoice", "refund"
        initiate - a->books delegation timeout=9s cap=flying
            books, best_match by its name
              books 0.00: its profile fits the task at 0.00
              pilot 1.00: its proficiency in flying is 1; 0 of 1 places taken
        initiate - a->bilingl delegation timeout=9s
            refused a->bilingl: HO0202 to_agent: "bilingl" is not registered (did you mean "billing"?)
        initiate - a->? delegation cap=sailing
            refused a->?: HO0402 return_protocol.timeout_ms: a delegation needs a timeout
        initiate - a->? delegation timeout=9s cap=sailing
            nobody, best_match by capability sailing
        initiate - a->billing,pilot broadcast all timeout=9s
            nobody, best_match by its targets
              billing 0.00: its profile fits the task at 0.00
              pilot 0.00: its profile fits the task at 0.00
        initiate - a->? escalation
            boss, best_match by the ladder
              boss 0.00: its profile fits the task at 0.00
    "#]]
    .assert_eq(&out);
}

#[test]
fn recommendations_have_their_reasons() {
    let mut play = Play::new();
    play.run(DESKS);
    play.run("past billing * 7/9; past books * 1/1; load books 1");
    let mut out = String::new();
    for (task, limit) in
        [("refund an invoice for the invoicing desk", 5), ("plan a flight", 5), ("refund", 1), ("x", 5), ("", 5)]
    {
        let session = play.session.as_ref().expect("a session");
        let found = play.world(|world| decide::recommend(session, task, limit, world));
        out += &format!("{task:?}\n");
        match found {
            Ok(found) => {
                found
                    .iter()
                    .for_each(|r| out += &format!("    {} {:.2}: {}\n", r.agent, r.score, r.reasons.join("; ")));
            }
            Err(error) => out += &format!("    refused {error}\n"),
        }
    }
    expect![[r#"
        "refund an invoice for the invoicing desk"
            billing 0.91: its profile fits the task at 0.50, by "invoice", "refund"; its proficiency in invoicing is 0.8; 7 of 9 succeeded; 0 of 2 places taken
            books 0.60: its profile fits the task at 0.39, by "invoice", "refund"; its proficiency in invoicing is 0.4; 1 of 1 succeeded; 1 of 1 places taken
        "plan a flight"
            pilot 0.80: its profile fits the task at 0.60, by "flight", "plan"; it has no record yet; 0 of 1 places taken
        "refund"
            billing 0.85: its profile fits the task at 0.33, by "refund"; 7 of 9 succeeded; 0 of 2 places taken
        "x"
        ""
            refused HO0102 task: it is empty
    "#]].assert_eq(&out);
}

#[test]
fn a_handoff_that_seems_due_is_suggested() {
    let running = "initiate h a->billing sequential complete; accept h by billing as L lease=1h";
    let cases: [(&str, Option<&str>, u32); 13] = [
        ("", None, 0),
        ("", Some("I was charged twice, refund me"), 0),
        ("", Some("hello there"), 0),
        ("initiate h a->billing sequential complete; accept h by billing as L", Some("I was charged twice"), 0),
        ("complete by a", None, 0),
        ("complete by a; initiate h a->billing sequential", None, 0),
        (&format!("agent billing exec=100s; {running}; wait 95s"), None, 0),
        (&format!("agent billing exec=100s; {running}; wait 101s"), None, 0),
        ("", None, 1),
        ("", None, 2),
        ("breaker after=2; failing a 2", None, 2),
        ("tokens 100", None, 0),
        ("agent a risk=low up=lead; decide by a that drop_the_table risk=high", None, 0),
    ];
    let mut out = String::new();
    for (program, user, failed) in cases {
        let mut play = Play::new();
        play.run(DESKS);
        if let Some(tokens) = program.strip_prefix("tokens ") {
            let session = play.session.as_mut().expect("a session");
            session.limits.tokens = tokens.parse().ok();
            session.metrics.tokens = 81;
        } else {
            play.run(program);
        }
        let session = play.session.as_ref().expect("a session");
        let found =
            play.world(|world| decide::suggestions(session, Heard { user, failed }, world)).expect("suggestions");
        out += &format!("{program} | {} | {failed}\n", user.unwrap_or("-"));
        for suggestion in found {
            let to = suggestion.to.map_or("nobody".to_owned(), |to| to.to_string());
            out += &format!("    {:?} to {to}: {}\n", suggestion.kind, suggestion.why);
        }
    }
    expect![[r#"
         | - | 0
         | I was charged twice, refund me | 0
            BetterFit to billing: what the user last said fits billing at 0.47 and a at 0.00
         | hello there | 0
        initiate h a->billing sequential complete; accept h by billing as L | I was charged twice | 0
        complete by a | - | 0
            PartComplete to billing: a's part is complete, and nobody took over
        complete by a; initiate h a->billing sequential | - | 0
        agent billing exec=100s; initiate h a->billing sequential complete; accept h by billing as L lease=1h; wait 95s | - | 0
            DeadlineNear to books: handoff 00000000-0000-4000-8000-000000000001 has 5 s left of 100
        agent billing exec=100s; initiate h a->billing sequential complete; accept h by billing as L lease=1h; wait 101s | - | 0
            DeadlinePassed to books: the deadline of handoff 00000000-0000-4000-8000-000000000001 passed at 2023-11-14T22:15:00.000Z
         | - | 1
         | - | 2
            FailedOften to billing: a failed 2 times in this session
        breaker after=2; failing a 2 | - | 2
            BreakerOpen to billing: a: it failed 2 times in a row and is left alone until 2023-11-14T22:13:50.000Z
        tokens 100 | - | 0
            TokensLow to nobody: 81 of 100 tokens are used
        agent a risk=low up=lead; decide by a that drop_the_table risk=high | - | 0
            DecisionPending to lead: "drop_the_table" is above what a may decide
    "#]].assert_eq(&out);
}
