//! The ranking on a small table of tasks, and the index when agents come and go.

use super::*;
use crate::agent::Capability;

/// id | specialization | capabilities | description | examples
const AGENTS: &str = "\
billing | billing | refund_processing invoice_lookup | Handles invoices, refunds and subscription questions. | Refund a duplicate payment
recruiter | recruiting | candidate_screening interview_scheduling | Finds and screens candidates for open positions. | Screen these resumes for a backend role
counsel | contract law | contract_review clause_drafting | Reads agreements and points out legal risks. | Review the liability clause of this NDA
dba | databases | query_tuning schema_migration | Keeps PostgreSQL healthy and its queries fast. | Explain why this query does a full table scan
frontend | frontend | react css_layout | Builds web interfaces. | The navigation bar overlaps on small screens
devops | devops | deployment ci_pipelines kubernetes | Ships releases and keeps the build green. | Roll back yesterday's release
translator | translation | spanish french german | Translates documents and keeps their tone. | Translate this letter into French
travel | travel planning | flight_booking hotel_booking | Plans business trips. | Find a flight to Madrid on Monday
security | application security | vulnerability_triage penetration_testing | Finds and judges weaknesses in systems. | Is this dependency affected by a known exploit
triage-nurse | clinical triage | symptom_assessment | Judges how urgent a patient's complaint is. | Fever and a stiff neck since this morning
copywriter | marketing copy | ad_copy landing_pages | Writes words that sell. | A slogan for our summer campaign
electronics | electronics | pcb_design firmware | Designs circuits and the code that runs on them. | The sensor reads zero volts after power up";

/// task | the agent that should come first
const TASKS: &str = "\
I was charged twice for my subscription | billing
please give the customer her money back | billing
the receipt shows the wrong amount | billing
our card was declined when we tried to renew | billing
we must hire two engineers before summer | recruiter
go through the CVs that came in for the analyst job | recruiter
who of the applicants should we invite? | recruiter
is the termination paragraph in this agreement binding? | counsel
the vendor sent a redlined NDA | counsel
can they sue us over the warranty | counsel
the query takes forever since we added the join | dba
add an index to the orders table in postgres | dba
the migration left a column without values | dba
the button is not visible in the browser | frontend
make the website look right on a phone | frontend
the dropdown menu has the wrong colour | frontend
push the new build to production | devops
the docker image does not start in the cluster | devops
pipeline is red since the last merge | devops
we need this brochure in German | translator
what does this Spanish mail say in English | translator
book me a room in Paris for three nights | travel
the plane leaves at six, is there an earlier airline? | travel
someone found a hole that lets attackers read passwords | security
check this SQL injection report | security
my chest hurts and I feel dizzy | triage-nurse
the patient has a rash and a high temperature | triage-nurse
headline and banner text for the new advertisement | copywriter
the microcontroller resets when the motor starts | electronics
solder joints on the board keep breaking | electronics";

fn id(text: &str) -> AgentId {
    AgentId::new(text).unwrap()
}

fn profile(line: &str) -> Profile {
    let mut fields = line.split('|').map(str::trim);
    let mut next = || fields.next().unwrap_or_default().to_owned();
    let mut profile = Profile::of(id(&next()));
    profile.specialization = next();
    let capability = |id: &str| Capability { id: id.to_owned(), proficiency: 1.0 };
    profile.capabilities = next().split_whitespace().map(capability).collect();
    profile.description = next();
    profile.examples = vec![next()];
    profile
}

fn small_table() -> TextIndex {
    index_of(AGENTS.lines())
}

fn index_of<'a>(lines: impl IntoIterator<Item = &'a str>) -> TextIndex {
    let mut index = TextIndex::default();
    lines.into_iter().for_each(|line| index.put(&profile(line)));
    index
}

fn ids(found: &[Found]) -> Vec<&str> {
    found.iter().map(|found| found.agent.as_str()).collect()
}

#[test]
fn tasks_find_their_agents() {
    let index = small_table();
    let (mut first, mut third, mut misses) = (0, 0, String::new());
    for line in TASKS.lines() {
        let (task, wanted) = line.split_once(" | ").unwrap();
        let found = index.rank(task, 3);
        let place = ids(&found).iter().position(|id| *id == wanted);
        first += usize::from(place == Some(0));
        third += usize::from(place.is_some());
        if place != Some(0) {
            let shown = found.iter().map(|f| format!("{} {:.3} {:?}", f.agent, f.score, f.because));
            misses += &format!("{task}\n  wanted {wanted}, found {:?}\n", shown.collect::<Vec<_>>());
        }
    }
    assert!(first >= 28 && third == 30, "{first} first, {third} among three of {}:\n{misses}", TASKS.lines().count());
}

