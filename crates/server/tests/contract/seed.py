"""Fills a fresh server with a little of everything, so that requests which are right find what they name."""

import json
import sys
import urllib.request


def call(base, key, method, path, body=None):
    headers = {"content-type": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def handoff(source, target, description):
    return {
        "from_agent": source,
        "to_agent": target,
        "type": "delegation",
        "reason": "somebody else knows more",
        "user_intent": "a good answer",
        "original_request": "please look at this",
        "task": {"description": description},
        "return_protocol": {"expected": True, "timeout": "1h"},
    }


WORKFLOW = {
    "agents": {"clerk": {"about": "takes it in"}, "expert": {"about": "decides it"}},
    "start": "ASKED",
    "states": {
        "ASKED": {"agent": "clerk"},
        "DECIDED": {"agent": "expert"},
        "DONE": {"end": "completed"},
    },
    "rules": [
        {"id": "1", "from": "clerk", "to": "expert", "trigger_state": "TAKEN", "reason": "it is complete", "next_state": "DECIDED"},
        {"id": "2", "from": "expert", "trigger_state": "MADE", "reason": "it is decided", "next_state": "DONE"},
    ],
}


def seed(base, key=None):
    """Gives the ids that the tester is told of."""
    do = lambda *rest: call(base, key, *rest)
    for agent in ["clerk", "expert", "reviewer"]:
        do("PUT", f"/v1/agents/{agent}", {"capabilities": ["review"], "kind": "worker", "max_concurrent_tasks": 1000})
    wide = {"handoffs": 100000, "escalations": 100000, "agents": 64}
    for session in ["s-1", "s-2", "s-3"]:
        do("POST", "/v1/sessions", {"id": session, "active_agent": "clerk", "original_request": "please", "limits": wide})
        do("POST", f"/v1/sessions/{session}/messages", {"messages": [{"role": "user", "content": "please look at this"}]})
        do("PUT", f"/v1/sessions/{session}/variables/plan", {"by": "clerk", "value": {"step": 1}})
    kept = do("POST", "/v1/sessions/s-1/artifacts", {"by": "clerk", "artifact": {"type": "file", "path": "a.txt"}})
    do("PUT", "/v1/workflows/case", WORKFLOW)
    do("POST", "/v1/workflows/case/sessions", {"session_id": "s-flow", "by": "reviewer"})
    rule = {"on": "ticket.opened", "from_agent": "clerk", "to_agent": "expert", "task": "look at the ticket"}
    do("PUT", "/v1/event-rules/tickets", rule)
    offered = [do("POST", "/v1/sessions/s-1/handoffs", handoff("clerk", "expert", f"part {n}"))["handoffs"][0] for n in range(4)]
    approval = dict(handoff("clerk", "reviewer", "a risk"), needs_approval=True)
    waiting = do("POST", "/v1/sessions/s-2/handoffs", approval)["handoffs"][0]
    wide_request = dict(handoff("clerk", None, "for all"), type="broadcast", broadcast={"targets": ["expert", "reviewer"]})
    group = do("POST", "/v1/sessions/s-3/handoffs", wide_request)["group"]
    taken = do("POST", f"/v1/handoffs/{offered[0]}/accept", {"by": "expert", "lease_ms": 3_600_000})
    done = do("POST", f"/v1/handoffs/{offered[1]}/accept", {"by": "expert", "lease_ms": 3_600_000})
    do("POST", f"/v1/handoffs/{offered[1]}/return", {"lease": done["lease"], "status": "success", "result": {"body": "fine"}})
    return {
        "handoffs": [*offered, waiting],
        "leases": [taken["lease"]],
        "groups": [group],
        "artifacts": [kept["artifact"]],
    }


if __name__ == "__main__":
    print(json.dumps(seed(*sys.argv[1:])))
