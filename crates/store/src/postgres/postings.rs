//! Postings to arrays. What only adds is summed for each commit and account. An account in which anything must be checked,
//! or is no sum, goes posting by posting, with all that the batch posts to it.

use super::write::int;
use handover_core::{
    budget::{Amount, Share, units},
    ledger::{Account, Change, Posting},
};
use std::collections::{BTreeMap, HashMap};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// No limit, or a number that is as high as one.
const NONE: i64 = i64::MAX;
/// Nobody did well.
const NEVER: i64 = -i64::MAX;

/// How many arrays there are.
pub(super) const COUNT: usize = 13;

/// The postings of a batch, as arrays. What the numbers of a row are stands in the migration with the ledger.
#[derive(Default)]
pub(super) struct Postings<'a> {
    sum_commit: Vec<i32>,
    sum_account: Vec<&'a str>,
    sum_whole: Vec<i64>,
    sum_parts: Vec<f64>,
    held_commit: Vec<i32>,
    held_account: Vec<&'a str>,
    held_numbers: Vec<i64>,
    names: Vec<&'a str>,
    commit: Vec<i32>,
    account: Vec<i32>,
    kind: Vec<i16>,
    numbers: Vec<i64>,
    handoff: Vec<Option<Uuid>>,
}

/// What a commit adds to an account.
#[derive(Default)]
struct Sum {
    used: Amount,
    ended: i64,
    succeeded: i64,
    well: Option<i64>,
    parts: [f64; 4],
}

/// Several changes of what is set aside, one after the other: add `d`, but not below `m`.
#[derive(Clone, Copy)]
struct Held {
    d: i64,
    m: i64,
}

impl<'a> Postings<'a> {
    pub(super) fn params<'p>(&'p self, into: &mut Vec<&'p (dyn ToSql + Sync)>) {
        let arrays: [&'p (dyn ToSql + Sync); COUNT] = [
            &self.sum_commit,
            &self.sum_account,
            &self.sum_whole,
            &self.sum_parts,
            &self.held_commit,
            &self.held_account,
            &self.held_numbers,
            &self.names,
            &self.commit,
            &self.account,
            &self.kind,
            &self.numbers,
            &self.handoff,
        ];
        into.extend(arrays);
    }

    /// The account at this place, from 1.
    pub(super) fn name(&self, place: usize) -> Option<&'a str> {
        self.names.get(place.checked_sub(1)?).copied()
    }

    /// The postings of these commits.
    pub(super) fn of(commits: impl Iterator<Item = &'a [Posting]> + Clone) -> Self {
        let mut postings = Self::default();
        let mut places: HashMap<&'a Account, i32> = HashMap::new();
        for posting in commits.clone().flatten().filter(|posting| !adds(&posting.change)) {
            let next = i32::try_from(places.len() + 1).unwrap_or(i32::MAX);
            places.entry(&posting.account).or_insert_with(|| {
                postings.names.push(posting.account.as_str());
                next
            });
        }
        for (commit, c) in commits.zip(1..) {
            postings.add_sums(commit, c, &places);
            postings.add_in_order(commit, c, &places);
        }
        postings
    }

    fn add_sums(&mut self, commit: &'a [Posting], c: i32, places: &HashMap<&'a Account, i32>) {
        let mut sums: BTreeMap<&'a str, Sum> = BTreeMap::new();
        let mut held: BTreeMap<&'a str, [Held; 3]> = BTreeMap::new();
        for posting in commit.iter().filter(|posting| !places.contains_key(&posting.account)) {
            let account = posting.account.as_str();
            match &posting.change {
                Change::Reserve { amount, .. } | Change::Hold(amount) => {
                    hold(held.entry(account).or_insert(START), amount);
                }
                Change::Release(amount) => release(held.entry(account).or_insert(START), amount),
                change => sums.entry(account).or_default().add(change),
            }
        }
        for (account, sum) in sums {
            self.sum_commit.push(c);
            self.sum_account.push(account);
            let well = sum.well.unwrap_or(NEVER);
            self.sum_whole.extend(amounts(&sum.used).into_iter().chain([sum.ended, sum.succeeded, well]));
            self.sum_parts.extend(sum.parts);
        }
        for (account, held) in held {
            self.held_commit.push(c);
            self.held_account.push(account);
            self.held_numbers.extend(held.iter().flat_map(|held| [held.d, held.m]));
        }
    }

    fn add_in_order(&mut self, commit: &'a [Posting], c: i32, places: &HashMap<&'a Account, i32>) {
        let ours = || commit.iter().filter_map(|posting| Some((posting, *places.get(&posting.account)?)));
        if ours().any(|(posting, _)| is_checked(&posting.change)) {
            self.push(c, 1, 0, [0; 6], None);
        }
        for (posting, place) in ours() {
            let (kind, numbers, handoff) = in_order(&posting.change);
            self.push(c, place, kind, numbers, handoff);
        }
    }

    fn push(&mut self, c: i32, place: i32, kind: i16, numbers: [i64; 6], handoff: Option<Uuid>) {
        self.commit.push(c);
        self.account.push(place);
        self.kind.push(kind);
        self.numbers.extend(numbers);
        self.handoff.push(handoff);
    }
}

