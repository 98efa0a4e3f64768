"""A worker in Python, with nothing but its standard library: it registers itself, waits for work, keeps it while it works,
and gives back what came out. This one counts words. A server that restarts meanwhile is waited for.

    handover serve &
    python3 examples/worker.py
"""
import json, os, sys, threading, time, urllib.error, urllib.request, uuid

SERVER = os.environ.get("HANDOVER_SERVER", "http://127.0.0.1:7800").rstrip("/")
KEY = os.environ.get("HANDOVER_KEY")
AGENT = "counter"
LEASE_MS = 30_000


def once(method, path, body, key, wait):
    """One request. Gives the answer, or nothing where there is none."""
    headers = {"content-type": "application/json", "idempotency-key": key}
    if KEY:
        headers["authorization"] = f"Bearer {KEY}"
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=wait + 30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def ask(method, path, body, wait=0):
    """The same request until it is answered: with one key it is done once, however often it is sent."""
    key, pause = uuid.uuid4().hex, 0.1
    while True:
        try:
            return once(method, path, body, key, wait)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise RuntimeError(error.read().decode()) from error
            pause = float(error.headers.get("retry-after") or pause)
        except (OSError, ValueError):
            pass  # The server is away, or broke off.
        time.sleep(pause)
        pause = min(pause * 2, 5)


def keep(handoff, lease, done):
    """Renews the lease until the work is done."""
    while not done.wait(LEASE_MS / 3000):
        ask("POST", f"/v1/handoffs/{handoff}/heartbeat", {"lease": lease})


def work(assignment):
    """What this worker is for: work in, result out."""
    payload = assignment["payload"]
    text = payload.get("text") if isinstance(payload, dict) else None
    if not isinstance(text, str):
        return {"status": "failed", "notes": "there is no text to count"}
    return {"status": "success", "result": {"content_type": "json", "body": {"words": len(text.split())}}}


def main():
    ask("PUT", f"/v1/agents/{AGENT}", {"kind": "worker", "capabilities": ["count"]})
    while True:
        claim = {"wait_ms": 30_000, "lease_ms": LEASE_MS}
        taken = ask("POST", f"/v1/agents/{AGENT}/claim", claim, wait=30)
        if taken is None:
            continue
        handoff, lease, done = taken["handoff"]["id"], taken["lease"], threading.Event()
        threading.Thread(target=keep, args=(handoff, lease, done), daemon=True).start()
        try:
            result = work(taken["assignment"])
        finally:
            done.set()
        try:
            ask("POST", f"/v1/handoffs/{handoff}/return", {"lease": lease, **result})
        except RuntimeError as refused:  # Somebody else has it by now, or it is over.
            print(refused, file=sys.stderr)
        if "--once" in sys.argv:
            return


main()
