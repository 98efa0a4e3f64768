//! What waits for people and what comes next: nothing urgent hides behind what is not, and every count says what is listed.

use crate::{
    desk::{delegation, id, said, session},
    house::{Browser, House, Seen},
    overview::{agent, done, hand_over, open_breaker, team},
};
use handover_core::{
    access::Role,
    agent::Profile,
    command::{Caller, Command, Open},
    handoff::{Phase, Priority, Request, ReturnStatus},
    ids::HandoffId,
    limits::{ACTIVITY_RECORDS, OVERVIEW_ROWS, PAGE_ROWS, PAGE_TASKS},
    policy::Policy,
};
use std::time::Duration;

fn card<'a>(seen: &'a Seen, part: &str) -> &'a str {
    let rest = seen.text.split(&format!("data-part=\"{part}\"")).nth(1).unwrap_or_else(|| panic!("{}", seen.text));
    rest.split("</section>").next().unwrap()
}

/// What the menu counts for the inbox.
fn in_menu(seen: &Seen) -> &str {
    let menu = seen.text.split("href=\"/inbox\"").nth(1).unwrap().split("</a>").next().unwrap();
    menu.split("class=\"count\">").nth(1).map_or("", |count| count.split('<').next().unwrap())
}

/// A house in which `dora` is asked to look at what fails.
async fn watched() -> House {
    let house = House::open().await;
    team(&house).await;
    house.engine.set_policy(Policy { human: Some(agent("dora")), ..Policy::without_guards() }).unwrap();
    house
}

async fn fails(house: &House, session: &str) -> HandoffId {
    let handoff = hand_over(house, session, "bob", "fly the jet").await;
    done(house, handoff, "bob", ReturnStatus::Failed).await;
    handoff
}

#[tokio::test]
async fn what_failed_waits_for_whoever_is_asked_to_look() {
    let house = watched().await;
    let local = house.local();
    let failed = fails(&house, "s").await;
    house.dashboard.caught_up().await;
    let seen = house.get(&local, "/").await;
    seen.shows("<b>1</b><span>wait for people</span>");
    let blocked = card(&seen, "blocked");
    for words in ["badge bad\">failed work<", "href=\"/team/dora\"", "is asked to look: fly the jet", "1 on people"] {
        assert!(blocked.contains(words), "{words}: {blocked}");
    }
    assert!(blocked.contains(&format!("href=\"/inbox?at={failed}#{failed}\"")), "{blocked}");
    for page in ["/", "/inbox", "/team"] {
        assert_eq!(in_menu(&house.get(&local, page).await), "1", "{page}");
    }
    let seen = house.get(&local, "/inbox").await;
    assert!(card(&seen, "failed").contains("fly the jet"), "{}", card(&seen, "failed"));
    for page in ["/sessions", "/sessions/s", "/sessions?show=waiting"] {
        house.get(&local, page).await.shows("<span class=\"badge bad\">failed</span>").hides("quiet");
    }
    // It is dora's, and nobody else's.
    let (dora, ann) = (house.bound(Role::Agent, &["dora"]).await, house.bound(Role::Agent, &["ann"]).await);
    assert_eq!(in_menu(&house.get(&dora, "/inbox").await), "1");
    let seen = house.get(&ann, "/inbox").await;
    assert_eq!((in_menu(&seen), card(&seen, "failed").contains("fly the jet")), ("", false));
}

#[tokio::test]
async fn what_was_looked_at_waits_no_more() {
    let house = watched().await;
    for name in ["spoken", "retried", "ended"] {
        fails(&house, name).await;
    }
    house.dashboard.caught_up().await;
    assert_eq!(in_menu(&house.get(&house.local(), "/").await), "3");
    house.engine.say(&session("spoken"), said("never mind")).await.unwrap();
    hand_over(&house, "retried", "cleo", "fly the other jet").await;
    let end = Command::End { by: agent("ann"), reason: "no jet".into() };
    house.engine.submit(&session("ended"), end, None).await.unwrap();
    house.dashboard.caught_up().await;
    let seen = house.get(&house.local(), "/").await;
    seen.hides("is asked to look: ").shows("<b>0</b><span>wait for people</span>");
    let seen = house.get(&house.local(), "/sessions").await;
    seen.hides("badge bad\">failed").shows("quiet").shows("on its way").shows("badge good\">over<");
}

