//! Notices messages that are too large. The transport passes over them, so that whoever waits for one would wait in vain.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, ReadBuf},
    sync::Notify,
};

/// Told when a message was too large to be read.
pub(super) type TooLarge = Arc<Notify>;

/// Reads lines of somebody, and tells when one is too long.
pub(super) struct Watched<R> {
    from: R,
    /// Bytes of the line that is being read.
    line: usize,
    most: usize,
    told: TooLarge,
}

impl<R> Watched<R> {
    pub(super) fn new(from: R, most: usize, told: TooLarge) -> Self {
        Self { from, line: 0, most, told }
    }

    fn see(&mut self, bytes: &[u8]) {
        let before = self.line;
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => self.line = bytes.len() - last - 1,
            None => self.line = before.saturating_add(bytes.len()),
        }
        let first = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        if before <= self.most && before.saturating_add(first) > self.most {
            self.told.notify_waiters();
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = to.filled().len();
        ready!(Pin::new(&mut self.from).poll_read(context, to))?;
        self.see(&to.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}
