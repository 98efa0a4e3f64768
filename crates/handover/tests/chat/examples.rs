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
        generalist › It is done. Deployed and checked.
        login.sh is in place
        price.sh is in place
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
          deploy-specialist ⟵ deploy: login.sh is in place
        price.sh is in place
        version 1.4.0 is live in production
          deploy-specialist: Deployed and checked.
        login.sh is in place
        price.sh is in place
        version 1.4.0 is live in production
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 3 iterations","specialist_name":"deploy-specialist","specialist_response":"Deployed and checked.\nlogin.sh is in place\nprice.sh is in place\nversion 1.4.0 is live in production\n"}
        generalist: It is done. Deployed and checked.
        login.sh is in place
        price.sh is in place
        version 1.4.0 is live in production
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
        generalist › It is done. Deployed and checked.
        login.sh is in place
        price.sh is in place
        version 1.4.0 is live in production
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    expect![[r#"
        user: I need to deploy the app but make sure all tests pass first
        generalist: The tests come first. [handoff_to_specialist {"reason":"Nothing is deployed that fails its tests","specialist_type":"testing","task":"Run all tests of the shop"}]
          test-specialist:  [run_tests {}]
          test-specialist ⟵ run_tests: tests/login.sh
        ok      an owner sees the order
        ok      a stranger does not
        ok      an admin does
        tests/price.sh
        ok      total of three
        ok      total of none
        ok      ten percent off
        ok      rounded for the customer
        ok      shipping of a small order
        ok      free shipping
        ok      all together
        10 passed, 0 failed
          test-specialist: I ran all tests.
        tests/login.sh
        ok      an owner sees the order
        ok      a stranger does not
        ok      an admin does
        tests/price.sh
        ok      total of three
        ok      total of none
        ok      ten percent off
        ok      rounded for the customer
        ok      shipping of a small order
        ok      free shipping
        ok      all together
        10 passed, 0 failed
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 2 iterations","specialist_name":"test-specialist","specialist_response":"I ran all tests.\ntests/login.sh\nok      an owner sees the order\nok      a stranger does not\nok      an admin does\ntests/price.sh\nok      total of three\nok      total of none\nok      ten percent off\nok      rounded for the customer\nok      shipping of a small order\nok      free shipping\nok      all together\n10 passed, 0 failed\n"}
        generalist: All tests pass, so it can be deployed. [handoff_to_specialist {"context":{"tests":"I ran all tests.\ntests/login.sh\nok      an owner sees the order\nok      a stranger does not\nok      an admin does\ntests/price.sh\nok      total of three\nok      total of none\nok      ten percent off\nok      rounded for the customer\nok      shipping of a small order\nok      free shipping\nok      all together\n10 passed, 0 failed\n"},"reason":"The tests pass, and deploying takes a specialist","specialist_type":"deployment","task":"Deploy the shop to production"}]
          deploy-specialist:  [read_file {"path":"VERSION"}]
          deploy-specialist ⟵ read_file: 1.4.0
          deploy-specialist:  [deploy {"environment":"production"}]
          deploy-specialist ⟵ deploy: login.sh is in place
        price.sh is in place
        version 1.4.0 is live in production
          deploy-specialist: Deployed and checked.
        login.sh is in place
        price.sh is in place
        version 1.4.0 is live in production
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 3 iterations","specialist_name":"deploy-specialist","specialist_response":"Deployed and checked.\nlogin.sh is in place\nprice.sh is in place\nversion 1.4.0 is live in production\n"}
        generalist: It is done. Deployed and checked.
        login.sh is in place
        price.sh is in place
        version 1.4.0 is live in production
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
        generalist › I deployed nothing: I ran all tests.
        tests/login.sh
        ok      an owner sees the order
        ok      a stranger does not
        ok      an admin does
        tests/price.sh
        ok      total of three
        ok      total of none
        ok      ten percent off
        ok      rounded for the customer
        FAILED  shipping of a small order: expected '490', found '0'
        ok      free shipping
        ok      all together
        9 passed, 1 failed
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
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]]);
    expect![[r#"
        user: Analyze the security of our authentication system
        generalist: I look at the files first. [read_file {"path":"src/login.sh"}]
        generalist ⟵ read_file: # Who may see an order.

        API_TOKEN="shop-2f9c41"

        # is_admin TOKEN
        is_admin() {
            [ "$1" = "$API_TOKEN" ]
        }

        # name_of ID: the name that belongs to the id of a customer.
        name_of() {
            eval "echo \$customer_$1"
        }

        # may_see CUSTOMER ORDER_OWNER TOKEN
        may_see() {
            is_admin "$3" || [ "$1" = "$2" ]
        }

        # log_in NAME PASSWORD: the password is compared as it is.
        log_in() {
            grep -q "^$1:$2\$" customers.txt && echo "$1 is in"
        }
        generalist: I have read it, and some of it worries me. The specialist should judge it. [handoff_to_specialist {"context":{"concerns":["Can a customer run code through name_of?","Can a pattern as a name log in without a password?"],"files_read":["src/login.sh"],"observations":["The token of the API stands in the source","Passwords are compared as they are"],"patterns":["eval over a name that is made of input","grep with input as its pattern"]},"reason":"Judging risks in authentication takes a specialist","required_capabilities":["security-audit"],"specialist_type":"security","task":"Analyze the security of the authentication system"}]
          security-specialist:  [scan_security {}]
          security-specialist ⟵ scan_security: src/login.sh:3: a secret in plain text
        src/login.sh:12: eval runs any text as code
        src/login.sh:20: a password is handled: is it hashed?
        3 things found
          security-specialist:  [read_file {"path":"src/login.sh"}]
          security-specialist ⟵ read_file: # Who may see an order.

        API_TOKEN="shop-2f9c41"

        # is_admin TOKEN
        is_admin() {
            [ "$1" = "$API_TOKEN" ]
        }

        # name_of ID: the name that belongs to the id of a customer.
        name_of() {
            eval "echo \$customer_$1"
        }

        # may_see CUSTOMER ORDER_OWNER TOKEN
        may_see() {
            is_admin "$3" || [ "$1" = "$2" ]
        }

        # log_in NAME PASSWORD: the password is compared as it is.
        log_in() {
            grep -q "^$1:$2\$" customers.txt && echo "$1 is in"
        }
          security-specialist: Findings, the worst first:
        1. src/login.sh:12, high: eval runs whatever a customer's id holds. Look the name up with grep -F instead.
        2. src/login.sh:3, high: the token of the API is in the source. Take it from the environment, and make a new one.
        3. src/login.sh:22, high: the name is a pattern for grep, so ".*" logs in as anybody. Compare with grep -F, and keep
           hashes instead of passwords.
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 3 iterations","specialist_name":"security-specialist","specialist_response":"Findings, the worst first:\n1. src/login.sh:12, high: eval runs whatever a customer's id holds. Look the name up with grep -F instead.\n2. src/login.sh:3, high: the token of the API is in the source. Take it from the environment, and make a new one.\n3. src/login.sh:22, high: the name is a pattern for grep, so \".*\" logs in as anybody. Compare with grep -F, and keep\n   hashes instead of passwords.\n"}
        generalist: The specialist looked at it. Findings, the worst first:
        1. src/login.sh:12, high: eval runs whatever a customer's id holds. Look the name up with grep -F instead.
        2. src/login.sh:3, high: the token of the API is in the source. Take it from the environment, and make a new one.
        3. src/login.sh:22, high: the name is a pattern for grep, so ".*" logs in as anybody. Compare with grep -F, and keep
           hashes instead of passwords.
    "#]].assert_eq(&place.transcript("chat"));
}

#[test]
fn for_programs() {
    let place = Place::with("specialists");
    place.says(&["chat", TEAM, "--json", "--say", CHAIN, "--say", "Thank you"], &expect![[r#"
        {"sign":"→","text":"generalist → test-specialist: Nothing is deployed that fails its tests","type":"MOVED"}
        {"sign":"→","text":"generalist → deploy-specialist: The tests pass, and deploying takes a specialist","type":"MOVED"}
        {"agent":"generalist","moves":[{"control":false,"from":"generalist","reason":"Nothing is deployed that fails its tests","to":"test-specialist"},{"control":false,"from":"generalist","reason":"The tests pass, and deploying takes a specialist","to":"deploy-specialist"}],"status":"success","suggestions":[],"text":"It is done. Deployed and checked.\nlogin.sh is in place\nprice.sh is in place\nversion 1.4.0 is live in production\n","type":"ANSWER","used":{"cost":0.0,"duration_ms":0,"iterations":8,"tokens":5491}}
        {"agent":"generalist","moves":[],"status":"success","suggestions":[],"text":"You are welcome.","type":"ANSWER","used":{"cost":0.0,"duration_ms":0,"iterations":1,"tokens":978}}
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
        !   a handoff seems due: librarian's part is complete, and nobody took over
    "#]],
    );
    place.says(
        &chat("And a second one?"),
        &expect![[r#"
        librarian › Then read Erdős.
        ! librarian listens. End with Ctrl-D; the same command goes on later.
        !   a handoff seems due: librarian's part is complete, and nobody took over
    "#]],
    );
    place.says(&["chat", "team", "--json", "--say", "What are the opening hours?"], &expect![[r#"
        {"sign":"⇒","text":"librarian ⇒ desk: I only know books","type":"MOVED"}
        {"agent":"desk","moves":[{"control":true,"from":"librarian","reason":"I only know books","to":"desk"}],"status":"success","suggestions":[{"kind":"part_complete","to":null,"why":"desk's part is complete, and nobody took over"}],"text":"From nine to five.","type":"ANSWER","used":{"cost":0.0,"duration_ms":0,"iterations":2,"tokens":904}}
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
