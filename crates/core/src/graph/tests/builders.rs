//! Graphs of what the core knows, and what is too much.

use crate::graph::{Edge, Graph, Load, Node, Terminal, dot, mermaid, of_session, of_team, svg, text};
use crate::{
    handoff::{Handoff, Kind, Request},
    ids::AgentId,
    limits::{GRAPH_EDGES_MAX, GRAPH_NODES_MAX},
    message::Mark,
    time::Timestamp,
};
use expect_test::expect;
use serde_json::{Value, json};
use std::sync::Arc;

fn handoff(n: u64, kind: Kind, (from, to): (&str, &str), task: &str, phase: &Value, returned: Option<&str>) -> Handoff {
    let id = format!("00000000-0000-4000-8000-{n:012}");
    let mut handoff: Handoff = serde_json::from_value(json!({
        "id": id, "returns_for": id, "session_id": "s", "n": n, "to_agent": to, "path": [], "mark": Mark::default(),
        "phase": phase, "opened_at": Timestamp(0), "attempt": n, "closed_at": returned.map(|_| Timestamp(1_250)),
    }))
    .unwrap();
    handoff.request = Arc::new(Request::new(kind, AgentId::new(from).unwrap(), task));
    handoff.result = returned.map(|status| {
        let result = json!({
            "handoff_id": id, "from_agent": to, "to_agent": from, "status": status, "completion_time": Timestamp(1_250),
        });
        Arc::new(serde_json::from_value(result).unwrap())
    });
    handoff
}

#[test]
fn a_session() {
    let closed = |status: &str| json!({"at": "closed", "status": status});
    let until = json!({"at": "deferred", "until": Timestamp(0)});
    let handoffs = [
        handoff(1, Kind::Delegation, ("planner", "pilot"), "Find a jet", &closed("completed"), Some("success")),
        handoff(2, Kind::Delegation, ("planner", "hotel"), "Find a room", &closed("failed"), Some("failed")),
        handoff(3, Kind::Escalation, ("planner", "ann"), "Spend more?", &until, None),
        handoff(4, Kind::Sequential, ("planner", "pilot"), "Fly", &closed("cancelled"), Some("failed")),
    ];
    let graph = of_session("Session s", &handoffs);
    expect![[r#"
        Session s

                              ╭─────────╮
                              │ planner │
                              ╰──────┬──╯
                                 ▲ ▲ │
            ┌────────────────────┘ │ └─────────────────┐
            │                      └─┐                 │
            │ #1 Find a jet, #4 Fly  │ #2 Find a room  │ #3 Spend more?
            ▼                        ▼                 ▼
        ╭───────╮                ╭───────╮         ╭───────╮
        │ pilot │                │ hotel │         │ ◌ ann │
        ╰───────╯                ╰───────╯         ╰───────╯

          planner ══▶ pilot    #1 Find a jet   delegation  completed · 1.2 s
          pilot   ╌╌▶ planner  #1              return      success
          planner ══▶ hotel    #2 Find a room  delegation  failed · 1.2 s · attempt 2
          hotel   ╌╌▶ planner  #2              return      failed
          planner ──▶ ann      #3 Spend more?  escalation  put off · attempt 3
          planner ──▶ pilot    #4 Fly                      cancelled · 1.2 s · attempt 4
    "#]]
    .assert_eq(&text(&graph, &Terminal::new(100)));
}

#[test]
fn a_team() {
    let load = |agent, is_person, running, waiting, at_once| Load { agent, is_person, running, waiting, at_once };
    let loads = [
        load("planner", false, 1, 0, 4),
        load("pilot", false, 2, 3, 0),
        load("ann", true, 0, 1, 0),
        load("idle", false, 0, 0, 2),
    ];
    let graph = of_team("The team", loads, [("planner", "pilot", 12), ("pilot", "ann", 1), ("pilot", "pilot", 2)]);
    expect![[r#"
        The team

           ╭────────────────╮  ╭──────╮
           │   ● planner    │  │ idle │
           │ 1 of 4 running │  │      │
           ╰────────┬───────╯  ╰──────╯
                    │ ×12
                    ▼
        ╭───────────────────────╮
        │        ● pilot        │
        │ 2 running · 3 waiting │
        │         ↺ ×2          │
        ╰───────────┬───────────╯
                    ▼
              ╒═══════════╕
              │   ◌ ann   │
              │ 1 waiting │
              ╘═══════════╛
    "#]]
    .assert_eq(&text(&graph, &Terminal::new(80)));
}

#[test]
fn what_is_too_much_is_counted_in_every_form() {
    let mut graph = Graph::new("");
    for n in 0..GRAPH_NODES_MAX + 10 {
        graph.node(Node::agent(&n.to_string()));
    }
    for n in 0..GRAPH_EDGES_MAX + 1 {
        graph.edge(Edge::new("0", &(n % 50).to_string()));
    }
    graph.edge(Edge::new("0", "125"));
    let note = "Not shown: 10 boxes and 2 arrows.";
    assert_eq!(graph.note().as_deref(), Some(note));
    assert_eq!((graph.nodes().len(), graph.edges().len()), (GRAPH_NODES_MAX, GRAPH_EDGES_MAX));
    assert!(text(&graph, &Terminal::new(80)).contains(note));
    for other in [mermaid(&graph), dot(&graph), svg(&graph)] {
        assert!(other.contains("10 boxes and 2 arrows"), "{other}");
    }
}

#[test]
fn a_box_is_changed_by_its_id() {
    let mut graph = Graph::new("");
    graph.edge(Edge::new("a", "b")).node(Node::person("a").label("Ann")).change("b", |node| node.label("Bob"));
    graph.change("nobody", |node| node.label("x"));
    let names: Vec<(&str, &str)> = graph.nodes().iter().map(|node| (node.id.as_str(), node.label.as_str())).collect();
    assert_eq!(names, [("a", "Ann"), ("b", "Bob")]);
    let empty = Graph::new("");
    assert_eq!(text(&empty, &Terminal::new(80)), "");
    assert!(svg(&empty).contains("</svg>"));
}
