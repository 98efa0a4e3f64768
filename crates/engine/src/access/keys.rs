//! Keys: made, shown once, kept as hashes in the book of the house, looked up in memory.

use crate::{engine::Engine, finish::finish, shared::Leaf};
use handover_core::{
    access::{self, Denial, KeyId, KeyInfo, NewKey, Right},
    digest::Digest,
    event::Event,
    ids::AgentId,
    limits::KEYS_MAX,
    refusal::{Code, HandoffError, Refusal},
    session::Session,
    time::Timestamp,
};
use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use tokio::sync::OwnedMutexGuard;
use uuid::Uuid;

/// Where the book of the house keeps a key.
const PREFIX: &str = "key:";

/// The keys that are kept, and when each was last used in this process.
#[derive(Default)]
pub(crate) struct Keys {
    kept: RwLock<HashMap<KeyId, Arc<KeyInfo>>>,
    used: Mutex<HashMap<KeyId, Timestamp>>,
    /// One change at a time.
    changing: Arc<tokio::sync::Mutex<()>>,
}

impl Keys {
    pub(crate) fn get(&self, id: &KeyId) -> Option<Arc<KeyInfo>> {
        self.kept.read().get(id).cloned()
    }

    /// Exactly those that a book keeps. One that cannot be read lets nobody in.
    pub(crate) fn take_over(&self, book: Option<&Session>) {
        let kept = book.into_iter().flat_map(|book| book.variables.iter());
        let kept = kept.filter(|(name, _)| name.starts_with(PREFIX));
        let read = kept.filter_map(|(_, kept)| KeyInfo::read(&kept.value).ok());
        *self.kept.write() = read.map(|key| (key.id.clone(), Arc::new(key))).collect();
    }

    /// What the book keeps under a name, if it is a key.
    pub(crate) fn follow(&self, name: &str, value: &Value) {
        let Some(id) = name.strip_prefix(PREFIX) else { return };
        let mut kept = self.kept.write();
        match KeyInfo::read(value) {
            Ok(key) => drop(kept.insert(key.id.clone(), Arc::new(key))),
            Err(_) => kept.retain(|known, _| known.to_string() != id),
        }
    }

    /// All of them, the earliest first.
    fn all(&self) -> Vec<Arc<KeyInfo>> {
        let mut all: Vec<_> = self.kept.read().values().cloned().collect();
        all.sort_by(|a, b| (a.made_at, &a.id).cmp(&(b.made_at, &b.id)));
        all
    }
}

impl Engine {
    /// Makes a key. Its text is given this once and kept nowhere.
    ///
    /// # Errors
    /// With everything that is wrong with it; when this caller is no administrator, or asks for more than its own tenant.
    pub async fn make_key(&self, new: NewKey) -> Result<(KeyInfo, String), HandoffError> {
        self.runs_keys()?;
        let now = self.inner.clock.now();
        new.check(now)?;
        let tenant = new.tenant.clone().unwrap_or_else(|| self.caller.tenant.clone());
        if !self.caller.house && (new.house || tenant != self.caller.tenant) {
            let message = format!("{} makes keys of tenant \"{}\" alone", self.caller.name, self.caller.tenant);
            return Err(Refusal::new(Code::NotAllowed, message).at("tenant").into());
        }
        let alone = self.alone_with_keys().await?;
        let (id, text) = self.new_token();
        let key = KeyInfo::of(id, new, tenant, now, &text);
        let kept = key.clone();
        self.keep_keys(alone, move |_| Ok(vec![kept.clone()])).await?;
        Ok((key, text))
    }

    /// The keys of this caller's tenant, or all for one of the house, the earliest first. Without their secrets.
    ///
    /// # Errors
    /// When this caller is no administrator.
    pub async fn keys(&self) -> Result<Vec<KeyInfo>, HandoffError> {
        self.runs_keys()?;
        let mine = self.inner.keys.all().into_iter().filter(|key| self.is_mine(key));
        Ok(mine.map(Arc::unwrap_or_clone).collect())
    }

