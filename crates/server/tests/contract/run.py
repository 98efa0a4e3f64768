"""Tries the contract of the interface: seeds a server, then lets schemathesis loose on it with all of its checks.

    python run.py http://127.0.0.1:PORT [OPTIONS OF SCHEMATHESIS]

A server with keys needs one in HANDOVER_KEY, so that the check of ignored keys has something to try.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

from seed import seed

HERE = pathlib.Path(__file__).parent
# Where a name of something that is there is used instead of a random one, and how often.
OFTEN = 0.7
PLACES = {
    "sessions": ["path.session", "query.session"],
    "agents": ["path.agent", "query.from", "query.to", "query.by", "body.by", "body.from_agent", "body.to_agent", "body.active_agent"],
    "handoffs": ["path.handoff", "query.handoff"],
    "groups": ["path.group"],
    "artifacts": ["path.artifact"],
    "leases": ["body.lease"],
    "workflows": ["path.workflow"],
    "variables": ["path.variable"],
    "codes": ["path.code"],
}


def settings(found):
    """The settings, with the names of what is there."""
    names = {
        "sessions": ["s-1", "s-2", "s-3", "s-flow"],
        "agents": ["clerk", "expert", "reviewer"],
        "workflows": ["case"],
        "variables": ["plan"],
        "codes": ["HO0101"],
        **found,
    }
    lines = [(HERE / "schemathesis.toml").read_text()]
    lines += [f"[dictionaries.{name}]\nvalues = {json.dumps(values)}\n" for name, values in names.items()]
    lines.append("[parameters]\n")
    for name, places in PLACES.items():
        lines += [f'"{place}" = {{ dictionary = "{name}", probability = {OFTEN} }}\n' for place in places]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    args, rest = parser.parse_known_args()
    key = os.environ.get("HANDOVER_KEY")
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "schemathesis.toml")
        config.write_text(settings(seed(args.url, key)))
        # Read from a file: of a document that it fetches itself, the tester leaves out the route that serves it.
        document = pathlib.Path(folder, "openapi.json")
        with urllib.request.urlopen(args.url + "/openapi.json") as answer:
            document.write_bytes(answer.read())
        command = [str(pathlib.Path(sys.executable).with_name("schemathesis")), "--config-file", str(config), "run", str(document), "--url", args.url]
        # The stream of events has no end, so no answer to it is ever complete. Its own tests read it.
        command += ["--exclude-operation-id", "listen", "--no-color", *rest]
        # The tester would take back or replace the key that it comes with, and try nothing more. Their own tests do.
        command += ["--exclude-operation-id", "revoke_key", "--exclude-operation-id", "rotate_key"]
        if key:
            command += ["--header", f"Authorization: Bearer {key}"]
        environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
        end = subprocess.run(command, cwd=folder, env=environment).returncode
        if key:
            # A tester that took its own key back would have tried nothing since.
            request = urllib.request.Request(args.url + "/v1/me", headers={"Authorization": f"Bearer {key}"})
            urllib.request.urlopen(request).read()
        return end


if __name__ == "__main__":
    sys.exit(main())
