"""What the tester cannot know by itself: which refusals are about the form of a request, and how long it may wait."""

import schemathesis

# Refusals of the form: the document must have said so before.
FORM = {"HO0101", "HO0102", "HO0103", "HO0104", "HO0105", "HO0108", "HO0109", "HO0111"}

# Rules that look like form and depend on something else, which a schema cannot say: where, and why.
RULES = {
    ("HO0103", "id"): "the body names something else than the address",
    ("HO0103", "name"): "the body names something else than the address",
    ("HO0103", "cursor"): "a cursor of another list",
    ("HO0102", "edit"): "an edit that changes nothing",
    ("HO0109", "first"): "a range of messages that are not there",
    ("HO0109", "context.constraints.deadline"): "it depends on the clock",
    ("HO0109", "expires_at"): "it depends on the clock",
    ("HO0101", "agents"): "the key of an agent names agents, those of others need not",
}

# The names and numbers of a workflow are checked against one another, as `handover check` does: the document tells its
# fields and their types, and these codes tell the rest.
WORKFLOW = {"HO0102", "HO0108", "HO0109"}

# Longest wait that a test asks for. The bound of the document is a minute, which would be spent waiting.
WAIT_MS = 100


@schemathesis.check
def form_is_as_described(ctx, response, case):
    """A request that fits the document is never refused for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return
    for error in response.json().get("errors", []):
        if error["code"] in WORKFLOW and case.operation.label == "PUT /v1/workflows/{workflow}":
            continue
        where = (error["code"], error.get("field", ""))
        if error["code"] in FORM and where not in RULES and "says the same" not in error["message"]:
            raise AssertionError(f"the document allows it, and it is refused: {error}")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Only what is within the bound is made shorter: a wait beyond it must still be refused."""
    for part in (case.query, case.body):
        asked = str(part.get("wait_ms", "")) if isinstance(part, dict) else ""
        if asked.isdecimal() and WAIT_MS < int(asked) <= 60_000:
            part["wait_ms"] = WAIT_MS
