//! A network that is not kind: what is asked again, after how long, and what is given up.

use crate::server::{Act, Came, NEVER_MS, Server, ask, beginning, fine, provider, refuses, stream};
use handover_agents::model::{Api, Ask, Client, Model, Piece, Provider, Trouble};
use handover_core::{
    limits::{MODEL_RETRY_AFTER_MS_MAX, MODEL_TRIES_MAX, MODEL_WAIT_MS},
    time::Timestamp,
};
use handover_engine::clock::ManualClock;
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};

/// What the provider does; the waits in between, and the answer or the trouble.
type Case = (&'static str, Vec<Act>, Vec<u64>, Result<&'static str, Trouble>);

fn all_waits() -> Vec<u64> {
    (0..MODEL_TRIES_MAX - 1).map(|n| MODEL_WAIT_MS << n).collect()
}

fn json(body: &str) -> Act {
    Act::Answer(200, vec![("content-type", "application/json".into())], body.into())
}

fn cases() -> Vec<Case> {
    let whole = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
    let too_long = (MODEL_RETRY_AFTER_MS_MAX / 1_000 + 1).to_string();
    let broken = "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n".to_owned();
    let mid = vec![("content-type", "text/event-stream".to_owned())];
    vec![
        ("at once", vec![fine("Hello")], vec![], Ok("Hello")),
        ("whole although pieces were asked for", vec![json(whole)], vec![], Ok("Hello")),
        ("no type at all", vec![Act::Answer(200, vec![], stream("Hello"))], vec![], Ok("Hello")),
        ("fails twice", vec![refuses(500, &[]), refuses(529, &[]), fine("Hello")], vec![500, 1_000], Ok("Hello")),
        ("asks to wait", vec![refuses(429, &[("retry-after", "7")]), fine("Hello")], vec![7_000], Ok("Hello")),
        (
            "asks to wait, exactly",
            vec![refuses(429, &[("retry-after-ms", "250"), ("retry-after", "1")]), fine("Hello")],
            vec![250],
            Ok("Hello"),
        ),
        (
            "asks to wait until a date",
            vec![refuses(503, &[("retry-after", "Fri, 15 Jan 2027 08:00:30 GMT")]), fine("Hello")],
            vec![30_000],
            Ok("Hello"),
        ),
        ("asks for no pause", vec![refuses(503, &[("retry-after", "0")]), fine("Hello")], vec![500], Ok("Hello")),
        ("asks for too much", vec![refuses(429, &[("retry-after", &too_long)])], vec![], Err(Trouble::RateLimit)),
        ("never gets better", vec![refuses(503, &[])], all_waits(), Err(Trouble::Provider)),
        ("must not be asked again", vec![refuses(500, &[("x-should-retry", "false")])], vec![], Err(Trouble::Provider)),
        ("wants to be asked again", vec![refuses(400, &[("x-should-retry", "true")]), fine("a")], vec![500], Ok("a")),
        ("a wrong key", vec![refuses(401, &[])], vec![], Err(Trouble::Key)),
        ("a wrong question", vec![refuses(400, &[])], vec![], Err(Trouble::Question)),
        ("no such model", vec![refuses(404, &[])], vec![], Err(Trouble::NotFound)),
        ("cut in the middle", vec![Act::Cut(beginning("Hel")), fine("Hello")], vec![500], Ok("Hello")),
        ("cut before a word", vec![Act::Cut(String::from(":\n")), fine("Hello")], vec![500], Ok("Hello")),
        ("always cut", vec![Act::Cut(beginning("Hel"))], all_waits(), Err(Trouble::Connection)),
        ("fails in the middle", vec![Act::Answer(200, mid, broken), fine("a")], vec![500], Ok("a")),
        ("no answer", vec![json("[]")], vec![], Err(Trouble::Answer)),
        ("an endless stream", vec![Act::Endless("text/event-stream")], vec![], Err(Trouble::Answer)),
        ("an endless body", vec![Act::Endless("application/json")], vec![], Err(Trouble::Answer)),
    ]
}

#[tokio::test]
async fn what_may_pass_is_asked_again() {
    for (name, acts, waits, expected) in cases() {
        let server = Server::start(acts).await;
        let Came { reply, waited, .. } = ask(provider(Api::Openai, &server.url)).await;
        match (&reply, &expected) {
            (Ok(reply), Ok(text)) => assert_eq!(reply.text, *text, "{name}"),
            (Err(error), Err(trouble)) => assert_eq!(error.trouble, *trouble, "{name}: {error}"),
            (reply, _) => panic!("{name}: {reply:?}"),
        }
        assert_eq!(waited, waits, "{name}");
        assert_eq!(server.count(), waits.len() + 1, "{name}");
        let shown = format!("{reply:?}");
        assert!(!shown.contains("the-key-1234"), "{name}: {shown}");
    }
}

