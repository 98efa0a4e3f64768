"""An agent that is served by the official A2A package for Python: it counts words, and asks when it does not know which.

    python a2a_agent.py PORT BINDING [polled]

What it is sent with is told on stdout, a line for each message.
"""

import asyncio
import json
import sys

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_message, new_text_part, new_data_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from google.protobuf.json_format import MessageToDict
from starlette.applications import Starlette


class Counter(AgentExecutor):
    async def execute(self, context, queue):
        if context.current_task is None:
            await queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(queue, context.task_id, context.context_id)
        await updater.start_work()
        text = context.get_user_input()
        sent = MessageToDict(context.message)
        print(json.dumps({"id": sent["messageId"], "metadata": sent.get("metadata"), "all": context.metadata}), flush=True)
        if "slowly" in text and "hurry" not in text:
            return await updater.requires_input(new_text_message("How slowly?"))
        if "refuse" in text:
            return await updater.reject(new_text_message("Not my field."))
        await updater.add_artifact([new_text_part("counted"), new_data_part({"words": 7})], name="count")
        await updater.complete()

    async def cancel(self, context, queue):
        await TaskUpdater(queue, context.task_id, context.context_id).cancel()


def card(port, binding, streaming):
    url = f"http://127.0.0.1:{port}"
    return AgentCard(
        name="Counter", description="Counts words.", version="1.0.0",
        supported_interfaces=[AgentInterface(url=url + ("/rpc" if binding == "JSONRPC" else ""), protocol_binding=binding, protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"], default_output_modes=["text/plain"],
        skills=[AgentSkill(id="counting", name="Counting", description="Counts words.", tags=["words"])],
    )


def main(port, binding, streaming):
    said = card(port, binding, streaming)
    handler = DefaultRequestHandlerV2(Counter(), InMemoryTaskStore(), said)
    routes = create_agent_card_routes(said) + create_jsonrpc_routes(handler, "/rpc") + create_rest_routes(handler)
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], "polled" not in sys.argv[3:])