#[tokio::test]
async fn all_pages_say_the_same_of_how_much_time_is_left() {
    let house = House::open().await;
    team(&house).await;
    let handoff = hand_over(&house, "s", "dora", "sign the paper").await;
    house.engine.accept(handoff, &agent("dora"), None, None).await.unwrap();
    let Phase::Running { deadline, lease_until, .. } = house.engine.handoff(handoff).await.unwrap().phase else {
        panic!("it runs")
    };
    assert_ne!(deadline, lease_until);
    let (end, lease) = (format!("datetime=\"{deadline}\""), format!("datetime=\"{lease_until}\""));
    for page in ["/", "/handoffs", "/sessions/s", "/team/dora", "/inbox"] {
        house.get(&house.local(), page).await.shows(&end);
    }
    for page in ["/", "/handoffs", "/sessions/s", "/team/dora"] {
        house.get(&house.local(), page).await.hides(&lease);
    }
    let seen = house.get(&house.local(), "/inbox").await;
    let item = seen.text.split("<dt>Yours until</dt>").nth(1).expect("a lease").split("</dd>").next().unwrap();
    assert!(item.contains(&lease), "{item}");
}

#[tokio::test]
async fn what_comes_next_is_seen_behind_any_number_of_leases() {
    let house = House::open().await;
    for name in ["ann", "bob"] {
        house.engine.register_profile(Profile::named(name).unwrap().at_once(1_000)).await.unwrap();
    }
    for number in 0..=PAGE_ROWS {
        let handoff = hand_over(&house, &format!("s{number}"), "bob", "fly").await;
        house.engine.accept(handoff, &agent("bob"), None, None).await.unwrap();
    }
    let mut asking = Request::delegation("ann", "bob", "pay the fuel", Duration::from_secs(60)).unwrap();
    asking.needs_approval = true;
    house.engine.initiate(&session("s0"), asking).await.unwrap();
    let seen = house.get(&house.local(), "/").await;
    let next = card(&seen, "next");
    assert!(next.contains("is reminded, unless it is done with:") && !next.contains("No timer runs"), "{next}");
    assert!(next.contains("of each kind the eldest were looked at"), "{next}");
}

#[tokio::test]
async fn what_is_urgent_comes_first_however_much_is_older() {
    let house = House::open().await;
    house.staffed(&["planner"], &["anna", "bert"]).await;
    house.engine.set_policy(Policy::without_guards()).unwrap();
    for number in 0..=PAGE_ROWS {
        house.handed_in(&format!("s{number}"), delegation("planner", "anna", &format!("paper {number};"))).await;
    }
    let mut request = delegation("planner", "bert", "the house is on fire");
    request.task.priority = Priority::Urgent;
    house.handed_in("fire", request).await;
    let local = house.local();
    let seen = house.get(&local, "/inbox").await;
    let (fire, paper) = (seen.text.find("the house is on fire"), seen.text.find("paper 0;"));
    assert!(fire.is_some() && fire < paper, "{fire:?} {paper:?}");
    seen.shows("There are more: 50+ in all, the most urgent first.").shows("skip=20");
    // The last page has the rest.
    let seen = house.get(&local, "/inbox?skip=40").await;
    assert_eq!(seen.text.matches("Take it as").count(), PAGE_ROWS + 2 - 40);
    seen.shows(&format!("paper {PAGE_ROWS};")).hides("There are more");
    house.get(&local, "/inbox?as=anna").await.shows("There are more").hides("Choose a person");
}

