"""A service that works for agents, with nothing but Python's standard library: it is called with signed work, checks the
signature and the time, says "later", and calls back with a signed answer. This one counts words.

    export COUNTER_SECRET=$(openssl rand -hex 32)
    python3 examples/webhook.py 8080 &
    handover agents register --name counter --kind http --url http://127.0.0.1:8080/work --secret-env COUNTER_SECRET
    handover serve          # with callbacks: {url: "http://127.0.0.1:7800"} in handover.yaml
"""
import hashlib, hmac, http.server, json, os, sys, threading, time, urllib.error, urllib.request

SECRET = os.environ["COUNTER_SECRET"].encode()
WINDOW_MS = 5 * 60 * 1000  # Older calls may be repeated by somebody who listened.
BYTES_MAX = 4 * 1024 * 1024


def signed(timestamp, handoff, body):
    """The signature of a body: its handoff and its time are part of it."""
    return "v1=" + hmac.new(SECRET, f"{timestamp}.{handoff}.".encode() + body, hashlib.sha256).hexdigest()


def work(payload):
    """What this service is for."""
    text = payload.get("text") if isinstance(payload, dict) else None
    return {"data": {"words": len(text.split())}} if isinstance(text, str) else {"reject": "there is no text to count"}


def call_back(url, handoff, answer):
    """Tells the answer until it is on disk there. Whatever is refused for good is given up."""
    body, pause = json.dumps(answer).encode(), 0.1
    for _ in range(20):
        now = str(int(time.time() * 1000))
        headers = {"handover-timestamp": now, "handover-signature": signed(now, handoff, body)}
        headers["content-type"] = "application/json"
        try:
            urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60)
            return
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                return print(error.code, error.read().decode(), file=sys.stderr)
        except OSError:
            pass  # The server is away.
        time.sleep(pause)
        pause = min(pause * 2, 5)


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        if length > BYTES_MAX:
            return self.answer(413)
        body = self.rfile.read(length)
        timestamp, handoff = self.headers.get("handover-timestamp", ""), self.headers.get("handover-id", "")
        given = self.headers.get("handover-signature", "")
        fits = hmac.compare_digest(signed(timestamp, handoff, body).encode(), given.encode())
        if not fits or not timestamp.isdigit() or abs(time.time() * 1000 - int(timestamp)) > WINDOW_MS:
            return self.answer(401)
        assignment = json.loads(body)
        answer, url = work(assignment["payload"]), assignment["callback"]["url"]
        threading.Thread(target=call_back, args=(url, handoff, answer)).start()
        self.answer(202)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service)
print(server.server_address[1], flush=True)
server.serve_forever()
