//! One word, number, text or sign after another, with the places where they stand.

use super::{
    Mistake, Place, quoted,
    scan::{Token, TokenKind},
};

/// Signs of two letters come first: the longest one counts.
const SIGNS: [&str; 22] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":", ".", ",", "(", ")", "[", "]",
];

/// Reads an expression from the left.
pub(super) struct Cursor<'s> {
    rest: &'s str,
    at: Place,
    start: usize,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { rest: source, at: Place { line: 1, column: 1 }, start: 0 }
    }

    /// Where it is now.
    pub(super) fn at(&self) -> Place {
        self.at
    }

    /// The next token, or nothing at the end.
    pub(super) fn token(&mut self) -> Result<Option<Token<'s>>, Mistake> {
        self.skip();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let second = self.rest[first.len_utf8()..].chars().next();
        let (kind, length) = if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
            (TokenKind::Literal, self.number()?)
        } else if first == '"' || first == '\'' {
            (TokenKind::Literal, self.text(0)?)
        } else if first.is_ascii_alphabetic() || first == '_' {
            self.word()?
        } else {
            (TokenKind::Sign, self.sign(first)?)
        };
        Ok(Some(self.take(kind, length)))
    }

    fn take(&mut self, kind: TokenKind, length: usize) -> Token<'s> {
        let token = Token { kind, text: &self.rest[..length], at: self.at, start: self.start };
        self.advance(length);
        token
    }

    fn advance(&mut self, length: usize) {
        for letter in self.rest[..length].chars() {
            self.start += letter.len_utf8();
            if letter == '\n' {
                self.at = Place { line: self.at.line + 1, column: 1 };
            } else {
                self.at.column += 1;
            }
        }
        self.rest = &self.rest[length..];
    }

    /// Passes over white space and comments.
    fn skip(&mut self) {
        loop {
            let blank = length_of(self.rest, |c| matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{c}'));
            let length = match self.rest[blank..].strip_prefix("//") {
                Some(comment) => blank + 2 + length_of(comment, |c| c != '\n'),
                None => blank,
            };
            if length == 0 {
                return;
            }
            self.advance(length);
        }
    }

    /// The length of a name, or of a text whose quotation mark has a letter before it.
    fn word(&self) -> Result<(TokenKind, usize), Mistake> {
        let length = length_of(self.rest, |c| c.is_ascii_alphanumeric() || c == '_');
        let quote = self.rest[length..].starts_with(['"', '\'']);
        match &self.rest[..length] {
            "r" | "R" if quote => Ok((TokenKind::Literal, self.text(1)?)),
            prefix @ ("b" | "B" | "br" | "bR" | "Br" | "BR") if quote => {
                let message = format!("{} begins a text of bytes, and JSON has none", quoted(prefix));
                Err(self.at.mistake(message, format!("leave {} away", quoted(prefix))))
            }
            "true" | "false" | "null" => Ok((TokenKind::Literal, length)),
            "in" => Ok((TokenKind::Sign, length)),
            _ => Ok((TokenKind::Name, length)),
        }
    }

    fn number(&self) -> Result<usize, Mistake> {
        let rest = self.rest;
        let digits = |from: usize| length_of(&rest[from..], |c| c.is_ascii_digit());
        let mut length = digits(0);
        let hexadecimal = rest.strip_prefix("0x").map_or(0, |hex| length_of(hex, |c| c.is_ascii_hexdigit()));
        if hexadecimal > 0 {
            length = 2 + hexadecimal;
        } else {
            if rest[length..].starts_with('.') && digits(length + 1) > 0 {
                length += 1 + digits(length + 1);
            }
            if let Some(power) = rest[length..].strip_prefix(['e', 'E']) {
                let sign = usize::from(power.starts_with(['+', '-']));
                let power = digits(length + 1 + sign);
                length += if power > 0 { 1 + sign + power } else { 0 };
            }
        }
        let tail = length_of(&rest[length..], |c| c.is_alphanumeric() || c == '_');
        if tail == 0 {
            return Ok(length);
        }
        let message = format!("{} is no number", quoted(&rest[..length + tail]));
        Err(self.at.mistake(message, "write digits alone, such as `1000` or `2.5`; there is no unit and no `u`"))
    }

    /// The length of a text whose opening quotation mark comes after `prefix` letters.
    fn text(&self, prefix: usize) -> Result<usize, Mistake> {
        let body = &self.rest[prefix..];
        let triple = ["\"\"\"", "'''"].into_iter().find(|triple| body.starts_with(triple));
        let quote = triple.unwrap_or(&body[..1]);
        let mut length = quote.len();
        while !body[length..].starts_with(quote) {
            let Some(letter) = body[length..].chars().next() else { return Err(self.unclosed(quote)) };
            if matches!(letter, '\n' | '\r') && triple.is_none() {
                return Err(self.unclosed(quote));
            }
            length += match letter {
                '\\' if prefix == 0 => self.escape(&body[length..])?,
                _ => letter.len_utf8(),
            };
        }
        Ok(prefix + length + quote.len())
    }

    fn unclosed(&self, quote: &str) -> Mistake {
        let message = format!("the text that begins here with {} does not end", quoted(quote));
        self.at.mistake(message, format!("write {} after its last letter", quoted(quote)))
    }

    fn escape(&self, text: &str) -> Result<usize, Mistake> {
        let hexadecimal = |from: usize| length_of(&text[from..], |c| c.is_ascii_hexdigit());
        let octal = length_of(&text[1..], |c| matches!(c, '0'..='7'));
        match text[1..].chars().next() {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`') => Ok(2),
            Some('x' | 'X') if hexadecimal(2) >= 2 => Ok(4),
            Some('u') if hexadecimal(2) >= 4 => Ok(6),
            Some('U') if hexadecimal(2) >= 8 => Ok(10),
            Some('0'..='3') if octal >= 3 => Ok(4),
            unknown => {
                let shown = quoted(&text[..1 + unknown.map_or(0, char::len_utf8)]);
                let hint = r#"write `\\` for one `\`, or begin the text with `r`, as in `r"\d+"`"#;
                Err(self.at.mistake(format!("this text has {shown}, which stands for nothing"), hint))
            }
        }
    }

    fn sign(&self, first: char) -> Result<usize, Mistake> {
        if let Some(sign) = SIGNS.iter().find(|sign| self.rest.starts_with(**sign)) {
            return Ok(sign.len());
        }
        let (message, hint) = match first {
            '=' if self.rest.starts_with("=>") => ("`=>` is no operator", "write `>=`"),
            '=' if self.rest.starts_with("=<") => ("`=<` is no operator", "write `<=`"),
            '=' => ("`=` is no operator", "write `==` to compare"),
            '&' => ("`&` is no operator", "write `&&` for \"and\""),
            '|' => ("`|` is no operator", "write `||` for \"or\""),
            '{' | '}' => ("maps cannot be written in an expression", "compare the keys one by one"),
            '`' => ("a backtick cannot stand here", "write `handoff[\"odd key\"]` for such a key"),
            ';' => ("`;` cannot stand here", "write one condition, without a sign at its end"),
            '“' | '”' | '„' | '‘' | '’' => ("this quotation mark is not a straight one", "write `\"`"),
            _ => {
                let message = format!("{} cannot stand here", quoted(&self.rest[..first.len_utf8()]));
                return Err(self.at.mistake(message, "put a text between quotation marks"));
            }
        };
        Err(self.at.mistake(message, hint))
    }
}

/// How many bytes at the beginning of a text are such letters.
fn length_of(text: &str, is: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !is(letter)).unwrap_or(text.len())
}