    /// Takes a key back, at once and for good.
    ///
    /// # Errors
    /// When this caller is no administrator, or there is no such key for it.
    pub async fn revoke_key(&self, id: &KeyId) -> Result<KeyInfo, HandoffError> {
        self.runs_keys()?;
        let alone = self.alone_with_keys().await?;
        let (id, now) = (id.clone(), self.inner.clock.now());
        let keys = self.keep_keys(alone, move |engine| {
            let mut key = KeyInfo::clone(&*engine.my_key(&id)?);
            key.revoked_at = key.revoked_at.or(Some(now));
            Ok(vec![key])
        });
        keys.await?.pop().ok_or_else(|| Refusal::new(Code::UnknownKey, "there is no such key").into())
    }

    /// Makes a new key of the same scope; the old one ends after so many milliseconds, with 0 at once.
    ///
    /// # Errors
    /// When this caller is no administrator, there is no such key for it, or the key has ended.
    pub async fn rotate_key(&self, id: &KeyId, grace_ms: u64) -> Result<(KeyInfo, String), HandoffError> {
        self.runs_keys()?;
        let alone = self.alone_with_keys().await?;
        let now = self.inner.clock.now();
        let (new_id, text) = self.new_token();
        let (id, secret) = (id.clone(), text.clone());
        let keys = self.keep_keys(alone, move |engine| {
            let mut old = KeyInfo::clone(&*engine.my_key(&id)?);
            let over = old.ended(now).map(Denial::word).or(old.replaced_by.as_ref().map(|_| "replaced"));
            if let Some(word) = over {
                let refusal = Refusal::new(Code::Closed, format!("key {id} is {word} already"));
                return Err(refusal.hint("make a new key").into());
            }
            let key = old.renewed(new_id.clone(), now, &secret);
            let end = now + grace_ms;
            old.replaced_by = Some(new_id.clone());
            if grace_ms == 0 {
                old.revoked_at = Some(now);
            } else {
                old.expires_at = Some(old.expires_at.map_or(end, |earlier| earlier.min(end)));
            }
            Ok(vec![old, key])
        });
        let key = keys.await?.pop().ok_or_else(|| Refusal::new(Code::UnknownKey, "there is no such key"))?;
        Ok((key, text))
    }

    /// The key of this text, if it lets somebody in now. From memory: it costs the same however many keys there are.
    ///
    /// # Errors
    /// Why it does not. To the outside all reasons have the same words.
    pub fn key_of(&self, token: &str) -> Result<Arc<KeyInfo>, Denial> {
        let id = access::id_of(token).ok_or(Denial::Malformed)?;
        let Some(key) = self.inner.keys.get(&id) else {
            // As long as for one that is known, so that nobody finds ids by the clock.
            std::hint::black_box(Digest::of(token.as_bytes()));
            return Err(Denial::Unknown);
        };
        if !key.fits(token) {
            return Err(Denial::Unknown);
        }
        let now = self.inner.clock.now();
        if let Some(denial) = key.ended(now) {
            return Err(denial);
        }
        self.inner.keys.used.lock().insert(id, now);
        Ok(key)
    }

    /// A key by its id, if it lets somebody in now. For whoever showed it before and was given something in its place.
    #[must_use]
    pub fn key_by_id(&self, id: &KeyId) -> Option<Arc<KeyInfo>> {
        let now = self.inner.clock.now();
        let key = self.inner.keys.get(id).filter(|key| key.ended(now).is_none())?;
        self.inner.keys.used.lock().insert(id.clone(), now);
        Some(key)
    }

    /// Whether a key still lets somebody in. For whoever came with it and stays.
    #[must_use]
    pub fn key_opens(&self, id: &KeyId) -> bool {
        self.inner.keys.get(id).is_some_and(|key| key.ended(self.inner.clock.now()).is_none())
    }

