//! The research team: the loop to a better plan, its end, and the survey of several at once.

use crate::house::{House, all_fired};
use expect_test::expect;
use serde_json::json;

const FILE: &str = "research/workflow.yaml";
const PARALLEL: &str = "research/parallel.yaml";
/// Everything that a good plan needs, and nothing to build from.
const BARE: &str = "# Redis 7.2\nCache product pages in Redis 7.2 with an expiry. Test it. There is a risk.\n";

/// The workflow with a library of two documents, both with this text.
fn only(file: &'static str, text: &str) -> House {
    let others = ["caching-patterns", "pitfalls", "testing"];
    let house =
        others.iter().fold(House::of(file), |house, name| house.without(&format!("research/library/{name}.md")));
    house.with("research/library/redis.md", text).with("research/library/http.md", text)
}

#[tokio::test]
async fn the_first_plan_lacks_something_and_the_second_has_it() {
    let house = House::of(FILE);
    let input = house.input("input.json");
    let run = house.run(input).await;
    expect![[r#"
        RESEARCHING -> RESEARCHING: docs-researcher
        RESEARCHING -> PLANNING by 1.1 on RESEARCH_COMPLETE: implementation-planner
        PLANNING -> ANALYZING by 2.1 on PLAN_COMPLETE: analyzer
        ANALYZING -> RESEARCHING by 3.1 on ANALYSIS_COMPLETE: docs-researcher
        RESEARCHING -> PLANNING by 1.1 on RESEARCH_COMPLETE: implementation-planner
        PLANNING -> ANALYZING by 2.1 on PLAN_COMPLETE: analyzer
        ANALYZING -> IMPLEMENTING by 3.2 on ANALYSIS_COMPLETE: code-implementer
        IMPLEMENTING -> COMPLETED by 4.1 on IMPLEMENTATION_COMPLETE"#]]
    .assert_eq(&run.states().await.join("\n"));
    expect![[r#"
        Sequential desk > docs-researcher: question
        Sequential below 1 desk > docs-researcher > implementation-planner: passages question research_pack retry_count round
        Sequential below 2 desk > docs-researcher > implementation-planner > analyzer: implementation_plan passages plan question research_pack round
        Sequential below 3 desk > docs-researcher > implementation-planner > analyzer > docs-researcher: missing passages quality_score question round
        Sequential below 4 desk > docs-researcher > implementation-planner > analyzer > docs-researcher > implementation-planner: passages question research_pack retry_count round
        Sequential below 5 desk > docs-researcher > implementation-planner > analyzer > docs-researcher > implementation-planner > analyzer: implementation_plan passages plan question research_pack round
        Sequential below 6 desk > docs-researcher > implementation-planner > analyzer > docs-researcher > implementation-planner > analyzer > code-implementer: implementation_plan passages plan quality_score question round"#]].assert_eq(&run.history().await.join("\n"));
    expect![[r#"
        # Validation report

        Question: Cache product pages in Redis with an expiry

        Quality score: 50 of 100

        - sources: 20 of 20, the steps cite 2 documents
        - versions: 0 of 20, no versions are named
        - coverage: 30 of 30, every word of the question is met
        - risks: 0 of 15, no risks are named
        - tests: 0 of 15, no tests are named
    "#]]
    .assert_eq(&run.file("ValidationReport-1.md"));
    expect![[r#"
        # Validation report

        Question: Cache product pages in Redis with an expiry

        Quality score: 100 of 100

        - sources: 20 of 20, the steps cite 4 documents
        - versions: 20 of 20, versions named: 2
        - coverage: 30 of 30, every word of the question is met
        - risks: 15 of 15, risks named: 2
        - tests: 15 of 15, tests named: 1
    "#]]
    .assert_eq(&run.file("ValidationReport-2.md"));
    expect![[r#"
        # Implementation plan

        Question: Cache product pages in Redis with an expiry

        Based on: s-1/ResearchPack-2.md

        ## Steps

        1. Expiry: Write the product page into Redis together with its expiry, in one command. [redis.md#3]
        2. Invalidation: Remove the page from the cache when its product changes. [caching-patterns.md#4]
        3. Cache-aside: Look into the cache first; on a miss make the product page and put it into the cache. [caching-patterns.md#2]
        4. Keys for pages: Give every product page in the cache one key, made of the sort of thing and its number. [redis.md#2]
        5. Supported versions: Use Redis 7.2 or later and redis-py 5.0. [redis.md#5]
        6. Stampede: Beware of many requests for one page that has just left the cache: all of them make it at the same moment. [pitfalls.md#2]
        7. Testing what is cached: Give the functions a double of the client that keeps its data in a dictionary. [testing.md#1]

        ## Versions

        - Redis 7.2
        - redis-py 5.0

        ## Risks

        - Beware of many requests for one page that has just left the cache: all of them make it at the same moment. [pitfalls.md#2]
        - The danger grows with the price of making a page. [pitfalls.md#2]

        ## Tests

        - Test a miss, a hit, and a change of the product between the two. [testing.md#1]
    "#]].assert_eq(&run.file("ImplementationPlan-2.md"));
    expect![[r##"
        # Cache product pages in Redis with an expiry
        # Made from s-1/ImplementationPlan-2.md.


        # Step 1: Expiry [redis.md#3]
        def store_page(redis, product_id, html, seconds=300):
            redis.set(page_key(product_id), html, ex=seconds)


        # Step 2: Invalidation [caching-patterns.md#4]
        def product_changed(redis, product_id):
            redis.delete(page_key(product_id))


        # Step 3: Cache-aside [caching-patterns.md#2]
        def cached_page(redis, product_id, make_page):
            html = redis.get(page_key(product_id))
            if html is None:
                html = make_page(product_id)
                store_page(redis, product_id, html)
            return html


        # Step 4: Keys for pages [redis.md#2]
        def page_key(product_id):
            return f"page:{product_id}"


        # Step 6: Stampede [pitfalls.md#2]
        import random


        def spread(seconds):
            return seconds + random.randint(0, seconds // 10)


        # Step 7: Testing what is cached [testing.md#1]
        class DictRedis(dict):
            def set(self, key, value, ex=None):
                self[key] = value

            def delete(self, key):
                self.pop(key, None)
    "##]]
    .assert_eq(&run.file("implementation.py"));
    let session = run.engine.session(&run.id).await.unwrap();
    let mut kept: Vec<String> = session
        .artifacts
        .values()
        .map(|it| format!("{} {:?} {:?} by {}", it.path, it.kind, it.status, it.created_by))
        .collect();
    kept.sort();
    expect![[r#"
        s-1/ImplementationPlan-1.md Document Final by implementation-planner
        s-1/ImplementationPlan-2.md Document Final by implementation-planner
        s-1/ResearchPack-1.md Document Superseded by docs-researcher
        s-1/ResearchPack-2.md Document Final by docs-researcher
        s-1/ValidationReport-1.md ReviewComment Final by analyzer
        s-1/ValidationReport-2.md ReviewComment Final by analyzer
        s-1/implementation.py Code Final by code-implementer"#]]
    .assert_eq(&kept.join("\n"));
    expect![[r#"{"completed_steps":["research","planning","analysis","implementation"],"next_phase":null,"phase":"implementation","remaining_steps":[]}"#]].assert_eq(&session.workflow_state.to_string());
}

#[tokio::test]
async fn a_library_that_lacks_it_ends_the_loop() {
    let house = only(FILE, "# Redis\nProduct pages in Redis have an expiry. Cache them.\n");
    let input = house.input("input.json");
    let run = house.run(input).await;
    expect![[r#"
        RESEARCHING -> RESEARCHING: docs-researcher
        RESEARCHING -> PLANNING by 1.1 on RESEARCH_COMPLETE: implementation-planner
        PLANNING -> ANALYZING by 2.1 on PLAN_COMPLETE: analyzer
        ANALYZING -> RESEARCHING by 3.1 on ANALYSIS_COMPLETE: docs-researcher
        RESEARCHING -> PLANNING by 1.1 on RESEARCH_COMPLETE: implementation-planner
        PLANNING -> ANALYZING by 2.1 on PLAN_COMPLETE: analyzer
        ANALYZING -> RESEARCHING by 3.1 on ANALYSIS_COMPLETE: docs-researcher
        RESEARCHING -> PLANNING by 1.1 on RESEARCH_COMPLETE: implementation-planner
        PLANNING -> ANALYZING by 2.1 on PLAN_COMPLETE: analyzer
        ANALYZING -> FAILED by 3.3 on ANALYSIS_COMPLETE"#]]
    .assert_eq(&run.states().await.join("\n"));
    expect![[r#"[{"name":"sources","of":20,"points":20,"reason":"the steps cite 2 documents"},{"name":"versions","of":20,"points":0,"reason":"no versions are named"},{"name":"coverage","of":30,"points":30,"reason":"every word of the question is met"},{"name":"risks","of":15,"points":0,"reason":"no risks are named"},{"name":"tests","of":15,"points":0,"reason":"no tests are named"}]"#]].assert_eq(&run.result().await["criteria"].to_string());
}

#[tokio::test]
async fn every_rule_counts_somewhere() {
    let shipped = House::of(FILE);
    let input = shipped.input("input.json");
    let nothing = json!({"question": "Tomatoes on Mars"});
    let runs = [
        shipped.run(input.clone()).await,
        House::of(FILE).run(nothing).await,
        only(FILE, "# Redis\nIt is quick.\n").run(json!({"question": "Redis"})).await,
        only(FILE, BARE).run(input).await,
    ];
    all_fired(&runs).await;
}

#[tokio::test]
async fn several_look_at_once_and_their_answers_are_merged() {
    let house = House::of(PARALLEL);
    let input = house.input("parallel.json");
    let run = house.run(input).await;
    expect![[r#"
        SURVEYING -> SURVEYING: chief-architect
        SURVEYING -> PLANNING by 0.1 on SURVEY_COMPLETE: implementation-planner
        PLANNING -> ANALYZING by 2.1 on PLAN_COMPLETE: analyzer
        ANALYZING -> RESEARCHING by 3.1 on ANALYSIS_COMPLETE: docs-researcher
        RESEARCHING -> PLANNING by 1.1 on RESEARCH_COMPLETE: implementation-planner
        PLANNING -> ANALYZING by 2.1 on PLAN_COMPLETE: analyzer
        ANALYZING -> IMPLEMENTING by 3.2 on ANALYSIS_COMPLETE: code-implementer
        IMPLEMENTING -> COMPLETED by 4.1 on IMPLEMENTATION_COMPLETE"#]]
    .assert_eq(&run.states().await.join("\n"));
    expect![[r#"
        Sequential desk > chief-architect: question topics
        Broadcast below 1 desk > chief-architect > docs-researcher: question
        Broadcast below 1 desk > chief-architect > docs-researcher: question
        Broadcast below 1 desk > chief-architect > scout: question
        Sequential below 1 desk > chief-architect > implementation-planner: existing_code passages question research_pack round
        Sequential below 5 desk > chief-architect > implementation-planner > analyzer: existing_code implementation_plan passages plan question research_pack round
        Sequential below 6 desk > chief-architect > implementation-planner > analyzer > docs-researcher: existing_code missing passages quality_score question round
        Sequential below 7 desk > chief-architect > implementation-planner > analyzer > docs-researcher > implementation-planner: existing_code passages question research_pack retry_count round
        Sequential below 8 desk > chief-architect > implementation-planner > analyzer > docs-researcher > implementation-planner > analyzer: existing_code implementation_plan passages plan question research_pack round
        Sequential below 9 desk > chief-architect > implementation-planner > analyzer > docs-researcher > implementation-planner > analyzer > code-implementer: implementation_plan passages plan quality_score question round"#]].assert_eq(&run.history().await.join("\n"));
    expect![[r#"
        # Implementation plan

        Question: Cache product pages in Redis with an expiry

        Based on: s-1/ResearchPack-1.md

        ## Steps

        1. Change product_page, which asks for it each time [shop.py:8]
        2. Expiry: Write the product page into Redis together with its expiry, in one command. [redis.md#3]
        3. Caching patterns: A cache holds what is dear to make and often asked for. [caching-patterns.md#1]
        4. Invalidation: Remove the page from the cache when its product changes. [caching-patterns.md#4]
        5. Cache-aside: Look into the cache first; on a miss make the product page and put it into the cache. [caching-patterns.md#2]
        6. Keys for pages: Give every product page in the cache one key, made of the sort of thing and its number. [redis.md#2]

        ## Versions

        Nothing is known.

        ## Risks

        Nothing is known.

        ## Tests

        Nothing is known.
    "#]].assert_eq(&run.file("ImplementationPlan-1.md"));
    let made = run.file("implementation.py");
    assert!(
        ["cached_page", "store_page", "page_key"].iter().all(|name| made.contains(&format!("def {name}"))),
        "{made}"
    );
}

#[tokio::test]
async fn every_rule_of_the_survey_counts_somewhere() {
    let shipped = House::of(PARALLEL);
    let input = shipped.input("parallel.json");
    let lost = json!({"question": "Redis", "topics": ["Redis", "tomatoes"]});
    let runs = [
        shipped.run(input.clone()).await,
        House::of(PARALLEL).run(lost).await,
        only(PARALLEL, "# Redis\nIt is quick.\n").run(json!({"question": "Redis"})).await,
        only(PARALLEL, BARE).run(json!({"question": "Cache product pages in Redis with an expiry"})).await,
    ];
    all_fired(&runs).await;
}

#[tokio::test]
async fn settings_that_the_team_does_not_know_are_told() {
    let refused = House::of(FILE).saying("library: library", "libary: library").refused().await;
    expect!["HO1002 with: unknown field `libary`, expected one of `library`, `code`, `passages` (see workflows/research/README.md for what the team needs)"].assert_eq(&refused);
    let refused = House::of(FILE).saying("research.analyzer", "research.analyser").refused().await;
    expect![[r#"HO0103 agents.analyzer.run.builtin: no agent "research.analyser" comes with this program (did you mean "research.analyzer"?)"#]].assert_eq(&refused);
}
