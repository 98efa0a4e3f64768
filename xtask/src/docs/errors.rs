//! A page for each refusal code, and their table, from the one list in `refusal/codes.rs`.

use super::{MARK, Page};
use handover_core::refusal::{Code, Family};
use std::fmt::Write;

/// What the codes of one hundred are about.
const CHAPTERS: [(&str, &str); 11] = [
    ("HO01", "The request itself"),
    ("HO02", "Agents"),
    ("HO03", "Sessions"),
    ("HO04", "What a handoff must have"),
    ("HO05", "Where a handoff stands"),
    ("HO06", "What a session holds"),
    ("HO07", "Guards, approvals and settings"),
    ("HO08", "The store and the engine"),
    ("HO09", "The audit trail"),
    ("HO10", "Workflows"),
    ("HO11", "The server"),
];

/// What a family is called, what it means, and how it is answered: HTTP status and exit code.
struct Answer {
    name: &'static str,
    meaning: &'static str,
    status: u16,
    exit: u8,
}

const FAMILIES: [Family; 7] = [
    Family::Invalid,
    Family::Unauthenticated,
    Family::Forbidden,
    Family::Missing,
    Family::Conflict,
    Family::TooMuch,
    Family::Trouble,
];

fn answer(family: Family) -> Answer {
    let (name, meaning, status, exit) = match family {
        Family::Invalid => ("invalid", "The ask itself is wrong. To send it again unchanged is of no use.", 422, 1),
        Family::Unauthenticated => ("unauthenticated", "Nobody can tell who asks.", 401, 1),
        Family::Forbidden => ("forbidden", "The ask is not the caller's to make.", 403, 1),
        Family::Missing => ("missing", "What it names does not exist, or not for this caller.", 404, 1),
        Family::Conflict => ("conflict", "It does not fit what has happened meanwhile.", 409, 1),
        Family::TooMuch => ("too much", "It is larger than its limit.", 413, 1),
        Family::Trouble => ("trouble", "The engine's own trouble; the ask itself may be right.", 503, 2),
    };
    Answer { name, meaning, status, exit }
}

pub fn pages() -> Result<Vec<Page>, String> {
    let mut pages = vec![Page { path: "docs/errors/README.md".into(), text: table()? }];
    for (at, code) in Code::ALL.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| Code::ALL.get(at));
        pages.push(Page { path: format!("docs/errors/{code}.md"), text: page(*code, before, Code::ALL.get(at + 1)) });
    }
    Ok(pages)
}

fn page(code: Code, before: Option<&Code>, after: Option<&Code>) -> String {
    let Answer { name, exit, .. } = answer(code.family());
    let status = handover_server::status_of(code);
    let link = |sign: &str, code: Option<&Code>| code.map(|code| format!("[{sign} {code}]({code}.md)"));
    let links = [link("Previous:", before), Some("[All codes](README.md)".into()), link("Next:", after)];
    let links: Vec<String> = links.into_iter().flatten().collect();
    format!(
        "{MARK}\n# {code}: {}\n\n{}\n\n## How to mend it\n\n{}\n\n## How it is answered\n\n\
        | kind | HTTP status | exit code |\n|---|---|---|\n| [{name}](README.md#kinds) | {status} | {exit} |\n\n{}\n",
        code.title(),
        code.meaning(),
        code.mend(),
        links.join(" · ")
    )
}

fn table() -> Result<String, String> {
    let mut text = format!(
        "{MARK}\n# Refusals\n\nA refusal is the right answer to a bad ask: it says what is wrong, where, and how to mend it, \
        and it changes nothing.\nCodes are stable: a code keeps its meaning for good. A request with several mistakes is \
        answered with all of them at once.\n"
    );
    let mut chapter = "";
    for code in Code::ALL {
        let start = &code.text()[..4];
        if chapter != start {
            chapter = start;
            let title = CHAPTERS.iter().find(|(begin, _)| *begin == start).map(|(_, title)| title);
            let title =
                title.ok_or_else(|| format!("{code} is in no chapter: add {start} in xtask/src/docs/errors.rs"))?;
            let _ = write!(text, "\n## {start}xx: {title}\n\n| code | what is wrong | kind |\n|---|---|---|\n");
        }
        let _ = writeln!(text, "| [{code}]({code}.md) | {} | {} |", code.title(), answer(code.family()).name);
    }
    text += "\n## Kinds\n\nWhoever speaks for the engine answers a kind in the same way: over HTTP with its status, as a program \
        with its exit code.\n\n| kind | meaning | HTTP status | exit code |\n|---|---|---|---|\n";
    for Answer { name, meaning, status, exit } in FAMILIES.map(answer) {
        let _ = writeln!(text, "| {name} | {meaning} | {status} | {exit} |");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_what_how_to_mend_it_and_what_comes_before_and_after() {
        let text = page(Code::EmptyField, Some(&Code::MissingField), Some(&Code::UnknownValue));
        for part in ["# HO0102: a required text is empty", "nothing in it", "Say in a few words", "| 422 | 1 |"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(text.ends_with("[Previous: HO0101](HO0101.md) · [All codes](README.md) · [Next: HO0103](HO0103.md)\n"));
    }

    #[test]
    fn every_code_has_a_page_a_line_and_a_chapter() {
        let pages = pages().unwrap();
        assert_eq!(pages.len(), Code::ALL.len() + 1);
        let lines = pages[0].text.lines().filter(|line| line.starts_with("| [HO")).count();
        assert_eq!(lines, Code::ALL.len());
    }

    #[test]
    fn only_trouble_is_ours() {
        for family in FAMILIES {
            let answer = answer(family);
            assert_eq!(
                (answer.status >= 500, answer.exit == 2),
                (family == Family::Trouble, family == Family::Trouble)
            );
        }
    }
}
