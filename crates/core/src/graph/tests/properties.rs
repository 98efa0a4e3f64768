//! What holds for any graph, however odd its names.

use super::{samples, xml};
use crate::graph::{Edge, EdgeKind, Graph, Mark, Node, NodeKind, Terminal, dot, measure::columns, mermaid, svg, text};
use crate::limits::{GRAPH_WIDTH_MAX, GRAPH_WIDTH_MIN};
use proptest::{collection::vec, prelude::*, sample::select};
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

const KINDS: [EdgeKind; 8] = [
    EdgeKind::Usual,
    EdgeKind::Back,
    EdgeKind::Retry,
    EdgeKind::Error,
    EdgeKind::Delegation,
    EdgeKind::Return,
    EdgeKind::Escalation,
    EdgeKind::Broadcast,
];
const MARKS: [Mark; 5] = [Mark::Usual, Mark::Active, Mark::Good, Mark::Bad, Mark::Waiting];
const NODES: [NodeKind; 7] = [
    NodeKind::Agent,
    NodeKind::Person,
    NodeKind::State,
    NodeKind::Start,
    NodeKind::End { good: true },
    NodeKind::End { good: false },
    NodeKind::Group,
];

/// What colours a text.
static CODES: LazyLock<Regex> = LazyLock::new(|| Regex::new("\u{1b}\\[[0-9;]*m").unwrap());
/// An arrow of Mermaid.
static ARROWS: LazyLock<Regex> = LazyLock::new(|| Regex::new("(?m)^    n[0-9]+ .* n[0-9]+$").unwrap());
/// A quoted text of Graphviz.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""([^"\\]|\\.)*""#).unwrap());
/// A line of Mermaid, whatever its texts are.
static MERMAID: LazyLock<Regex> = LazyLock::new(|| {
    let shape = "n[0-9]+(\\(|\\(\\[|\\[|\\(\\(|\\(\\(\\(|\\[\\[)\"T\"(\\)|\\]\\)|\\]|\\)\\)|\\)\\)\\)|\\]\\]):::[a-z]+";
    let form = format!(
        "^    ({shape}|n[0-9]+ (-->|==>|-\\.->)(\\|\"T\"\\|)? n[0-9]+|linkStyle [0-9]+ .*|classDef .*|note\\[\"T\"\\]:::note)$"
    );
    Regex::new(&form.replace('T', "([^\"<>`\\[\\]{}|\\\\]|<br/>)*")).unwrap()
});
/// A line of Graphviz whose texts were replaced by T.
static DOT: LazyLock<Regex> = LazyLock::new(|| {
    let value = "(T|[a-zA-Z0-9]+)";
    let list = format!("\\[[a-z]+={value}(, [a-z]+={value})*\\]");
    let form = format!(
        "^(digraph handover \\{{|\\}}|    [a-z]+={value}|    [a-z0-9]+ {list}|    n[0-9]+ -> n[0-9]+( {list})?)$"
    );
    Regex::new(&form).unwrap()
});

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,6}",
        2 => "[\"\\\\\\[\\](){}<>&;#|`*_%1. -]{0,8}",
        1 => select(vec!["end", "graph", "]]>", "\\", "\"];n0-->n1", "日本語", "e\u{301}", "a\nb", "\u{1b}[31m", "🚀", "<br/>"])
            .prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z ]{60,90}",
    ]
}

/// Small graphs with any names.
pub fn graphs() -> impl Strategy<Value = Graph> {
    let node = (name(), name(), select(&NODES[..]), select(&MARKS[..]));
    let edge = (0..9_usize, 0..9_usize, name(), name(), select(&KINDS[..]), select(&MARKS[..]), 0..20_u64);
    (name(), vec(node, 0..9), vec(edge, 0..16)).prop_map(|(title, nodes, edges)| {
        let mut graph = Graph::new(&title);
        for (at, (label, detail, kind, mark)) in nodes.into_iter().enumerate() {
            graph.node(Node::new(&at.to_string(), kind).label(&label).detail(&detail).mark(mark));
        }
        for (from, to, label, detail, kind, mark, count) in edges {
            let edge = Edge::new(&from.to_string(), &to.to_string()).label(&label).detail(&detail);
            graph.edge(edge.kind(kind).mark(mark).count(count));
        }
        graph
    })
}