/// Whether the order of such changes does not matter, and nothing is checked.
fn adds(change: &Change) -> bool {
    match change {
        Change::Release(_) | Change::Hold(_) | Change::Use(_) | Change::Ended { .. } | Change::Well { .. } => true,
        Change::Reserve { within, .. } => within.is_free(),
        Change::Failed { .. } | Change::Probe { .. } | Change::ProbeOver { .. } | Change::Reset | Change::Forget => {
            false
        }
    }
}

fn is_checked(change: &Change) -> bool {
    match change {
        Change::Reserve { within, .. } => !within.is_free(),
        Change::Probe { .. } => true,
        _ => false,
    }
}

/// Nothing has changed yet. What is set aside is never below nothing anyway.
const START: [Held; 3] = [Held { d: 0, m: 0 }; 3];

fn hold(held: &mut [Held; 3], amount: &Amount) {
    for (held, more) in held.iter_mut().zip(amounts(amount)) {
        held.d = held.d.saturating_add(more);
        held.m = held.m.saturating_add(more);
    }
}

fn release(held: &mut [Held; 3], amount: &Amount) {
    for (held, less) in held.iter_mut().zip(amounts(amount)) {
        held.d = held.d.saturating_sub(less);
        held.m = held.m.saturating_sub(less).max(0);
    }
}

impl Sum {
    fn add(&mut self, change: &Change) {
        match change {
            Change::Use(amount) => self.used = self.used.plus(*amount),
            Change::Ended { succeeded, ms, micros } => {
                #[expect(clippy::cast_precision_loss, reason = "a mean needs no last digit")]
                let (ms, cost) = (*ms as f64, units(*micros));
                self.ended += 1;
                self.succeeded += i64::from(*succeeded);
                for (sum, more) in self.parts.iter_mut().zip([ms, ms * ms, cost, cost * cost]) {
                    *sum += more;
                }
            }
            Change::Well { at } => self.well = self.well.max(Some(at.0)),
            _ => {}
        }
    }
}

/// A posting that goes by itself: its kind, its numbers and its handoff.
fn in_order(change: &Change) -> (i16, [i64; 6], Option<Uuid>) {
    let three = |[a, b, c]: [i64; 3]| [a, b, c, 0, 0, 0];
    let of = |amount: &Amount| three(amounts(amount));
    match change {
        Change::Reserve { amount, within } => {
            let ([a, b, c], [x, y, z]) = (amounts(amount), limits(within));
            (1, [a, b, c, x, y, z], None)
        }
        Change::Release(amount) => (2, of(amount), None),
        Change::Hold(amount) => (3, of(amount), None),
        Change::Use(amount) => (4, of(amount), None),
        Change::Ended { succeeded, ms, micros } => (5, three([i64::from(*succeeded), int(*ms), int(*micros)]), None),
        Change::Failed { at, after, cooldown_ms } => {
            (6, three([at.0, i64::from(*after), (*at + *cooldown_ms).0]), None)
        }
        Change::Well { at } => (7, three([at.0, 0, 0]), None),
        Change::Probe { at, handoff } => (8, three([at.0, 0, 0]), Some(handoff.0)),
        Change::ProbeOver { handoff } => (9, [0; 6], Some(handoff.0)),
        Change::Reset => (10, [0; 6], None),
        Change::Forget => (11, [0; 6], None),
    }
}

fn amounts(amount: &Amount) -> [i64; 3] {
    [int(amount.tokens), int(amount.micros), int(amount.ms)]
}

fn limits(share: &Share) -> [i64; 3] {
    [share.tokens, share.micros, share.ms].map(|limit| limit.map_or(NONE, int))
}
