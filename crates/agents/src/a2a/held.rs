//! What is left behind when work on a remote task stops: a task that nobody waits for any more is cancelled, as well as that
//! can be done. A restart of ours is no reason: the next run goes on with the task.

use super::remote::Remote;
use handover_core::handoff::Handoff;
use handover_engine::{Filter, agent::Work};
use parking_lot::Mutex;
use std::sync::Arc;

/// The task of a piece of work, for as long as somebody follows it.
pub(super) struct Held {
    remote: Arc<Remote>,
    work: Work,
    task: Mutex<Option<String>>,
}

impl Held {
    pub(super) fn new(remote: Arc<Remote>, work: Work) -> Self {
        Self { remote, work, task: Mutex::default() }
    }

    /// From now on there is a task.
    pub(super) fn holds(&self, task: &str) {
        *self.task.lock() = Some(task.to_owned());
    }

    /// The task is over, or it is not ours to end.
    pub(super) fn let_go(&self) -> Option<String> {
        self.task.lock().take()
    }

    /// Nobody wants the task any more. Whatever goes wrong while the engine ends is no reason: the next start goes on with it.
    pub(super) fn cancel(&self) {
        if let Some(task) = self.let_go().filter(|_| !self.work.engine().is_closing()) {
            let (remote, work) = (self.remote.clone(), self.work.clone());
            tokio::spawn(async move { remote.cancel(&work, &task).await });
        }
    }

    /// The task waits for an answer, and nobody works on it here meanwhile. It is given up when the handoff is.
    pub(super) fn watch(&self) {
        if let Some(task) = self.let_go() {
            let (remote, work) = (self.remote.clone(), self.work.clone());
            tokio::spawn(async move {
                if unwanted_by_and_by(&work).await {
                    remote.cancel(&work, &task).await;
                }
            });
        }
    }
}

impl Drop for Held {
    /// The engine stops whoever works on something that is over, timed out or somebody else's; and when it ends itself.
    fn drop(&mut self) {
        let (Some(task), Ok(runtime)) = (self.let_go(), tokio::runtime::Handle::try_current()) else { return };
        let (remote, work) = (self.remote.clone(), self.work.clone());
        runtime.spawn(async move {
            let now = work.engine().handoff(work.handoff().id).await;
            if now.is_ok_and(|now| is_unwanted(&work, &now)) {
                remote.cancel(&work, &task).await;
            }
        });
    }
}

/// Whether what was begun for this piece of work is of use to nobody. The same attempt goes on with the same task.
fn is_unwanted(work: &Work, now: &Handoff) -> bool {
    let before = work.handoff();
    now.status().is_closed() || now.attempt != before.attempt || now.to_agent != before.to_agent
}

/// Waits while a question is open; then whether the task is of use to nobody.
async fn unwanted_by_and_by(work: &Work) -> bool {
    let session = Some(work.handoff().session_id.clone());
    let mut feed = work.engine().subscribe(Filter { session, ..Filter::default() }, None);
    loop {
        let Ok(now) = work.engine().handoff(work.handoff().id).await else { return false };
        if is_unwanted(work, &now) {
            return true;
        }
        // Somebody answered: whoever goes on has the task now.
        if now.open_question().is_none() {
            return false;
        }
        match feed.next().await {
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return false,
        }
    }
}
