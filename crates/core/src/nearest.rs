//! "Did you mean …": the name most like one that is not known. Cheap enough to look at every registered name.

/// Of these names, the one within a few edits; nothing when none is near.
pub fn nearest<'a, T>(wanted: &str, names: impl IntoIterator<Item = (&'a str, T)>) -> Option<T> {
    let limit = (wanted.chars().count() / 3).clamp(1, 3);
    near(wanted, limit, names).min_by_key(|(distance, _)| *distance).map(|(_, value)| value)
}

/// The one name within a single edit; nothing when none is, or when it could be either of two.
pub fn unmistakable<'a, T>(wanted: &str, names: impl IntoIterator<Item = (&'a str, T)>) -> Option<T> {
    let mut found = near(wanted, 1, names);
    let only = found.next()?;
    found.next().is_none().then_some(only.1)
}

/// The names within so many edits, with how many there are.
fn near<'a, T>(
    wanted: &str,
    limit: usize,
    names: impl IntoIterator<Item = (&'a str, T)>,
) -> impl Iterator<Item = (usize, T)> {
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    let letters = letters(&wanted);
    let mut other = Vec::new();
    names.into_iter().filter_map(move |(name, value)| {
        // An edit changes the length by one at most, and at most two letters of those that occur at all.
        if name.is_ascii() && name.len().abs_diff(wanted.len()) > limit {
            return None;
        }
        other.clear();
        other.extend(name.chars().flat_map(char::to_lowercase));
        let differ = (letters ^ self::letters(&other)).count_ones() as usize;
        if other.len().abs_diff(wanted.len()) > limit || differ > 2 * limit {
            return None;
        }
        let distance = edits(&wanted, &other);
        (distance <= limit).then_some((distance, value))
    })
}

/// Which characters occur, as bits; characters that share a bit only make the filter let more through.
fn letters(chars: &[char]) -> u64 {
    chars.iter().fold(0, |bits, c| bits | 1 << (u32::from(*c) % 64))
}

fn edits(a: &[char], b: &[char]) -> usize {
    // What both begin and end with needs no edit.
    let begin = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[begin..], &b[begin..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    if a.is_empty() || b.is_empty() {
        return a.len() + b.len();
    }
    let (mut before, mut above) = (Vec::new(), (0..=b.len()).collect::<Vec<usize>>());
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let change = above[j] + usize::from(ca != cb);
            let mut least = change.min(row[j] + 1).min(above[j + 1] + 1);
            // Two letters that changed places are one slip.
            if i > 0 && j > 0 && *ca == b[j - 1] && a[i - 1] == *cb {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_and_nothing_else() {
        let names = [("librarian", 1), ("debugger", 2), ("Prüfer", 3)];
        for (wanted, found) in [
            ("libarian", Some(1)),
            ("Debuger", Some(2)),
            ("DEBUGGER", Some(2)),
            ("debugegr", Some(2)),
            ("dbeugegr", Some(2)),
            ("prufer", Some(3)),
            ("Prüferin", Some(3)),
            ("pilot", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names), found, "{wanted}");
        }
    }

    #[test]
    fn the_last_of_ten_thousand_is_found_too() {
        let names: Vec<String> = (0..10_000).map(|n| format!("worker-{n:05}")).chain(["zebra".to_owned()]).collect();
        assert_eq!(nearest("zebar", names.iter().map(|name| (name.as_str(), name))), Some(&names[10_000]));
    }

    #[test]
    fn what_could_be_two_is_mistakable() {
        let names = [("billing", 1), ("filling", 2), ("pilot", 3)];
        for (wanted, found) in [("pilots", Some(3)), ("killing", None), ("filing", Some(2)), ("plots", None)] {
            assert_eq!(unmistakable(wanted, names), found, "{wanted}");
        }
    }
}
