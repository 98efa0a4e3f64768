"""A server that does what it should."""

import os
import socket
import sys

import base

NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "integer", "format": "int64"}, "b": {"$ref": "#/$defs/B"}},
    "required": ["a", "b"],
    "$defs": {"B": {"type": "integer"}},
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "unevaluatedProperties": False,
}
LISTED = [
    [base.tool("add", NUMBERS), base.tool("echo"), base.tool("no.name")],
    [base.tool("fail"), base.tool("refuse"), base.tool("variable"), base.tool("more")],
]


def pages(cursor):
    at = int(cursor or 0)
    more = {"nextCursor": str(at + 1)} if at + 1 < len(LISTED) else {}
    return {"tools": LISTED[at], **more}


def call(name, arguments, meta):
    if name == "add":
        total = arguments["a"] + arguments["b"]
        return {"content": [], "structuredContent": {"total": total}}
    if name == "fail":
        return base.text("no such file", isError=True)
    if name == "refuse":
        return {"code": -32602, "message": "not today"}
    if name == "variable":
        return base.text(os.environ.get(arguments["name"], "not set"))
    if name == "more":
        LISTED[1].append(base.tool("new"))
        base.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        return base.text("there is one more")
    return base.text(name + " " + meta.get("handover/idempotency-key", ""))


# As long as it lives, it holds a connection to the test.
if len(sys.argv) > 1:
    held = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
if __name__ == "__main__":
    base.serve(None, call, pages)