#[tokio::test]
async fn whoever_listens_hears_that_it_begins_anew() {
    let server = Server::start(vec![Act::Cut(beginning("Hel")), refuses(500, &[]), fine("Hello")]).await;
    let heard = ask(provider(Api::Openai, &server.url)).await.heard;
    // The second try said nothing, so nothing is taken back.
    assert_eq!(heard, [Piece::Text("Hel".into()), Piece::Again, Piece::Text("Hello".into())]);
}

#[tokio::test]
async fn silence_ends() {
    for (name, timeout_ms, idle_ms, tries) in
        [("between pieces", NEVER_MS, 777, MODEL_TRIES_MAX as usize), ("in all", 50_000, NEVER_MS, 1)]
    {
        let server = Server::start(vec![Act::Silence]).await;
        let came = ask(Provider { timeout_ms, idle_ms, ..provider(Api::Openai, &server.url) }).await;
        let error = came.reply.unwrap_err();
        assert_eq!(error.trouble, Trouble::Time, "{name}: {error}");
        assert_eq!(came.waited.iter().filter(|ms| [777, 50_000].contains(ms)).count(), tries, "{name}");
    }
}

#[tokio::test]
async fn an_answer_that_stalls_is_asked_for_again() {
    let server = Server::start(vec![Act::Stall(beginning("Hel")), fine("Hello")]).await;
    let clock = Arc::new(ManualClock::at(Timestamp(1_800_000_000_000)));
    let provider = Provider { idle_ms: 60_000, ..provider(Api::Openai, &server.url) };
    let client = Client::with(provider, &|_| None, clock.clone()).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    let asked = tokio::spawn(async move {
        let ask = Ask { model: "m".into(), ..Ask::default() };
        client.ask(&ask, &|piece| listener.lock().push(piece)).await
    });
    // It stalls after the first piece; after that it waits to ask again.
    for (pieces, seconds) in [(1, 60), (2, 1)] {
        while heard.lock().len() < pieces {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(seconds));
    }
    assert_eq!(asked.await.unwrap().unwrap().text, "Hello");
    assert_eq!(*heard.lock(), [Piece::Text("Hel".into()), Piece::Again, Piece::Text("Hello".into())]);
}

#[tokio::test]
async fn no_wait_goes_beyond_the_time_for_the_whole() {
    let server = Server::start(vec![refuses(429, &[("retry-after", "60")])]).await;
    let came = ask(Provider { timeout_ms: 150_000, ..provider(Api::Openai, &server.url) }).await;
    let error = came.reply.unwrap_err();
    assert_eq!((error.trouble, error.retry_after_ms), (Trouble::RateLimit, Some(60_000)));
    assert_eq!(came.waited, [60_000, 60_000]);
}

#[tokio::test]
async fn the_key_goes_nowhere_else() {
    let other = Server::start(vec![fine("stolen")]).await;
    for status in [301, 302, 303, 307, 308] {
        let server = Server::start(vec![refuses(status, &[("location", &other.url)])]).await;
        let error = ask(provider(Api::Openai, &server.url)).await.reply.unwrap_err();
        assert_eq!(error.trouble, Trouble::NotFound);
        assert!(error.message.contains(&other.url), "{error}");
        assert_eq!((server.count(), other.count()), (1, 0), "{status}");
    }
}

#[tokio::test]
async fn an_error_that_repeats_the_key_does_not_show_it() {
    let body = r#"{"error":{"message":"the key the-key-1234 is not valid, nor is tenant-abcdef"}}"#;
    let server = Server::start(vec![Act::Answer(401, vec![], body.into())]).await;
    let mut provider = provider(Api::Openai, &server.url);
    provider.headers.insert("x-tenant".into(), "tenant-abcdef".into());
    assert!(!format!("{provider:?}").contains("tenant-abcdef"));
    let error = ask(provider).await.reply.unwrap_err();
    let expected = "127.0.0.1: the provider says (401): the key [hidden] is not valid, nor is [hidden] \
                    (the key comes from OPENAI_API_KEY)";
    assert_eq!(error.message, expected);
}

#[tokio::test]
async fn nobody_there_is_a_passing_trouble() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let came = ask(provider(Api::Openai, &url)).await;
    assert_eq!(came.reply.unwrap_err().trouble, Trouble::Connection);
    assert_eq!(came.waited, all_waits());
}
