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
}

pub(crate) fn finish<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Finish<T> {
    Finish { rest: Some(Box::pin(work)) }
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
        // Without a runtime the process is on its way out, and a restart takes up what is stored.
        if let (Some(rest), Ok(runtime)) = (self.rest.take(), Handle::try_current()) {
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
