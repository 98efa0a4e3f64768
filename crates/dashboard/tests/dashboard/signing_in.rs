//! Signing in and out, and what a browser may not do.

use crate::house::{Browser, House, cookie_of};
use axum::http::{StatusCode, header};
use handover_core::access::Role;

#[tokio::test]
async fn nobody_sees_a_page_without_a_key() {
    let house = House::open().await;
    house.key(Role::Admin).await;
    for path in ["/", "/sessions", "/approvals", "/audit"] {
        let seen = house.get(&Browser::default(), path).await;
        assert_eq!(seen.status, StatusCode::SEE_OTHER, "{path}");
        assert!(seen.to().starts_with("/sign-in"), "{path} leads to {}", seen.to());
    }
    assert_eq!(house.get(&Browser::default(), "/live").await.status, StatusCode::NO_CONTENT);
    let wrong = house.post(&Browser::default(), "/sign-in", &[("key", "ho_nothing")]).await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    wrong.shows("HO0311").hides("ho_nothing");
}

#[tokio::test]
async fn a_key_opens_and_its_end_closes() {
    let house = House::open().await;
    let key = house.key(Role::Operator).await;
    let fields = [("key", key.as_str()), ("next", "/sessions?skip=0")];
    let seen = house.post(&Browser::default(), "/sign-in", &fields).await;
    assert_eq!((seen.status, seen.to()), (StatusCode::SEE_OTHER, "/sessions?skip=0"));
    let said = seen.headers.get(header::SET_COOKIE).unwrap().to_str().unwrap();
    assert!(said.contains("HttpOnly") && said.contains("SameSite=Lax") && !said.contains(&key), "{said}");
    let browser = Browser { cookie: cookie_of(&seen), ..Browser::default() };
    assert_eq!(house.get(&browser, "/sessions").await.status, StatusCode::OK);
    let mut made_up = browser.clone();
    made_up.cookie.pop();
    made_up.cookie.push(if browser.cookie.ends_with('0') { '1' } else { '0' });
    assert_eq!(house.get(&made_up, "/sessions").await.status, StatusCode::SEE_OTHER);
    let id = house.engine.keys().await.unwrap()[0].id.clone();
    house.engine.revoke_key(&id).await.unwrap();
    assert_eq!(house.get(&browser, "/sessions").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn the_way_on_leads_nowhere_else() {
    let house = House::open().await;
    let key = house.key(Role::Viewer).await;
    let seen = house.post(&Browser::default(), "/sign-in", &[("key", &key), ("next", "/approvals#one")]).await;
    assert_eq!(seen.to(), "/approvals#one");
    for next in ["https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)", ""]
    {
        let seen = house.post(&Browser::default(), "/sign-in", &[("key", &key), ("next", next)]).await;
        assert_eq!(seen.to(), "/", "{next}");
    }
}

#[tokio::test]
async fn signing_out_ends_it_everywhere() {
    let house = House::open().await;
    let browser = house.signed_in(Role::Operator).await;
    let seen = house.act(&browser, "/sessions", "/sign-out", &[]).await;
    assert_eq!((seen.status, seen.to()), (StatusCode::SEE_OTHER, "/sign-in"));
    assert_eq!(house.get(&browser, "/sessions").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_form_from_elsewhere_is_refused() {
    let house = House::open().await;
    let (one, two) = (house.signed_in(Role::Operator).await, house.signed_in(Role::Operator).await);
    let theirs = house.get(&two, "/sessions").await.word();
    for word in ["", "0", &theirs, &"0".repeat(64)] {
        let seen = house.post(&one, "/sign-out", &[("word", word)]).await;
        assert_eq!(seen.status, StatusCode::FORBIDDEN, "{word}");
        seen.shows("HO1107");
    }
    assert_eq!(house.get(&one, "/sessions").await.status, StatusCode::OK);
}

#[tokio::test]
async fn every_answer_says_that_nothing_comes_from_elsewhere() {
    let house = House::open().await;
    let browser = house.local();
    for path in ["/sessions", "/sign-in", "/sessions/nowhere"] {
        let seen = house.get(&browser, path).await;
        let policy = seen.headers.get(header::CONTENT_SECURITY_POLICY).expect(path).to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        seen.hides("<style").hides(" style=").hides(" onclick");
    }
}

#[tokio::test]
async fn guessing_is_slowed_down_and_good_keys_are_not() {
    let house = House::open().await;
    let key = house.key(Role::Viewer).await;
    let counts = handover_engine::Turnstile::new(|_| None, || Some(std::time::Duration::from_secs(1)));
    let strict = Browser { counts: Some(counts), ..Browser::default() };
    let wrong = house.post(&strict, "/sign-in", &[("key", "ho_nothing")]).await;
    assert_eq!(wrong.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(house.post(&strict, "/sign-in", &[("key", &key)]).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn requests_by_a_sign_in_count_for_its_key() {
    let house = House::open().await;
    let mut browser = house.signed_in(Role::Viewer).await;
    let full = |key: &handover_core::access::KeyInfo| (key.name == "viewer").then(|| std::time::Duration::from_secs(1));
    browser.counts = Some(handover_engine::Turnstile::new(full, || None));
    let seen = house.get(&browser, "/sessions").await;
    assert_eq!(seen.status, StatusCode::TOO_MANY_REQUESTS);
    seen.shows("too many requests by this key");
}

#[tokio::test]
async fn a_sign_in_outlives_the_process_and_a_copy_of_the_file_does_not_tell_it() {
    let house = House::open().await;
    let browser = house.signed_in(Role::Operator).await;
    let again = handover_dashboard::Dashboard::open(house.engine.clone(), handover_dashboard::Options::default());
    let house = House { router: again.await.unwrap().router(), ..house };
    assert_eq!(house.get(&browser, "/sessions").await.status, StatusCode::OK);
    let (_, word) = browser.cookie.split_once('=').unwrap();
    let kept = house.engine.notes("dashboard:seat", "", 10).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert!(!format!("{kept:?}").contains(word), "{kept:?}");
}

#[tokio::test]
async fn what_somebody_may_not_do_is_on_the_record() {
    let house = House::open().await;
    let browser = house.signed_in(Role::Viewer).await;
    let mut feed = house.engine.subscribe_all(Default::default(), None).unwrap();
    let seen = house.act(&browser, "/sessions", "/audit/verify", &[]).await;
    assert_eq!(seen.status, StatusCode::FORBIDDEN, "{}", seen.text);
    while let Ok(Some(handover_engine::Notice::Event(message))) = feed.next().await {
        if let handover_core::event::Event::AccessDenied(denied) = &message.payload {
            assert_eq!(denied.what, "POST /audit");
            assert!(denied.key.is_some());
            return;
        }
    }
    panic!("no denial was told");
}
