//! A small checker of XML: tags that close in order, quoted attributes, known entities, allowed signs.

/// An element: its name and its attributes.
pub type Element = (String, Vec<(String, String)>);

/// All elements, or what is wrong.
pub fn elements(text: &str) -> Result<Vec<Element>, String> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        content(&rest[..at])?;
        let end = at + rest[at..].find('>').ok_or("a tag without an end")?;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last: Option<String> = open.pop();
            if last.as_deref() != Some(name) {
                return Err(format!("</{name}> closes {last:?}"));
            }
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, values) = tag.split_once(' ').unwrap_or((tag, ""));
        if name.is_empty() || !name.chars().all(|sign| sign.is_ascii_alphabetic()) {
            return Err(format!("<{tag}> has no name"));
        }
        found.push((name.to_owned(), attributes(values)?));
        if !closed {
            open.push(name.to_owned());
        }
    }
    content(rest)?;
    if open.is_empty() { Ok(found) } else { Err(format!("still open: {open:?}")) }
}

fn attributes(mut text: &str) -> Result<Vec<(String, String)>, String> {
    let mut found: Vec<(String, String)> = Vec::new();
    while !text.trim().is_empty() {
        let (name, rest) = text.split_once("=\"").ok_or_else(|| format!("no value in {text:?}"))?;
        let (value, rest) = rest.split_once('"').ok_or_else(|| format!("an open value in {text:?}"))?;
        content(value)?;
        let name = name.trim().to_owned();
        if name.contains(char::is_whitespace) || found.iter().any(|(other, _)| *other == name) {
            return Err(format!("a bad or double name: {name:?}"));
        }
        found.push((name, value.to_owned()));
        text = rest;
    }
    Ok(found)
}

fn content(text: &str) -> Result<(), String> {
    let bad = |sign: char| (sign.is_control() && sign != '\n') || matches!(sign, '\u{fffe}' | '\u{ffff}' | '>');
    if text.contains(bad) {
        return Err(format!("a sign that may not be here: {text:?}"));
    }
    for piece in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|entity| piece.starts_with(entity));
        if !known {
            return Err(format!("an unknown entity: &{piece}"));
        }
    }
    Ok(())
}

#[test]
fn mistakes_are_found() {
    for bad in
        ["<a>", "<a></b>", "<a b=c/>", "<a b=\"c/>", "<a>&nbsp;</a>", "<a>&</a>", "<a b=\"1\" b=\"2\"/>", "a>b", "<1/>"]
    {
        assert!(elements(bad).is_err(), "{bad}");
    }
    assert_eq!(elements("<a b=\"&lt;\"><c/>&amp;</a>").unwrap().len(), 2);
}
