//! What every store must do. The suite knows nothing but `dyn Store` and a way to open one; each store has a file of its
//! own for what is peculiar to it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod dice;
mod house;
mod programs;
mod suite;

use handover_store::{
    Store, StoredRecord,
    sqlite::{Options, SqliteStore},
};
use parking_lot::Mutex;
use std::{path::Path, sync::Arc};

/// How the suite opens a store in a folder: again and again, with whoever listens to its commits.
pub type Open = fn(&Path, Option<Heard>) -> Arc<dyn Store>;
/// What a listener has heard.
pub type Heard = Arc<Mutex<Vec<StoredRecord>>>;

fn sqlite(folder: &Path, heard: Option<Heard>) -> Arc<dyn Store> {
    let on_commit =
        heard.map(|heard| -> handover_store::OnCommit { Box::new(move |_, records| heard.lock().extend(records())) });
    let options = Options { on_commit, ..Options::default() };
    Arc::new(SqliteStore::open(&folder.join("handover.db"), options).unwrap())
}

macro_rules! contract {
    ($store:ident: $($name:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            suite::$name($store).await;
        }
    )*};
}

contract!(sqlite:
    everything_comes_back_equal
    a_reopened_store_has_everything
    a_stale_version_is_a_conflict_and_leaves_no_trace
    one_bad_commit_does_not_harm_its_neighbours
    positions_rise_without_a_gap
    the_listener_hears_before_the_answer
    many_writers_share_the_store
    keys_keep_the_first_answer
    a_return_is_taken_once
    due_comes_in_order
    offers_go_by_level_then_age
    running_work_is_found
    sessions_that_go_on_are_found
    agents_come_and_go
    postings_of_many_writers_add_up
    postings_go_with_their_commit
    what_is_set_aside_is_told_twice
    what_is_forgotten_is_gone_and_what_is_set_aside_is_not
    counts_follow_the_handoffs
    records_are_found_by_each_filter
    handoffs_are_found_by_each_filter
    handoffs_are_found_between_ids
    figures_are_those_of_the_handoffs
    messages_come_by_number
    sessions_come_latest_first
    old_trails_are_removed_from_their_beginning
    escalations_are_kept_longer
    what_goes_on_is_not_removed
    a_part_that_no_longer_fits_is_not_removed
    a_closed_store_says_so
    notes_are_kept_replaced_and_removed
);
