//! Faults on purpose: each service can be made to fail, so that every rule of a workflow can be seen to act.

use crate::files::write_whole;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The faults of all services of a team. Nothing is wrong unless it is said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// The register of clients.
    pub register: Fault,
    /// The charter market, when it is asked for quotes.
    pub market: Fault,
    /// What becomes of the quotes.
    pub quotes: QuoteFault,
    /// The delivery of mail.
    pub mail: Fault,
}

/// How one service fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fault {
    /// So many calls fail at first, in a way that another try can mend.
    pub fail_first: u32,
    /// Every call fails, in a way that no other try can mend.
    pub permanently: bool,
}

/// What becomes of the quotes that the market would send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuoteFault {
    /// All of them come.
    #[default]
    All,
    /// None ever comes.
    None,
    /// So many come and no more.
    Few(u32),
    /// All come, but so many of them are withdrawn.
    Withdraw(u32),
    /// All come, so many milliseconds later.
    Late(u64),
}

/// What a fault does to one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strike {
    /// The call fails now; another try may do better.
    Now,
    /// The call fails, and so does every other.
    Always,
}

/// Counts the calls of services that fail at first. With a folder the counts outlive the process.
#[derive(Debug, Clone, Default)]
pub struct FaultCounter {
    inner: Arc<Mutex<Counts>>,
}

#[derive(Debug, Default)]
struct Counts {
    file: Option<PathBuf>,
    calls: BTreeMap<String, u32>,
}

impl FaultCounter {
    /// A counter that keeps its counts in `faults.json` in this folder.
    ///
    /// # Errors
    /// When the folder cannot be made or the file cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let file = folder.join("faults.json");
        let calls = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|error| io::Error::other(format!("{}: {error}; remove the file", file.display())))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error),
        };
        Ok(Self { inner: Arc::new(Mutex::new(Counts { file: Some(file), calls })) })
    }

    /// Whether the fault strikes this call of a service. A call that is spared counts nothing.
    ///
    /// # Errors
    /// When the count cannot be kept.
    pub fn strikes(&self, service: &str, fault: Fault) -> io::Result<Option<Strike>> {
        if fault.permanently {
            return Ok(Some(Strike::Always));
        }
        let mut counts = self.inner.lock();
        let calls = counts.calls.entry(service.to_owned()).or_default();
        if *calls >= fault.fail_first {
            return Ok(None);
        }
        *calls += 1;
        if let Some(file) = &counts.file {
            write_whole(file, &serde_json::to_vec(&counts.calls)?)?;
        }
        Ok(Some(Strike::Now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_from_yaml() {
        let yaml = "register: {fail_first: 2}\nquotes: {withdraw: 4}\nmail: {permanently: true}\n";
        let faults: Faults = serde_saphyr::from_str(yaml).unwrap();
        assert_eq!(faults.register, Fault { fail_first: 2, permanently: false });
        assert_eq!(faults.quotes, QuoteFault::Withdraw(4));
        assert!(faults.mail.permanently && faults.market == Fault::default());
        let none: Faults = serde_saphyr::from_str("quotes: none").unwrap();
        assert_eq!(none.quotes, QuoteFault::None);
        assert!(serde_saphyr::from_str::<Faults>("mial: {}").is_err());
    }

    #[test]
    fn a_count_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let fault = Fault { fail_first: 2, permanently: false };
        for expected in [Some(Strike::Now), Some(Strike::Now), None] {
            let counter = FaultCounter::open(folder.path()).unwrap();
            assert_eq!(counter.strikes("market", fault).unwrap(), expected);
        }
        let counter = FaultCounter::open(folder.path()).unwrap();
        assert_eq!(counter.strikes("mail", fault).unwrap(), Some(Strike::Now), "each service has its own count");
        let always = Fault { fail_first: 0, permanently: true };
        assert_eq!(counter.strikes("market", always).unwrap(), Some(Strike::Always));
    }
}
