//! A profile without what a card said of the agent.

use super::Profile;
use std::collections::BTreeSet;

impl Profile {
    /// The profile as it was registered: what its marks say came from a card is left out.
    #[must_use]
    pub fn bare(&self) -> Self {
        let mut bare = self.clone();
        let marks: BTreeSet<String> = std::mem::take(&mut bare.from_card).into_iter().collect();
        if marks.is_empty() {
            return bare;
        }
        let texts = [("name", &mut bare.name), ("description", &mut bare.description), ("version", &mut bare.version)];
        for (field, text) in texts {
            if marks.contains(field) {
                text.clear();
            }
        }
        if marks.contains("examples") {
            bare.examples.clear();
        }
        bare.capabilities.retain(|capability| !marks.contains(&format!("capabilities/{}", capability.id)));
        bare.tags.retain(|tag| !marks.contains(&format!("tags/{tag}")));
        bare
    }
}
