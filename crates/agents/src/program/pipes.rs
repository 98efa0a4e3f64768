//! The pipes of a program that runs: its input is written and its output is read at the same time, within bounds.

use super::Bounds;
use parking_lot::Mutex;
use std::{collections::VecDeque, future::pending, pin::Pin, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin},
};

/// How much is read at once, in bytes.
const PIECE_BYTES: usize = 8 * 1024;

/// The end of what somebody wrote, up to a bound.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    most: usize,
}

impl Tail {
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Arc::default(), most }
    }

    /// Reads to the end and keeps the last of it.
    pub(crate) async fn read(self, from: Option<impl AsyncRead + Unpin>) {
        let Some(mut from) = from else { return };
        let mut piece = [0; PIECE_BYTES];
        while let Ok(count @ 1..) = from.read(&mut piece).await {
            let mut kept = self.kept.lock();
            kept.extend(&piece[..count]);
            let over = kept.len().saturating_sub(self.most);
            kept.drain(..over);
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut kept = self.kept.lock();
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}

/// What a program wrote so far.
#[derive(Debug, Default)]
struct Written {
    bytes: Vec<u8>,
    over: bool,
}

type Moving = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What goes on at the pipes of a program, and what came of it so far.
pub(super) struct Pipes {
    out: Arc<Mutex<Written>>,
    err: Tail,
    /// Everything that goes on; nothing once it is done.
    moving: Option<Moving>,
}

impl Pipes {
    pub(super) fn of(child: &mut Child, input: Vec<u8>, bounds: &Bounds) -> Self {
        let out = Arc::new(Mutex::new(Written::default()));
        let err = Tail::new(bounds.err_bytes);
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (to, tail, most) = (Arc::clone(&out), err.clone(), bounds.out_bytes);
        let moving = async move {
            tokio::join!(write(stdin, input), read(stdout, to, most), tail.read(stderr));
        };
        Self { out, err, moving: Some(Box::pin(moving)) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.out.lock().over
    }

    /// Moves what there is to move until everything is at its end.
    pub(super) async fn finish(&mut self) {
        if let Some(moving) = &mut self.moving {
            moving.await;
            self.moving = None;
        }
    }

    /// Moves what there is to move, and comes back only when too much was written.
    pub(super) async fn overflow(&mut self) {
        let out = Arc::clone(&self.out);
        let over = std::future::poll_fn(|context| {
            if let Some(moving) = &mut self.moving
                && moving.as_mut().poll(context).is_ready()
            {
                self.moving = None;
            }
            if out.lock().over { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        });
        over.await;
    }

    /// Moves what there is to move, and never comes back.
    pub(super) async fn forever(&mut self) {
        self.finish().await;
        pending::<()>().await;
    }

    /// What was written, the end of what was said of trouble, and whether there was more to write.
    pub(super) fn kept(self) -> (String, String, bool) {
        let Written { bytes, over } = std::mem::take(&mut *self.out.lock());
        (String::from_utf8_lossy(&bytes).into_owned(), self.err.text(), over)
    }
}

/// A program that does not read its input is free not to.
async fn write(stdin: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(&input).await;
    }
}

async fn read(from: Option<impl AsyncRead + Unpin>, to: Arc<Mutex<Written>>, most: usize) {
    let Some(mut from) = from else { return };
    let mut piece = [0; PIECE_BYTES];
    while let Ok(count @ 1..) = from.read(&mut piece).await {
        let mut to = to.lock();
        let room = most.saturating_sub(to.bytes.len());
        to.bytes.extend_from_slice(&piece[..count.min(room)]);
        if count > room {
            to.over = true;
            // Nobody reads on: whoever goes on writing is told by the closed pipe.
            return;
        }
    }
}
