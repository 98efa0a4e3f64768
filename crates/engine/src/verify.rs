//! Verification: every record follows the one before it, every checkpoint is kept, and what is stored beside the
//! records follows from them. It goes on while others write.

use crate::engine::Engine;
use handover_core::{
    apply::Touched,
    digest::Digest,
    event::{Event, SealedHead},
    handoff::Handoff,
    ids::{HandoffId, SessionId},
    limits::PAGE_MAX,
    message::Mark,
    record::{self, Record},
    refusal::{Code, HandoffError, Refusal},
    session::{Head, Session},
};
use handover_store::{ChainEnds, RecordQuery, StoredRecord, is_newer};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a verification found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verified {
    /// Chains looked at.
    pub sessions: u64,
    /// Records looked at.
    pub records: u64,
    /// Messages looked at.
    pub messages: u64,
    /// Closed handoffs looked at.
    pub handoffs: u64,
    /// Checkpoints looked at.
    pub checkpoints: u64,
    /// Accounts of the ledger looked at.
    pub accounts: u64,
}

/// What the book of the house says of the other chains: how far each must reach, and what was removed of it.
#[derive(Default)]
struct Book {
    seals: BTreeMap<SessionId, SealedHead>,
    pruned: BTreeMap<SessionId, SealedHead>,
}

/// One chain, as far as it was followed.
struct Chain {
    session: SessionId,
    head: Head,
    after: u64,
    /// The session as its records say; nothing when its beginning was removed.
    replayed: Option<Session>,
    whole: bool,
    seal: Option<SealedHead>,
    /// Closed handoffs as their records say.
    closed: BTreeMap<HandoffId, Digest>,
}

impl Engine {
    /// Verifies every chain, every checkpoint, every message, and that what is stored follows from the records.
    ///
    /// # Errors
    /// `HO0901` with the first record that does not fit. When this caller is no administrator of the house: what does not
    /// fit may be anybody's.
    pub async fn verify(&self) -> Result<Verified, HandoffError> {
        self.operator()?;
        let mut found = Verified::default();
        // The book of the house comes first: it says how far each of the others must reach.
        let mut book = self.verify_house(&mut found).await?;
        let mut after: Option<SessionId> = None;
        loop {
            let page = self.inner.store.chains(after.as_ref(), PAGE_MAX).await?;
            for ends in page.iter().filter(|ends| !ends.session.is_house()) {
                self.verify_session(ends, &mut book, &mut found).await?;
            }
            match page.last() {
                Some(last) => after = Some(last.session.clone()),
                None => break,
            }
        }
        if let Some(seal) = book.seals.into_values().next() {
            return Err(broken(&seal.session_id, seal.seq, "a checkpoint has sealed it, and the session is gone"));
        }
        self.verify_ledger(&mut found).await?;
        Ok(found)
    }

    /// What is set aside is what the open handoffs have set aside, account by account.
    async fn verify_ledger(&self, found: &mut Verified) -> Result<(), HandoffError> {
        for reserved in self.inner.store.reserved().await? {
            if reserved.counted != reserved.held {
                let (account, told) = (reserved.account.as_str(), reserved.counted.words());
                let message = format!(
                    "the account \"{account}\" has set aside {told}, and the open handoffs {}",
                    reserved.held.words()
                );
                let refusal = Refusal::new(Code::BrokenChain, message);
                return Err(refusal.details(serde_json::json!({"account": account})).into());
            }
            found.accounts += 1;
        }
        Ok(())
    }

    async fn verify_house(&self, found: &mut Verified) -> Result<Book, HandoffError> {
        let mut book = Book::default();
        if let Some(ends) = self.inner.store.chain(&SessionId::house()).await? {
            self.verify_chain(Chain::new(&ends, None), &mut book, found).await?;
        }
        Ok(book)
    }

    async fn verify_session(
        &self,
        ends: &ChainEnds,
        book: &mut Book,
        found: &mut Verified,
    ) -> Result<(), HandoffError> {
        if !removed_as_told(ends, book) {
            // It may have been removed while we looked; then the book of the house says so by now.
            let now = self.verify_house(&mut Verified::default()).await?;
            if !removed_as_told(ends, &now) {
                return Err(broken(&ends.session, ends.pruned.0, "records are gone that nobody removed by the book"));
            }
        }
        let seal = book.seals.remove(&ends.session);
        self.verify_chain(Chain::new(ends, seal), &mut Book::default(), found).await
    }

