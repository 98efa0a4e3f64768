//! Words as people write them, brought to one form so that they can be compared.

/// A text in small letters, without accents, with one space between words.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match plain(c) {
            Some(letters) => out.push_str(letters),
            None if c.is_alphanumeric() => out.push(c),
            // An accent that stands after its letter.
            None if ('\u{300}'..='\u{36f}').contains(&c) => {}
            // The apostrophe of O'Neill does not part the name.
            None if matches!(c, '\'' | '’') => {}
            None => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// A Latin letter with a mark, as the letters that people write without one.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' => "e",
        'ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' | 'į' => "i",
        'ł' | 'ľ' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => "o",
        'œ' => "oe",
        'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ț' | 'ţ' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

/// How many slips apart two texts are: a letter too many, too few, another one, or two that changed places.
pub(crate) fn slips(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (mut before, mut above) = (Vec::new(), (0..=b.len()).collect::<Vec<usize>>());
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(ca != cb)).min(row[j] + 1).min(above[j + 1] + 1);
            if i > 0 && j > 0 && *ca == b[j - 1] && a[i - 1] == *cb {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// So many of something, as people say it: one passage, and else so many passages.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// The beginning of a text, for a message.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_folded() {
        for (text, expected) in [
            ("  José  GARCÍA ", "jose garcia"),
            ("Müller-Lüdenscheidt", "muller ludenscheidt"),
            ("Seán O’Neill", "sean oneill"),
            ("Straße", "strasse"),
            ("Jose\u{301}", "jose"),
            ("Łukasz Żak", "lukasz zak"),
            ("Miller, Jane", "miller jane"),
            ("", ""),
            ("山田 太郎", "山田 太郎"),
        ] {
            assert_eq!(folded(text), expected);
        }
    }

    #[test]
    fn slips_are_counted() {
        for (a, b, expected) in
            [("miller", "miller", 0), ("miller", "mliler", 1), ("miller", "mller", 1), ("abc", "xyz", 3), ("", "ab", 2)]
        {
            assert_eq!(slips(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn one_is_not_many() {
        for (count, expected) in [(0, "0 files"), (1, "1 file"), (2, "2 files")] {
            assert_eq!(counted(count, "file"), expected);
        }
    }
}
