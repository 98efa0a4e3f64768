//! A table in a CSV file: fields in quotes may hold commas, line breaks and doubled quotes.

/// A row with the line on which it begins.
pub(super) struct Row {
    pub line: usize,
    pub fields: Vec<String>,
}

/// Where a reader stands within a field.
#[derive(PartialEq)]
enum Within {
    Start,
    Bare,
    Quoted,
    /// After a quote within quotes: it ends the field, or another one follows and means a quote.
    Closing,
}

/// The rows of a table, or the line of a mistake and what it is.
pub(super) fn rows(text: &str) -> Result<Vec<Row>, (usize, &'static str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut rows, mut fields, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begun, mut within) = (1, 1, Within::Start);
    // A line break after the end closes the last row like every other.
    for c in text.chars().chain((!text.ends_with('\n')).then_some('\n')) {
        match (&within, c) {
            (Within::Quoted, '"') => within = Within::Closing,
            (Within::Quoted, c) => field.push(c),
            (Within::Closing, '"') => {
                field.push('"');
                within = Within::Quoted;
            }
            (Within::Start, '"') => within = Within::Quoted,
            (_, ',') => {
                fields.push(std::mem::take(&mut field));
                within = Within::Start;
            }
            (_, '\n') => {
                fields.push(std::mem::take(&mut field));
                rows.push(Row { line: begun, fields: std::mem::take(&mut fields) });
                (begun, within) = (line + 1, Within::Start);
            }
            (_, '\r') => {}
            (Within::Closing, _) => return Err((line, "something stands after a closing quote")),
            (Within::Bare, '"') => return Err((line, "a quote stands within a field; put the field in quotes")),
            (Within::Start | Within::Bare, c) => {
                field.push(c);
                within = Within::Bare;
            }
        }
        line += usize::from(c == '\n');
    }
    if within == Within::Quoted {
        return Err((begun, "a quote is not closed"));
    }
    rows.retain(|row| row.fields.iter().any(|field| !field.trim().is_empty()));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        for (text, expected) in [
            ("a,b\n1,2\n", "1:a|b 2:1|2"),
            ("a,b\r\n1,2", "1:a|b 2:1|2"),
            ("\u{feff}a,\"b, \"\"c\"\"\"\n", "1:a|b, \"c\""),
            ("a,\"x\ny\"\n\n,\nb,", "1:a|x\ny 5:b|"),
            ("", ""),
            ("\"\"", ""),
            ("é,\"\"\n", "1:é|"),
        ] {
            let rows = rows(text).unwrap_or_else(|(line, why)| panic!("{text}: {line} {why}"));
            let shown: Vec<String> = rows.iter().map(|row| format!("{}:{}", row.line, row.fields.join("|"))).collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, line) in [("a\n\"b\nc", 2), ("a\nb\"c\n", 2), ("\"a\"b\n", 1)] {
            assert_eq!(rows(text).err().map(|(line, _)| line), Some(line), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_with_quotes_is_read_back(cells in proptest::collection::vec("[a,\"\n\r é]{0,5}", 1..8)) {
            let cells: Vec<String> = cells.iter().map(|cell| format!("x{cell}")).collect();
            let quoted: Vec<String> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            let rows = rows(&quoted.join(",")).unwrap();
            proptest::prop_assert_eq!(&rows[0].fields, &cells);
        }
    }
}
