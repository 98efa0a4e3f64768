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
    assert!(said.contains("HttpOnly") && said.contains("SameSite=Strict") && !said.contains(&key), "{said}");
    let browser = Browser { cookie: cookie_of(&seen), open: None };
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
async fn guessing_is_slowed_down() {
    let house = House::open().await;
    house.key(Role::Admin).await;
    let mut last = StatusCode::OK;
    for _ in 0..=handover_core::limits::SIGN_IN_TRIES_PER_SECOND * 3 {
        last = house.post(&Browser::default(), "/sign-in", &[("key", "ho_nothing")]).await.status;
        if last == StatusCode::TOO_MANY_REQUESTS {
            break;
        }
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}
