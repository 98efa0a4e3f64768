//! "Did you mean …": the name most like one that is not known.

/// Of these names, the one within two edits or sharing a long beginning; nothing when none is near.
pub fn nearest<'a, T>(wanted: &str, names: impl IntoIterator<Item = (&'a str, T)>) -> Option<T> {
    let wanted = wanted.to_lowercase();
    let limit = (wanted.chars().count() / 3).clamp(1, 3);
    names
        .into_iter()
        .map(|(name, value)| (edits(&wanted, &name.to_lowercase()), value))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, value)| value)
}

fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = corner + usize::from(ca != *cb);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_and_nothing_else() {
        let names = [("librarian", 1), ("debugger", 2)];
        assert_eq!(nearest("libarian", names), Some(1));
        assert_eq!(nearest("Debuger", names), Some(2));
        assert_eq!(nearest("pilot", names), None);
    }
}
