//! What people ask teams for: a deployment, tests before it, an opinion with rich context; and somebody who takes over.

use crate::place::Place;
use expect_test::expect;
use std::fs;

const TEAM: &str = "specialists/llm";
const DEPLOY: &str = "Deploy the app to production";
const CHAIN: &str = "I need to deploy the app but make sure all tests pass first";
const SECURITY: &str = "Analyze the security of our authentication system";

#[test]
fn a_deployment() {
    let place = Place::with("specialists");
    place.says(
        &["chat", TEAM, "--say", DEPLOY],
        &expect![[r#"
          · generalist → deploy-specialist: Deploying takes a specialist
        generalist › It is done. I deployed it and checked every file.
        login.sh is in place
        orders.sh is in place
        price.sh is in place
        stock.sh is in place
        version 1.4.0 is live in production
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    expect![[r#"
        user: Deploy the app to production
        generalist: This takes the deployment specialist. [handoff_to_specialist {"reason":"Deploying takes a specialist","specialist_type":"deployment","task":"Deploy the shop to production"}]
          deploy-specialist:  [read_file {"path":"VERSION"}]
          deploy-specialist ⟵ read_file: 1.4.0
          deploy-specialist:  [deploy {"environment":"production"}]
          deploy-specialist ⟵ deploy: login.sh is in place (+4)
          deploy-specialist: I deployed it and checked every file. (+5)
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 3 iterations","specialist_name":"deploy-specialist","specialist_response":"I deployed it and checked every file.\nlogin.sh is in place\norders.sh is in place\nprice.sh is in place\nstock.sh is in place\nversion 1.4.0 is live in production\n"}
        generalist: It is done. I deployed it and checked every file. (+5)
    "#]].assert_eq(&place.transcript("chat"));
    place.says(
        &["history", "chat"],
        &expect![[r#"
        #  FROM → TO                         STATUS       TOOK  BEGUN                     ID        TASK
        1  user → generalist                 completed TOOK  TIME  aaaaaaaa  Deploy the app to production
        2  └ generalist → deploy-specialist  completed TOOK  TIME  aaaaaaaa  Deploy the shop to production
    "#]],
    );
    let live = place.path().join("specialists/llm/deployed/production/price.sh");
    assert!(fs::read_to_string(live).unwrap().contains("total()"));
}

#[test]
fn tests_and_then_a_deployment() {
    let place = Place::with("specialists");
    place.says(
        &["chat", TEAM, "--say", CHAIN],
        &expect![[r#"
          · generalist → test-specialist: Nothing is deployed that fails its tests
          · generalist → deploy-specialist: The tests pass, and deploying takes a specialist
        generalist › It is done. I deployed it and checked every file.
        login.sh is in place
        orders.sh is in place
        price.sh is in place
        stock.sh is in place
        version 1.4.0 is live in production
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    expect![[r#"
        user: I need to deploy the app but make sure all tests pass first
        generalist: The tests come first. [handoff_to_specialist {"reason":"Nothing is deployed that fails its tests","specialist_type":"testing","task":"Run all tests of the shop"}]
          test-specialist:  [run_tests {}]
          test-specialist ⟵ run_tests: tests/login.sh (+31)
          test-specialist: 27 passed, 0 failed: prices, orders, stock and logins do what their tests expect.
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 2 iterations","specialist_name":"test-specialist","specialist_response":"27 passed, 0 failed: prices, orders, stock and logins do what their tests expect."}
        generalist: All tests pass, so it can be deployed. [handoff_to_specialist {"context":{"tests":"27 passed, 0 failed: prices, orders, stock and logins do what their tests expect."},"reason":"The tests pass, and deploying takes a specialist","specialist_type":"deployment","task":"Deploy the shop to production"}]
          deploy-specialist:  [read_file {"path":"VERSION"}]
          deploy-specialist ⟵ read_file: 1.4.0
          deploy-specialist:  [deploy {"environment":"production"}]
          deploy-specialist ⟵ deploy: login.sh is in place (+4)
          deploy-specialist: I deployed it and checked every file. (+5)
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 3 iterations","specialist_name":"deploy-specialist","specialist_response":"I deployed it and checked every file.\nlogin.sh is in place\norders.sh is in place\nprice.sh is in place\nstock.sh is in place\nversion 1.4.0 is live in production\n"}
        generalist: It is done. I deployed it and checked every file. (+5)
    "#]].assert_eq(&place.transcript("chat"));
    place.says(&["history", "chat"], &expect![[r#"
        #  FROM → TO                         STATUS       TOOK  BEGUN                     ID        TASK
        1  user → generalist                 completed TOOK  TIME  aaaaaaaa  I need to deploy the app but make sure all tests pass first
        2  └ generalist → test-specialist    completed TOOK  TIME  aaaaaaaa  Run all tests of the shop
        3  └ generalist → deploy-specialist  completed TOOK  TIME  aaaaaaaa  Deploy the shop to production
    "#]]);
}

#[test]
fn tests_that_fail_keep_it_from_being_deployed() {
    let place = Place::with("specialists");
    place.change("specialists/llm/shop/src/price.sh", "-ge 5000", "-ge 4000");
    place.says(
        &["chat", TEAM, "--say", CHAIN],
        &expect![[r#"
          · generalist → test-specialist: Nothing is deployed that fails its tests
        generalist › I deployed nothing: Not all is well:
        tests/login.sh
        ok      an owner sees the order
        ok      a stranger does not
        ok      an admin does
        tests/orders.sh
        ok      the number of an order
        ok      a new order is open
        ok      an order has an owner
        ok      an order is made once
        ok      articles cost together
        ok      an open order is not sent
        ok      an order is paid
        ok      nothing is added to a paid order
        ok      an order is not paid twice
        ok      a paid order is sent
        ok      a sent order stays sent
        tests/price.sh
        ok      total of three
        ok      total of none
        ok      ten percent off
        ok      rounded for the customer
        FAILED  shipping of a small order: expected '490', found '0'
        ok      free shipping
        ok      all together
        tests/stock.sh
        ok      tea is in stock
        ok      pots are not
        ok      what is taken is gone
        ok      nobody takes more than there is
        ok      then nothing is taken
        ok      cups are scarce
        26 passed, 1 failed
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    assert!(!place.path().join("specialists/llm/deployed").exists());
}

#[test]
fn rich_context() {
    let place = Place::with("specialists");
    place.says(&["chat", TEAM, "--say", SECURITY], &expect![[r#"
          · generalist → security-specialist: Judging risks in authentication takes a specialist
        generalist › The specialist looked at it. Findings, the worst first:
        1. src/login.sh:12, high: eval runs whatever a customer's id holds. Look the name up with grep -F instead.
        2. src/login.sh:3, high: the token of the API is in the source. Take it from the environment, and make a new one.
        3. src/login.sh:22, high: the name is a pattern for grep, so ".*" logs in as anybody. Compare with grep -F, and keep
           hashes instead of passwords.
        4. src/orders.sh:52, medium: notify hands the owner's name to eval. Call the command with the name as its argument.
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]]);
    expect![[r#"
        user: Analyze the security of our authentication system
        generalist: I look at the files first. [read_file {"path":"src/login.sh"}]
        generalist ⟵ read_file: # Who may see an order. (+22)
        generalist: I have read it, and some of it worries me. The specialist should judge it. [handoff_to_specialist {"context":{"concerns":["Can a customer run code through name_of?","Can a pattern as a name log in without a password?"],"files_read":["src/login.sh"],"observations":["The token of the API stands in the source","Passwords are compared as they are"],"patterns":["eval over a name that is made of input","grep with input as its pattern"]},"reason":"Judging risks in authentication takes a specialist","required_capabilities":["security-audit"],"specialist_type":"security","task":"Analyze the security of the authentication system"}]
          security-specialist:  [scan_security {}]
          security-specialist ⟵ scan_security: src/login.sh:3: a secret in plain text (+4)
          security-specialist:  [read_file {"path":"src/orders.sh"}]
          security-specialist ⟵ read_file: # Orders, a file for each: ORDERS/NUMBER holds `customer`, `state` and a line for each article. (+52)
          security-specialist: Findings, the worst first: (+5)
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 3 iterations","specialist_name":"security-specialist","specialist_response":"Findings, the worst first:\n1. src/login.sh:12, high: eval runs whatever a customer's id holds. Look the name up with grep -F instead.\n2. src/login.sh:3, high: the token of the API is in the source. Take it from the environment, and make a new one.\n3. src/login.sh:22, high: the name is a pattern for grep, so \".*\" logs in as anybody. Compare with grep -F, and keep\n   hashes instead of passwords.\n4. src/orders.sh:52, medium: notify hands the owner's name to eval. Call the command with the name as its argument.\n"}
        generalist: The specialist looked at it. Findings, the worst first: (+5)
    "#]].assert_eq(&place.transcript("chat"));
}

#[test]
fn for_programs() {
    let place = Place::with("specialists");
    place.says(&["chat", TEAM, "--json", "--say", CHAIN, "--say", "Thank you"], &expect![[r#"
        {"sign":"→","text":"generalist → test-specialist: Nothing is deployed that fails its tests","type":"MOVED"}
        {"sign":"→","text":"generalist → deploy-specialist: The tests pass, and deploying takes a specialist","type":"MOVED"}
        {"agent":"generalist","moves":[{"control":false,"from":"generalist","reason":"Nothing is deployed that fails its tests","to":"test-specialist"},{"control":false,"from":"generalist","reason":"The tests pass, and deploying takes a specialist","to":"deploy-specialist"}],"status":"success","suggestions":[],"text":"It is done. I deployed it and checked every file.\nlogin.sh is in place\norders.sh is in place\nprice.sh is in place\nstock.sh is in place\nversion 1.4.0 is live in production\n","type":"ANSWER","used":{"cost":0.0,"duration_ms":0,"iterations":8,"tokens":3721}}
        {"agent":"generalist","moves":[],"status":"success","suggestions":[],"text":"You are welcome.","type":"ANSWER","used":{"cost":0.0,"duration_ms":0,"iterations":1,"tokens":720}}
    "#]]);
}

#[test]
fn the_other_interface_tells_the_same() {
    let talk = |api: &str| {
        let place = Place::with("specialists");
        place.change("specialists/llm/handover.yaml", "api: openai", &format!("api: {api}"));
        let shown = place.run(&["chat", TEAM, "--say", CHAIN, "--say", SECURITY, "--say", "Thank you"]);
        assert!(shown.status.success());
        // Ids begin in another way.
        (String::from_utf8(shown.stdout).unwrap(), place.transcript("chat"))
    };
    assert_eq!(talk("openai"), talk("anthropic"));
}

#[test]
fn a_handoff_seems_due() {
    let place = Place::with("specialists");
    place.change("specialists/llm/script.yaml", "user: /security|secure|audit/", "user: never");
    place.says(&["chat", TEAM, "--say", SECURITY], &expect![[r#"
        generalist › I can have the shop tested, deployed or looked at for risks. What shall it be?
        ! generalist listens. End with Ctrl-D; the same command goes on later.
        !   a handoff to security-specialist seems due: what the user last said fits security-specialist at 0.90 and generalist at 0.00
    "#]]);
}

const DESK: &str = "
providers: {main: {api: openai, script: script.yaml}}
agents:
  - {id: desk, kind: llm, model: m, description: Welcomes people, tools: [transfer]}
  - {id: librarian, kind: llm, model: m, specialization: books, description: Finds books., tools: [transfer_to_desk]}
";

const BOOKS: &str = r"
- {when: {agent: librarian, user: opening hours}, call: [transfer_to_desk: {reason: I only know books}]}
- {when: {agent: librarian, user: second}, say: Then read Erdős.}
- {when: {agent: librarian}, say: Read Knuth.}
- {when: {agent: desk, user: opening hours}, say: From nine to five.}
- {when: {agent: desk}, say: The librarian knows., call: [transfer_to_librarian: {reason: It is about books}]}
";

#[test]
fn whoever_takes_over_goes_on_with_the_user() {
    let place = Place::of(DESK, BOOKS);
    let chat = |text: &'static str| ["chat", "team", "--say", text];
    place.says(
        &chat("Which book should I read?"),
        &expect![[r#"
          · desk ⇒ librarian: It is about books
        librarian › Read Knuth.
        ! desk listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    place.says(
        &chat("And a second one?"),
        &expect![[r#"
        librarian › Then read Erdős.
        ! librarian listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    place.says(&["chat", "team", "--json", "--say", "What are the opening hours?"], &expect![[r#"
        {"sign":"⇒","text":"librarian ⇒ desk: I only know books","type":"MOVED"}
        {"agent":"desk","moves":[{"control":true,"from":"librarian","reason":"I only know books","to":"desk"}],"status":"success","suggestions":[],"text":"From nine to five.","type":"ANSWER","used":{"cost":0.0,"duration_ms":0,"iterations":2,"tokens":632}}
    "#]]);
    expect![[r#"
        user: Which book should I read?
        desk: The librarian knows. [transfer_to_librarian {"reason":"It is about books"}]
        librarian: Read Knuth.
        user: And a second one?
        librarian: Then read Erdős.
        user: What are the opening hours?
        librarian:  [transfer_to_desk {"reason":"I only know books"}]
        desk: From nine to five.
    "#]]
    .assert_eq(&place.transcript("chat"));
}
