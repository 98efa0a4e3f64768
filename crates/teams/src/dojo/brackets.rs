//! Brackets of any text: each closes the one that was opened last. What stands in quotes does not count.

/// A bracket that has no partner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lonely {
    /// The line, from 1.
    pub(super) line: usize,
    /// Why it is wrong.
    pub(super) what: String,
}

/// The first bracket that is wrong.
pub(super) fn check(text: &str) -> Option<Lonely> {
    let mut open: Vec<(char, usize)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for bracket in outside_quotes(line) {
            match (bracket, partner(bracket)) {
                (_, None) => open.push((bracket, at + 1)),
                (_, Some(wanted)) => match open.pop() {
                    Some((opened, _)) if opened == wanted => {}
                    Some((opened, line)) => {
                        let what = format!("`{bracket}` closes `{opened}` of line {line}");
                        return Some(Lonely { line: at + 1, what });
                    }
                    None => return Some(Lonely { line: at + 1, what: format!("`{bracket}` closes nothing") }),
                },
            }
        }
    }
    open.pop().map(|(bracket, line)| Lonely { line, what: format!("`{bracket}` is never closed") })
}

fn partner(bracket: char) -> Option<char> {
    match bracket {
        ')' => Some('('),
        ']' => Some('['),
        '}' => Some('{'),
        _ => None,
    }
}

/// The brackets of a line that do not stand in double quotes.
fn outside_quotes(line: &str) -> Vec<char> {
    let (mut quoted, mut escaped) = (false, false);
    let mut found = Vec::new();
    for letter in line.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | ')' | '[' | ']' | '{' | '}' if !quoted => found.push(letter),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_have_partners() {
        for (text, expected) in [
            ("{\"a\": [1, (2)]}", None),
            ("{\n[1}\n", Some((2, "`}` closes `[` of line 2"))),
            ("{\n\n", Some((1, "`{` is never closed"))),
            (")", Some((1, "`)` closes nothing"))),
            ("\"}\\\"]\"", None),
            ("", None),
        ] {
            let found = check(text).map(|lonely| (lonely.line, lonely.what));
            assert_eq!(found, expected.map(|(line, what)| (line, what.to_owned())), "{text}");
        }
    }
}