#[test]
fn a_profile_is_replaced_and_removed() {
    let mut index = small_table();
    assert_eq!(ids(&index.rank("migrate the schema", 1)), ["dba"]);
    index.put(&profile("dba | gardening | pruning | Cuts trees. | Water the lawn"));
    assert!(index.rank("tune a query of the schema", 9).iter().all(|f| f.agent != id("dba")));
    assert_eq!(ids(&index.rank("cut the hedge and the lawn", 1)), ["dba"]);
    index.remove(&id("dba"));
    assert!(index.rank("lawn", 9).is_empty());
    index.remove(&id("nobody"));
    assert_eq!(index.len(), 11);
}

#[test]
fn history_leaves_no_trace() {
    let mut worn = small_table();
    for line in AGENTS.lines().chain(AGENTS.lines().rev()) {
        worn.remove(&profile(line).id);
        worn.put(&profile(line));
    }
    for line in AGENTS.lines() {
        let mut other = profile(line);
        other.id = id(&format!("{}-copy", other.id));
        worn.put(&other);
        worn.remove(&other.id);
    }
    let fresh = small_table();
    for task in TASKS.lines() {
        assert_eq!(worn.rank(task, 20), fresh.rank(task, 20), "{task}");
    }
    AGENTS.lines().for_each(|line| worn.remove(&profile(line).id));
    assert!(worn.is_empty() && worn.rank(AGENTS, 20).is_empty());
}

#[test]
fn equals_are_in_the_order_of_their_ids() {
    let lines = ["c | tax", "a | tax", "d | tax", "b | tax", "z | law"];
    let index = index_of(lines);
    assert_eq!(ids(&index.rank("a question of tax", 3)), ["a", "b", "c"]);
    assert_eq!(ids(&index.rank("a question of tax", 9)), ["a", "b", "c", "d"]);
    assert!(index.rank("a question of tax", 0).is_empty());
}

#[test]
fn a_score_is_a_share_and_the_same_everywhere() {
    let index = small_table();
    for line in TASKS.lines().chain(["", "refund", "zzzzqqq", AGENTS]) {
        for found in index.rank(line, 20) {
            assert!(found.score > 0.0 && found.score <= 1.0, "{line}: {found:?}");
            assert_eq!(index.score(line, &found.agent), found.score, "{line}");
        }
    }
    assert_eq!(index.scores("refund", &[id("nobody"), id("devops")]), [0.0, 0.0]);
}

#[test]
fn the_reasons_are_words_of_the_task() {
    let index = small_table();
    let found = index.rank("Please book a FLIGHT to Rome and cancel my Hotel", 1);
    assert_eq!(ids(&found), ["travel"]);
    assert_eq!(found[0].because[..3], ["book", "Hotel", "FLIGHT"]);
    let found = index.rank("refund refund invoices payment subscription card receipt fee price coupon", 1);
    assert_eq!(found[0].because.len(), limits::ROUTE_REASONS_MAX);
}

#[test]
fn odd_texts_do_no_harm() {
    let index = small_table();
    let empty = TextIndex::default();
    let huge = "refund ".repeat(1_000_000);
    let blob = "x".repeat(1_000_000);
    let words: String = (0..100_000).map(|i| format!("word{i} ")).collect();
    for text in ["", "   ", "\u{0}", "🦀🦀", "ﷺ\u{202e}", "İİİ", "the of and", "ß", &huge, &blob, &words, "😀refund😀"]
    {
        assert!(empty.rank(text, 5).is_empty());
        assert!(index.rank(text, 5).iter().all(|found| found.score.is_finite()));
    }
    assert_eq!(ids(&index.rank(&huge, 1)), ["billing"]);
    assert_eq!(ids(&index.rank("😀refund😀", 1)), ["billing"]);
}

#[test]
fn words_are_found_in_other_guises() {
    // task | the agent, with what it says of itself | another
    let table = [
        ("a refnud for this customer", "refund", "weather"),
        ("codereview", "code review", "weather"),
        ("the front end is ugly", "frontend", "weather"),
        ("Fehler in den Rechnungen", "Rechnung", "Wetter"),
        ("请处理发票退款", "发票", "天气"),
        ("счета за март", "счета", "погода"),
        ("organise an e-mail", "email", "weather"),
        ("CUSTOMER_CHURN_REPORT", "churn", "weather"),
    ];
    for (task, right, wrong) in table {
        let mut index = TextIndex::default();
        for (name, text) in [("right", right), ("wrong", wrong)] {
            index.put(&Profile { description: text.to_owned(), ..Profile::of(id(name)) });
        }
        assert_eq!(ids(&index.rank(task, 5)), ["right"], "{task}");
    }
}

#[test]
fn what_everybody_says_decides_nothing() {
    let lines: Vec<String> = (0..100).map(|i| format!("a{i} | orders | special{i}")).collect();
    let index = index_of(lines.iter().map(String::as_str));
    assert_eq!(ids(&index.rank("orders special42", 5)), ["a42"]);
    assert_eq!(index.rank("orders", 5).len(), 5);
}