    /// One chain from its beginning to its end, and what is stored beside it.
    async fn verify_chain(&self, mut chain: Chain, book: &mut Book, found: &mut Verified) -> Result<(), HandoffError> {
        let mut still = 0;
        loop {
            let before = chain.head.seq;
            self.follow(&mut chain, book, found).await?;
            if self.is_at_its_end(&chain, found).await? {
                break;
            }
            // More was written while we looked. Where nothing more comes, it is missing.
            still = if chain.head.seq > before { 0 } else { still + 1 };
            if still > 1 {
                return Err(broken(&chain.session, chain.head.seq + 1, "it is missing: the session goes further"));
            }
        }
        if let Some(seal) = chain.seal.as_ref().filter(|seal| seal.seq > chain.head.seq) {
            return Err(broken(&seal.session_id, seal.seq, "a checkpoint has sealed it, and it is not there"));
        }
        found.sessions += 1;
        if chain.whole { self.verify_handoffs(chain, found).await } else { Ok(()) }
    }

    /// Follows the records that there are.
    async fn follow(&self, chain: &mut Chain, book: &mut Book, found: &mut Verified) -> Result<(), HandoffError> {
        loop {
            let query = RecordQuery {
                session: Some(chain.session.clone()),
                after: chain.after,
                limit: PAGE_MAX,
                ..RecordQuery::default()
            };
            let page = self.inner.store.records(&query).await?;
            for stored in &page {
                let record = chain.follow(stored)?;
                found.records += 1;
                match &record.event {
                    Event::Sealed { heads, .. } => {
                        found.checkpoints += 1;
                        book.seals.extend(heads.iter().map(|head| (head.session_id.clone(), head.clone())));
                    }
                    Event::Pruned { heads, .. } => {
                        book.pruned.extend(heads.iter().map(|head| (head.session_id.clone(), head.clone())));
                    }
                    _ => {}
                }
            }
            if page.len() < PAGE_MAX {
                return Ok(());
            }
        }
    }

    /// Whether the chain ends where its session says, and the session is what its records say.
    async fn is_at_its_end(&self, chain: &Chain, found: &mut Verified) -> Result<bool, HandoffError> {
        let Some(ends) = self.inner.store.chain(&chain.session).await? else {
            return Err(broken(&chain.session, chain.head.seq, "the session is gone"));
        };
        if ends.head.0 > chain.head.seq {
            return Ok(false);
        }
        if ends.head != (chain.head.seq, chain.head.hash) {
            let message = format!("its last record is {} where {} is expected", chain.head.seq, ends.head.0);
            return Err(broken(&chain.session, ends.head.0, &message));
        }
        if !chain.whole {
            return Ok(true);
        }
        let Some(stored) = self.inner.store.session(&chain.session).await? else {
            return Err(broken(&chain.session, chain.head.seq, "the session is gone"));
        };
        let Some(mut replayed) = chain.replayed.clone() else {
            return Err(broken(&chain.session, 1, "it does not begin with an opening"));
        };
        if stored.head.seq > chain.head.seq {
            return Ok(false);
        }
        replayed.version = stored.version;
        if stored.parties.is_none() {
            replayed.parties = None; // It began before they were noted.
        }
        if stored.failed.is_none() {
            replayed.failed = None; // It was last written before this was noted.
        }
        if replayed != stored {
            return Err(broken(&chain.session, chain.head.seq, "the stored session is not what its records say"));
        }
        self.verify_messages(&stored, found).await?;
        Ok(true)
    }

    async fn verify_messages(&self, stored: &Session, found: &mut Verified) -> Result<(), HandoffError> {
        let mut mark = Mark::default();
        while mark.messages < stored.mark.messages {
            // No further than the mark: more may have been said meanwhile.
            let last = (mark.messages + PAGE_MAX as u64).min(stored.mark.messages);
            let page = self.inner.store.messages(&stored.id, mark.messages + 1, last).await?;
            if page.is_empty() {
                break;
            }
            for message in &page {
                mark.push(&message.said, message.tokens);
                found.messages += 1;
            }
        }
        if mark != stored.mark {
            return Err(broken(&stored.id, stored.head.seq, "the conversation is not what its records say"));
        }
        Ok(())
    }

