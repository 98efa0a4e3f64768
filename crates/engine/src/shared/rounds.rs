//! One look at the store for all who ask at the same time.

use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;

/// Looks that are had one after the other, and shared by whoever asked before they began.
#[derive(Default)]
pub(crate) struct Rounds {
    begun: AtomicU64,
    /// The last one that came to its end.
    ended: Mutex<u64>,
}

impl Rounds {
    /// Looks, unless somebody began to after this was asked for; gives nothing then.
    pub(crate) async fn look<T, E>(&self, look: impl Future<Output = Result<T, E>>) -> Result<Option<T>, E> {
        let asked = self.begun.load(Ordering::SeqCst);
        let mut ended = self.ended.lock().await;
        if *ended > asked {
            return Ok(None);
        }
        let this = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let seen = look.await?;
        *ended = this;
        Ok(Some(seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn those_who_ask_during_a_look_share_the_next_one() {
        let (rounds, gate) = (Arc::new(Rounds::default()), Arc::new(Semaphore::new(0)));
        let looks = Arc::new(AtomicU64::new(0));
        let ask = || {
            let (rounds, gate, looks) = (rounds.clone(), gate.clone(), looks.clone());
            tokio::spawn(async move {
                let look = async {
                    looks.fetch_add(1, Ordering::SeqCst);
                    gate.acquire().await.map(|place| place.forget())
                };
                rounds.look(look).await.unwrap()
            })
        };
        let first = ask();
        while looks.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let others: Vec<_> = (0..3).map(|_| ask()).collect();
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        gate.add_permits(10);
        first.await.unwrap();
        for other in others {
            other.await.unwrap();
        }
        assert_eq!(looks.load(Ordering::SeqCst), 2, "one that had begun before they asked, and one for all of them");
    }
}
