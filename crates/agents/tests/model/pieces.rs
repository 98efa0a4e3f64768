//! Events from bytes: any cut gives the same, and nothing makes it fall over.

use crate::answers::{fixtures, streamed};
use handover_agents::model::{
    Ask, anthropic, openai,
    sse::{Event, Overlong, Parser},
};
use handover_core::limits::{MODEL_EVENT_BYTES_MAX, MODEL_LINE_BYTES_MAX};
use proptest::prelude::*;

fn events(chunks: &[&[u8]]) -> Vec<(String, String)> {
    let mut parser = Parser::default();
    let mut all: Vec<Event> = chunks.iter().flat_map(|chunk| parser.feed(chunk).unwrap()).collect();
    all.extend(parser.rest());
    all.into_iter().map(|event| (event.name, event.data)).collect()
}

#[test]
fn events_are_read_as_the_standard_says() {
    let table: &[(&str, &[(&str, &str)])] = &[
        ("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]),
        ("data: a\r\n\r\ndata: b\r\n\r\n", &[("", "a"), ("", "b")]),
        ("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]),
        ("event: x\ndata: a\ndata: b\n\n", &[("x", "a\nb")]),
        ("event: x\r\ndata: a\r\ndata: b\r\n\r\n", &[("x", "a\nb")]),
        ("data:a\ndata:  b\n\n", &[("", "a\n b")]),
        (": comment\n\n:\n\ndata: a\n\n", &[("", "a")]),
        ("event: ping\n\ndata: a\n\n", &[("", "a")]),
        ("data\n\n", &[("", "")]),
        ("id: 1\nretry: 3\nfuture: x\ndata: a\n\n", &[("", "a")]),
        ("\u{feff}data: a\n\n", &[("", "a")]),
        ("data: \u{feff}a\n\n", &[("", "\u{feff}a")]),
        ("data: a: b\n\n", &[("", "a: b")]),
        ("data: unended", &[("", "unended")]),
        ("data: a\n\n\n\n", &[("", "a")]),
        ("", &[]),
    ];
    for (text, expected) in table {
        let expected: Vec<(String, String)> =
            expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect();
        assert_eq!(events(&[text.as_bytes()]), expected, "{text:?}");
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(events(&bytes), expected, "{text:?}, byte by byte");
    }
}

#[test]
fn what_has_no_end_is_not_kept() {
    let mut parser = Parser::default();
    parser.feed(&vec![b'x'; MODEL_LINE_BYTES_MAX]).unwrap();
    assert_eq!(parser.feed(b"x").unwrap_err(), Overlong::Line);
    let mut parser = Parser::default();
    let line = [b"data: ".as_slice(), &vec![b'x'; MODEL_LINE_BYTES_MAX - 6], b"\n"].concat();
    let lines = MODEL_EVENT_BYTES_MAX / (MODEL_LINE_BYTES_MAX - 6) + 1;
    let fed: Result<Vec<_>, _> = (0..lines).map(|_| parser.feed(&line)).collect();
    assert_eq!(fed.unwrap_err(), Overlong::Event);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cut_of_a_stream_gives_the_same_answer(cuts in prop::collection::vec(1_usize..60, 1..40)) {
        for (name, bytes) in fixtures("sse") {
            let whole = streamed(&name, std::iter::once(bytes.as_slice()));
            let mut rest = bytes.as_slice();
            let mut sizes = cuts.iter().cycle();
            let pieces = std::iter::from_fn(|| {
                let size = (*sizes.next()?).min(rest.len());
                let (piece, after) = rest.split_at(size);
                rest = after;
                (!piece.is_empty()).then_some(piece)
            });
            prop_assert_eq!(streamed(&name, pieces), whole, "{}", name);
        }
    }

    #[test]
    fn no_bytes_make_it_fall_over(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let ask = Ask::default();
        let _ = openai::read(&ask, &bytes);
        let _ = anthropic::read(&ask, &bytes);
        for name in ["openai", "anthropic"] {
            let _ = streamed(name, bytes.chunks(7));
        }
    }

    #[test]
    fn no_damage_makes_it_fall_over(at in any::<prop::sample::Index>(), byte in any::<u8>(), file in any::<prop::sample::Index>()) {
        let files = fixtures("sse");
        let (name, mut bytes) = file.get(&files).clone();
        let place = at.index(bytes.len());
        bytes[place] = byte;
        let _ = streamed(&name, bytes.chunks(11));
        bytes.truncate(place);
        let _ = streamed(&name, bytes.chunks(5));
    }
}
