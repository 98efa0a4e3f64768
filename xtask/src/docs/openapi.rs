//! The document of the interface, as a server with keys serves it.

use super::Page;

/// The document.
pub fn page() -> Page {
    Page { path: "docs/reference/openapi.json".into(), text: handover_server::openapi::text() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_document_of_the_version_that_is_built() {
        let document: serde_json::Value = serde_json::from_str(&page().text).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(document["paths"].as_object().unwrap().len() > 50);
    }
}
