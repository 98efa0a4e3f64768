//! Sign-ins: what a browser carries in place of a key.
//!
//! A sign-in is a random word. The store keeps its hash with the id of the key, so that it outlives a restart and a copy of
//! the database lets nobody in. It ends with its key, by signing out, or when its time is over.

use handover_core::{
    access::{KeyId, KeyInfo},
    digest::Digest,
    limits::{PAGE_MAX, SIGN_IN_MS, SIGN_INS_MAX},
    refusal::HandoffError,
    time::Timestamp,
};
use handover_engine::Engine;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use sha2::Sha256;
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

/// Where the store keeps sign-ins.
const SPACE: &str = "dashboard:seat";
/// Where the store keeps what forms carry on an open server: one word for all processes that serve the same store.
const OPEN: &str = "dashboard:open";
/// Letters of a sign-in: two random ids.
const LETTERS: usize = 64;

/// Somebody who signed in.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) key: KeyId,
    since: Timestamp,
    /// What the browser carries.
    word: String,
}

#[derive(Clone)]
struct Kept {
    key: KeyId,
    since: Timestamp,
}

/// Everybody who signed in.
pub(crate) struct Seats {
    /// By the hash of what the browser carries.
    known: Mutex<HashMap<String, Kept>>,
    /// For forms of an open server, where nobody signs in.
    open: String,
}

fn random() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

fn hash(word: &str) -> String {
    Digest::of(word.as_bytes()).to_string()
}

/// A random word, kept so that a form of one process is taken by the next one, too.
async fn open_word(engine: &Engine) -> Result<String, HandoffError> {
    if engine.notes(OPEN, "", 1).await?.is_empty() {
        engine.keep_note(OPEN, "word", Some(random())).await?;
    }
    let kept = engine.notes(OPEN, "", 1).await?;
    Ok(kept.into_iter().next().map_or_else(random, |(_, word)| word))
}

impl Seats {
    /// Reads who signed in before, and forgets those whose time is over.
    pub(crate) async fn open(engine: &Engine) -> Result<Self, HandoffError> {
        let seats = Self { known: Mutex::default(), open: open_word(engine).await? };
        let mut after = String::new();
        for _ in 0..SIGN_INS_MAX.div_ceil(PAGE_MAX) {
            let page = engine.notes(SPACE, &after, PAGE_MAX).await?;
            let Some((last, _)) = page.last() else { break };
            after.clone_from(last);
            for (hash, body) in page {
                match Kept::read(&body).filter(|kept| engine.now() < kept.since + SIGN_IN_MS) {
                    Some(kept) => drop(seats.known.lock().insert(hash, kept)),
                    None => engine.keep_note(SPACE, &hash, None).await?,
                }
            }
        }
        Ok(seats)
    }

    /// A new sign-in with this key: what the browser is to carry. With too many, the earliest ends.
    pub(crate) async fn take(&self, engine: &Engine, key: &KeyId) -> Result<String, HandoffError> {
        let (word, kept) = (random(), Kept { key: key.clone(), since: engine.now() });
        let hash = hash(&word);
        engine.keep_note(SPACE, &hash, Some(kept.words())).await?;
        let over: Vec<String> = {
            let mut known = self.known.lock();
            known.insert(hash, kept);
            let ended = |seat: &Kept| engine.now() >= seat.since + SIGN_IN_MS;
            let mut over: Vec<String> =
                known.iter().filter(|(_, seat)| ended(seat)).map(|(hash, _)| hash.clone()).collect();
            if over.is_empty() && known.len() > SIGN_INS_MAX {
                over.extend(known.iter().min_by_key(|(_, seat)| seat.since).map(|(hash, _)| hash.clone()));
            }
            known.retain(|hash, _| !over.contains(hash));
            over
        };
        for hash in over {
            engine.keep_note(SPACE, &hash, None).await?;
        }
        Ok(word)
    }

    /// Whose sign-in this is, where it counts, and the key where that still opens.
    pub(crate) async fn find(&self, engine: &Engine, word: &str) -> Option<(Seat, Arc<KeyInfo>)> {
        if word.len() != LETTERS {
            return None;
        }
        if engine.is_shared() {
            self.look(engine, &hash(word)).await;
        }
        let kept = self.known.lock().get(&hash(word)).cloned()?;
        let seat = Seat { key: kept.key, since: kept.since, word: word.to_owned() };
        if engine.now() >= seat.since + SIGN_IN_MS {
            return None;
        }
        let key = engine.key_by_id(&seat.key)?;
        Some((seat, key))
    }

    /// Somebody may have signed in, or out, at another process. Where the store does not answer, what is known counts.
    async fn look(&self, engine: &Engine, hash: &str) {
        // Notes come after a key: those after all letters but the last are few, and this one is among them.
        let before = hash.get(..hash.len().saturating_sub(1)).unwrap_or_default();
        let Ok(page) = engine.notes(SPACE, before, PAGE_MAX).await else { return };
        let found = page.iter().find(|(key, _)| key == hash).and_then(|(_, body)| Kept::read(body));
        let mut known = self.known.lock();
        match found {
            Some(kept) => drop(known.insert(hash.to_owned(), kept)),
            None => drop(known.remove(hash)),
        }
    }

    /// Whether a sign-in still counts. For whoever came with it and stays.
    pub(crate) fn counts(&self, engine: &Engine, seat: &Seat) -> bool {
        engine.now() < seat.since + SIGN_IN_MS
            && engine.key_opens(&seat.key)
            && self.known.lock().contains_key(&hash(&seat.word))
    }

    /// Ends a sign-in.
    pub(crate) async fn leave(&self, engine: &Engine, seat: &Seat) -> Result<(), HandoffError> {
        let hash = hash(&seat.word);
        self.known.lock().remove(&hash);
        engine.keep_note(SPACE, &hash, None).await
    }

    /// What a form of this sign-in carries, so that no page of another house sends one. Whoever came without a key has one,
    /// too: pages of other houses cannot read it.
    pub(crate) fn form_word(&self, seat: Option<&Seat>) -> String {
        let sealed = self.mac(seat).map(|mac| mac.finalize().into_bytes());
        sealed.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect()).unwrap_or_default()
    }

    /// Whether a form carries it.
    pub(crate) fn fits_form(&self, seat: Option<&Seat>, given: &str) -> bool {
        self.mac(seat).zip(read_hex(given)).is_some_and(|(mac, given)| mac.verify_slice(&given).is_ok())
    }

    fn mac(&self, seat: Option<&Seat>) -> Option<Hmac<Sha256>> {
        let secret = seat.map_or(self.open.as_str(), |seat| seat.word.as_str());
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
        mac.update(b"form");
        Some(mac)
    }
}

impl Kept {
    fn words(&self) -> String {
        format!("{} {}", self.key, self.since.0)
    }

    fn read(words: &str) -> Option<Self> {
        let (key, since) = words.split_once(' ')?;
        Some(Self { key: key.parse().ok()?, since: Timestamp(since.parse().ok()?) })
    }
}

fn read_hex(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if bytes.len() != LETTERS {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    bytes.chunks(2).map(|pair| Some(digit(pair[0])? * 16 + digit(pair[1])?)).collect()
}
