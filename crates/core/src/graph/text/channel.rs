//! The rows between two layers: each line that goes sideways gets a row of its own there, and none lies on another.

/// A line through the rows, or several that leave a box together.
pub(super) struct Net {
    /// The column where it comes from above.
    pub top: usize,
    /// The columns where it goes on below.
    pub ends: Vec<usize>,
}

impl Net {
    /// The columns that it covers, where it goes sideways.
    pub fn span(&self) -> Option<(usize, usize)> {
        let least = self.ends.iter().copied().min().unwrap_or(self.top).min(self.top);
        let most = self.ends.iter().copied().max().unwrap_or(self.top).max(self.top);
        (least < most).then_some((least, most))
    }
}

/// The row of each net, and how many rows there are. Nothing when lines get into each other's way in a circle: where one comes
/// down in the column in which another goes on, it must turn away above the row of that other.
pub(super) fn rows(nets: &[Net]) -> Option<(Vec<Option<usize>>, usize)> {
    let spans: Vec<Option<(usize, usize)>> = nets.iter().map(Net::span).collect();
    let mut rows: Vec<Option<usize>> = vec![None; nets.len()];
    let mut open: Vec<usize> = (0..nets.len()).filter(|net| spans[*net].is_some()).collect();
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    while !open.is_empty() {
        let above = |net: usize, other: usize| other != net && nets[net].ends.contains(&nets[other].top);
        let free = open.iter().position(|net| !open.iter().any(|other| above(*net, *other)))?;
        let net = open.remove(free);
        let span = spans[net]?;
        let after = (0..nets.len()).filter(|other| above(net, *other)).filter_map(|other| rows[other]).max();
        let mut row = after.map_or(0, |row| row + 1);
        while taken
            .get(row)
            .is_some_and(|spans| spans.iter().any(|other| other.0 <= span.1 + 1 && span.0 <= other.1 + 1))
        {
            row += 1;
        }
        if taken.len() <= row {
            taken.resize(row + 1, Vec::new());
        }
        taken[row].push(span);
        rows[net] = Some(row);
    }
    Some((rows, taken.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_lie_on_one_another() {
        // Where each comes from and where it goes on | the row of each
        let table = [
            ("3>3", "- of 0"),
            ("3>1,5", "0 of 1"),
            ("3>1,5 4>8", "0 1 of 2"),
            // The first goes on below where the second comes down.
            ("1>5 5>9", "1 0 of 2"),
            ("1>5 5>1", "a circle"),
        ];
        for (nets, expected) in table {
            let net = |text: &str| {
                let (top, ends) = text.split_once('>').unwrap();
                Net { top: top.parse().unwrap(), ends: ends.split(',').map(|end| end.parse().unwrap()).collect() }
            };
            let nets: Vec<Net> = nets.split(' ').map(net).collect();
            let shown = rows(&nets).map(|(rows, count)| {
                let rows: Vec<String> = rows.iter().map(|row| row.map_or("-".into(), |row| row.to_string())).collect();
                format!("{} of {count}", rows.join(" "))
            });
            assert_eq!(shown.as_deref().unwrap_or("a circle"), expected);
        }
    }
}
