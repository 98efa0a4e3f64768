//! Tables that fit the terminal: the text column is cut first, then columns that matter least are left out.

use super::{
    exit::Stop,
    out::Out,
    paint::{Style, tame},
};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Spaces between two columns.
const GAP: usize = 2;
/// A column of text is not cut below this.
const TEXT_MIN: usize = 16;
/// No other column is cut below this.
const CELL_MIN: usize = 8;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    title: &'static str,
    /// Whether it holds text that may be cut.
    text: bool,
    right: bool,
    /// 0 stays always; of the others, the highest goes first.
    rank: u8,
}

/// A column that stays.
pub(crate) const fn column(title: &'static str) -> Column {
    Column { title, text: false, right: false, rank: 0 }
}

impl Column {
    /// It holds text that may be cut.
    pub(crate) const fn text(mut self) -> Self {
        self.text = true;
        self
    }

    /// It holds numbers.
    pub(crate) const fn right(mut self) -> Self {
        self.right = true;
        self
    }

    /// It may be left out where there is no room; the highest rank goes first.
    pub(crate) const fn rank(mut self, rank: u8) -> Self {
        self.rank = rank;
        self
    }
}

/// A table in the making.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row: a text and a style for each column.
    pub(crate) fn row<const N: usize>(&mut self, cells: [(String, Style); N]) {
        self.rows.push(cells.into_iter().map(|(text, style)| (tame(&text), style)).collect());
    }

    /// Writes it, as wide as it may be.
    pub(crate) async fn write(self, out: &mut Out) -> Result<(), Stop> {
        let (width, colour) = (out.look.width, out.look.colour);
        for line in self.lines(width, colour) {
            out.line(line).await?;
        }
        Ok(())
    }

    fn lines(&self, width: Option<usize>, colour: bool) -> Vec<String> {
        let widths = self.fit(width);
        let titles: Vec<(String, Style)> = self.columns.iter().map(|c| (c.title.to_owned(), Style::Dim)).collect();
        std::iter::once(&titles).chain(&self.rows).map(|row| self.line(row, &widths, colour)).collect()
    }

    fn line(&self, row: &[(String, Style)], widths: &[usize], colour: bool) -> String {
        let mut line = String::new();
        let shown = self.columns.iter().zip(row).zip(widths).filter(|(_, width)| **width > 0);
        for (i, ((column, (text, style)), width)) in shown.enumerate() {
            if i > 0 {
                line += &" ".repeat(GAP);
            }
            let text = cut(text, *width);
            let room = " ".repeat(width - text.width().min(*width));
            let painted = style.paint(&text, colour);
            line += &if column.right { format!("{room}{painted}") } else { format!("{painted}{room}") };
        }
        line.trim_end().to_owned()
    }

    /// The width of each column; 0 when it is left out.
    fn fit(&self, width: Option<usize>) -> Vec<usize> {
        let natural = |at: usize, column: &Column| {
            let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|(text, _)| text.width());
            cells.max().unwrap_or(0).max(column.title.width())
        };
        let natural: Vec<usize> = self.columns.iter().enumerate().map(|(at, column)| natural(at, column)).collect();
        let Some(width) = width else { return natural };
        let mut ranks: Vec<u8> = self.columns.iter().map(|column| column.rank).filter(|rank| *rank > 0).collect();
        ranks.sort_unstable();
        // Without the columns that matter least, one more at a time, until the rest fits.
        loop {
            let most = ranks.last().copied().unwrap_or(0);
            let shown = self.columns.iter().zip(&natural).map(|(column, n)| if column.rank > most { 0 } else { *n });
            let mut widths: Vec<usize> = shown.collect();
            self.shrink(&mut widths, width, true, TEXT_MIN);
            if over(&widths, width) == 0 {
                return widths;
            }
            if ranks.pop().is_none() {
                self.shrink(&mut widths, width, false, CELL_MIN);
                return widths;
            }
        }
    }

    /// Takes what is too much from columns of one sort, the widest first.
    fn shrink(&self, widths: &mut [usize], width: usize, text: bool, least: usize) {
        while over(widths, width) > 0 {
            let wide = self.columns.iter().zip(widths.iter_mut());
            let wide = wide.filter(|(column, width)| (column.text == text || !text) && **width > least);
            let Some((_, widest)) = wide.max_by_key(|(_, width)| **width) else { return };
            *widest -= 1;
        }
    }
}

/// By how much a line is too long.
fn over(widths: &[usize], width: usize) -> usize {
    let shown = widths.iter().filter(|width| **width > 0).count();
    (widths.iter().sum::<usize>() + GAP * shown.saturating_sub(1)).saturating_sub(width)
}

/// A text of at most so many columns, with a mark where it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), 1);
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = [column("ID"), column("WHEN").rank(2), column("N").right().rank(1), column("TASK").text()];
        let mut table = Table::new(&columns);
        let cell = |text: &str| (text.to_owned(), Style::Plain);
        table.row([cell("abc"), cell("3 s ago"), cell("7"), cell("Look the client up and\nwrite a letter")]);
        table.row([cell("d"), cell("just now"), cell("12"), cell("短い")]);
        table
    }

    #[test]
    fn a_table_is_as_wide_as_it_needs_or_may_be() {
        let wide = "ID   WHEN       N  TASK\nabc  3 s ago    7  Look the client up and write a letter\nd    just now  12  短い";
        assert_eq!(table().lines(None, false).join("\n"), wide);
        let narrow = "ID   WHEN       N  TASK\nabc  3 s ago    7  Look the client u…\nd    just now  12  短い";
        assert_eq!(table().lines(Some(37), false).join("\n"), narrow);
        let least = "ID   TASK\nabc  Look the client…\nd    短い";
        assert_eq!(table().lines(Some(22), false).join("\n"), least);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(cut("短い文", 5), "短い…");
        assert_eq!(cut("短い文", 4), "短…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
