//! Sign-ins: what a browser carries in place of a key, sealed so that nobody makes one up.
//!
//! A sign-in names the key and when it was shown. It outlives a restart, because the seal is kept in the store, and ends
//! with its key, by signing out, or when its time is over.

use handover_core::{
    access::{KeyId, KeyInfo},
    limits::{PAGE_MAX, SIGN_IN_MS, SIGNED_OUT_MAX},
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use handover_engine::Engine;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use sha2::Sha256;
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// Where the store keeps what sign-ins are sealed with.
const SPACE: &str = "dashboard";
const SEAL: &str = "seal";
/// Where the store keeps which sign-ins ended before their time.
const LEFT: &str = "dashboard:left";

/// Whose sign-in it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seat {
    pub(crate) key: KeyId,
    since: Timestamp,
    /// Tells one sign-in with a key from another.
    number: Uuid,
}

/// All that is needed to know a sign-in.
pub(crate) struct Seats {
    seal: Vec<u8>,
    /// Those who signed out, and until when that matters.
    left: Mutex<BTreeMap<Uuid, Timestamp>>,
}

impl Seats {
    pub(crate) async fn open(engine: &Engine) -> Result<Self, HandoffError> {
        let kept = engine.notes(SPACE, "", 10).await?;
        let seal = match kept.into_iter().find(|(key, _)| key == SEAL) {
            Some((_, seal)) => seal,
            None => {
                let seal = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
                engine.keep_note(SPACE, SEAL, Some(seal.clone())).await?;
                seal
            }
        };
        let seats = Self { seal: seal.into_bytes(), left: Mutex::default() };
        seats.remember(engine).await?;
        Ok(seats)
    }

    /// Reads who signed out, and forgets those whose time is over anyway.
    async fn remember(&self, engine: &Engine) -> Result<(), HandoffError> {
        let mut after = String::new();
        for _ in 0..SIGNED_OUT_MAX.div_ceil(PAGE_MAX) {
            let page = engine.notes(LEFT, &after, PAGE_MAX).await?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after.clone_from(last);
            for (number, until) in page {
                let until = until.parse().ok().filter(|until| *until > engine.now());
                match (number.parse(), until) {
                    (Ok(number), Some(until)) => drop(self.left.lock().insert(number, until)),
                    _ => engine.keep_note(LEFT, &number, None).await?,
                }
            }
        }
        Ok(())
    }

    /// A new sign-in with this key.
    pub(crate) fn take(&self, key: &KeyId, now: Timestamp) -> Result<String, HandoffError> {
        let seat = Seat { key: key.clone(), since: now, number: Uuid::new_v4() };
        let words = seat.words();
        let seal = self.sealed(&words).ok_or_else(|| Refusal::new(Code::StoreFailed, "a sign-in cannot be sealed"))?;
        Ok(format!("{words}.{seal}"))
    }

    /// Whose sign-in this is, where it is a good one, and the key where that still opens.
    pub(crate) fn find(&self, engine: &Engine, text: &str) -> Option<(Seat, Arc<KeyInfo>)> {
        let (words, seal) = text.rsplit_once('.')?;
        let seal = read_hex(seal)?;
        self.mac(words)?.verify_slice(&seal).ok()?;
        let seat = Seat::read(words)?;
        let over = engine.now() >= seat.since + SIGN_IN_MS || self.left.lock().contains_key(&seat.number);
        let key = engine.key_by_id(&seat.key).filter(|_| !over)?;
        Some((seat, key))
    }

    /// Whether a sign-in still counts. For whoever came with it and stays.
    pub(crate) fn counts(&self, engine: &Engine, seat: &Seat) -> bool {
        engine.now() < seat.since + SIGN_IN_MS
            && engine.key_opens(&seat.key)
            && !self.left.lock().contains_key(&seat.number)
    }

    /// Ends a sign-in.
    pub(crate) async fn leave(&self, engine: &Engine, seat: &Seat) -> Result<(), HandoffError> {
        let until = seat.since + SIGN_IN_MS;
        let forgotten = {
            let mut left = self.left.lock();
            left.insert(seat.number, until);
            if left.len() > SIGNED_OUT_MAX {
                left.iter().min_by_key(|(_, until)| **until).map(|(n, _)| *n)
            } else {
                None
            }
        };
        if let Some(number) = forgotten {
            self.left.lock().remove(&number);
            engine.keep_note(LEFT, &number.to_string(), None).await?;
        }
        engine.keep_note(LEFT, &seat.number.to_string(), Some(until.to_string())).await
    }

    /// What a form of this sign-in carries, so that no page of another house sends one. Whoever came without a key has one,
    /// too: pages of other houses cannot read it.
    pub(crate) fn form_word(&self, seat: Option<&Seat>) -> String {
        let words = seat.map_or_else(|| "open".to_owned(), Seat::words);
        self.sealed(&format!("form:{words}")).unwrap_or_default()
    }

    /// Whether a form carries it.
    pub(crate) fn fits_form(&self, seat: Option<&Seat>, given: &str) -> bool {
        let words = seat.map_or_else(|| "open".to_owned(), Seat::words);
        let mac = self.mac(&format!("form:{words}"));
        mac.zip(read_hex(given)).is_some_and(|(mac, given)| mac.verify_slice(&given).is_ok())
    }

    fn mac(&self, words: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.seal).ok()?;
        mac.update(words.as_bytes());
        Some(mac)
    }

    fn sealed(&self, words: &str) -> Option<String> {
        Some(self.mac(words)?.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl Seat {
    fn words(&self) -> String {
        format!("{}.{}.{}", self.key, self.since.0, self.number.simple())
    }

    fn read(words: &str) -> Option<Self> {
        let mut parts = words.split('.');
        let (key, since, number) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { key: key.parse().ok()?, since: Timestamp(since.parse().ok()?), number: number.parse().ok()? })
    }
}

fn read_hex(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if bytes.len() != 64 {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    bytes.chunks(2).map(|pair| Some(digit(pair[0])? * 16 + digit(pair[1])?)).collect()
}
