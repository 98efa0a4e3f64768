//! Deliveries that happen once, whatever breaks.

use super::{message::read_back, *};
use crate::faults::{Fault, FaultCounter};
use std::path::Path;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

fn mailer(delivery: Delivery) -> Mailer {
    Mailer::new(delivery, Fault::default(), FaultCounter::default())
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_outbox_holds_a_message_once() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = folder.path().join("outbox");
    let mailer = mailer(Delivery::Outbox(outbox.clone()));
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Now));
    let [name] = &files(&outbox)[..] else { panic!("one file") };
    let before = std::fs::read(outbox.join(name)).unwrap();
    read_back(&before);
    let other = Email { text: "Another text with the same id.".into(), ..email() };
    assert_eq!(mailer.deliver(&other).await, Ok(Sent::Before));
    assert_eq!(std::fs::read(outbox.join(name)).unwrap(), before);
    // What a crash left half written is no mail, and does not stand in the way.
    std::fs::rename(outbox.join(name), outbox.join(format!("{name}.part"))).unwrap();
    assert_eq!(mailer.deliver(&other).await, Ok(Sent::Now));
    assert_eq!(&files(&outbox)[..], std::slice::from_ref(name));
}

#[tokio::test]
async fn many_at_once_make_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = mailer(Delivery::Outbox(folder.path().into()));
    let tries: Vec<_> = (0..16)
        .map(|_| {
            let mailer = mailer.clone();
            tokio::spawn(async move { mailer.deliver(&email()).await })
        })
        .collect();
    let mut now = 0;
    for one in tries {
        match one.await.unwrap() {
            Ok(Sent::Now) => now += 1,
            Ok(Sent::Before) => {}
            Err(error) => assert!(error.retryable && error.why.contains("at this moment"), "{}", error.why),
        }
    }
    assert_eq!((now, files(folder.path()).len()), (1, 1));
}

/// A mail server on a port of its own that takes one connection for each list of replies.
async fn listening(scripts: Vec<Vec<String>>) -> (u16, JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        let mut taken = 0;
        for script in scripts {
            let (stream, _): (TcpStream, _) = listener.accept().await.unwrap();
            taken += usize::from(server(stream, script).await.iter().any(|line| line == ".\r\n"));
        }
        taken
    });
    (port, task)
}

#[tokio::test]
async fn the_journal_sends_once_and_never_blindly() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    // Broken off before the message: again. Then sent. A third connection would never be taken.
    let (port, taken) = listening(vec![replies(4), replies(7)]).await;
    let mailer = mailer(Delivery::Smtp { server: settings(port), journal: journal.clone() });
    assert!(mailer.deliver(&email()).await.unwrap_err().retryable);
    assert_eq!(files(&journal), [""; 0]);
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Now));
    assert_eq!(taken.await.unwrap(), 1);
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Before));
}

#[tokio::test]
async fn what_may_have_been_sent_is_left_to_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let (port, taken) = listening(vec![replies(6)]).await;
    let mailer = mailer(Delivery::Smtp { server: settings(port), journal: folder.path().into() });
    for why in ["does not answer the end", "an earlier try did not end", "an earlier try did not end"] {
        let error = mailer.deliver(&email()).await.unwrap_err();
        assert!(!error.retryable && error.why.contains(why), "{}", error.why);
        assert!(error.why.starts_with("it is not known whether bjorn@ostergard.example has the mail"));
        // An entry that was cut off counts as begun.
        std::fs::write(folder.path().join(&files(folder.path())[0]), b"").unwrap();
    }
    assert_eq!(taken.await.unwrap(), 1);
}

#[tokio::test]
async fn delivery_can_fail_on_purpose() {
    let folder = tempfile::tempdir().unwrap();
    let fault = |fail_first, permanently| {
        let delivery = Delivery::Outbox(folder.path().into());
        Mailer::new(delivery, Fault { fail_first, permanently }, FaultCounter::default())
    };
    assert!(!fault(0, true).deliver(&email()).await.unwrap_err().retryable);
    let mailer = fault(1, false);
    assert!(mailer.deliver(&email()).await.unwrap_err().retryable);
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Now));
}
