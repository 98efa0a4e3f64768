//! The graph for Mermaid: a flowchart from top to bottom.

use super::{Edge, EdgeKind, Graph, Mark, Node, NodeKind};
use std::fmt::Write;

/// The graph as a Mermaid flowchart. Ids are numbers, and labels are quoted and escaped, so no name can break it.
#[must_use]
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::new();
    if !graph.title.is_empty() {
        // The title stands in front matter, where JSON is the one quoting that every name survives.
        let _ = writeln!(out, "---\ntitle: {}\n---", serde_json::Value::from(graph.title.as_str()));
    }
    out.push_str("flowchart TD\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let _ = writeln!(out, "    {}", shape(at, node));
    }
    for (from, to, edge) in graph.lines() {
        let _ = writeln!(out, "    n{from} {} n{to}", arrow(edge));
    }
    if let Some(note) = graph.note() {
        let _ = writeln!(out, "    note[\"{}\"]:::note", escaped(&note));
    }
    for (at, (_, _, edge)) in graph.lines().enumerate() {
        if let Some(style) = line_style(edge) {
            let _ = writeln!(out, "    linkStyle {at} {style}");
        }
    }
    out.push_str(CLASSES);
    out
}

/// Fills and lines that are readable on light and on dark ground.
const CLASSES: &str = "    classDef agent fill:#eef2ff,stroke:#6366f1,color:#1e1b4b
    classDef person fill:#fdf4ff,stroke:#c026d3,color:#4a044e
    classDef state fill:#f8fafc,stroke:#64748b,color:#0f172a
    classDef start fill:#e2e8f0,stroke:#334155,color:#0f172a
    classDef ended fill:#e2e8f0,stroke:#334155,color:#0f172a,stroke-width:3px
    classDef group fill:#f1f5f9,stroke:#475569,color:#0f172a,stroke-width:2px
    classDef active fill:#cffafe,stroke:#0891b2,color:#164e63,stroke-width:3px
    classDef good fill:#dcfce7,stroke:#16a34a,color:#14532d
    classDef bad fill:#fee2e2,stroke:#dc2626,color:#7f1d1d
    classDef waiting fill:#fef3c7,stroke:#d97706,color:#78350f,stroke-dasharray:5 3
    classDef note fill:none,stroke:none,color:#64748b
";

fn shape(at: usize, node: &Node) -> String {
    let mut text = escaped(&node.label);
    if !node.detail.is_empty() {
        let _ = write!(text, "<br/>{}", escaped(&node.detail));
    }
    let (open, close, kind) = match node.kind {
        NodeKind::Agent => ("(", ")", "agent"),
        NodeKind::Person => ("([", "])", "person"),
        NodeKind::State => ("[", "]", "state"),
        NodeKind::Start => ("((", "))", "start"),
        NodeKind::End { .. } => ("(((", ")))", "ended"),
        NodeKind::Group => ("[[", "]]", "group"),
    };
    let class = match node.standing() {
        Mark::Good => "good",
        Mark::Bad => "bad",
        Mark::Active => "active",
        Mark::Waiting => "waiting",
        Mark::Usual => kind,
    };
    format!("n{at}{open}\"{text}\"{close}:::{class}")
}

fn arrow(edge: &Edge) -> String {
    let line = match edge.kind {
        EdgeKind::Usual | EdgeKind::Broadcast | EdgeKind::Error => "-->",
        EdgeKind::Delegation | EdgeKind::Escalation => "==>",
        EdgeKind::Back | EdgeKind::Retry | EdgeKind::Return => "-.->",
    };
    let words = [edge.words('×'), edge.kind.word().to_owned(), edge.detail.clone()];
    let words: Vec<String> = words.iter().filter(|text| !text.is_empty()).map(|text| escaped(text)).collect();
    if words.is_empty() { line.to_owned() } else { format!("{line}|\"{}\"|", words.join("<br/>")) }
}

fn line_style(edge: &Edge) -> Option<&'static str> {
    match edge.standing() {
        Mark::Bad => Some("stroke:#dc2626"),
        Mark::Good => Some("stroke:#16a34a"),
        Mark::Active => Some("stroke:#0891b2,stroke-width:3px"),
        Mark::Waiting => Some("stroke:#d97706"),
        Mark::Usual => None,
    }
}

/// Letters, digits and plain signs as they are; whatever Mermaid, Markdown or HTML could act on as a number. A text that begins
/// like an item of a list would not be shown.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut begins = true;
    for sign in text.chars() {
        let plain = sign.is_alphanumeric()
            || matches!(sign, ' ' | ',' | '·' | '…' | '×' | '/' | '?' | '!' | '\'')
            || (!begins && matches!(sign, '.' | '-'));
        begins &= sign.is_ascii_digit();
        if plain {
            out.push(sign);
        } else {
            let _ = write!(out, "#{};", u32::from(sign));
        }
    }
    out
}
