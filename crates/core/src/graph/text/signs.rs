//! The signs that a terminal drawing is made of, in Unicode and in ASCII.

use crate::graph::{EdgeKind, Mark, NodeKind};

/// One set of signs.
pub(super) struct Signs {
    pub unicode: bool,
    /// The end of a text that was cut.
    pub cut: char,
    /// Before a number of times.
    pub times: char,
    /// Arrows down and up.
    pub down: char,
    pub up: char,
    /// A way from a box to itself.
    pub again: char,
}

impl Signs {
    pub fn of(unicode: bool) -> Self {
        if unicode {
            Self { unicode, cut: '…', times: '×', down: '▼', up: '▲', again: '↺' }
        } else {
            Self { unicode, cut: '~', times: 'x', down: 'v', up: '^', again: '@' }
        }
    }

    /// A piece of a line, by where it leads: 1 up, 2 down, 4 left, 8 right.
    pub fn line(&self, leads: u8) -> char {
        const PIECES: [char; 16] = [' ', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'];
        const PLAIN: [char; 16] = [' ', '|', '|', '|', '-', '+', '+', '+', '-', '+', '+', '+', '-', '+', '+', '+'];
        if self.unicode { PIECES[usize::from(leads & 15)] } else { PLAIN[usize::from(leads & 15)] }
    }

    /// The border of a box: four corners, the horizontal and the vertical line.
    pub fn border(&self, kind: NodeKind) -> [char; 6] {
        match (self.unicode, kind) {
            (true, NodeKind::Agent) => ['╭', '╮', '╰', '╯', '─', '│'],
            (true, NodeKind::State) => ['┌', '┐', '└', '┘', '─', '│'],
            (true, NodeKind::Person) => ['╒', '╕', '╘', '╛', '═', '│'],
            (true, NodeKind::Start | NodeKind::End { .. }) => ['╔', '╗', '╚', '╝', '═', '║'],
            (true, NodeKind::Group) => ['┏', '┓', '┗', '┛', '━', '┃'],
            (false, NodeKind::Agent) => ['.', '.', '\'', '\'', '-', '|'],
            (false, NodeKind::State) => ['+', '+', '+', '+', '-', '|'],
            (false, NodeKind::Person) => ['+', '+', '+', '+', '=', '|'],
            (false, NodeKind::Start | NodeKind::End { .. }) => ['#', '#', '#', '#', '=', '#'],
            (false, NodeKind::Group) => ['*', '*', '*', '*', '-', '*'],
        }
    }

    /// Where a line leaves a border: at the bottom, or at the top.
    pub fn leaving(&self, kind: NodeKind, bottom: bool) -> char {
        match (self.unicode, kind) {
            (false, _) => '+',
            (true, NodeKind::Agent | NodeKind::State) => {
                if bottom {
                    '┬'
                } else {
                    '┴'
                }
            }
            (true, NodeKind::Person | NodeKind::Start | NodeKind::End { .. }) => {
                if bottom {
                    '╤'
                } else {
                    '╧'
                }
            }
            (true, NodeKind::Group) => {
                if bottom {
                    '┯'
                } else {
                    '┷'
                }
            }
        }
    }

    /// Before the name of a box that stands so.
    pub fn mark(&self, mark: Mark) -> &'static str {
        match (self.unicode, mark) {
            (true, mark) => mark.sign(),
            (false, Mark::Usual) => "",
            (false, Mark::Active) => "* ",
            (false, Mark::Good) => "+ ",
            (false, Mark::Bad) => "! ",
            (false, Mark::Waiting) => "? ",
        }
    }

    /// An arrow of a list.
    pub fn arrow(&self, kind: EdgeKind) -> &'static str {
        match (self.unicode, kind) {
            (true, EdgeKind::Usual | EdgeKind::Broadcast | EdgeKind::Escalation) => "──▶",
            (true, EdgeKind::Error) => "─✗▶",
            (true, EdgeKind::Back | EdgeKind::Retry) => "─↺▶",
            (true, EdgeKind::Delegation) => "══▶",
            (true, EdgeKind::Return) => "╌╌▶",
            (false, EdgeKind::Usual | EdgeKind::Broadcast | EdgeKind::Escalation) => "-->",
            (false, EdgeKind::Error) => "-!>",
            (false, EdgeKind::Back | EdgeKind::Retry) => "-@>",
            (false, EdgeKind::Delegation) => "==>",
            (false, EdgeKind::Return) => "..>",
        }
    }
}
