"""A server over streamable HTTP. Its words say how it answers; it writes its port and ends with its input."""

import http.server
import json
import sys
import threading

import base

WORDS = sys.argv[1:]
SESSIONS = []
TOOLS = [base.tool("echo"), base.tool("huge"), base.tool("forget"), base.tool("wait"), base.tool("garbage")]


def call(name, arguments, meta):
    if name == "huge":
        return base.text("x" * 5_000_000)
    if name == "forget":
        SESSIONS.clear()
        return base.text("forgotten")
    if name == "wait":
        threading.Event().wait()
    return base.text("echo " + json.dumps(arguments))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "sse" in WORDS and kind == "text/event-stream":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for at in range(0, len(body), 60_000):
                piece = body[at : at + 60_000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            return self.wfile.write(b"0\r\n\r\n")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(405)

    def do_DELETE(self):
        self.reply(200)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "hang" in WORDS:
            threading.Event().wait()
        if "key" in WORDS and (self.headers["Authorization"] or "").removeprefix("Bearer ") != WORDS[-1]:
            return self.reply(401, b"who are you?", "text/plain", WWW_Authenticate="Bearer")
        if "header" in WORDS and self.headers["X-Team"] != "blue":
            return self.reply(403, b"wrong team", "text/plain")
        if "moved" in WORDS:
            return self.reply(307, Location="http://127.0.0.1:1/elsewhere")
        if "html" in WORDS:
            return self.reply(200, b"<html>hello</html>", "text/html")
        if "broken" in WORDS:
            return self.reply(500, b"out of memory", "text/plain")
        if message.get("method") == "initialize":
            SESSIONS.append("session-%d" % (len(SESSIONS) + 1))
            return self.answered(message, Mcp_Session_Id=SESSIONS[-1])
        if self.headers["Mcp-Session-Id"] not in SESSIONS:
            return self.reply(404)
        if (message.get("params") or {}).get("name") == "garbage":
            return self.reply(200, b"{no json")
        self.answered(message)

    def answered(self, message, **headers):
        reply = base.answer(message, TOOLS, call)
        if reply is None:
            return self.reply(202, **headers)
        body = json.dumps(reply).encode()
        if "sse" not in WORDS:
            return self.reply(200, body, **headers)
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}})
        events = b": hello\n\nevent: message\ndata: %s\n\nevent: message\ndata: %s\n\n" % (note.encode(), body)
        self.reply(200, events, "text/event-stream", **headers)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
