//! A Rust source split into code, comments and literals, so that a check looks where it means to look.

/// What a piece of a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Code,
    Comment,
    Literal,
}

/// A piece of a source and the line on which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    pub line: usize,
    pub kind: Kind,
    pub text: &'a str,
}

/// All pieces of a source, in order.
pub fn pieces(source: &str) -> Vec<Piece<'_>> {
    let mut pieces = Pieces { found: Vec::new(), line: 1 };
    let (mut begin, mut at) = (0, 0);
    while let Some(next) = source[at..].chars().next() {
        if let Some((kind, length)) = special(&source[at..]) {
            pieces.push(Kind::Code, &source[begin..at]);
            pieces.push(kind, &source[at..at + length]);
            at += length;
            begin = at;
        } else {
            at += next.len_utf8();
        }
    }
    pieces.push(Kind::Code, &source[begin..]);
    pieces.found
}

/// Every line of every piece of this kind, with its number.
pub fn lines(source: &str, kind: Kind) -> Vec<(usize, &str)> {
    let wanted = pieces(source).into_iter().filter(|piece| piece.kind == kind);
    wanted.flat_map(|piece| piece.text.lines().enumerate().map(move |(i, line)| (piece.line + i, line))).collect()
}

/// Whether the text has this word, and not only as a part of a longer one.
pub fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part) && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}

struct Pieces<'a> {
    found: Vec<Piece<'a>>,
    line: usize,
}

impl<'a> Pieces<'a> {
    fn push(&mut self, kind: Kind, text: &'a str) {
        if !text.is_empty() {
            self.found.push(Piece { line: self.line, kind, text });
            self.line += text.matches('\n').count();
        }
    }
}

/// The comment or literal that begins here, and its length.
fn special(rest: &str) -> Option<(Kind, usize)> {
    if rest.starts_with("//") {
        return Some((Kind::Comment, rest.find('\n').unwrap_or(rest.len())));
    }
    if rest.starts_with("/*") {
        return Some((Kind::Comment, block_comment(rest)));
    }
    let length = match rest.as_bytes().first()? {
        b'"' => Some(quoted(rest, '"')),
        b'r' => raw(rest),
        b'\'' => character(rest),
        _ => None,
    };
    length.map(|length| (Kind::Literal, length))
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let Some(next) = rest[at..].find(['/', '*']) else { return rest.len() };
        at += next;
        let step = &rest[at..];
        if step.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if step.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

fn raw(rest: &str) -> Option<usize> {
    let after = &rest[1..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    if !after[hashes..].starts_with('"') {
        return None;
    }
    let end = format!("\"{}", &after[..hashes]);
    let body = 1 + hashes + 1;
    Some(rest[body..].find(&end).map_or(rest.len(), |at| body + at + end.len()))
}

/// A character in quotes; a lifetime is none.
fn character(rest: &str) -> Option<usize> {
    let mut chars = rest[1..].chars();
    match (chars.next()?, chars.next()) {
        ('\\', _) => Some(quoted(rest, '\'')),
        (c, Some('\'')) => Some(1 + c.len_utf8() + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> String {
        pieces(source).iter().map(|p| format!("{} {:?} {}\n", p.line, p.kind, p.text.trim())).collect()
    }

    #[test]
    fn splits_comments_strings_and_lifetimes() {
        let source =
            "let a: &'a str = \"x \\\" // y\"; // z\nlet b = r#\"q\" /* \"#;\n/* m /* n */\no */ let c = '\\'';";
        let expected = "1 Code let a: &'a str =\n1 Literal \"x \\\" // y\"\n1 Code ;\n1 Comment // z\n\
            1 Code let b =\n2 Literal r#\"q\" /* \"#\n2 Code ;\n3 Comment /* m /* n */\no */\n4 Code let c =\n\
            4 Literal '\\''\n4 Code ;\n";
        assert_eq!(kinds(source), expected);
    }

    #[test]
    fn a_quote_in_quotes_ends_nothing() {
        assert_eq!(kinds("'\"' x"), "1 Literal '\"'\n1 Code x\n");
        assert_eq!(kinds("r#type x 'é'"), "1 Code r#type x\n1 Literal 'é'\n");
    }

    #[test]
    fn lines_have_their_own_numbers() {
        assert_eq!(lines("a\n\"b\nc\"\nd", Kind::Literal), [(2, "\"b"), (3, "c\"")]);
    }

    #[test]
    fn a_word_is_whole() {
        assert!(has_word("limits::PAGE_MAX;", "PAGE_MAX"));
        assert!(!has_word("HOME_PAGE_MAX PAGE_MAX_2", "PAGE_MAX"));
    }
}
