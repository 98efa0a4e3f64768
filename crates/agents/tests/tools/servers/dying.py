"""A server that dies: at once, when it is asked for its tools, in the middle of a call, or after one."""

import os
import sys

import base


def die():
    sys.stderr.write("out of memory\n")
    sys.stderr.flush()
    os._exit(3)


def pages(_):
    if "list" in sys.argv:
        die()
    return {"tools": [base.tool("die"), base.tool("last"), base.tool("live")]}


def call(name, *_):
    if name == "die":
        # The answer is half written.
        sys.stdout.write('{"jsonrpc": "2.0", "id": 2, "res')
        sys.stdout.flush()
        die()
    if name == "last":
        os.close(0)
        return base.text("the last word")
    return base.text("alive")


if "start" in sys.argv:
    die()
try:
    base.serve(None, call, pages)
except OSError:
    die()
