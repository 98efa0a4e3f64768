//! The side that asks: it sends what was typed and shows what comes back.

use super::{Asked, Errand, socket};
use crate::cli::{
    door,
    exit::Stop,
    out::{Frame, Out},
};
use std::{io, path::Path};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
};

/// Asks whoever holds the database, and shows what comes back.
pub(crate) async fn ask(db: &Path, args: &[String], out: &mut Out) -> Result<Asked, Stop> {
    let Some(stream) = socket::go_to(db) else { return Ok(Asked::Nobody) };
    let folder = std::env::current_dir().unwrap_or_default();
    let errand = Errand {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        args: args.to_vec(),
        folder,
        user: door::user(),
        look: out.look,
    };
    let Ok(mut stream) = connected(stream) else { return Ok(Asked::Lost) };
    // Whoever does not listen to the end may still have said why.
    let _ = send(&mut stream, &errand).await;
    let mut lines = BufReader::new(stream).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match serde_json::from_str(&line) {
            Ok(Frame::Exit(code)) => return Ok(Asked::Done(code)),
            Ok(frame) => out.send(frame).await?,
            Err(_) => return Ok(Asked::Lost),
        }
    }
    Ok(Asked::Lost)
}

fn connected(stream: std::os::unix::net::UnixStream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

async fn send(stream: &mut UnixStream, errand: &Errand) -> io::Result<()> {
    let mut line = serde_json::to_vec(errand).map_err(io::Error::other)?;
    line.push(b'\n');
    stream.write_all(&line).await
}