    /// Whether any key was ever made, whether or not it still lets somebody in: a house that had keys is never open again.
    #[must_use]
    pub fn was_keyed(&self) -> bool {
        !self.inner.keys.kept.read().is_empty()
    }

    /// Whether any key lets somebody in now.
    #[must_use]
    pub fn has_keys(&self) -> bool {
        let now = self.inner.clock.now();
        self.inner.keys.kept.read().values().any(|key| key.ended(now).is_none())
    }

    /// When each key of this caller was last used since this process began.
    ///
    /// # Errors
    /// When this caller is no administrator.
    pub fn keys_used(&self) -> Result<BTreeMap<KeyId, Timestamp>, HandoffError> {
        self.runs_keys()?;
        let used = self.inner.keys.used.lock().clone();
        let mine = |id: &KeyId| self.inner.keys.get(id).is_some_and(|key| self.is_mine(&key));
        Ok(used.into_iter().filter(|(id, _)| mine(id)).collect())
    }

    /// What the book of the house keeps. One that cannot be read lets nobody in.
    pub(crate) async fn load_keys(&self) -> Result<(), HandoffError> {
        let book = self.house().await?.session.clone();
        self.inner.keys.take_over(book.as_deref());
        Ok(())
    }

    /// Whether keys are this caller's to run: it is an administrator, and bound to nothing within its tenant.
    fn runs_keys(&self) -> Result<(), HandoffError> {
        self.unbound()?;
        self.caller.may(Right::Administer)?;
        if self.caller.sessions.is_none() {
            return Ok(());
        }
        let message = format!("{} is bound to certain sessions", self.caller.name);
        Err(Refusal::new(Code::NotAllowed, message).into())
    }

    fn is_mine(&self, key: &KeyInfo) -> bool {
        self.caller.house || (key.tenant == self.caller.tenant && !key.house)
    }

    fn my_key(&self, id: &KeyId) -> Result<Arc<KeyInfo>, HandoffError> {
        let found = self.inner.keys.get(id).filter(|key| self.is_mine(key));
        found.ok_or_else(|| Refusal::new(Code::UnknownKey, format!("there is no key {id}")).at("id").into())
    }

    /// An id that nobody has, and the text of a key with it.
    fn new_token(&self) -> (KeyId, String) {
        let id = std::iter::repeat_with(|| KeyId::of_number(Uuid::new_v4().as_u128()));
        let mut free = id.filter(|id| self.inner.keys.get(id).is_none());
        let id = free.next().unwrap_or_else(|| KeyId::of_number(0));
        // Each has 122 random bits: three are more than a digest holds.
        let random = [Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()];
        let secret = Digest::of_all(random.iter().map(|part| part.as_bytes().as_slice())).0;
        let text = access::token(&id, &secret);
        (id, text)
    }

    /// One change at a time, by what the book of the house says now.
    async fn alone_with_keys(&self) -> Result<OwnedMutexGuard<()>, HandoffError> {
        let alone = self.inner.keys.changing.clone().lock_owned().await;
        self.sync_book().await?;
        Ok(alone)
    }

    /// Writes keys into the book of the house, all in one commit, and lets them count from then on. They are made anew where
    /// another process was faster. A caller that goes away must not leave a key valid in memory that is taken back on disk.
    async fn keep_keys(
        &self,
        alone: OwnedMutexGuard<()>,
        make: impl Fn(&Self) -> Result<Vec<KeyInfo>, HandoffError> + Send + Sync + 'static,
    ) -> Result<Vec<KeyInfo>, HandoffError> {
        let engine = self.clone();
        finish(async move {
            let kept = engine.write_keys(make).await;
            drop(alone);
            kept
        })
        .await
    }

