"""A program of the OpenAI Agents SDK reaches our tools by MCP. Its model is a fake that calls what it is told to."""

import asyncio
import json
import sys

from agents import Agent, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from house import House, wait


class Fake(Model):
    """Calls one tool after the other, then says what the last one gave."""

    def __init__(self, calls):
        self.calls, self.seen = list(calls), []

    async def get_response(self, system_instructions, input, model_settings, tools, output_schema, handoffs, tracing, **_):
        assert {"handoff_to_specialist", "check_inbox"} <= {tool.name for tool in tools}, tools
        last = input[-1] if isinstance(input, list) else {}
        if last.get("type") == "function_call_output":
            self.seen.append(str(last["output"]))
        if self.calls:
            name, arguments = self.calls.pop(0)
            item = ResponseFunctionToolCall(
                type="function_call", call_id=f"c{len(self.calls)}", name=name, arguments=json.dumps(arguments)
            )
        else:
            text = ResponseOutputText(type="output_text", text=self.seen[-1], annotations=[])
            item = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def main(binary, folder):
    set_tracing_disabled(True)
    with House(binary, folder) as house:
        house.register("helper", capabilities=["law"])
        house.register("desk")
        helper = house.key("helper")
        params = {"url": house.url + "/mcp", "headers": {"authorization": f"Bearer {house.key('desk')}"}}
        async with MCPServerStreamableHttp(params=params, client_session_timeout_seconds=60) as server:
            model = Fake([
                ("list_specialists", {}),
                ("handoff_to_specialist", {"task": "Is this allowed?", "capability": "law", "wait_seconds": 60}),
            ])
            agent = Agent(name="desk", instructions="Hand over what you do not know.", mcp_servers=[server], model=model)
            running = asyncio.create_task(Runner.run(agent, "May we fly on Sunday?"))
            taken = await asyncio.to_thread(house.api, "POST", "/v1/agents/helper/claim", {"wait_ms": 30_000}, helper)
            assert taken["handoff"]["request"]["task"]["description"] == "Is this allowed?", taken
            given = {"lease": taken["lease"], "status": "success", "result": {"content_type": "text", "body": "Only after ten."}}
            await asyncio.to_thread(house.api, "POST", f"/v1/handoffs/{taken['handoff']['id']}/return", given, helper)
            result = await running
        assert "Only after ten." in result.final_output, result.final_output
        assert any("helper" in seen for seen in model.seen), model.seen
        house.verify()
    print("OpenAI Agents SDK: handed over by MCP, and the result came back")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
