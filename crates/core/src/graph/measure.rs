//! How wide a text is, and how it is made fit for one line of a drawing.

use crate::limits::GRAPH_TEXT_CHARS_MAX;

/// One line without signs that a terminal or a picture would act on, and not too long.
pub(super) fn clean(text: &str) -> String {
    let spaced = text.chars().map(|sign| if sign.is_whitespace() || sign.is_control() { ' ' } else { sign });
    let kept: String = spaced.filter(|sign| !is_invisible(*sign)).take(GRAPH_TEXT_CHARS_MAX + 1).collect();
    let line = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= GRAPH_TEXT_CHARS_MAX {
        return line;
    }
    line.chars().take(GRAPH_TEXT_CHARS_MAX - 1).chain(['…']).collect()
}

/// Signs that join, turn or hide what stands around them, and those that no XML may hold.
fn is_invisible(sign: char) -> bool {
    matches!(sign,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Columns of a sign in a terminal.
pub(super) fn columns_of(sign: char) -> usize {
    match sign {
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5bd}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{900}'..='\u{902}'
        | '\u{93c}'
        | '\u{941}'..='\u{948}'
        | '\u{94d}'
        | '\u{e31}'
        | '\u{e34}'..='\u{e3a}'
        | '\u{e47}'..='\u{e4e}'
        | '\u{1160}'..='\u{11ff}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{231a}'..='\u{231b}'
        | '\u{23e9}'..='\u{23ec}'
        | '\u{23f0}'
        | '\u{23f3}'
        | '\u{25fd}'..='\u{25fe}'
        | '\u{2614}'..='\u{2615}'
        | '\u{2648}'..='\u{2653}'
        | '\u{267f}'
        | '\u{2693}'
        | '\u{26a1}'
        | '\u{26aa}'..='\u{26ab}'
        | '\u{26bd}'..='\u{26be}'
        | '\u{26c4}'..='\u{26c5}'
        | '\u{26ce}'
        | '\u{26d4}'
        | '\u{26ea}'
        | '\u{26f2}'..='\u{26f3}'
        | '\u{26f5}'
        | '\u{26fa}'
        | '\u{26fd}'
        | '\u{2705}'
        | '\u{270a}'..='\u{270b}'
        | '\u{2728}'
        | '\u{274c}'
        | '\u{274e}'
        | '\u{2753}'..='\u{2755}'
        | '\u{2757}'
        | '\u{2795}'..='\u{2797}'
        | '\u{27b0}'
        | '\u{27bf}'
        | '\u{2b1b}'..='\u{2b1c}'
        | '\u{2b50}'
        | '\u{2b55}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe10}'..='\u{fe19}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{16fe0}'..='\u{18dff}'
        | '\u{1aff0}'..='\u{1b2ff}'
        | '\u{1f004}'
        | '\u{1f0cf}'
        | '\u{1f18e}'
        | '\u{1f191}'..='\u{1f19a}'
        | '\u{1f1e6}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f7e0}'..='\u{1f7f0}'
        | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// Columns of a text in a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// The text, or as much of its beginning as fits, with `end` as a sign that something is missing.
pub(super) fn cut(text: &str, width: usize, end: char) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut line = String::new();
    let mut used = 1;
    for sign in text.chars() {
        used += columns_of(sign);
        if used > width {
            break;
        }
        line.push(sign);
    }
    line.truncate(line.trim_end().len());
    if width > 0 {
        line.push(end);
    }
    line
}

/// About how wide a text is in a picture, in thousandths of the size of its letters: rather too wide than too narrow.
pub(super) fn thousandths(text: &str) -> usize {
    let of = |sign: char| match sign {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' | '['
        | ']' => 390,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 960,
        'A'..='Z' | '×' | '+' | '<' | '>' | '=' | '~' | '#' => 750,
        'a'..='z' | '0'..='9' => 620,
        other => [0, 700, 1_050][columns_of(other)],
    };
    text.chars().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_clean_line() {
        for (text, expected) in [
            ("  a\n\tb\r\n ", "a b"),
            ("red\u{1b}[31m", "red [31m"),
            ("a\u{202e}b\u{200d}c\u{fe0f}", "abc"),
            ("\u{ffff}\u{0}", ""),
            ("日本 語", "日本 語"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
        assert_eq!(clean(&"x".repeat(500)).chars().count(), GRAPH_TEXT_CHARS_MAX);
    }

    #[test]
    fn a_cut_text_fits() {
        for (text, width, expected) in [
            ("planner", 7, "planner"),
            ("planner", 6, "plann…"),
            ("a plan", 3, "a…"),
            ("日本語", 4, "日…"),
            ("日本語", 1, "…"),
            ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"),
            ("ab", 0, ""),
        ] {
            assert_eq!(cut(text, width, '…'), expected, "{text:?} in {width}");
        }
    }
}
