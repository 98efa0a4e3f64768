//! Where somebody is in the list of approvals: its pages, a link to one of them, and the way back after a decision.

use crate::{
    approvals::{asking, house},
    house::{Browser, House, Seen},
};
use handover_core::{access::Role, ids::HandoffId, limits::PAGE_APPROVALS};

/// The address of the next page of a list.
fn next_page(seen: &Seen) -> String {
    let (before, _) = seen.text.split_once("rel=\"next\"").expect("a next page");
    let (_, rest) = before.rsplit_once("href=\"").unwrap();
    rest.split('"').next().unwrap().replace("&amp;", "&")
}

/// Sends the form of a handoff as this page has it.
async fn approve_on(house: &House, by: &Browser, page: &str, handoff: HandoffId) -> Seen {
    let seen = house.get(by, page).await;
    let hidden = seen.hidden(&format!("/approvals/{handoff}"));
    let mut fields: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    fields.push(("decision", "approve"));
    house.post(by, &format!("/approvals/{handoff}"), &fields).await
}

#[tokio::test]
async fn a_page_has_its_bound_and_leads_on() {
    let house = house().await;
    for n in 0..=PAGE_APPROVALS {
        house.handed_in(&format!("s{n}"), asking(&format!("task number {n}."))).await;
    }
    let local = house.local();
    let seen = house.get(&local, "/approvals").await;
    assert_eq!(seen.text.matches("data-item").count(), PAGE_APPROVALS);
    seen.hides(&format!("task number {PAGE_APPROVALS}."));
    let next = next_page(&seen);
    let more = house.get(&local, &next).await;
    assert_eq!(more.text.matches("data-item").count(), 1);
    more.shows(&format!("task number {PAGE_APPROVALS}."));
}

#[tokio::test]
async fn whoever_decides_on_a_later_page_stays_there() {
    let house = house().await;
    let mut all = Vec::new();
    for n in 0..PAGE_APPROVALS + 3 {
        all.push(house.handed_in(&format!("s{n}"), asking(&format!("task number {n}."))).await);
    }
    let olga = house.signed_in(Role::Operator).await;
    let second = next_page(&house.get(&olga, "/approvals").await);
    let (_, after) = second.split_once("after=").unwrap();
    let last = &all[PAGE_APPROVALS..];
    let seen = approve_on(&house, &olga, &second, last[0]).await;
    assert_eq!(seen.to(), format!("/approvals?next={}&after={after}&done=approved", last[1]), "{}", seen.text);
    house.get(&olga, seen.to()).await.shows("task number 21.").hides("task number 0.");
    let seen = approve_on(&house, &olga, &second, last[1]).await;
    assert_eq!(seen.to(), format!("/approvals?next={}&after={after}&done=approved", last[2]));
    // Nothing is left of this page: the one before it is shown.
    let seen = approve_on(&house, &olga, &second, last[2]).await;
    assert_eq!(seen.to(), "/approvals?done=approved");
    house.get(&olga, seen.to()).await.shows("task number 0.").shows("Approved. It is on its way.");
}

#[tokio::test]
async fn a_link_to_one_shows_it_first() {
    let house = house().await;
    let mut all = Vec::new();
    for n in 0..PAGE_APPROVALS + 2 {
        all.push(house.handed_in(&format!("s{n}"), asking(&format!("task number {n}."))).await);
    }
    let local = house.local();
    let wanted = all[PAGE_APPROVALS + 1];
    let link = format!("/approvals?at={wanted}");
    house.get(&local, &format!("/sessions/s{}", PAGE_APPROVALS + 1)).await.shows(&format!("href=\"{link}\""));
    let seen = house.get(&local, &link).await;
    let (first, _) = seen.text.split_once("task number 0.").expect("the others");
    assert!(first.contains(&format!("task number {}.", PAGE_APPROVALS + 1)), "{first}");
    assert!(first.contains(&format!("id=\"{wanted}\"")) && first.contains("autofocus"), "{first}");
    // One that stands on the page anyway is there once.
    let seen = house.get(&local, &format!("/approvals?at={}", all[3])).await;
    assert_eq!(seen.text.matches("data-item").count(), PAGE_APPROVALS);
    assert_eq!(seen.text.matches(&format!("id=\"{}\"", all[3])).count(), 1);
    let seen = approve_on(&house, &local, &link, wanted).await;
    assert_eq!(seen.to(), format!("/approvals?next={}&done=approved", all[0]));
    house.get(&local, &link).await.shows("is decided already").shows("on offer").shows("task number 0.");
    house.get(&local, "/approvals?at=nonsense").await.shows("is not here").shows("task number 0.");
}