    /// The rows of handoffs. Open ones were looked at with their session.
    async fn verify_handoffs(&self, mut chain: Chain, found: &mut Verified) -> Result<(), HandoffError> {
        let known = chain.replayed.as_ref().map_or(0, |replayed| replayed.handoffs);
        let mut after = 0;
        while after < known {
            let page = self.inner.store.handoff_rows(&chain.session, after, PAGE_MAX).await?;
            let Some(last) = page.last() else { break };
            after = last.handoff.n;
            for row in page {
                let handoff = &row.handoff;
                let bad = |why: &str| {
                    let why = format!("handoff {} {why}", handoff.id);
                    Err(broken(&chain.session, chain.head.seq, &why))
                };
                if !row.fits {
                    return bad("is listed as something else than it is");
                }
                let open = chain.replayed.as_ref().is_some_and(|replayed| replayed.open.contains_key(&handoff.id));
                match chain.closed.remove(&handoff.id) {
                    Some(told) if told == digest_of(handoff) => found.handoffs += 1,
                    Some(_) => return bad("is not what its records say"),
                    // What was open then was looked at; what is younger is for the next time.
                    None if open || handoff.n > known => {}
                    None => return bad("is in no record"),
                }
            }
        }
        match chain.closed.keys().next() {
            Some(id) => Err(broken(&chain.session, chain.head.seq, &format!("handoff {id} is gone"))),
            None => Ok(()),
        }
    }
}

/// What stands for a handoff, with its request and its result.
fn digest_of(handoff: &Handoff) -> Digest {
    Digest::of_json(&(handoff, &handoff.request, &handoff.result))
}

/// Whether exactly what the book of the house says was removed of a chain.
fn removed_as_told(ends: &ChainEnds, book: &Book) -> bool {
    match book.pruned.get(&ends.session) {
        Some(head) => (head.seq, head.hash) == ends.pruned,
        None => ends.pruned.0 == 0,
    }
}

impl Chain {
    fn new(ends: &ChainEnds, seal: Option<SealedHead>) -> Self {
        Self {
            session: ends.session.clone(),
            head: Head { seq: ends.pruned.0, hash: ends.pruned.1 },
            after: 0,
            replayed: None,
            whole: ends.pruned.0 == 0,
            seal,
            closed: BTreeMap::new(),
        }
    }

    fn follow(&mut self, stored: &StoredRecord) -> Result<Record, HandoffError> {
        let bad = |why: &str| Err(broken(&stored.session_id, stored.seq, why));
        if stored.seq != self.head.seq + 1 {
            let why = format!("record {} is missing or out of order", self.head.seq + 1);
            return Err(broken(&stored.session_id, self.head.seq + 1, &why));
        }
        if record::hash(&stored.text) != stored.hash {
            return bad("its text does not match its hash");
        }
        let record = match serde_json::from_str::<Record>(&stored.text) {
            Ok(record) => record,
            // Nothing is wrong with it: whoever is new enough can check it.
            Err(error) if is_newer(&error) => return Err(stored.unreadable(&error).into()),
            Err(_) => return bad("it cannot be read"),
        };
        if record.prev != self.head.hash {
            return bad("it does not follow the record before it");
        }
        if record.seq != stored.seq || record.session_id != stored.session_id {
            return bad("it belongs elsewhere");
        }
        if self.seal.as_ref().is_some_and(|seal| seal.seq == stored.seq && seal.hash != stored.hash) {
            return bad("a checkpoint has sealed another record here");
        }
        self.head = Head { seq: stored.seq, hash: stored.hash };
        self.after = stored.position;
        if self.whole {
            self.replay(&record);
        }
        Ok(record)
    }

    fn replay(&mut self, record: &Record) {
        let mut touched = Touched::default();
        let replayed = match self.replayed.take() {
            None => Session::begin(record.session_id.clone(), &record.event, record.timestamp),
            Some(mut session) => {
                session.apply(&record.event, record.timestamp, &mut touched);
                Some(session)
            }
        };
        self.replayed = replayed.map(|session| Session { head: self.head, ..session });
        let closed = touched.handoffs.into_values().filter(|handoff| handoff.status().is_closed());
        self.closed.extend(closed.map(|handoff| (handoff.id, digest_of(&handoff))));
    }
}

fn broken(session: &SessionId, seq: u64, why: &str) -> HandoffError {
    Refusal::new(Code::BrokenChain, format!("session {session}, record {seq}: {why}"))
        .details(serde_json::json!({"session_id": session, "seq": seq}))
        .into()
}
