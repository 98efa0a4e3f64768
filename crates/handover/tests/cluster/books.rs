//! What must be true afterwards, by the trail of the house.

use crate::{load::Made, nodes::House};
use handover::core::{event::Event, ids::HandoffId, record::Record};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that happened in sessions, in the order of the feed, as the audit trail is exported.
pub fn trail(house: &House) -> Vec<Record> {
    let folder = tempfile::tempdir().unwrap();
    let output = house.output(&["audit", "export", folder.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let within = folder.path().join("handover").join("handoff-audit");
    let mut files: Vec<_> = std::fs::read_dir(within).unwrap().map(|entry| entry.unwrap().path()).collect();
    // Each is named by the positions that it holds.
    files.sort();
    let texts = files.into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    let lines: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().map(|line| serde_json::from_str::<Line>(line).unwrap().record).collect()
}

/// A line of the export.
#[derive(serde::Deserialize)]
struct Line {
    record: Record,
}

/// Each acknowledged handoff is there, was completed, and was so once.
pub fn each_once(trail: &[Record], made: &[Made]) {
    let mut ends: BTreeMap<HandoffId, usize> = BTreeMap::new();
    let mut begun: BTreeMap<HandoffId, usize> = BTreeMap::new();
    for record in trail {
        let Some(id) = record.handoff_id else { continue };
        match &record.event {
            Event::Initiated { .. } => *begun.entry(id).or_default() += 1,
            Event::Closed { .. } => *ends.entry(id).or_default() += 1,
            _ => {}
        }
    }
    let acknowledged: BTreeSet<HandoffId> = made.iter().map(Made::id).collect();
    assert_eq!(acknowledged.len(), made.len(), "each is made once");
    let lost: Vec<_> = acknowledged.iter().filter(|id| begun.get(id) != Some(&1)).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {} of {}, as {:?}", lost.len(), made.len(), lost[0]);
    let twice: Vec<_> = ends.iter().filter(|(_, times)| **times != 1).collect();
    assert!(twice.is_empty(), "completed more than once: {}, as {:?}", twice.len(), twice[0]);
    assert_eq!(begun.len(), acknowledged.len(), "nothing was made that nobody knows of");
    assert_eq!(ends.len(), begun.len(), "every one has ended");
}

/// How many pieces of work an agent had at once, at the most.
pub fn at_once(trail: &[Record], agent: &str) -> usize {
    let (mut held, mut most): (BTreeSet<HandoffId>, usize) = (BTreeSet::new(), 0);
    for record in trail {
        let Some(id) = record.handoff_id.filter(|_| record.to_agent.as_ref().is_some_and(|to| to.as_str() == agent))
        else {
            continue;
        };
        match &record.event {
            Event::Accepted { .. } => drop(held.insert(id)),
            // Whatever else is said of it: it is given up, or over.
            Event::Closed { .. } | Event::LeaseLost { .. } => drop(held.remove(&id)),
            _ => {}
        }
        most = most.max(held.len());
    }
    most
}
