"""The official package of NATS for Python follows the feed, and begins work by an event."""

import asyncio
import json
import pathlib
import shutil
import subprocess
import sys

import nats

from house import House, LONG, free_port, wait


class Bus:
    """A nats-server of our own."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        self.port = free_port()
        words = [program, "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", str(folder)]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"nats://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=LONG)


async def until(is_so, what):
    await asyncio.to_thread(wait, is_so, what)


async def heard(feed, kind, known):
    """Messages in order, up to the first of this kind."""
    while True:
        for message in await feed.fetch(1, timeout=LONG):
            await message.ack()
            said = json.loads(message.data)
            assert message.headers["Nats-Msg-Id"] == said["id"], (message.headers, said["id"])
            known.append((int(message.headers["Handover-Position"]), message.subject))
            if message.subject.endswith("." + kind):
                return said


async def main(binary, folder):
    folder = pathlib.Path(folder)
    with Bus(folder / "nats") as bus:
        settings = f"bus: {{address: '{bus.url}', events: true}}\n"
        with House(binary, folder / "house", settings) as house:
            for agent in ("desk", "smith"):
                house.register(agent)
            rule = {"name": "alerts", "on": "security.*", "from_agent": "desk", "to_agent": "smith", "task": "look at it"}
            house.api("PUT", "/v1/event-rules/alerts", rule)
            await until(lambda: house.api("GET", "/health/ready")["bus"]["connected"], "the bus is there")
            client = await nats.connect(bus.url)
            streams = client.jetstream()
            feed = await streams.pull_subscribe("handover.feed.default.>", durable="billing", stream="HANDOVER")
            event = json.dumps({"id": "alert-7", "data": {"host": "db1"}}).encode()
            for _ in range(2):
                await streams.publish("handover.events.default.security.alert", event)
            smith = house.key("smith")
            taken = await asyncio.to_thread(house.api, "POST", "/v1/agents/smith/claim", {"wait_ms": 30_000}, smith)
            assert taken["handoff"]["request"]["task"]["payload"] == {"host": "db1"}, taken
            path = f"/v1/handoffs/{taken['handoff']['id']}/return"
            # The server is killed in the middle: what it did not publish yet is published by the next one.
            given = {"lease": taken["lease"], "status": "success", "result": {"content_type": "text", "body": "seen"}}
            house.api("POST", path, given, smith)
            house.killed()
            known = []
            ended = await heard(feed, "TASK_COMPLETED", known)
            assert "seen" in json.dumps(ended), ended
            positions = [position for position, _ in known]
            assert positions == sorted(set(positions)), known
            made = [subject for _, subject in known if subject.endswith(".AGENT_HANDOFF")]
            assert len(made) == 1, known
            await client.close()
            house.verify()
    print("nats-py: followed the feed in order, and began work by an event; the server killed once")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
