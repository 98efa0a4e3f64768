//! Work that is finished even when whoever asked for it goes away in the middle.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::runtime::Handle;

/// A future that runs where it is awaited, and on a task of its own when it is dropped before its end. Cheaper than a
/// task from the beginning: nobody has to be woken on another thread.
pub(crate) struct Finish<T: Send + 'static> {
    rest: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    /// Where the rest goes; taken at the beginning, because whoever drops it may stand outside of any runtime.
    runtime: Option<Handle>,
}

pub(crate) fn finish<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Finish<T> {
    Finish { rest: Some(Box::pin(work)), runtime: Handle::try_current().ok() }
}

impl<T: Send + 'static> Future for Finish<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let Some(rest) = &mut self.rest else { return Poll::Pending };
        let polled = rest.as_mut().poll(context);
        if polled.is_ready() {
            self.rest = None;
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Finish<T> {
    fn drop(&mut self) {
        // A runtime that is gone takes the engine's tasks with it; the next start takes up what is stored.
        if let (Some(rest), Some(runtime)) = (self.rest.take(), &self.runtime) {
            runtime.spawn(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn what_was_begun_is_finished_when_nobody_waits() {
        let (go, wait) = oneshot::channel::<()>();
        let (done, seen) = oneshot::channel();
        let mut work = Box::pin(finish(async move {
            wait.await.unwrap();
            done.send(7).unwrap();
        }));
        assert!(std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await);
        drop(work);
        go.send(()).unwrap();
        assert_eq!(seen.await.unwrap(), 7);
    }
}