    async fn write_keys(
        &self,
        make: impl Fn(&Self) -> Result<Vec<KeyInfo>, HandoffError> + Send + Sync,
    ) -> Result<Vec<KeyInfo>, HandoffError> {
        let (mut keys, mut gone) = (Vec::new(), Vec::new());
        self.write_leaf(|book| {
            keys = make(self)?;
            let known = |key: &KeyInfo| self.inner.keys.get(&key.id).is_some_and(|known| *known == *key);
            if keys.iter().all(known) {
                return Ok(None);
            }
            gone = self.make_room(&keys)?;
            leaf(book, &keys, &gone).map(Some)
        })
        .await?;
        let mut kept = self.inner.keys.kept.write();
        for id in &gone {
            kept.remove(id);
            self.inner.keys.used.lock().remove(id);
            self.inner.denials.forget(id);
        }
        if !self.is_shared() {
            kept.extend(keys.iter().map(|key| (key.id.clone(), Arc::new(key.clone()))));
        }
        Ok(keys)
    }

    /// Ended keys that are forgotten so that these can be kept, those that were made first before others.
    fn make_room(&self, keys: &[KeyInfo]) -> Result<Vec<KeyId>, HandoffError> {
        let all = self.inner.keys.all();
        let new = keys.iter().filter(|key| self.inner.keys.get(&key.id).is_none()).count();
        let over = (all.len() + new).saturating_sub(KEYS_MAX);
        let now = self.inner.clock.now();
        let named = |id: &KeyId| keys.iter().any(|key| key.id == *id);
        let ended = all.iter().filter(|key| key.ended(now).is_some() && !named(&key.id));
        let gone: Vec<KeyId> = ended.take(over).map(|key| key.id.clone()).collect();
        if gone.len() == over {
            return Ok(gone);
        }
        let message = format!("there are {KEYS_MAX} keys already (KEYS_MAX)");
        Err(Refusal::new(Code::TooLarge, message).hint("revoke those that nobody needs").into())
    }
}

/// What keeps these keys in the book of the house, and forgets those.
fn leaf(book: Option<&Session>, keys: &[KeyInfo], gone: &[KeyId]) -> Result<Leaf, HandoffError> {
    let version = |name: &str| book.and_then(|book| book.variables.get(name)).map_or(0, |v| v.version);
    let mut set: BTreeMap<String, (Value, u64)> = BTreeMap::new();
    let forgotten = gone.iter().map(|id| (id, Value::Null));
    for (id, value) in forgotten.chain(keys.iter().map(|key| (&key.id, key.kept()))) {
        let name = format!("{PREFIX}{id}");
        let next = version(&name) + 1;
        set.insert(name, (value, next));
    }
    let by = book.map(|book| book.active_agent.clone());
    let by = by.map_or_else(|| AgentId::new("handover"), Ok)?;
    Ok(Leaf { events: vec![Event::VariablesSet { by, set }], ..Leaf::default() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use handover_core::access::Role;

    #[tokio::test]
    async fn ended_keys_make_room_and_others_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path().join("test.db")).await.unwrap();
        let new = || NewKey::of("ci", Role::Viewer);
        let (first, token) = engine.make_key(new()).await.unwrap();
        let others = (1..KEYS_MAX).map(|n| KeyId::of_number(n as u128));
        let others = others.map(|id| (id.clone(), Arc::new(first.renewed(id, first.made_at, "x"))));
        engine.inner.keys.kept.write().extend(others);
        let error = engine.make_key(new()).await.unwrap_err();
        assert!(error.has(Code::TooLarge) && error.to_string().contains("KEYS_MAX"), "{error}");
        engine.revoke_key(&first.id).await.unwrap();
        let (second, _) = engine.make_key(new()).await.unwrap();
        assert_eq!(engine.keys().await.unwrap().len(), KEYS_MAX);
        assert_eq!(engine.key_of(&token), Err(Denial::Unknown));
        engine.load_keys().await.unwrap();
        assert_eq!(engine.keys().await.unwrap(), [second], "what made room is forgotten on disk, too");
        engine.verify().await.unwrap();
    }
}
