//! Server-sent events, as bytes come: pure, so that it can be tried byte by byte.

use crate::error::Error;
use handover_core::limits::CLIENT_EVENT_BYTES_MAX;

/// One block of a stream of events.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The id, where it has one.
    pub(crate) id: Option<u64>,
    /// The type.
    pub(crate) event: String,
    /// The data.
    pub(crate) data: String,
    /// From where on is heard, as the server says first.
    pub(crate) from: Option<u64>,
}

/// Gathers bytes into blocks.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    bytes: Vec<u8>,
    /// Up to here there is no end of a block.
    looked: usize,
}

impl Gathered {
    /// Takes bytes as they come.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.bytes.len() + bytes.len() > CLIENT_EVENT_BYTES_MAX {
            return Err(Error::TooLarge { max: CLIENT_EVENT_BYTES_MAX, name: "CLIENT_EVENT_BYTES_MAX" });
        }
        // Somebody on the way may write other ends of lines.
        self.bytes.extend(bytes.iter().filter(|byte| **byte != b'\r'));
        Ok(())
    }

    /// The next whole block.
    pub(crate) fn next(&mut self) -> Option<Block> {
        let rest = self.bytes.get(self.looked..).unwrap_or_default();
        let Some(found) = rest.windows(2).position(|pair| pair == b"\n\n") else {
            // The last byte may be the first half of an end.
            self.looked = self.bytes.len().saturating_sub(1);
            return None;
        };
        let whole: Vec<u8> = self.bytes.drain(..self.looked + found + 2).collect();
        self.looked = 0;
        Some(block(&String::from_utf8_lossy(&whole)))
    }
}

fn block(text: &str) -> Block {
    let mut block = Block::default();
    for line in text.lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => block.id = value.parse().ok(),
            "event" => value.clone_into(&mut block.event),
            "data" if block.data.is_empty() => value.clone_into(&mut block.data),
            "data" => block.data = format!("{}\n{value}", block.data),
            "" => block.from = value.strip_prefix("from ").and_then(|place| place.parse().ok()).or(block.from),
            _ => {}
        }
    }
    block
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const TEXT: &str = ": from 7\nretry: 1000\n\n: alive\r\n\r\nid: 8\nevent: TASK\ndata: {\"ä\": 1}\n\nid: 9\ndata: a\ndata: b\n\nid: 10\n";

    #[test]
    fn blocks_are_the_same_however_the_bytes_come() {
        let expected = [
            Block { from: Some(7), ..Block::default() },
            Block::default(),
            Block { id: Some(8), event: "TASK".into(), data: "{\"ä\": 1}".into(), from: None },
            Block { id: Some(9), data: "a\nb".into(), ..Block::default() },
        ];
        for size in 1..=TEXT.len() {
            let mut gathered = Gathered::default();
            let mut blocks = Vec::new();
            for piece in TEXT.as_bytes().chunks(size) {
                gathered.push(piece).unwrap();
                blocks.extend(std::iter::from_fn(|| gathered.next()));
            }
            assert_eq!(blocks, expected, "pieces of {size}");
        }
    }

    #[test]
    fn an_event_without_an_end_is_bounded() {
        let mut gathered = Gathered::default();
        gathered.push(&vec![b'x'; CLIENT_EVENT_BYTES_MAX]).unwrap();
        assert!(gathered.push(b"x").unwrap_err().to_string().contains("CLIENT_EVENT_BYTES_MAX"));
    }
}
