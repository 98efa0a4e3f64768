//! Who is meant by a name: as it is written, or with slips, other accents, another case or another order of words.

use super::Client;
use crate::words::{folded, slips};
use handover_core::limits::{NAME_CHARS_MAX, NAME_SLIPS_MAX};

/// Words that people write before a name and that are not part of it.
const TITLES: [&str; 8] = ["mr", "mrs", "ms", "miss", "dr", "prof", "sir", "madame"];
/// So many letters of a name allow one slip.
const LETTERS_PER_SLIP: usize = 5;

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named<'a> {
    /// One client of exactly this name.
    Exact(&'a Client),
    /// One client whose name is so near that nobody else can be meant.
    Near(&'a Client),
    /// It could be any of these.
    Several(Vec<&'a Client>),
    /// Nobody.
    Nobody,
}

/// Looks a name up.
pub(super) fn named<'a>(clients: &'a [Client], name: &str) -> Named<'a> {
    let exact: Vec<&Client> = clients.iter().filter(|client| client.name == name.trim()).collect();
    match exact[..] {
        [] => near(clients, name),
        [one] => Named::Exact(one),
        _ => Named::Several(exact),
    }
}

fn near<'a>(clients: &'a [Client], name: &str) -> Named<'a> {
    let wanted = key(name);
    let letters = wanted.chars().count();
    if wanted.is_empty() || letters > NAME_CHARS_MAX {
        return Named::Nobody;
    }
    let most = (letters / LETTERS_PER_SLIP).min(NAME_SLIPS_MAX);
    let compared = clients.iter().filter_map(|client| {
        let known = key(&client.name);
        let close = known.chars().count().abs_diff(letters) <= most;
        let apart = if close { slips(&wanted, &known) } else { usize::MAX };
        (apart <= most).then_some((apart, client))
    });
    let found: Vec<(usize, &Client)> = compared.collect();
    let Some(least) = found.iter().map(|(apart, _)| *apart).min() else { return Named::Nobody };
    // The same letters are the same name, whoever is near; a slip may come from anybody near enough.
    let reach = if least == 0 { 0 } else { least + 1 };
    let meant: Vec<&Client> =
        found.into_iter().filter(|(apart, _)| *apart <= reach).map(|(_, client)| client).collect();
    match meant[..] {
        [one] => Named::Near(one),
        _ => Named::Several(meant),
    }
}

/// The words of a name in one order and one spelling, without titles.
fn key(name: &str) -> String {
    let folded = folded(name);
    let mut words: Vec<&str> = folded.split(' ').filter(|word| !TITLES.contains(word)).collect();
    words.sort_unstable();
    words.join(" ").trim().to_owned()
}
