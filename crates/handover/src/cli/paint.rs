//! Colours, and texts that are safe to show: nothing in a stored text is a command to the terminal.

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Style {
    #[default]
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Blue,
    Cyan,
}

impl Style {
    fn number(self) -> Option<u8> {
        match self {
            Self::Plain => None,
            Self::Bold => Some(1),
            Self::Dim => Some(2),
            Self::Red => Some(31),
            Self::Green => Some(32),
            Self::Yellow => Some(33),
            Self::Blue => Some(34),
            Self::Cyan => Some(36),
        }
    }

    /// The text in this style, where there are colours at all.
    pub(crate) fn paint(self, text: &str, colour: bool) -> String {
        match self.number().filter(|_| colour && !text.is_empty()) {
            Some(number) => format!("\u{1b}[{number}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }
}

/// A text on one line, without anything that a terminal would obey.
pub(crate) fn tame(text: &str) -> String {
    text.split(['\n', '\r', '\t'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(safe)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The same for a text that keeps its lines.
pub(crate) fn tame_lines(text: &str) -> String {
    text.lines().map(safe).collect::<Vec<_>>().join("\n")
}

fn safe(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gives_no_commands_to_the_terminal() {
        assert_eq!(tame("a\n  b\t\u{1b}[2Jc\u{7}"), "a b \u{fffd}[2Jc\u{fffd}");
        assert_eq!(tame_lines("a\n  b\u{1b}"), "a\n  b\u{fffd}");
    }

    #[test]
    fn colours_are_there_only_when_they_are_wanted() {
        assert_eq!(Style::Red.paint("x", true), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(Style::Red.paint("x", false), "x");
        assert_eq!(Style::Plain.paint("x", true), "x");
    }
}
