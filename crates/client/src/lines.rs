//! A command line that a server carries out: what it writes comes back line by line.

use crate::{
    client::Client,
    error::{self, Error},
    send::{self, Asked},
};
use handover_core::limits::{CLIENT_ANSWER_MS, COMMAND_FRAME_BYTES_MAX};
use reqwest::Response;
use serde_json::Value;
use std::time::Duration;

/// Lines of an answer, as they come.
pub struct Lines {
    response: Response,
    bytes: Vec<u8>,
    /// Up to here there is no end of a line.
    looked: usize,
}

impl Client {
    /// Lets the server carry out a command of the command line, which is sent once: whoever typed it sees how it ended.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn command(&self, errand: &Value) -> Result<Lines, Error> {
        let request = self.prepared(&Asked::post(["v1", "commands"], errand));
        let late = |_| Error::Way("the server took too long to answer".to_owned());
        let sent = tokio::time::timeout(Duration::from_millis(CLIENT_ANSWER_MS), request.send()).await.map_err(late)?;
        let response = sent.map_err(|error| error::of_way(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(Lines { response, bytes: Vec::new(), looked: 0 });
        }
        Err(error::of_answer(status, &send::body(response).await?))
    }
}

impl Lines {
    /// The next line; nothing when the answer is over.
    ///
    /// # Errors
    /// When the answer breaks off, or a line is too long.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        loop {
            if let Some(found) = self.bytes.iter().skip(self.looked).position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=self.looked + found).collect();
                self.looked = 0;
                return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
            }
            self.looked = self.bytes.len();
            match self.response.chunk().await.map_err(|error| error::of_way(&error))? {
                None => return Ok(None),
                Some(piece) if self.bytes.len() + piece.len() > COMMAND_FRAME_BYTES_MAX => {
                    return Err(Error::TooLarge { max: COMMAND_FRAME_BYTES_MAX, name: "COMMAND_FRAME_BYTES_MAX" });
                }
                Some(piece) => self.bytes.extend_from_slice(&piece),
            }
        }
    }
}
