//! The pictures: workflows that ship, drawn by the program itself.

use super::Page;
use crate::run::root;
use handover::core::graph;

/// A picture of each workflow that is shown somewhere.
pub fn pages() -> Result<Vec<Page>, String> {
    let draw = |name: &str| {
        let path = root().join("workflows").join(name).join("workflow.yaml");
        let file = handover::workflow::read(path).map_err(|error| error.to_string())?;
        let text = graph::svg(&graph::of_workflow(&file.workflow, None));
        Ok(Page { path: format!("docs/pictures/{name}.svg"), text })
    };
    ["charter", "research"].into_iter().map(draw).collect()
}
