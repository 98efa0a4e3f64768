"""A real server in a folder of its own, for programs of others to talk to."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

# How long anything may take before a check fails, in seconds.
LONG = 60

KEY = re.compile(r"ho_[a-z0-9]{12}_[A-Za-z0-9_-]{43}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class House:
    """`handover serve` on a file, with keys. It can be killed and begins again where it was."""

    def __init__(self, binary, folder, settings=""):
        self.binary, self.folder = binary, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if settings:
            (self.folder / "handover.yaml").write_text(settings)
        self.url = f"http://127.0.0.1:{free_port()}"
        self.admin = find_key(self.run("keys", "make", "admin", "--role", "admin", "--house"))
        self.process = None
        self.begin()

    def run(self, *words, key=None, server=False):
        environment = {**os.environ, "HANDOVER_KEY": key or ""}
        if not key:
            environment.pop("HANDOVER_KEY")
        place = ["--server", self.url] if server else []
        ran = subprocess.run(
            [self.binary, *place, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=LONG
        )
        assert ran.returncode == 0, f"{words}: {ran.stdout}{ran.stderr}"
        return ran.stdout

    def key(self, agent, role="agent"):
        """A key that speaks for one agent."""
        made = self.run("keys", "make", agent, "--role", role, "--agent", agent, "--json", key=self.admin, server=True)
        return find_key(made)

    def begin(self):
        listen = self.url.removeprefix("http://")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", listen, "--log", "warn"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=open(self.folder / "server.log", "a"),
        )
        wait(lambda: reached(self.url + "/health/ready"), "the server answers")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def killed(self):
        """Dies, and begins again."""
        self.kill()
        self.begin()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=LONG)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        log = (self.folder / "server.log").read_text()
        assert "panicked" not in log, log

    def api(self, method, path, body=None, key=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("authorization", f"Bearer {key or self.admin}")
        request.add_header("content-type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=LONG) as said:
                text = said.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def register(self, agent, **profile):
        self.api("PUT", f"/v1/agents/{agent}", {"kind": "worker", **profile})

    def verify(self):
        self.run("verify", key=self.admin, server=True)


def find_key(text):
    """The key in what was printed. Its letters are random: `ho_` may be in the middle of it once more."""
    found = KEY.search(text)
    assert found, f"no key in: {text}"
    return found.group()


def reached(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as said:
            return said.status == 200
    except OSError:
        return False


def wait(is_so, what):
    """Looks again until something is so: there is nothing to await across processes."""
    end = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.05)
