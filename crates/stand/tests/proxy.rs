//! A way to a server that breaks when a test says so.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use handover_stand::{Moment, Proxy};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

/// A server that says `+` to everything that it hears, and tells what that was.
fn server() -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (tell, heard) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let tell = tell.clone();
            thread::spawn(move || {
                let mut chunk = [0; 1024];
                while let Ok(count @ 1..) = stream.read(&mut chunk) {
                    let _ = tell.send(chunk[..count].to_vec());
                    let _ = stream.write_all(b"+");
                }
            });
        }
    });
    (address, heard)
}

fn client(proxy: &Proxy) -> TcpStream {
    TcpStream::connect(("127.0.0.1", proxy.port())).unwrap()
}

/// What comes back for some bytes: nothing when the line is cut.
fn ask(stream: &mut TcpStream, bytes: &[u8]) -> Option<u8> {
    let mut answer = [0];
    stream.write_all(bytes).ok()?;
    stream.read_exact(&mut answer).ok().map(|()| answer[0])
}

#[test]
fn it_carries_both_ways_and_cuts() {
    let (address, heard) = server();
    let proxy = Proxy::to(&address).unwrap();
    let mut stream = client(&proxy);
    assert_eq!(ask(&mut stream, b"one"), Some(b'+'));
    proxy.cut();
    assert_eq!((ask(&mut stream, b"two"), proxy.cuts()), (None, 1));
    let mut stream = client(&proxy);
    assert_eq!(ask(&mut stream, b"three"), Some(b'+'));
    drop(proxy);
    assert_eq!(ask(&mut stream, b"four"), None);
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), [b"one".to_vec(), b"three".to_vec()]);
}

#[test]
fn it_cuts_at_the_moment_that_was_chosen() {
    for (moment, reaches) in [(Moment::Unsent, false), (Moment::Sent, true), (Moment::Answered, true)] {
        let (address, heard) = server();
        let proxy = Proxy::to(&address).unwrap();
        let (mut stream, mut other) = (client(&proxy), client(&proxy));
        assert_eq!(ask(&mut stream, b"begin"), Some(b'+'));
        proxy.cut_at(b"COMMIT", moment);
        assert_eq!(ask(&mut other, b"something else"), Some(b'+'), "{moment:?}");
        assert_eq!(ask(&mut stream, b"and COMMIT"), None, "{moment:?}");
        assert!(proxy.wait_for_cuts(1, Duration::from_secs(10)));
        assert_eq!(ask(&mut other, b"COMMIT"), Some(b'+'), "only once: {moment:?}");
        assert_eq!(
            heard.iter().take(3 + usize::from(reaches)).any(|bytes| bytes == b"and COMMIT"),
            reaches,
            "{moment:?}"
        );
    }
}

#[test]
fn what_is_looked_for_may_come_in_parts() {
    let (address, _heard) = server();
    let proxy = Proxy::to(&address).unwrap();
    let mut stream = client(&proxy);
    proxy.cut_at(b"COMMIT", Moment::Sent);
    assert_eq!(ask(&mut stream, b"and COM"), Some(b'+'));
    assert_eq!(ask(&mut stream, b"MIT"), None);
}

#[test]
fn it_holds_bytes_and_lets_nobody_in() {
    let (address, heard) = server();
    let proxy = Proxy::to(&address).unwrap();
    let mut stream = client(&proxy);
    assert_eq!(ask(&mut stream, b"one"), Some(b'+'));
    heard.recv().unwrap();
    proxy.hold(true);
    stream.write_all(b"two").unwrap();
    assert!(heard.recv_timeout(Duration::from_millis(50)).is_err());
    proxy.hold(false);
    assert_eq!(heard.recv().unwrap(), b"two");
    proxy.shut(true);
    assert_eq!(ask(&mut client(&proxy), b"three"), None);
    proxy.shut(false);
    assert_eq!(ask(&mut client(&proxy), b"four"), Some(b'+'));
}