#[tokio::test]
async fn exactly_a_page_is_no_more_than_a_page() {
    let house = House::open().await;
    house.staffed(&["planner"], &["anna"]).await;
    house.engine.set_policy(Policy::without_guards()).unwrap();
    for number in 0..PAGE_ROWS {
        house.handed_in(&format!("s{number}"), delegation("planner", "anna", "sign")).await;
    }
    let seen = house.get(&house.local(), "/").await;
    assert_eq!(in_menu(&seen), "50");
    seen.shows("<b>50</b><span>wait for people</span>").shows("50 on people");
    house.handed_in("more", delegation("planner", "anna", "sign")).await;
    assert_eq!(in_menu(&house.get(&house.local(), "/").await), "50+");
}

#[tokio::test]
async fn results_are_counted_apart_and_seen_at_once() {
    let house = House::open().await;
    house.staffed(&["planner", "pilot"], &["anna", "bert"]).await;
    for number in 0..3 {
        let handoff = house.handed_in(&format!("r{number}"), delegation("anna", "pilot", "look it up")).await;
        let lease = house.engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
        house.engine.give_back_json(handoff, lease, r#"{"status": "success", "result": {}}"#).await.unwrap();
    }
    let local = house.local();
    let seen = house.get(&local, "/inbox").await;
    assert_eq!(in_menu(&seen), "");
    seen.shows("Came back <span class=\"soft\">3</span>").shows("Mark all 3 as seen");
    let (_, rest) = seen.text.split_once("name=\"all\" value=\"").unwrap();
    let all = rest.split('"').next().unwrap().replace("&quot;", "\"");
    let bert = house.bound(Role::Agent, &["bert"]).await;
    let refused = house.act(&bert, "/inbox", "/inbox/returns/all", &[("all", &all)]).await;
    assert!(refused.status.is_client_error(), "{}", refused.status);
    // Whoever is late takes note of nothing more, and that is no mistake.
    let word = seen.word();
    for _ in 0..2 {
        let seen = house.post(&local, "/inbox/returns/all", &[("word", &word), ("all", &all)]).await;
        assert_eq!(seen.to(), "/inbox?done=all-noted", "{}", seen.text);
        house.get(&local, "/inbox").await.hides("Came back");
    }
}

#[tokio::test]
async fn what_went_wrong_stands_before_what_is_routine() {
    let house = House::open().await;
    team(&house).await;
    open_breaker(&house, "cleo").await;
    house.engine.set_policy(Policy::without_guards()).unwrap();
    for number in 0..OVERVIEW_ROWS + 2 {
        let name = format!("a{number}");
        house.engine.open_session(&session(&name), Open::by("ann").unwrap()).await.unwrap();
        let mut asking = Request::delegation("ann", "bob", "pay the fuel", Duration::from_secs(600)).unwrap();
        asking.needs_approval = true;
        house.engine.initiate(&session(&name), asking).await.unwrap();
    }
    let seen = house.get(&house.local(), "/").await;
    let blocked = card(&seen, "blocked");
    let (broken, asked) = (blocked.find("badge bad\">breaker"), blocked.find("badge wait\">approval"));
    assert!(broken.is_some() && broken < asked, "{blocked}");
    assert!(blocked.contains("10 on people, 1 other") && blocked.contains("and 3 more: "), "{blocked}");
    seen.shows("<b>10</b><span>wait for people</span>").shows("href=\"/?blocked=all#blocked\"");
    let seen = house.get(&house.local(), "/?blocked=all").await;
    assert_eq!(card(&seen, "blocked").matches("<li data-key").count(), OVERVIEW_ROWS + 3);
}

#[tokio::test]
async fn a_link_leads_to_what_it_says() {
    let house = House::open().await;
    house.staffed(&["planner", "pilot"], &["anna"]).await;
    house.engine.set_policy(Policy::without_guards()).unwrap();
    let mut last = None;
    for number in 0..=PAGE_TASKS {
        let request = delegation("planner", "anna", &format!("paper {number};"));
        last = Some(house.handed_in(&format!("s{number}"), request).await);
    }
    let last = last.unwrap();
    let words = format!("paper {PAGE_TASKS};");
    let local = house.local();
    house.get(&local, "/inbox").await.hides(&words);
    let seen = house.get(&local, &format!("/inbox?at={last}")).await;
    assert!(seen.text.find(&words) < seen.text.find("paper 0;") && seen.text.contains(&words), "{}", seen.text);
    // A question is answered where the handoff leads.
    let handoff = house.handed(delegation("planner", "pilot", "fly")).await;
    let lease = house.engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
    house.engine.ask(handoff, lease, "Where to?").await.unwrap();
    let there = format!("/inbox?at={handoff}#{handoff}");
    house.get(&local, &format!("/handoffs/{handoff}")).await.shows(&format!("href=\"{there}\""));
    house.get(&local, "/").await.shows(&format!("href=\"{there}\""));
    house.get(&local, &format!("/inbox?at={handoff}")).await.shows("Where to?");
    house.get(&local, "/inbox?at=nonsense").await.shows("paper 0;");
}

#[tokio::test]
async fn questions_that_are_counted_are_those_that_are_listed() {
    let house = House::open().await;
    house.staffed(&["planner", "pilot"], &["anna"]).await;
    house.engine.set_policy(Policy::without_guards()).unwrap();
    for (number, from) in (0..PAGE_TASKS + 2).map(|n| (n, if n == 0 { "planner" } else { "anna" })) {
        let handoff = house.handed_in(&format!("q{number}"), delegation(from, "pilot", "fly")).await;
        let lease = house.engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
        house.engine.ask(handoff, lease, &format!("Where to, {number}?")).await.unwrap();
    }
    let seen = house.get(&house.local(), "/inbox").await;
    assert_eq!(in_menu(&seen), "21");
    seen.shows("There are more. They show when these are answered.");
    let (people, agents) = card(&seen, "questions").split_once("Asked of agents").unwrap();
    assert_eq!((people.matches("<li class").count(), agents.matches("<li class").count()), (PAGE_TASKS, 1));
}

#[tokio::test]
async fn the_latest_of_a_small_tenant_is_seen_beside_a_large_one() {
    let house = House::open().await;
    let other = house.engine.for_caller(Caller::new("olga", "other"));
    house.staffed(&["planner"], &["anna"]).await;
    other.open_session(&session("theirs"), Open::by("planner").unwrap()).await.unwrap();
    other.initiate(&session("theirs"), delegation("planner", "anna", "water the flowers")).await.unwrap();
    let mine = Browser { open: Some(other.clone()), ..Browser::default() };
    for number in 0..=ACTIVITY_RECORDS {
        house.engine.say(&session("s"), said(&format!("word {number}"))).await.unwrap();
    }
    let seen = house.get(&mine, "/").await;
    assert!(card(&seen, "activity").contains("water the flowers"), "{}", card(&seen, "activity"));
    let seen = house.get(&house.local(), "/").await;
    assert!(!card(&seen, "activity").contains("water the flowers"), "{}", card(&seen, "activity"));
    assert!(card(&seen, "activity").contains("has a new session"), "{}", card(&seen, "activity"));
}

#[tokio::test]
async fn tiles_show_how_it_went() {
    let house = House::open().await;
    team(&house).await;
    house.get(&house.local(), "/").await.hides("svg class=\"spark\"");
    let handoff = hand_over(&house, "s", "bob", "a jet").await;
    done(&house, handoff, "bob", ReturnStatus::Success).await;
    house.dashboard.caught_up().await;
    let seen = house.get(&house.local(), "/").await;
    assert_eq!(seen.text.matches("svg class=\"spark\"").count(), 5, "{}", seen.text);
    seen.shows("<span>95 % within</span><svg class=\"spark\"").hides("95 of 100");
}