/// Graphs in which each box can be found by its name, and nothing but arrows looks like one.
fn bare() -> impl Strategy<Value = Graph> {
    vec((0..8_usize, 0..8_usize, select(&KINDS[..])), 0..14).prop_map(|edges| {
        let mut graph = Graph::new("");
        graph.node(Node::agent("n0"));
        for (from, to, kind) in edges {
            graph.edge(Edge::new(&format!("n{from}"), &format!("n{to}")).kind(kind));
        }
        graph
    })
}

fn fits(graph: &Graph, width: usize, unicode: bool) {
    let plain = text(graph, &Terminal { width, unicode, colour: false });
    let coloured = text(graph, &Terminal { width, unicode, colour: true });
    for line in plain.lines() {
        assert!(columns(line) <= width.clamp(GRAPH_WIDTH_MIN, GRAPH_WIDTH_MAX), "{width}: {line:?}");
        assert!(!line.contains(char::is_control) && !line.ends_with(' '), "{line:?}");
    }
    assert_eq!(CODES.replace_all(&coloured, ""), plain, "colours change nothing else");
}

/// In boxes each direction between two boxes has a head, and in a list each arrow has a line.
fn says_all_in_text(graph: &Graph, width: usize) {
    let drawn = text(graph, &Terminal::new(width));
    for node in graph.nodes() {
        assert!(drawn.contains(&node.label), "{} is missing in\n{drawn}", node.label);
    }
    let count = |signs: &[char]| drawn.chars().filter(|sign| signs.contains(sign)).count();
    if drawn.contains('╭') {
        let pairs: BTreeSet<_> = graph.ends.iter().filter(|(from, to)| from != to).collect();
        assert_eq!(count(&['▼', '▲']), pairs.len(), "\n{drawn}");
        assert_eq!(count(&['↺']), graph.ends.iter().filter(|(from, to)| from == to).count(), "\n{drawn}");
    } else {
        assert_eq!(count(&['▶']), graph.edges().len(), "\n{drawn}");
    }
}

fn svg_holds(graph: &Graph) {
    let picture = svg(graph);
    let elements = xml::elements(&picture).unwrap_or_else(|why| panic!("{why}\n{picture}"));
    let with = |name: &str, class: &str| {
        let is = |value: &str| value.split(' ').any(|word| word == class);
        let has = |list: &Vec<(String, String)>| list.iter().any(|(key, value)| key == "class" && is(value));
        elements.iter().filter(|(element, list)| element == name && has(list)).count()
    };
    assert_eq!(with("text", "hg-name"), graph.nodes().len());
    assert_eq!(with("path", "hg-line"), graph.edges().len());
    assert_eq!(with("path", "hg-head"), graph.edges().len());
    for (_, list) in &elements {
        let paths = list.iter().filter(|(key, _)| key == "d");
        paths.for_each(|(_, path)| assert!(!path.contains("NaN") && !path.contains("inf"), "{path}"));
    }
}

fn mermaid_holds(graph: &Graph) {
    let source = mermaid(graph);
    let body = source.split_once("flowchart TD\n").unwrap().1;
    for line in body.lines() {
        assert!(MERMAID.is_match(line), "{line:?}");
    }
    assert_eq!(body.lines().filter(|line| line.contains(":::")).count(), graph.nodes().len());
    assert_eq!(ARROWS.find_iter(body).count(), graph.edges().len());
}

fn dot_holds(graph: &Graph) {
    let source = dot(graph);
    // Every text in quotes becomes T; what is left has a form that no name can change.
    let plain = QUOTED.replace_all(&source, "T");
    for line in plain.lines() {
        assert!(DOT.is_match(line), "{line:?} in {source}");
    }
    assert_eq!(plain.lines().filter(|line| line.contains("->")).count(), graph.edges().len());
    assert_eq!(plain.lines().filter(|line| line.contains("label=T, shape")).count(), graph.nodes().len());
}

#[test]
fn everything_holds_for_the_samples() {
    for (_, graph) in samples::all() {
        (20..200).step_by(9).for_each(|width| fits(&graph, width, width % 2 == 0));
        svg_holds(&graph);
        mermaid_holds(&graph);
        dot_holds(&graph);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn no_line_is_too_wide(graph in graphs(), width in 0..220_usize, unicode in any::<bool>()) {
        fits(&graph, width, unicode);
    }

    #[test]
    fn everything_is_in_the_text(graph in bare(), width in 20..200_usize) {
        says_all_in_text(&graph, width);
    }

    #[test]
    fn other_forms_hold_any_name(graph in graphs()) {
        svg_holds(&graph);
        mermaid_holds(&graph);
        dot_holds(&graph);
    }
}
