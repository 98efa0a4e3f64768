//! The audit page: searched by everything, shareable, verified with a visible result, downloaded by whoever may.

use crate::{
    desk::{HOSTILE, delegation, id, is_tame, said, session},
    house::{Browser, House, Seen},
};
use axum::http::{StatusCode, header};
use handover_core::{
    access::{NewKey, Role},
    ids::HandoffId,
    limits::PAGE_ROWS,
};
use std::time::Duration;

async fn house() -> House {
    let house = House::open().await;
    house.staffed(&["planner", "pilot", "crew"], &[]).await;
    house
}

/// A handoff that was done.
async fn done(house: &House, to: &str, task: &str) -> HandoffId {
    let mut request = delegation("planner", to, task);
    request.task.id = format!("T-{to}");
    let handoff = house.handed(request).await;
    let lease = house.engine.accept(handoff, &id(to), None, None).await.unwrap().lease;
    house.engine.give_back_json(handoff, lease, "{\"status\": \"success\"}").await.unwrap();
    handoff
}

fn rows(seen: &Seen) -> usize {
    seen.text.matches("<tr data-key").count()
}

/// Where a link of the page leads.
fn link(seen: &Seen, words: &str) -> String {
    let (before, _) = seen.text.split_once(&format!(">{words}</a>")).unwrap_or_else(|| panic!("no link {words}"));
    let (_, href) = before.rsplit_once("href=\"").unwrap();
    href.split('"').next().unwrap().replace("&amp;", "&")
}

/// A browser of an administrator of the house.
async fn of_house(house: &House) -> Browser {
    let new = NewKey { house: true, ..NewKey::of("house", Role::Admin) };
    let key = house.engine.make_key(new).await.unwrap().1;
    let seen = house.post(&Browser::default(), "/sign-in", &[("key", &key)]).await;
    Browser { cookie: crate::house::cookie_of(&seen), ..Browser::default() }
}

#[tokio::test]
async fn nothing_is_recorded_and_the_page_says_how_to_begin() {
    let house = House::open().await;
    house
        .get(&house.local(), "/audit")
        .await
        .shows("Nothing is recorded yet")
        .shows("handover hand-off")
        .hides("handover demo");
    house.get(&house.local(), "/audit?type=denied").await.shows("No records fit");
}

#[tokio::test]
async fn it_is_searched_by_everything() {
    let house = house().await;
    house.engine.say(&session("s"), said("hello")).await.unwrap();
    let first = done(&house, "pilot", "fly to Oslo").await;
    done(&house, "crew", "clean the cabin").await;
    let cases = [
        ("".to_owned(), 8, "fly to Oslo"),
        ("?session=s".into(), 8, "clean the cabin"),
        (format!("?handoff={first}"), 3, "fly to Oslo"),
        (format!("?handoff={}", &first.to_string().to_uppercase()[..12]), 3, "fly to Oslo"),
        ("?handoff=00000000-0000".into(), 0, "No records fit"),
        ("?to=crew".into(), 3, "clean the cabin"),
        ("?from=planner".into(), 6, "fly to Oslo"),
        ("?type=messages_appended".into(), 1, "1 message was said in the conversation, which has 1 now"),
        ("?type=completed&to=pilot".into(), 1, "completed what"),
        ("?task=T-crew".into(), 3, "clean the cabin"),
        ("?since=1h".into(), 8, "session opened"),
        ("?since=1970-01-01&until=1970-01-02T00:00".into(), 0, "No records fit"),
        ("?until=1h".into(), 0, "No records fit"),
        ("?session=nowhere".into(), 0, "No records fit"),
    ];
    for (query, expected, text) in cases {
        let seen = house.get(&house.local(), &format!("/audit{query}")).await;
        assert_eq!((seen.status, rows(&seen)), (StatusCode::OK, expected), "{query}");
        seen.shows(text);
    }
    let seen = house.get(&house.local(), &format!("/audit?handoff={first}&type=initiated")).await;
    seen.shows("Hash").shows("Follows").shows("&quot;event_type&quot;: &quot;initiated&quot;");
    seen.shows(&format!("value=\"{first}\"")).shows("value=\"initiated\" selected");
}

