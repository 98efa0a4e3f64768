//! A request for the routes that a first try needs, to be copied.

use crate::table::Route;

/// Bodies that work, by the id of the route. What stands in braces is filled in.
const BODIES: [(&str, &str); 9] = [
    ("register_agent", r#"{"capabilities": ["review"], "kind": "worker"}"#),
    ("open_session", r#"{"active_agent": "clerk", "original_request": "Please look at this."}"#),
    ("say", r#"{"messages": [{"role": "user", "content": "Please look at this."}]}"#),
    (
        "hand_off",
        r#"{"from_agent": "clerk", "to_agent": "expert", "type": "delegation", "reason": "It knows more.",
  "user_intent": "a good answer", "original_request": "Please look at this.",
  "task": {"description": "Look at this."}, "return_protocol": {"timeout": "1h"}}"#,
    ),
    ("claim", r#"{"wait_ms": 30000}"#),
    ("heartbeat", r#"{"lease": "{lease}"}"#),
    ("give_back", r#"{"lease": "{lease}", "status": "success", "result": {"body": "It is fine."}}"#),
    ("approve", r#"{"by": "anna", "comment": "Go on."}"#),
    ("write_variable", r#"{"by": "clerk", "value": {"step": 1}}"#),
];

/// Routes without a body that a first try needs.
const PLAIN: [&str; 5] = ["read_handoff", "read_return", "list_handoffs", "listen", "verify_audit"];

/// A command that makes such a request.
pub(super) fn of(route: &Route) -> Option<String> {
    let body = BODIES.iter().find(|(id, _)| *id == route.id).map(|(_, body)| *body);
    if body.is_none() && !PLAIN.contains(&route.id) {
        return None;
    }
    let method = if route.method == "GET" { String::new() } else { format!(" -X {}", route.method) };
    let mut out = format!("curl{method} \"$HANDOVER_SERVER{}\" -H \"authorization: Bearer $HANDOVER_KEY\"", route.path);
    if let Some(body) = body {
        out += &format!(" \\\n  -H 'content-type: application/json' -d '{body}'");
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_belongs_to_a_route_and_is_json() {
        let routes = crate::table::routes();
        let ids: Vec<&str> = routes.iter().map(|route| route.id).collect();
        for (id, body) in BODIES {
            assert!(ids.contains(&id), "{id}");
            assert!(serde_json::from_str::<serde_json::Value>(body).is_ok(), "{id}");
        }
        assert!(PLAIN.iter().all(|id| ids.contains(id)));
    }
}
