//! Where there are no sockets beside files, nobody is answered.

use super::Asked;
use crate::cli::{exit::Stop, out::Out};
use handover_engine::Engine;
use std::{io, path::Path};

/// A desk that cannot be.
pub(crate) enum Desk {}

impl Desk {
    pub(crate) fn open(_engine: &Engine, _db: &Path) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no sockets beside files"))
    }

    pub(crate) async fn close(self) {
        match self {}
    }

    pub(crate) fn path(&self) -> &Path {
        match *self {}
    }
}

/// Nobody answers.
#[expect(clippy::unused_async, reason = "it is awaited where there are sockets")]
pub(crate) async fn ask(_db: &Path, _args: &[String], _out: &mut Out) -> Result<Asked, Stop> {
    Ok(Asked::Nobody)
}

/// Nobody answers.
pub(crate) fn answers(_db: &Path) -> bool {
    false
}
