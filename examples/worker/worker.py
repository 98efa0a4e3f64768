"""A worker in any language: it waits for work, does it, and gives it back. This one counts words.

    handover agents register --name counter --can count
    handover keep &
    python3 worker.py
"""
import json, os, subprocess, sys

HANDOVER = os.environ.get("HANDOVER", "handover")


def handover(*words, **more):
    return subprocess.run([HANDOVER, *words], check=True, text=True, stdout=subprocess.PIPE, **more).stdout


while True:
    taken = json.loads(handover("take", "--next", "--wait", "--as", "counter", "--for", "5m", "--json"))
    work = taken["assignment"]
    text = work["payload"].get("text") if isinstance(work["payload"], dict) else None
    answer = {"data": {"words": len(text.split())}} if text else {"reject": "there is no text to count"}
    handover("give-back", work["handoff_id"], "--lease", taken["lease"], "--answer", "-", input=json.dumps(answer))
    if "--once" in sys.argv:
        break
