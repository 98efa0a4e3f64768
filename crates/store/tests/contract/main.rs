//! What every store must do. The suite knows nothing but `dyn Store` and a way to open one; each store has a folder of its
//! own for what is peculiar to it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod dice;
mod house;
mod programs;
mod stores;
mod suite;

pub use stores::{Heard, Open};

/// The same promises of each store.
macro_rules! contract {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                crate::suite::$name(crate::stores::sqlite).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                crate::suite::$name(crate::stores::postgres).await;
            })*
        }
    };
}

contract!(
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
    the_version_is_the_stored_one
    what_is_taken_is_what_is_there
    what_a_process_held_is_left_behind
    loads_are_counted
    accounts_that_changed_are_told
    a_chore_stays_with_whoever_has_it
    rows_of_handoffs_fit
    strange_words_come_back
    sessions_are_counted_by_state
);
