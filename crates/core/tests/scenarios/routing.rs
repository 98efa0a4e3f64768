//! Who is given work that names no agent: strategies, what leaves somebody out, models, experiments, and the next one
//! after a no.

use crate::common::{Play, check};
use expect_test::expect;

/// Four who can test, and one who cannot.
const TESTERS: &str = "
    agent b cap=test:0.9 max=4
    agent c cap=test:0.9 max=4
    agent d cap=test:0.5,review max=4
    agent e cap=cook
    open s by a";

/// Agents that say what they do.
const DESKS: &str = "
    agent billing cap=invoicing; about billing Sends_invoices_and_refunds_customers_who_were_charged_twice
    agent pilot cap=flying; about pilot Plans_flights_and_books_aircraft
    agent writer cap=writing; about writer Writes_letters_and_announcements
    open s by a";

/// How the last handoff of each story was routed.
fn routes(scene: &str, stories: &[&str]) -> String {
    let mut out = String::new();
    for story in stories {
        let mut play = Play::new();
        play.run(scene);
        out += &format!("{story}\n    {}\n", play.routed(story).replace('\n', "\n    "));
    }
    out
}

#[test]
fn each_strategy_goes_by_its_own() {
    let by = |strategy: &str| format!("initiate h a->? delegation cap=test timeout=9s strategy={strategy}");
    let earlier = "initiate x a->b delegation timeout=9s";
    let stories = [
        by("best_match"),
        format!("{earlier}; {}", by("best_match")),
        format!("load b 1; load c 2; {}", by("best_match")),
        format!("load b 4; load c 4; {}", by("best_match")),
        format!("load b 1; load c 1; {}", by("least_loaded")),
        format!("{earlier}; initiate y a->d delegation timeout=9s; {}", by("round_robin")),
        "initiate h a->? delegation need=test:0.8,review timeout=9s".into(),
        "initiate h a->? delegation among=d,b,e timeout=9s".into(),
        "initiate h a->? delegation among=d,b,e timeout=9s strategy=least_loaded; ".into(),
    ];
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    expect![[r#"
        initiate h a->? delegation cap=test timeout=9s strategy=best_match
            b, best_match by capability test
              b 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
        initiate x a->b delegation timeout=9s; initiate h a->? delegation cap=test timeout=9s strategy=best_match
            c, best_match by capability test
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              b 0.90: its proficiency in test is 0.9; 0 of 4 places taken, 1 offer waits
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
        load b 1; load c 2; initiate h a->? delegation cap=test timeout=9s strategy=best_match
            b, best_match by capability test
              b 0.90: its proficiency in test is 0.9; 1 of 4 places taken
              c 0.90: its proficiency in test is 0.9; 2 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
        load b 4; load c 4; initiate h a->? delegation cap=test timeout=9s strategy=best_match
            d, best_match by capability test
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
              b 0.90: its proficiency in test is 0.9; 4 of 4 places taken
              c 0.90: its proficiency in test is 0.9; 4 of 4 places taken
        load b 1; load c 1; initiate h a->? delegation cap=test timeout=9s strategy=least_loaded
            d, least_loaded by capability test
              d 1.00: 0 of 4 places taken
              b 0.75: 1 of 4 places taken
              c 0.75: 1 of 4 places taken
        initiate x a->b delegation timeout=9s; initiate y a->d delegation timeout=9s; initiate h a->? delegation cap=test timeout=9s strategy=round_robin
            c, round_robin by capability test
              c 1.00: it never had a turn
              b 0.67: 1 waited longer for a turn
              d 0.33: 2 waited longer for a turn
        initiate h a->? delegation need=test:0.8,review timeout=9s
            d, best_match by capabilities test, review
              d 0.50: its mean proficiency in 2 capabilities is 0.50; 0 of 4 places taken
              b 0.45: its mean proficiency in 2 capabilities is 0.45; 0 of 4 places taken
              c 0.45: its mean proficiency in 2 capabilities is 0.45; 0 of 4 places taken
        initiate h a->? delegation among=d,b,e timeout=9s
            d, best_match by a list
              d 1.00: it is number 1 of the list; 0 of 4 places taken
              b 1.00: it is number 2 of the list; 0 of 4 places taken
              e 1.00: it is number 3 of the list; 0 of 1 places taken
        initiate h a->? delegation among=d,b,e timeout=9s strategy=least_loaded; 
            b, least_loaded by a list
              b 1.00: 0 of 4 places taken
              d 1.00: 0 of 4 places taken
              e 1.00: 0 of 1 places taken
    "#]].assert_eq(&routes(TESTERS, &stories));
}

#[test]
fn whoever_is_left_out_is_named_with_the_reason() {
    let ask = "initiate h a->? delegation cap=test timeout=9s";
    let risky = format!("agent d cap=test risk=low; {ask} risk=medium");
    let stories = [
        format!("standing b unavailable; standing c draining; {ask}"),
        format!("agent b cap=test closed; {ask}"),
        risky,
        format!("breaker after=2 for=30s; failing b 2; {ask}"),
        format!("breaker after=2 for=30s; failing b 2; wait 31s; {ask}"),
        format!("spent b; {ask}"),
        format!("{ask} among=b,e,a"),
        "initiate h a->? delegation need=test:0.8 among=b,d timeout=9s".into(),
        format!("standing b draining; standing c draining; standing d draining; {ask}"),
        "initiate h a->? delegation cap=tests timeout=9s".into(),
    ];
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    expect![[r#"
        standing b unavailable; standing c draining; initiate h a->? delegation cap=test timeout=9s
            d, best_match by capability test
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
              b 0.90 not: it is unavailable
              c 0.90 not: it is draining
        agent b cap=test closed; initiate h a->? delegation cap=test timeout=9s
            c, best_match by capability test
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
              b 1.00 not: it takes no handoffs
        agent d cap=test risk=low; initiate h a->? delegation cap=test timeout=9s risk=medium
            b, best_match by capability test
              b 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              d 1.00 not: it may not take the risk
        breaker after=2 for=30s; failing b 2; initiate h a->? delegation cap=test timeout=9s
            c, best_match by capability test
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
              b 0.90 not: it failed 2 times in a row and is left alone until 2023-11-14T22:13:50.000Z
        breaker after=2 for=30s; failing b 2; wait 31s; initiate h a->? delegation cap=test timeout=9s
            b, best_match by capability test
              b 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
        spent b; initiate h a->? delegation cap=test timeout=9s
            c, best_match by capability test
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
              b 0.90 not: its budget is spent
        initiate h a->? delegation cap=test timeout=9s among=b,e,a
            b, best_match by a list
              b 0.90: it is number 1 of the list; its proficiency in test is 0.9; 0 of 4 places taken
              e 0.00 not: it lacks test
              a 0.00 not: it is the source
        initiate h a->? delegation need=test:0.8 among=b,d timeout=9s
            b, best_match by a list
              b 0.90: it is number 1 of the list; its proficiency in test is 0.9; 0 of 4 places taken
              d 0.00 not: its proficiency in test is 0.5, 0.8 is needed
        standing b draining; standing c draining; standing d draining; initiate h a->? delegation cap=test timeout=9s
            refused HO0205 to_agent: nobody is available for test (b: it is draining; c: it is draining; d: it is draining)
        initiate h a->? delegation cap=tests timeout=9s
            refused HO0205 to_agent: nobody is available for tests (did you mean "test"?)
    "#]].assert_eq(&routes(TESTERS, &stories));
}

#[test]
fn a_task_text_is_enough() {
    let refund = "initiate h a->? delegation timeout=9s task=refund_the_customer_who_was_charged_twice";
    let stories = [
        refund.to_owned(),
        format!("{refund} strategy=least_loaded"),
        format!("load billing 1; {refund}"),
        format!("standing billing unavailable; {refund}"),
        "initiate h a->? delegation timeout=9s task=write_a_letter_about_the_flight".into(),
        "initiate h a->? delegation timeout=9s task=bake_a_cake".into(),
        "initiate h a->? sequential complete task=plan_a_flight".into(),
        "house-strategy learned; past billing * 1/4; initiate h a->? delegation timeout=9s task=send_an_invoice".into(),
        "initiate h a->? delegation timeout=9s cap=flying strategy=semantic task=send_an_invoice".into(),
    ];
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    expect![[r#"
        initiate h a->? delegation timeout=9s task=refund_the_customer_who_was_charged_twice
            billing, semantic by the task
              billing 0.46: its profile fits the task at 0.46, by "refund", "charged", "twice", "customer"
        initiate h a->? delegation timeout=9s task=refund_the_customer_who_was_charged_twice strategy=least_loaded
            billing, semantic by the task (least_loaded goes by a capability or a list, and the task is all there is)
              billing 0.46: its profile fits the task at 0.46, by "refund", "charged", "twice", "customer"
        load billing 1; initiate h a->? delegation timeout=9s task=refund_the_customer_who_was_charged_twice
            billing, semantic by the task
              billing 0.46: its profile fits the task at 0.46, by "refund", "charged", "twice", "customer"
        standing billing unavailable; initiate h a->? delegation timeout=9s task=refund_the_customer_who_was_charged_twice
            refused HO0205 to_agent: nobody who fits the task can take it (billing: it is unavailable)
        initiate h a->? delegation timeout=9s task=write_a_letter_about_the_flight
            writer, semantic by the task
              writer 0.33: its profile fits the task at 0.33, by "write", "letter"
              pilot 0.33: its profile fits the task at 0.33, by "flight"
        initiate h a->? delegation timeout=9s task=bake_a_cake
            refused HO0205 to_agent: nobody's profile fits the task (name an agent, a capability, required capabilities or candidates)
        initiate h a->? sequential complete task=plan_a_flight
            pilot, semantic by the task
              pilot 0.60: its profile fits the task at 0.60, by "flight", "plan"
        house-strategy learned; past billing * 1/4; initiate h a->? delegation timeout=9s task=send_an_invoice
            billing, learned by the task
              billing 1.08: 1 of 4 succeeded, +0.83 for being tried seldom
        initiate h a->? delegation timeout=9s cap=flying strategy=semantic task=send_an_invoice
            pilot, semantic by capability flying
              pilot 0.00: its profile fits the task at 0.00
    "#]].assert_eq(&routes(DESKS, &stories));
}

#[test]
fn a_model_may_pick_and_the_text_decides_where_it_cannot() {
    let ask = "initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice";
    let stories = [
        format!("pick writer it_knows_the_customer; {ask}"),
        format!("pick nobody too_vague; {ask}"),
        format!("pick silence the_model_failed; {ask}"),
        format!("pick a it_is_me; {ask}"),
        format!("standing writer draining; pick writer why_not; {ask}"),
        format!("pick b why_not; {ask} cap=writing"),
        ask.to_owned(),
    ];
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    expect![[r#"
        pick writer it_knows_the_customer; initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice
            writer, llm by the task
              writer 1.00: the model: it_knows_the_customer
              billing 0.69: its profile fits the task at 0.69, by "invoice", "send"
        pick nobody too_vague; initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice
            refused HO0205 to_agent: nobody's profile fits the task (the model says that nobody fits: too_vague)
        pick silence the_model_failed; initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice
            billing, semantic by the task (llm could not be used: the_model_failed)
              billing 0.69: its profile fits the task at 0.69, by "invoice", "send"
        pick a it_is_me; initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice
            billing, semantic by the task (llm could not be used: the model picked a, but it is the source)
              billing 0.69: its profile fits the task at 0.69, by "invoice", "send"
        standing writer draining; pick writer why_not; initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice
            billing, semantic by the task (llm could not be used: the model picked writer, but it is draining)
              billing 0.69: its profile fits the task at 0.69, by "invoice", "send"
        pick b why_not; initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice cap=writing
            writer, semantic by capability writing (llm could not be used: the model picked b, but it lacks writing)
              writer 0.00: its profile fits the task at 0.00
        initiate h a->? delegation timeout=9s strategy=llm task=send_an_invoice
            billing, semantic by the task (llm could not be used: no model was asked this time)
              billing 0.69: its profile fits the task at 0.69, by "invoice", "send"
    "#]].assert_eq(&routes(DESKS, &stories));
}

#[test]
fn learning_tries_everybody_and_then_goes_by_the_record() {
    let ask = "initiate h a->? delegation cap=test timeout=9s strategy=learned";
    let stories = [
        ask.to_owned(),
        format!("past b test 7/9; past c * 1/1; {ask}"),
        format!("past b test 7/9; past c test 1/9; past d test 3/3; {ask}"),
        format!("past b test 90/100; past c test 20/100; past d test 40/100; {ask}"),
    ];
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    expect![[r#"
        initiate h a->? delegation cap=test timeout=9s strategy=learned
            b, learned by capability test
              b 0.90: it was never tried; its proficiency is 0.90
              c 0.90: it was never tried; its proficiency is 0.90
              d 0.50: it was never tried; its proficiency is 0.50
        past b test 7/9; past c * 1/1; initiate h a->? delegation cap=test timeout=9s strategy=learned
            d, learned by capability test
              d 0.50: it was never tried; its proficiency is 0.50
              c 3.15: 1 of 1 succeeded, +2.15 for being tried seldom
              b 1.49: 7 of 9 succeeded, +0.72 for being tried seldom
        past b test 7/9; past c test 1/9; past d test 3/3; initiate h a->? delegation cap=test timeout=9s strategy=learned
            d, learned by capability test
              d 2.42: 3 of 3 succeeded, +1.42 for being tried seldom
              b 1.60: 7 of 9 succeeded, +0.82 for being tried seldom
              c 0.93: 1 of 9 succeeded, +0.82 for being tried seldom
        past b test 90/100; past c test 20/100; past d test 40/100; initiate h a->? delegation cap=test timeout=9s strategy=learned
            b, learned by capability test
              b 1.24: 90 of 100 succeeded, +0.34 for being tried seldom
              d 0.74: 40 of 100 succeeded, +0.34 for being tried seldom
              c 0.54: 20 of 100 succeeded, +0.34 for being tried seldom
    "#]].assert_eq(&routes(TESTERS, &stories));
}

#[test]
fn an_experiment_chooses_where_the_engine_does() {
    let ask = "load b 1; initiate h a->? delegation cap=test timeout=9s";
    let stories = [
        format!("experiment e a=best_match b=least_loaded share=0; {ask}"),
        format!("experiment e a=best_match b=least_loaded share=1; {ask}"),
        format!("experiment e a=best_match b=least_loaded share=1; {ask} strategy=round_robin"),
        format!("experiment e a=best_match b=least_loaded shadow; {ask}"),
        format!("load c 2; experiment e a=best_match b=least_loaded shadow; {ask}"),
        format!("experiment e a=best_match b=llm shadow; pick d it_must; {ask}"),
    ];
    let stories: Vec<&str> = stories.iter().map(String::as_str).collect();
    expect![[r#"
        experiment e a=best_match b=least_loaded share=0; load b 1; initiate h a->? delegation cap=test timeout=9s
            c, best_match by capability test, e a
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              b 0.90: its proficiency in test is 0.9; 1 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
        experiment e a=best_match b=least_loaded share=1; load b 1; initiate h a->? delegation cap=test timeout=9s
            c, least_loaded by capability test, e b
              c 1.00: 0 of 4 places taken
              d 1.00: 0 of 4 places taken
              b 0.75: 1 of 4 places taken
        experiment e a=best_match b=least_loaded share=1; load b 1; initiate h a->? delegation cap=test timeout=9s strategy=round_robin
            c, round_robin by capability test
              c 1.00: it never had a turn
              d 1.00: it never had a turn
              b 1.00: it never had a turn
        experiment e a=best_match b=least_loaded shadow; load b 1; initiate h a->? delegation cap=test timeout=9s
            c, best_match by capability test, e agreed, shadow c
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              b 0.90: its proficiency in test is 0.9; 1 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
        load c 2; experiment e a=best_match b=least_loaded shadow; load b 1; initiate h a->? delegation cap=test timeout=9s
            b, best_match by capability test, e differed, shadow d
              b 0.90: its proficiency in test is 0.9; 1 of 4 places taken
              c 0.90: its proficiency in test is 0.9; 2 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
        experiment e a=best_match b=llm shadow; pick d it_must; load b 1; initiate h a->? delegation cap=test timeout=9s
            c, best_match by capability test, e differed, shadow d
              c 0.90: its proficiency in test is 0.9; 0 of 4 places taken
              b 0.90: its proficiency in test is 0.9; 1 of 4 places taken
              d 0.50: its proficiency in test is 0.5; 0 of 4 places taken
    "#]].assert_eq(&routes(TESTERS, &stories));
}

#[test]
fn a_handoff_remembers_its_arm_and_the_ledger_counts_it() {
    let mut play = Play::new();
    play.run(TESTERS);
    play.run("experiment e a=best_match b=least_loaded share=1");
    play.run("initiate h a->? delegation cap=test timeout=9s; accept h by target as L; wait 2s; return h as L success");
    let report = handover_core::route::report("e", play.policy.experiments.first(), &play.ledger).expect("a report");
    let arms: Vec<String> =
        report.arms.iter().map(|arm| format!("{} {} {} ms", arm.arm, arm.ended, arm.mean_ms)).collect();
    assert_eq!(arms, ["a 0 0 ms", "b 1 2000 ms"]);
    assert!(!report.enough && !report.success.significant);
    assert_eq!(handover_core::route::report("f", None, &play.ledger), None);
}

#[test]
fn somebody_who_says_no_is_followed_by_the_next_by_text() {
    check(
        "
        agent billing; about billing Sends_invoices_and_refunds_customers
        agent books; about books Keeps_the_books_and_checks_invoices
        agent pilot; about pilot Plans_flights
        agent boss kind=human
        policy human=boss
        open s by a
        initiate h a->? delegation timeout=60s task=refund_the_invoice_of_a_customer
        reject h by billing
        reject h by books
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h a->billing delegation offered until 30s among billing, books
            3 rejected h billing: no
            4 rerouted h billing->books until 30s: rejected
            5 rejected h books: no
            6 rerouted h books->boss (human) until 86400s: rejected
            => a, h offered (boss)"#]],
    );
}

#[test]
fn an_open_breaker_sends_what_waits_to_the_next() {
    check(
        "
        agent b cap=test:0.9 max=4
        agent c cap=test:0.5 max=4
        breaker after=2 for=30s
        open s by a
        initiate h1 a->? delegation cap=test timeout=60s
        initiate h2 a->? delegation cap=test timeout=60s
        initiate h3 a->? delegation cap=test timeout=60s
        accept h1 by b as L1
        accept h2 by b as L2
        return h1 as L1 failed
        return h2 as L2 failed
        reconsider h3
        initiate h4 a->? delegation cap=test timeout=60s
        wait 31s
        initiate h5 a->? delegation cap=test timeout=60s
        initiate h6 a->? delegation cap=test timeout=60s
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c
            3 initiated h2 a->b delegation offered until 30s among b, c
            4 initiated h3 a->b delegation offered until 30s among b, c
            5 accepted h1 b L1 until 30s deadline 60s
            6 accepted h2 b L2 until 30s deadline 60s
            7 failed h1 failed returned to a
            8 failed h2 failed returned to a
            9 rerouted h3 b->c until 30s: circuit_open
            10 initiated h4 a->c delegation offered until 30s among c, b (it failed 2 times in a row and is left alone until 2023-11-14T22:13:50.000Z)
            11 initiated h5 a->b delegation offered until 61s among b, c
            12 initiated h6 a->c delegation offered until 61s among c, b (handoff h5 tries whether it is well again)
            => a, h1 failed, h2 failed, h3 offered (c), h4 offered (c), h5 offered (b), h6 offered (c)"#]],
    );
}
