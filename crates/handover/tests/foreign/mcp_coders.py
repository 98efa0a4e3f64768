"""Two coding agents hand a task over, each by a client of its own: the official MCP package for Python, one in the
current revision and one in the one before it. The server is killed in between."""

import asyncio
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from house import House, LONG, find_key


# What a mode of the package comes to.
REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def client(house, key, mode, **more):
    http = httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=LONG)
    return Client(streamable_http_client(house.url + "/mcp", http_client=http), mode=mode, **more)


async def call(client, tool, **arguments):
    """What a tool gives, as data. What it refuses fails the check."""
    result = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content)
    assert not result.is_error, f"{tool}: {text}"
    assert text, f"{tool} says nothing in words"
    return result.structured_content


async def refused(client, tool, code, **arguments):
    result = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content)
    assert result.is_error and code in text and "What to do" in text, f"{tool}: {text}"


async def hand_over(house, keys, modes):
    """Claude hands over; Codex finds it, asks, recalls what was withheld, and completes; Claude sees the result."""
    async with client(house, keys["claude"], modes[0]) as claude:
        assert claude.protocol_version == REVISIONS[modes[0]], claude.protocol_version
        names = [tool.name for tool in (await claude.list_tools()).tools]
        again = [tool.name for tool in (await claude.list_tools()).tools]
        assert names == again and "handoff_to_specialist" in names and "check_inbox" in names, names
        found = await call(claude, "list_specialists")
        assert "codex" in [one["name"] for one in found["specialists"]], found
        await call(claude, "open_session", original_request="Make the build green")
        for n in range(30):
            await call(claude, "say", text=f"Looked at module {n}: nothing wrong there.")
        handed = await call(
            claude, "handoff_to_specialist",
            task="Fix the failing test in src/parse.rs", to_agent="codex", reason="It knows the parser",
            files_touched=["src/parse.rs: made the error type public"],
            decisions=["Keep the public interface as it is"],
            ruled_out=["A rewrite with a parser generator: too slow to build"],
            next_step="Run the test `parse_empty` and read its message",
            wait_seconds=0,
        )
    handoff = handed["handoff"]["handoff_id"]
    house.killed()
    async with client(house, keys["codex"], modes[1]) as codex:
        assert codex.protocol_version == REVISIONS[modes[1]], codex.protocol_version
        inbox = await call(codex, "check_inbox", wait_seconds=20)
        assert handoff in [one["handoff_id"] for one in inbox["offers"]], inbox
        taken = await call(codex, "accept_handoff", handoff_id=handoff)
        for words in ("made the error type public", "Keep the public interface", "parser generator", "parse_empty"):
            assert words in str(taken), f"{words} did not cross: {taken}"
        recalled = await call(codex, "recall", first=1, last=3)
        assert "module 0" in str(recalled), recalled
        await call(codex, "ask_question", handoff_id=handoff, question="May I change the test?")
    house.killed()
    async with client(house, keys["claude"], modes[0]) as claude:
        inbox = await call(claude, "check_inbox")
        assert "May I change the test?" in str(inbox["questions"]), inbox
        await call(claude, "answer_question", handoff_id=handoff, answer="No, the test is right.")
    async with client(house, keys["codex"], modes[1]) as codex:
        taken = await call(codex, "accept_handoff", handoff_id=handoff)
        assert "the test is right" in str(taken), taken
        await call(codex, "lock_file", path="src/parse.rs")
        await call(codex, "set_variable", name="codex/tests", value="green")
        await call(codex, "add_artifact", path="src/parse.rs", type="file")
        await call(codex, "heartbeat", handoff_id=handoff)
        await call(codex, "complete_handoff", handoff_id=handoff, result="parse_empty passes; one line changed")
        await refused(codex, "complete_handoff", "HO0", handoff_id=handoff, result="again")
    async with client(house, keys["claude"], modes[0]) as claude:
        inbox = await call(claude, "check_inbox")
        assert handoff in [one["handoff_id"] for one in inbox["returns"]], inbox
        status = await call(claude, "handoff_status", handoff_id=handoff)
        assert "one line changed" in str(status), status
        history = await call(claude, "session_history")
        assert handoff in str(history), history
        await refused(claude, "handoff_to_agent", "HO0", task="x", to_agent="nobody-at-all")
        templates = await claude.list_resource_templates()
        assert templates.resource_templates, "no templates"
        await claude.read_resource(f"handover://handoffs/{handoff}")
        prompts = [prompt.name for prompt in (await claude.list_prompts()).prompts]
        assert "specialist_guidance" in prompts, prompts
    async with client(house, keys["stranger"], modes[0]) as stranger:
        await refused(stranger, "handoff_status", "HO0", handoff_id=handoff)


async def main(binary, folder):
    with House(binary, folder) as house:
        for agent in ("claude", "codex"):
            house.register(agent, capabilities=["coding"])
        keys = {agent: house.key(agent) for agent in ("claude", "codex")}
        made = house.run("keys", "make", "stranger", "--role", "agent", "--tenant", "other", "--agent", "stranger", key=house.admin, server=True)
        keys["stranger"] = find_key(made)
        await hand_over(house, keys, ("auto", "legacy"))
        await hand_over(house, keys, ("legacy", "auto"))
        house.verify()
    print("two coding agents: handed over in both revisions, the server killed four times")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
