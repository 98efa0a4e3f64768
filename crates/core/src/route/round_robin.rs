//! `round_robin`: one after the other. Whoever waited longest for a turn is next.

use super::rank::Rated;

#[expect(clippy::cast_precision_loss, reason = "turns are far below 2^52")]
pub(super) fn rate(rated: &mut [Rated<'_>]) {
    let mut turns: Vec<u64> = rated.iter().filter(|entry| entry.can()).map(|entry| entry.agent.turn).collect();
    turns.sort_unstable();
    for entry in rated {
        let turn = entry.agent.turn;
        let before = turns.partition_point(|other| *other < turn);
        entry.score = 1.0 - before as f64 / turns.len().max(1) as f64;
        entry.score = entry.score.clamp(0.0, 1.0);
        entry.rank = -(turn as f64);
        entry.why = Box::new(move || match (turn, before) {
            (0, _) => "it never had a turn".to_owned(),
            (_, 0) => "it waited longest for a turn".to_owned(),
            (_, before) => format!("{before} waited longer for a turn"),
        });
    }
}
