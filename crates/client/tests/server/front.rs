//! A front that passes connections on to a server, and can cut all of them at once.

use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::watch,
};

pub struct Front {
    address: SocketAddr,
    leads: watch::Sender<Option<SocketAddr>>,
}

impl Front {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (leads, led) = watch::channel(None);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass(stream, led.clone()));
            }
        });
        Self { address, leads }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Leads somewhere else, or nowhere. What was led elsewhere is cut.
    pub fn lead_to(&self, address: Option<SocketAddr>) {
        self.leads.send_replace(address);
    }
}

async fn pass(mut stream: TcpStream, mut led: watch::Receiver<Option<SocketAddr>>) {
    let address = *led.borrow_and_update();
    let Some(address) = address else { return };
    let Ok(mut server) = TcpStream::connect(address).await else { return };
    tokio::select! {
        _ = copy_bidirectional(&mut stream, &mut server) => {}
        _ = led.changed() => {}
    }
}

/// Answers every connection with these texts, one after the other; the last one for ever. Gives what was asked.
pub async fn answering(texts: &'static [&'static str]) -> (String, watch::Receiver<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (asked, heard) = watch::channel(Vec::new());
    tokio::spawn(async move {
        for i in 0.. {
            let Ok((mut stream, _)) = listener.accept().await else { return };
            let mut head = Vec::new();
            while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                let mut piece = [0; 1024];
                match tokio::time::timeout(Duration::from_secs(10), stream.read(&mut piece)).await {
                    Ok(Ok(read)) if read > 0 => head.extend_from_slice(&piece[..read]),
                    _ => break,
                }
            }
            asked.send_modify(|all| all.push(String::from_utf8_lossy(&head).into_owned()));
            let text = texts[i.min(texts.len() - 1)];
            let _ = stream.write_all(text.as_bytes()).await;
        }
    });
    (url, heard)
}
