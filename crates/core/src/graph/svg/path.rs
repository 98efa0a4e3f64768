//! Smooth lines through given points, from top to bottom.

use std::fmt::Write;

/// A curve through the points that never swings beyond them, and leaves the first and reaches the last straight down. Points
/// are in the order of their height.
pub(super) fn smooth(points: &[(usize, usize)]) -> String {
    let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x as f64, *y as f64)).collect();
    // Two points of the same height would make a corner.
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    for point in points {
        if kept.last().is_none_or(|last| point.1 > last.1) {
            kept.push(point);
        }
    }
    let slopes = slopes(&kept);
    let mut path = String::new();
    for (at, (x, y)) in kept.iter().enumerate() {
        let Some(before) = at.checked_sub(1) else {
            let _ = write!(path, "M{x} {y}");
            continue;
        };
        let (from_x, from_y) = kept[before];
        let third = (y - from_y) / 3.0;
        if (from_x - x).abs() < 0.5 && slopes[before] == 0.0 && slopes[at] == 0.0 {
            let _ = write!(path, "V{y}");
            continue;
        }
        let (first, second) = (from_x + slopes[before] * third, x - slopes[at] * third);
        let _ = write!(path, "C{first:.1} {:.1} {second:.1} {:.1} {x} {y}", from_y + third, y - third);
    }
    path
}

/// How far each point goes sideways for each step down: the harmonic mean on both sides, and none where it turns.
fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let steps: Vec<f64> = points.windows(2).map(|pair| (pair[1].0 - pair[0].0) / (pair[1].1 - pair[0].1)).collect();
    let at = |at: usize| match (at.checked_sub(1).and_then(|before| steps.get(before)), steps.get(at)) {
        (Some(before), Some(after)) if before * after > 0.0 => 2.0 * before * after / (before + after),
        _ => 0.0,
    };
    (0..points.len()).map(at).collect()
}
