"""A server that has too much of everything."""

import os
import sys

import base

MANY = [base.tool("tool-%05d" % number) for number in range(10_000)]


def pages(cursor):
    if "endless" in sys.argv:
        return {"tools": [base.tool("tool-" + (cursor or "0"))], "nextCursor": str(int(cursor or 0) + 1)}
    if "one" in sys.argv:
        return {"tools": [base.tool("big", {"type": "object", "title": "x" * 5_000_000})]}
    if "many" in sys.argv:
        return {"tools": MANY}
    return {
        "tools": [
            base.tool("text"),
            base.tool("line"),
            base.tool("small"),
            base.tool("schema", {"type": "object", "title": "x" * 100_000}),
            {**base.tool("wordy"), "description": "x" * 100_000},
        ]
    }


def call(name, *_):
    if name == "text":
        return base.text("x" * 1_000_000)
    if name == "line":
        return base.text("x" * 5_000_000)
    return base.text("small")


base.serve(None, call, pages)
