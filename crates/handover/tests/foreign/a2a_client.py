"""The official A2A package for Python as a client of our server: both bindings, streams, questions, approvals, push, and
the old version; nobody sees the tasks of another."""

import asyncio
import http.server
import json
import sys
import threading
import uuid

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import get_stream_response_text, new_text_message
from a2a.types import (
    CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, Role, SendMessageConfiguration,
    SendMessageRequest, SubscribeToTaskRequest, TaskNotFoundError, TaskPushNotificationConfig, TaskState,
    ListTaskPushNotificationConfigsRequest, DeleteTaskPushNotificationConfigRequest,
)

from house import House, LONG, wait

SETTINGS = "a2a: {allow_private: true}\n"


async def client(house, key, agent, binding="JSONRPC", streaming=True):
    http = httpx.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=LONG)
    config = ClientConfig(
        streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding], use_client_preference=True
    )
    return await create_client(f"{house.url}/a2a/agents/{agent}", config)


def message(text, **more):
    sent = new_text_message(text, role=Role.ROLE_USER)
    for name, value in more.items():
        setattr(sent, name, value)
    return sent


def answer(house, key, body, agent="counter"):
    """What our agent does with the next piece of work."""
    taken = house.api("POST", f"/v1/agents/{agent}/claim", {"wait_ms": 30_000}, key)
    path = f"/v1/handoffs/{taken['handoff']['id']}"
    if "question" in body:
        house.api("POST", path + "/ask", {"lease": taken["lease"], **body}, key)
    else:
        house.api("POST", path + "/return", {"lease": taken["lease"], "status": "success", "result": body}, key)
    return taken


def state_of(event):
    if event.HasField("task"):
        return event.task.status.state
    return event.status_update.status.state if event.HasField("status_update") else None


async def streamed(house, keys, binding):
    ann = await client(house, keys["ann"], "counter", binding)
    working = asyncio.create_task(asyncio.to_thread(answer, house, keys["counter"], {"content_type": "text", "body": "3 words"}))
    states, texts, task = [], [], None
    async for event in ann.send_message(SendMessageRequest(message=message("count one two three"))):
        task = task or (event.task.id if event.HasField("task") else event.status_update.task_id)
        states.append(state_of(event))
        texts.append(get_stream_response_text(event))
    await working
    assert TaskState.TASK_STATE_COMPLETED in states, states
    found = await ann.get_task(GetTaskRequest(id=task))
    assert found.status.state == TaskState.TASK_STATE_COMPLETED and "3 words" in str(found), found
    return ann, task


async def asked(house, keys, binding):
    """A question of our agent is input that is required; what is sent to the task answers it."""
    ann = await client(house, keys["ann"], "counter", binding, streaming=False)
    working = asyncio.create_task(asyncio.to_thread(answer, house, keys["counter"], {"question": "In which language?"}))
    sent = SendMessageRequest(message=message("count this"))
    first = [event async for event in ann.send_message(sent)][-1].task
    await working
    assert first.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, first
    assert "In which language?" in str(first.status.message), first
    house.killed()
    working = asyncio.create_task(asyncio.to_thread(answer, house, keys["counter"], {"content_type": "json", "body": {"words": 2}}))
    more = message("In French.", task_id=first.id, context_id=first.context_id)
    last = [event async for event in ann.send_message(SendMessageRequest(message=more))][-1].task
    taken = await working
    assert "In French." in json.dumps(taken), taken
    assert last.id == first.id and last.status.state == TaskState.TASK_STATE_COMPLETED, last


async def once(house, keys):
    """The same message twice is one task."""
    ann = await client(house, keys["ann"], "counter", streaming=False)
    config = SendMessageConfiguration(return_immediately=True)
    sent = SendMessageRequest(message=message("count twice", message_id=str(uuid.uuid4())), configuration=config)
    tasks = set()
    for _ in range(2):
        async for event in ann.send_message(sent):
            tasks.add(event.task.id)
    assert len(tasks) == 1, tasks
    (task,) = tasks
    cancelled = await ann.cancel_task(CancelTaskRequest(id=task))
    assert cancelled.status.state == TaskState.TASK_STATE_CANCELED, cancelled


async def walls(house, keys, task):
    bob = await client(house, keys["bob"], "counter")
    try:
        await bob.get_task(GetTaskRequest(id=task))
        raise AssertionError("another's task was shown")
    except TaskNotFoundError:
        pass
    listed = await bob.list_tasks(ListTasksRequest())
    assert task not in [one.id for one in listed.tasks], listed


async def pushed(house, keys):
    heard = []

    class Ear(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            heard.append((self.headers.get("x-a2a-notification-token"), json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    ear = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ear)
    threading.Thread(target=ear.serve_forever, daemon=True).start()
    ann = await client(house, keys["ann"], "counter", streaming=False)
    config = SendMessageConfiguration(return_immediately=True)
    sent = SendMessageRequest(message=message("count and tell"), configuration=config)
    task = [event async for event in ann.send_message(sent)][-1].task.id
    url = f"http://127.0.0.1:{ear.server_port}/here"
    made = await ann.create_task_push_notification_config(TaskPushNotificationConfig(task_id=task, url=url, token="secret"))
    listed = await ann.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task))
    assert [one.url for one in listed.configs] == [url], listed
    house.killed()
    await asyncio.to_thread(answer, house, keys["counter"], {"content_type": "text", "body": "told"})
    await asyncio.to_thread(wait, lambda: any("COMPLETED" in json.dumps(said) for _, said in heard), "the end is pushed")
    assert all(token == "secret" for token, _ in heard), heard
    await ann.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(task_id=task, id=made.id))
    ear.shutdown()


async def old(house, keys):
    """A client of 0.3 sends no version."""
    sent = {
        "jsonrpc": "2.0", "id": 1, "method": "message/send",
        "params": {"message": {
            "kind": "message", "messageId": str(uuid.uuid4()), "role": "user", "parts": [{"kind": "text", "text": "count"}],
        }},
    }
    working = asyncio.create_task(asyncio.to_thread(answer, house, keys["counter"], {"content_type": "text", "body": "one"}))
    said = await asyncio.to_thread(house.api, "POST", "/a2a/agents/counter", sent, keys["ann"])
    await working
    assert said["result"]["kind"] == "task" and said["result"]["status"]["state"] == "completed", said


async def main(binary, folder):
    with House(binary, folder, SETTINGS) as house:
        house.register("counter", capabilities=["counting"], description="Counts words.")
        for agent in ("ann", "bob"):
            house.register(agent)
        keys = {agent: house.key(agent) for agent in ("counter", "ann", "bob")}
        for binding in ("JSONRPC", "HTTP+JSON"):
            ann, task = await streamed(house, keys, binding)
            await asked(house, keys, binding)
            listed = await ann.list_tasks(ListTasksRequest())
            assert task in [one.id for one in listed.tasks], listed
            extended = await ann.get_extended_agent_card(GetExtendedAgentCardRequest())
            assert "counting" in str(extended.skills), extended
            await walls(house, keys, task)
        await once(house, keys)
        await pushed(house, keys)
        await old(house, keys)
        house.verify()
    print("a2a-sdk as a client: both bindings, streams, questions, push, the old version; the server killed three times")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
