//! Functions in source code, found by their first line: enough to count them and to say where something stands.

use serde::{Deserialize, Serialize};

/// A function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// The file.
    pub(crate) file: String,
    /// The line where it begins, from 1.
    pub(crate) line: usize,
}

/// The functions of a file, in their order.
pub(crate) fn functions(file: &str, text: &str) -> Vec<Function> {
    let named = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, name(line)?)));
    named.map(|(line, name)| Function { name: name.to_owned(), file: file.to_owned(), line }).collect()
}

/// The function in which a line stands.
pub(crate) fn around(functions: &[Function], line: usize) -> Option<&Function> {
    functions.iter().rev().find(|function| function.line <= line)
}

/// The name of the function that begins in this line.
fn name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = ["pub ", "async "].iter().fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let rest = ["def ", "fn ", "function "].iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_first_line() {
        let text = "import os\n\ndef one(a):\n    return a\n\n    async def two(self):\n        pass\n\npub fn three<T>() {}\ndefault = 1\ndef (x)\n";
        let found = functions("a.py", text);
        let told: Vec<(&str, usize)> = found.iter().map(|it| (it.name.as_str(), it.line)).collect();
        assert_eq!(told, [("one", 3), ("two", 6), ("three", 9)]);
        for (line, expected) in [(1, None), (4, Some("one")), (7, Some("two")), (99, Some("three"))] {
            assert_eq!(around(&found, line).map(|it| it.name.as_str()), expected, "{line}");
        }
    }
}
