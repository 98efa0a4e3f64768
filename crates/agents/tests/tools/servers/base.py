"""What the servers of these tests share: MCP over standard input and output, with the standard library alone."""

import json
import sys


def tool(name, schema=None, **more):
    schema = schema or {"type": "object", "properties": {}}
    return {"name": name, "description": "The tool " + name + ".", "inputSchema": schema, **more}


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def answer(message, tools, call, pages=None):
    """The answer to a message; nothing when it wants none."""
    if "id" not in message or "method" not in message:
        return None
    method, params = message["method"], message.get("params") or {}
    result = {}
    if method == "initialize":
        result = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "test", "version": "1"},
        }
    elif method == "tools/list":
        result = pages(params.get("cursor")) if pages else {"tools": tools}
    elif method == "tools/call":
        result = call(params["name"], params.get("arguments") or {}, params.get("_meta") or {})
    if isinstance(result, dict) and "code" in result:
        return {"jsonrpc": "2.0", "id": message["id"], "error": result}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def serve(tools, call, pages=None):
    for line in sys.stdin:
        reply = answer(json.loads(line), tools, call, pages)
        if reply is not None:
            send(reply)
