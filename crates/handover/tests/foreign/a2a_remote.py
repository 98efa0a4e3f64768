"""Our server hands over to an agent that is served by the official A2A package for Python, known by its card alone."""

import json
import pathlib
import subprocess
import sys

from house import House, LONG, free_port, reached, wait

HERE = pathlib.Path(__file__).parent


def handed(house, session, task, to):
    request = {
        "from_agent": "desk", "to_agent": to, "type": "delegation", "reason": "It counts.", "user_intent": "a number",
        "original_request": task, "task": {"description": task, "payload": {"text": "one two"}},
        "return_protocol": {"timeout": "2m"},
    }
    return house.api("POST", f"/v1/sessions/{session}/handoffs", request)["handoffs"][0]


def result(house, handoff):
    said = []

    def is_over():
        said[:] = [house.api("GET", f"/v1/handoffs/{handoff}")]
        return said[0]["status"] in ("completed", "failed", "timed_out", "cancelled")

    wait(is_over, f"{handoff} is over")
    return said[0]


def check(binary, folder, binding, way):
    port = free_port()
    folder = pathlib.Path(folder) / f"{binding.replace('+', '-')}-{way}"
    folder.mkdir(parents=True)
    log = folder / "agent.log"
    agent = subprocess.Popen([sys.executable, HERE / "a2a_agent.py", str(port), binding, way], stdout=open(log, "w"))
    try:
        wait(lambda: reached(f"http://127.0.0.1:{port}/.well-known/agent-card.json"), "the agent answers")
        settings = f"agents:\n  - id: counter\n    kind: a2a\n    url: http://127.0.0.1:{port}\n"
        with House(binary, folder, settings) as house:
            house.register("desk")
            house.api("POST", "/v1/sessions", {"id": "s", "active_agent": "desk", "original_request": "Count."})
            wait(lambda: "counting" in str(house.api("GET", "/v1/agents/counter")), "its skills are its capabilities")
            over = result(house, handed(house, "s", "Count the words", "counter"))
            assert over["status"] == "completed" and "7" in str(over), over
            slow = handed(house, "s", "Count slowly", "counter")
            wait(lambda: house.api("GET", "/v1/questions"), "it asks")
            assert "How slowly?" in str(house.api("GET", "/v1/questions")), house.api("GET", "/v1/questions")
            house.killed()
            house.api("POST", f"/v1/handoffs/{slow}/answer", {"by": "desk", "text": "slowly, but hurry"})
            over = result(house, slow)
            assert over["status"] == "completed", over
            over = result(house, handed(house, "s", "Please refuse", "counter"))
            assert over["status"] == "failed" and "Not my field" in str(over), over
            house.verify()
            told = [json.loads(line) for line in log.read_text().splitlines()]
            assert len({one["id"] for one in told}) == len(told) == 4, told
            for word in ("traceparent", "remainingMs", "handoffId"):
                assert word in json.dumps(told[0]), f"{word} did not cross: {told[0]}"
    finally:
        agent.terminate()
        agent.wait(timeout=LONG)


def main(binary, folder):
    for binding in ("JSONRPC", "HTTP+JSON"):
        for way in ("streamed", "polled"):
            check(binary, folder, binding, way)
    print("a2a-sdk as a server: both bindings, streamed and polled; asked, answered after a kill, refused")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
