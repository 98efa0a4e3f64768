//! Pages of other houses do nothing here, whatever they send and whoever looks at them.

use crate::house::House;
use serde_json::json;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    thread,
};

/// What the browser says of what is refused, which is meant to be; such an answer has no picture of its own.
const REFUSED: &[&str] = &["status of 403", "favicon.ico"];
/// Lines in the head of a request.
const LINES: usize = 100;
/// Sends a form without a page being left, with whatever the browser carries.
const SEND: &str = "\
const [url, fields, done] = arguments;
fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams(fields)}).then(() => done('sent'), why => done(String(why)));";

/// Another house, which shows one page to whoever comes; its port. It ends with the process.
fn elsewhere(page: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head = BufReader::new(stream.try_clone().unwrap()).lines().take(LINES).map_while(Result::ok);
            head.take_while(|line| !line.is_empty()).for_each(drop);
            let length = page.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{page}"
            );
            // A browser that hangs up early has what it wanted.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_another_house_changes_nothing() {
    let house = House::new();
    let session = house.session("letter", "A letter to the mayor").await;
    let id = house.hand_over(&session, "writer", "Write to the mayor").await;
    let browser = house.visitor("olga", "operator", &format!("/handoffs/{id}")).await;
    browser.see("Write to the mayor").await;
    // Even whoever got hold of the word that forms carry is told apart by where the form comes from.
    let word = browser.run("return document.querySelector('input[name=word]').value", vec![]).await;
    let word = word.as_str().unwrap().to_owned();
    let action = house.at(&format!("/handoffs/{id}/cancel"));
    let form = |word: &str, button: &str| {
        format!(
            "<form method=post action='{action}'><input type=hidden name=reason value=prize>\
             <input type=hidden name=word value='{word}'><button>{button}</button></form>"
        )
    };
    let page = format!("<!doctype html><title>Prizes</title>{}{}", form("", "Win"), form(&word, "Win twice"));
    let port = elsewhere(page);
    // The same machine at another port, to which a browser carries the same sign-in, and another one.
    for host in ["127.0.0.1", "localhost"] {
        for button in ["Win", "Win twice"] {
            browser.goto(&format!("http://{host}:{port}/")).await;
            browser.press(button).await;
            browser.see("the request comes from").await;
            assert_eq!(house.status(id).await, "offered", "{host}, {button}");
        }
        browser.goto(&format!("http://{host}:{port}/")).await;
        browser.run_async(SEND, vec![json!(action), json!({"reason": "prize", "word": word})]).await;
        assert_eq!(house.status(id).await, "offered", "{host}, by a script");
    }
    // A form of our own without the word does nothing, either; with it, the same does it.
    browser.goto(&house.at(&format!("/handoffs/{id}"))).await;
    browser.run_async(SEND, vec![json!(action), json!({"reason": "prize"})]).await;
    assert_eq!(house.status(id).await, "offered", "without the word");
    browser.run_async(SEND, vec![json!(action), json!({"reason": "prize", "word": word})]).await;
    assert_eq!(house.status(id).await, "cancelled");
    browser.end_but_for(REFUSED);
}
