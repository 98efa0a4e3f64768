"""A server that takes its time: with the word `greeting` from the beginning, `list` later, else with every call."""

import signal
import sys

import base

sys.stderr.write("still thinking\n")
sys.stderr.flush()
if "greeting" in sys.argv:
    signal.pause()


def pages(_):
    if "list" in sys.argv:
        signal.pause()
    return {"tools": [base.tool("wait")]}


base.serve(None, lambda *_: signal.pause(), pages)
