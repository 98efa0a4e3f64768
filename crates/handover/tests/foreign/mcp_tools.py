"""A model of ours calls tools that are served by the official MCP packages, for Python and for TypeScript."""

import pathlib
import sys

from a2a_remote import handed, result
from house import House

HERE = pathlib.Path(__file__).parent
SCRIPT = """\
- when: {after_tool: letters_count_letters}
  say: "{{result}} letters"
- when: {after_tool: words_count_words}
  call:
  - letters_count_letters: {text: abcde}
- call:
  - words_count_words: {text: one two three}
"""
SETTINGS = """\
providers:
  main: {{api: openai, script: script.yaml}}
mcp:
  words: {{command: ["{python}", "{here}/mcp_tool.py"]}}
  letters: {{command: [node, "{node}/mcp_tool.mjs"]}}
agents:
  - id: counter
    kind: llm
    model: small
    tools: [words, letters]
    instructions: Count.
"""


def main(binary, folder, node):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / "script.yaml").write_text(SCRIPT)
    with House(binary, folder, SETTINGS.format(python=sys.executable, here=HERE, node=node)) as house:
        house.register("desk")
        house.api("POST", "/v1/sessions", {"id": "s", "active_agent": "desk", "original_request": "Count."})
        over = result(house, handed(house, "s", "Count it", "counter"))
        assert over["status"] == "completed" and "5 letters" in str(over["result"]), over
        story = house.api("GET", f"/v1/handoffs/{over['id']}/trace")
        assert "count_words" in str(story) and "count_letters" in str(story), story
        house.verify()
    print("MCP servers of others: a model of ours called a tool in Python and one in TypeScript")


if __name__ == "__main__":
    main(*sys.argv[1:])
