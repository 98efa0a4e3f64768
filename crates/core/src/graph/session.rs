//! The drawing of a session: its agents in the order in which they appear, and each handoff with its number.

use super::{Edge, EdgeKind, Graph, Mark, Node};
use crate::{
    handoff::{Handoff, Kind, ReturnStatus, Status},
    words,
};

/// The handoffs of a session, in the order given. Results that came back are arrows of their own.
pub fn of_session<'a>(title: &str, handoffs: impl IntoIterator<Item = &'a Handoff>) -> Graph {
    let mut graph = Graph::new(title);
    for handoff in handoffs {
        let (from, to) = (handoff.request.from_agent.as_str(), handoff.to_agent.as_str());
        let status = handoff.status();
        let label = format!("#{} {}", handoff.n, handoff.request.task.description);
        graph.edge(Edge::new(from, to).label(&label).detail(&detail(handoff)).kind(kind(handoff)).mark(mark(status)));
        come_back(&mut graph, handoff);
        match mark(status) {
            Mark::Active => graph.change(to, |node| node.mark(Mark::Active)),
            Mark::Waiting => graph.change(to, waits),
            Mark::Usual | Mark::Good | Mark::Bad => &mut graph,
        };
    }
    graph
}

/// Whoever works on something is shown at work, whatever else waits for them.
fn waits(node: Node) -> Node {
    if node.mark == Mark::Active { node } else { node.mark(Mark::Waiting) }
}

/// The arrow of the result. What was escalated or cancelled has none of its own.
fn come_back(graph: &mut Graph, handoff: &Handoff) {
    let ended = matches!(handoff.status(), Status::Completed | Status::Failed | Status::TimedOut);
    let Some(result) = handoff.result.as_ref().filter(|_| ended && handoff.request.expects_return()) else { return };
    let (word, mark) = match result.status {
        ReturnStatus::Success => ("success", Mark::Usual),
        ReturnStatus::Partial => ("partial", Mark::Usual),
        ReturnStatus::Failed => ("failed", Mark::Bad),
        ReturnStatus::Timeout => ("timeout", Mark::Bad),
    };
    let edge = Edge::new(result.from_agent.as_str(), result.to_agent.as_str()).label(&format!("#{}", handoff.n));
    graph.edge(edge.detail(word).kind(EdgeKind::Return).mark(mark));
}

fn kind(handoff: &Handoff) -> EdgeKind {
    match handoff.request.kind {
        Kind::Sequential => EdgeKind::Usual,
        Kind::Delegation => EdgeKind::Delegation,
        Kind::Broadcast => EdgeKind::Broadcast,
        Kind::Escalation => EdgeKind::Escalation,
    }
}

fn mark(status: Status) -> Mark {
    match status {
        Status::AwaitingApproval | Status::Offered | Status::Deferred => Mark::Waiting,
        Status::Running => Mark::Active,
        Status::Completed => Mark::Good,
        Status::Failed | Status::TimedOut => Mark::Bad,
        Status::Escalated | Status::Cancelled => Mark::Usual,
    }
}

/// How it stands, how long it took, and how often it was tried.
fn detail(handoff: &Handoff) -> String {
    let mut parts = vec![words::standing(handoff.status()).to_owned()];
    if let Some(closed) = handoff.closed_at {
        parts.push(span(closed.since(handoff.opened_at)));
    }
    if handoff.attempt > 1 {
        parts.push(format!("attempt {}", handoff.attempt));
    }
    if handoff.reroutes > 0 {
        parts.push(format!("after {} other{}", handoff.reroutes, if handoff.reroutes == 1 { "" } else { "s" }));
    }
    parts.join(" · ")
}

/// A span of time for people.
fn span(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_for_people() {
        let table = [(0, "0 ms"), (999, "999 ms"), (1_250, "1.2 s"), (61_000, "1 min 1 s"), (7_260_000, "2 h 1 min")];
        for (ms, expected) in table {
            assert_eq!(span(ms), expected);
        }
    }
}
