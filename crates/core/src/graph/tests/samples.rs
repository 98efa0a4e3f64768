//! Graphs that the tests draw.

use crate::graph::{Edge, EdgeKind, Graph, Mark, Node, NodeKind};

/// One after the other.
pub fn chain() -> Graph {
    let mut graph = Graph::new("A chain");
    graph.node(Node::new("begin", NodeKind::Start));
    graph.node(Node::state("search").mark(Mark::Good));
    graph.node(Node::state("book").detail("2 of 3 done").mark(Mark::Active));
    graph.node(Node::new("done", NodeKind::End { good: true }));
    graph.edge(Edge::new("begin", "search")).edge(Edge::new("search", "book").label("flight found"));
    graph.edge(Edge::new("book", "done").label("paid"));
    graph
}

/// Work for three, and what comes back.
pub fn fan() -> Graph {
    let mut graph = Graph::new("Session trip-7");
    for (n, (to, task, mark)) in [
        ("pilot", "Find a jet", Mark::Good),
        ("hotel", "Find a room", Mark::Bad),
        ("guide", "Plan a walk", Mark::Active),
    ]
    .into_iter()
    .enumerate()
    {
        let label = format!("#{} {task}", n + 1);
        let detail = ["completed · 1.2 s", "failed · 40 ms", "running"][n];
        graph.edge(Edge::new("planner", to).label(&label).detail(detail).kind(EdgeKind::Delegation).mark(mark));
    }
    graph.edge(Edge::new("pilot", "planner").label("#1").detail("success").kind(EdgeKind::Return));
    graph.edge(Edge::new("hotel", "planner").label("#2").detail("failed").kind(EdgeKind::Return).mark(Mark::Bad));
    graph.edge(
        Edge::new("guide", "ann")
            .label("#4 May we spend more?")
            .detail("offered")
            .kind(EdgeKind::Escalation)
            .mark(Mark::Waiting),
    );
    graph.change("guide", |node| node.mark(Mark::Active));
    graph.change("ann", |node| node.kind(NodeKind::Person).mark(Mark::Waiting));
    graph
}

/// A workflow that tries again.
pub fn retry() -> Graph {
    let mut graph = Graph::new("A workflow that tries again");
    graph.node(Node::new("start", NodeKind::Start));
    for state in ["draft", "review", "publish"] {
        graph.node(Node::state(state));
    }
    graph
        .node(Node::new("done", NodeKind::End { good: true }))
        .node(Node::new("given up", NodeKind::End { good: false }));
    graph.edge(Edge::new("start", "draft")).edge(Edge::new("draft", "review"));
    graph.edge(Edge::new("review", "publish").label("approved"));
    graph.edge(Edge::new("review", "draft").label("changes wanted").kind(EdgeKind::Back).count(2));
    graph.edge(Edge::new("publish", "done")).edge(Edge::new("publish", "draft").label("again").kind(EdgeKind::Retry));
    graph.edge(Edge::new("review", "given up").label("rejected").kind(EdgeKind::Error));
    graph
}

/// From a box to itself.
pub fn alone() -> Graph {
    let mut graph = Graph::new("To itself");
    graph.edge(Edge::new("poller", "poller").label("not yet").count(7).kind(EdgeKind::Retry));
    graph.edge(Edge::new("poller", "reader"));
    graph
}

/// Two teams that do not know each other.
pub fn two() -> Graph {
    let mut graph = Graph::new("Two teams");
    for (from, to, count) in [("a", "b", 3), ("x", "y", 1), ("a", "c", 1), ("y", "z", 12), ("z", "x", 2)] {
        graph.edge(Edge::new(from, to).count(count));
    }
    graph.node(Node::agent("idle"));
    graph
}

/// Names that need more room than there is.
pub fn long() -> Graph {
    let mut graph = Graph::new("Long names");
    graph.node(
        Node::agent("customer-support-triage-agent-for-europe-and-africa")
            .detail("answers in twenty-four languages, day and night"),
    );
    let label = "Translate the complaint about the late delivery and answer it in the language of the customer";
    graph.edge(Edge::new("customer-support-triage-agent-for-europe-and-africa", "translator").label(label));
    graph.edge(Edge::new("translator", "a").label("\"quoted\" [x] <b>&amp; end"));
    graph
}

/// Signs that take two columns.
pub fn wide() -> Graph {
    let mut graph = Graph::new("旅行の計画");
    graph.node(Node::agent("計画者").detail("東京 🚀")).node(Node::agent("操縦士")).node(Node::person("José"));
    graph.edge(Edge::new("計画者", "操縦士").label("飛行機を探す").count(3));
    graph.edge(Edge::new("計画者", "José").label("¿Quién?"));
    graph
}

/// A team of sixty.
pub fn sixty() -> Graph {
    let mut graph = Graph::new("A team of sixty");
    for n in 1..60_u64 {
        let from = format!("agent-{}", (n - 1) / 4);
        graph.edge(Edge::new(&from, &format!("agent-{n}")).count(n * 7 % 13));
    }
    for n in (5..60_u64).step_by(9) {
        graph.edge(Edge::new(&format!("agent-{n}"), "agent-0").kind(EdgeKind::Return));
    }
    graph
}

/// All of them, by name.
pub fn all() -> Vec<(&'static str, Graph)> {
    vec![
        ("chain", chain()),
        ("fan", fan()),
        ("retry", retry()),
        ("alone", alone()),
        ("two", two()),
        ("long", long()),
        ("wide", wide()),
        ("sixty", sixty()),
    ]
}
