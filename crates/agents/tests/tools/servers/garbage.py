"""A server that writes what is no message: all the time, or between its answers."""

import os
import sys

import base

if "only" in sys.argv:
    while True:
        os.write(1, b"\xff\xfe{ not json \x00\n")


def call(*_):
    os.write(1, b"Listening on port 80\n\xff\xfe\n\n{}\n[]\n{\"jsonrpc\": \"2.0\", \"id\": 99, \"result\": {}}\n")
    return base.text("fine")


os.write(1, b"Starting the server...\n")
base.serve([base.tool("talk")], call)
