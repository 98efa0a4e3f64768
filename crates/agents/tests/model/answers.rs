//! Answers as providers write them, one file each, and what is made of them. `UPDATE_EXPECT=1` writes what is expected.

use expect_test::expect_file;
use handover_agents::model::{
    Ask, Piece, Reply, anthropic, openai, sse,
    troubles::{Failed, Refused, tamed},
};
use handover_core::time::Timestamp;
use std::{fmt::Write, path::PathBuf};

/// Files of one kind, by name.
pub fn fixtures(ending: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/model/fixtures");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<(String, Vec<u8>)> = files
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "there is no file that ends in {ending}");
    found
}

/// What a stream comes to, fed in these pieces.
pub fn streamed<'a>(name: &str, chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<Piece>, Result<Reply, Failed>) {
    let ask = Ask { model: "asked-for".into(), ..Ask::default() };
    let mut parser = sse::Parser::default();
    let mut heard = Vec::new();
    let (mut openai, mut anthropic) = (openai::Stream::new(&ask), anthropic::Stream::new(&ask));
    let is_anthropic = name.starts_with("anthropic");
    let mut feed = |event: &sse::Event| if is_anthropic { anthropic.feed(event) } else { openai.feed(event) };
    for chunk in chunks {
        for event in parser.feed(chunk).unwrap() {
            match feed(&event) {
                Ok(pieces) => heard.extend(pieces),
                Err(failed) => return (heard, Err(failed)),
            }
        }
    }
    if let Some(rest) = parser.rest() {
        heard.extend(feed(&rest).unwrap_or_default());
    }
    (heard, if is_anthropic { anthropic.finish() } else { openai.finish() })
}

fn shown(reply: &Result<Reply, Failed>) -> String {
    match reply {
        Ok(reply) => serde_json::to_string_pretty(reply).unwrap() + "\n",
        Err(failed) => {
            format!("failed: {:?}, again: {}\n{}\n", failed.error.trouble, failed.again, failed.error.message)
        }
    }
}

#[test]
fn an_answer_in_pieces_is_understood() {
    let mut all = String::new();
    for (name, bytes) in fixtures("sse") {
        let (heard, reply) = streamed(&name, std::iter::once(bytes.as_slice()));
        let heard: Vec<String> = heard
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => format!("{text:?}"),
                Piece::Tool(name) => format!("tool {name}"),
                Piece::Again => "again".into(),
            })
            .collect();
        write!(all, "== {name}\nheard: {}\n{}\n", heard.join(", "), shown(&reply)).unwrap();
    }
    expect_file!["fixtures/streams.expected"].assert_eq(&all);
}

#[test]
fn a_whole_answer_is_understood() {
    let ask = Ask { model: "asked-for".into(), ..Ask::default() };
    let mut all = String::new();
    for (name, bytes) in fixtures("json") {
        let reply =
            if name.starts_with("anthropic") { anthropic::read(&ask, &bytes) } else { openai::read(&ask, &bytes) };
        write!(all, "== {name}\n{}\n", shown(&reply)).unwrap();
    }
    expect_file!["fixtures/wholes.expected"].assert_eq(&all);
}

#[test]
fn a_refusal_says_what_is_wrong_and_whether_it_passes() {
    let mut all = String::new();
    for (name, bytes) in fixtures("http") {
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\n\n").unwrap();
        let (status, headers) = head.split_once('\n').unwrap_or((head, ""));
        let header = |name: &str| {
            let mut lines = headers.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
        };
        // 2027-01-15T08:00:00Z.
        let now = Timestamp(1_800_000_000_000);
        let status = status.parse().unwrap();
        let failed = Refused { status, header: &header, body: body.as_bytes(), now }.failed();
        let (error, again) = (&failed.error, failed.again);
        let words = tamed(&error.message, &[]);
        writeln!(all, "{name}: {:?}, wait {:?}, again {again}\n  {words}", error.trouble, error.retry_after_ms)
            .unwrap();
    }
    expect_file!["fixtures/refusals.expected"].assert_eq(&all);
}

#[test]
fn words_of_others_are_tamed() {
    for (words, secrets, expected) in [
        ("a\nb\t\u{1b}[31mc", vec![], "a b c"),
        ("the key my-key is wrong, my-key!", vec!["my-key".to_owned()], "the key [hidden] is wrong, [hidden]!"),
        ("fine", vec![String::new()], "fine"),
    ] {
        assert_eq!(tamed(words, &secrets), expected);
    }
    let long = "long ".repeat(100_000);
    assert!(tamed(&long, &[]).chars().count() <= handover_core::limits::MODEL_SHOWN_CHARS_MAX + 1);
}
