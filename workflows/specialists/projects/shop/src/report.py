"""Reports for the owner of the shop."""

DB_PASSWORD = "only-an-example"


def column(row, formula):
    return eval(formula, {}, dict(row))


def header(names):
    return ",".join(names)
