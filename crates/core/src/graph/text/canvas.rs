//! A sheet of cells: lines that join or cross, texts, and the colours of both.

use super::signs::Signs;
use crate::graph::{Edge, EdgeKind, Mark, measure::columns_of};

/// How something is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tone {
    #[default]
    Plain,
    Title,
    Dim,
    Active,
    Good,
    Bad,
    Waiting,
}

impl Tone {
    /// The ANSI code; nothing for what has no colour.
    pub fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Title => Some("1"),
            Self::Dim => Some("2"),
            Self::Active => Some("1;36"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Waiting => Some("33"),
        }
    }

    pub fn of_mark(mark: Mark) -> Self {
        match mark {
            Mark::Usual => Self::Plain,
            Mark::Active => Self::Active,
            Mark::Good => Self::Good,
            Mark::Bad => Self::Bad,
            Mark::Waiting => Self::Waiting,
        }
    }

    pub fn of_edge(edge: &Edge) -> Self {
        match edge.standing() {
            Mark::Usual if edge.kind == EdgeKind::Return => Self::Dim,
            mark => Self::of_mark(mark),
        }
    }
}

#[derive(Debug, Clone, Default)]
enum Cell {
    #[default]
    Blank,
    /// A piece of a line: where it leads, and which line it is.
    Line(u8, usize),
    /// A sign, with what has no width of its own.
    Sign(String),
    /// The second half of a wide sign.
    Half,
}

/// The sheet. It grows downwards as it is drawn on, and never to the right.
pub(super) struct Canvas<'a> {
    rows: Vec<Vec<(Cell, Tone)>>,
    width: usize,
    signs: &'a Signs,
}

impl<'a> Canvas<'a> {
    pub fn new(width: usize, signs: &'a Signs) -> Self {
        Self { rows: Vec::new(), width, signs }
    }

    fn cell(&mut self, x: usize, y: usize) -> Option<&mut (Cell, Tone)> {
        if x >= self.width {
            return None;
        }
        if self.rows.len() <= y {
            self.rows.resize_with(y + 1, || vec![(Cell::Blank, Tone::Plain); self.width]);
        }
        self.rows[y].get_mut(x)
    }

    /// A text from here to the right.
    pub fn write(&mut self, mut x: usize, y: usize, text: &str, tone: Tone) {
        for sign in text.chars() {
            let columns = columns_of(sign);
            if columns == 0 {
                if let Some((Cell::Sign(before), _)) = x.checked_sub(1).and_then(|x| self.cell(x, y)) {
                    before.push(sign);
                }
                continue;
            }
            for half in 0..columns {
                let cell = if half == 0 { Cell::Sign(sign.to_string()) } else { Cell::Half };
                if let Some(place) = self.cell(x + half, y) {
                    *place = (cell, tone);
                }
            }
            x += columns;
        }
    }

    /// A line straight down, both ends included; `ends` says whether it goes on upwards and downwards from there.
    pub fn down(&mut self, x: usize, rows: (usize, usize), ends: (bool, bool), net: usize, tone: Tone) {
        for y in rows.0..=rows.1 {
            let up = if y > rows.0 || ends.0 { 1 } else { 0 };
            let down = if y < rows.1 || ends.1 { 2 } else { 0 };
            self.piece(x, y, up | down, net, tone);
        }
    }

    /// A line across, both ends included.
    pub fn across(&mut self, columns: (usize, usize), y: usize, net: usize, tone: Tone) {
        for x in columns.0..=columns.1 {
            let left = if x > columns.0 { 4 } else { 0 };
            let right = if x < columns.1 { 8 } else { 0 };
            self.piece(x, y, left | right, net, tone);
        }
    }

    /// Pieces of one line join. Of two that cross, the one that goes down lies on top, so that nobody takes it for a joint.
    fn piece(&mut self, x: usize, y: usize, leads: u8, net: usize, tone: Tone) {
        let Some((cell, colour)) = self.cell(x, y) else { return };
        match cell {
            Cell::Line(before, same) if *same == net => *before |= leads,
            Cell::Line(before, _) if *before & 3 != 0 => {}
            Cell::Blank | Cell::Line(..) => {
                *cell = Cell::Line(leads, net);
                *colour = tone;
            }
            Cell::Sign(_) | Cell::Half => {}
        }
    }

    /// The lines of text, without blanks at their ends.
    pub fn lines(&self, colour: bool) -> Vec<String> {
        self.rows.iter().map(|row| self.line(row, colour)).collect()
    }

    fn line(&self, row: &[(Cell, Tone)], colour: bool) -> String {
        let filled = row.iter().rposition(|(cell, _)| !matches!(cell, Cell::Blank)).map_or(0, |last| last + 1);
        let mut line = String::new();
        for run in row[..filled].chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().map(|(cell, _)| self.sign(cell)).collect();
            line.push_str(&super::tinted(&text, run[0].1, colour && !text.trim().is_empty()));
        }
        line.truncate(line.trim_end().len());
        line
    }

    fn sign(&self, cell: &Cell) -> String {
        match cell {
            Cell::Blank => " ".to_owned(),
            Cell::Line(leads, _) => self.signs.line(*leads).to_string(),
            Cell::Sign(sign) => sign.clone(),
            Cell::Half => String::new(),
        }
    }
}
