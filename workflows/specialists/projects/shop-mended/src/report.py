"""Reports for the owner of the shop."""

import os

DB_PASSWORD = os.environ.get("DB_PASSWORD", "")


def column(row, name):
    return row[name]


def header(names):
    return ",".join(names)