#[tokio::test]
async fn what_cannot_be_read_is_said_with_a_way_to_mend_it() {
    let house = house().await;
    for (query, told) in [
        ("handoff=pilot", "this is no id of a handoff, nor the beginning of one"),
        ("from=no%20agent%21", "this is no id of an agent"),
        ("since=yesterday", "&quot;yesterday&quot; is no time"),
        ("until=%C3%A9", "is no time"),
        ("since=99999999999999999999d", "is no time"),
    ] {
        let seen = house.get(&house.local(), &format!("/audit?{query}")).await;
        assert_eq!(seen.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        seen.shows(told);
    }
}

#[tokio::test]
async fn pages_lead_back_and_forth_and_miss_nothing() {
    let house = house().await;
    for n in 0..PAGE_ROWS + 20 {
        house.engine.say(&session("s"), said(&n.to_string())).await.unwrap();
    }
    let local = house.local();
    let first = house.get(&local, "/audit?session=s").await;
    assert_eq!(rows(&first), PAGE_ROWS);
    first.shows("data-live").hides("← Later");
    let earlier = link(&first, "Earlier →");
    assert!(earlier.contains("session=s"), "{earlier}");
    let second = house.get(&local, &format!("/audit{earlier}")).await;
    assert_eq!(rows(&second), 21);
    second.hides("Earlier →").hides("data-live").shows("session opened");
    let back = house.get(&local, &format!("/audit{}", link(&second, "← Later"))).await;
    assert_eq!(rows(&back), PAGE_ROWS);
    let keys = |seen: &Seen| -> Vec<String> {
        seen.text.split("<tr data-key=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(&back), keys(&first), "the way back leads to the same page");
    assert_eq!(keys(&house.get(&local, &format!("/audit{}", link(&back, "Earlier →"))).await), keys(&second));
}

#[tokio::test]
async fn a_place_that_is_none_has_nothing() {
    let house = house().await;
    for query in [
        "before=18446744073709551615",
        "before=1",
        "after=18446744073709551615",
        "after=9223372036854775807",
        "before=x",
    ] {
        for book in ["", "&book=house", "&session=s", "&type=initiated"] {
            let seen = house.get(&house.local(), &format!("/audit?{query}{book}")).await;
            assert_eq!(seen.status, StatusCode::OK, "{query}{book}");
        }
    }
}

#[tokio::test]
async fn each_sees_and_is_offered_what_is_theirs() {
    let house = house().await;
    done(&house, "pilot", "fly").await;
    let open = handover_core::command::Open::by("crew").unwrap();
    house.engine.open_session(&session("theirs"), open).await.unwrap();
    let bound = house.bound(Role::Agent, &["pilot"]).await;
    house.get(&bound, "/audit").await.shows(">s</a>").hides("theirs");
    let viewer = house.signed_in(Role::Viewer).await;
    let admin = house.signed_in(Role::Admin).await;
    let owner = of_house(&house).await;
    for (who, browser, downloads, verifies) in [
        ("local", house.local(), true, true),
        ("viewer", viewer, false, false),
        ("agent", bound, false, false),
        ("admin of a tenant", admin, true, false),
        ("admin of the house", owner, true, true),
    ] {
        let seen = house.get(&browser, "/audit").await;
        assert_eq!(seen.text.contains("Download JSON lines"), downloads, "{who}");
        assert_eq!(seen.text.contains("action=\"/audit/verify\""), verifies, "{who}");
        assert_eq!(seen.text.contains("book=house"), verifies, "{who}");
        let export = house.get(&browser, "/audit/export").await;
        assert_eq!(export.status == StatusCode::OK, downloads, "{who}");
        let book = house.get(&browser, "/audit?book=house").await;
        assert_eq!(book.status == StatusCode::OK, verifies, "{who}: {}", book.status);
        let begun = house.act(&browser, "/audit", "/audit/verify", &[]).await;
        assert_eq!(begun.status == StatusCode::SEE_OTHER, verifies, "{who}: {}", begun.status);
    }
}

/// The page once no verification runs any more.
async fn verified(house: &House, browser: &Browser) -> Seen {
    let ended = async {
        loop {
            let seen = house.get(browser, "/audit").await;
            if !seen.text.contains("data-again") {
                return seen;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("it ends")
}

#[tokio::test]
async fn the_chain_is_verified_with_a_result_for_all_to_see() {
    let house = house().await;
    done(&house, "pilot", "fly").await;
    let local = house.local();
    house.get(&local, "/audit").await.shows("Verify the trail").hides("all as it was written");
    let seen = house.act(&local, "/audit", "/audit/verify", &[]).await;
    assert_eq!((seen.status, seen.to()), (StatusCode::SEE_OTHER, "/audit#verify"));
    house.act(&local, "/audit", "/audit/verify", &[]).await;
    let seen = verified(&house, &local).await;
    let found = house.engine.verify().await.unwrap();
    seen.shows("all as it was written").shows(&format!("{} records of {} sessions", found.records, found.sessions));
    let strange = house.post(&local, "/audit/verify", &[]).await;
    assert_eq!(strange.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn what_is_downloaded_is_what_was_searched_for() {
    let house = house().await;
    done(&house, "pilot", "fly").await;
    done(&house, "crew", "clean").await;
    let all = house.get(&house.local(), "/audit/export").await;
    assert_eq!(all.text.lines().count(), 7);
    let kind = all.headers.get(header::CONTENT_DISPOSITION).unwrap().to_str().unwrap();
    assert!(kind.starts_with("attachment"), "{kind}");
    handover_engine::verify_export(all.text.as_bytes()).unwrap();
    let part = house.get(&house.local(), "/audit/export?to=crew&type=completed").await;
    assert_eq!(part.text.lines().count(), 1);
    assert!(part.text.contains("\"to_agent\":\"crew\""), "{}", part.text);
    let from_page = house.get(&house.local(), "/audit?to=crew&before=5").await;
    assert_eq!(link(&from_page, "Download JSON lines"), "/audit/export?to=crew", "the whole search, not a page of it");
}

#[tokio::test]
async fn the_house_has_a_book_of_its_own() {
    let house = house().await;
    let seen = house.get(&house.local(), "/audit?book=house").await;
    seen.shows("The book of the house").shows("pilot is registered").hides("/sessions/s");
    let seen = house.get(&house.local(), "/audit?book=house&type=agent_removed").await;
    seen.shows("No records fit");
    let export = house.get(&house.local(), "/audit/export?book=house").await;
    assert_eq!(export.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn hostile_texts_are_texts() {
    let house = house().await;
    let mut request = delegation("planner", "pilot", HOSTILE);
    request.reason = HOSTILE.into();
    let handoff = house.handed(request).await;
    house.engine.reject(handoff, &id("pilot"), HOSTILE).await.unwrap();
    is_tame(&house.get(&house.local(), "/audit").await);
    let asked = parts_of(HOSTILE);
    for field in ["session", "task", "type", "since"] {
        house.get(&house.local(), &format!("/audit?{field}={asked}")).await.hides("<script>alert").hides("<img src=x");
    }
}

fn parts_of(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The words of the trail are in the core; a new one must be searchable, too.
#[tokio::test]
async fn every_event_type_can_be_chosen() {
    let house = house().await;
    let seen = house.get(&house.local(), "/audit").await;
    let words = include_str!("../../../core/src/event/words.rs");
    let (words, _) = words.split_once("pub fn handoff").unwrap();
    let known: Vec<&str> = words.split('"').skip(1).step_by(2).collect();
    assert!(known.len() > 50, "{known:?}");
    for word in known {
        seen.shows(&format!("<option value=\"{word}\""));
    }
}
