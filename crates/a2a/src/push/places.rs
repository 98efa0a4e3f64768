//! Places for what is on its way: so many for all, and so many for each tenant, so that none waits for another's receivers.

use handover_core::limits::{A2A_PUSHES_AT_ONCE, A2A_PUSHES_AT_ONCE_PER_TENANT};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

/// Places for what is on its way.
pub(super) struct Places {
    all: Semaphore,
    of: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// One of them, until it is dropped.
pub(super) struct Place<'p> {
    _own: OwnedSemaphorePermit,
    _all: SemaphorePermit<'p>,
}

impl Places {
    pub(super) fn new() -> Self {
        Self { all: Semaphore::new(A2A_PUSHES_AT_ONCE), of: Mutex::default() }
    }

    /// A place for this tenant, as soon as there is one. First one of its own: whoever has used those up waits for none of
    /// those that others need.
    pub(super) async fn take(&self, tenant: &str) -> Option<Place<'_>> {
        let own = self.of(tenant).acquire_owned().await.ok()?;
        let all = self.all.acquire().await.ok()?;
        Some(Place { _own: own, _all: all })
    }

    fn of(&self, tenant: &str) -> Arc<Semaphore> {
        let mut of = self.of.lock();
        if let Some(own) = of.get(tenant) {
            return own.clone();
        }
        // Those that nobody has a place of are made anew when they are needed.
        of.retain(|_, own| Arc::strong_count(own) > 1);
        of.entry(tenant.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(A2A_PUSHES_AT_ONCE_PER_TENANT))).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[test]
    fn a_tenant_that_has_used_up_its_places_takes_none_of_the_others() {
        let places = Places::new();
        let take = |tenant: &str| places.take(tenant).now_or_never().flatten();
        let mut held: Vec<_> = (0..A2A_PUSHES_AT_ONCE_PER_TENANT).map(|_| take("loud").unwrap()).collect();
        assert!(take("loud").is_none());
        assert!(take("quiet").is_some());
        held.pop();
        assert!(take("loud").is_some());
        // Nor do all of them together get more than there are.
        let mut all: Vec<_> = (0..).map_while(|n| take(&format!("tenant-{n}"))).collect();
        assert_eq!(held.len() + all.len(), A2A_PUSHES_AT_ONCE);
        all.clear();
        held.clear();
        assert!(take("quiet").is_some());
        assert_eq!(places.of.lock().len(), 1);
    }
}
