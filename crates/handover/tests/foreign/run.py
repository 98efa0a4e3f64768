"""Official packages of others talk to our server, and ours to theirs.

    python run.py BINARY FOLDER NODE_MODULES
"""

import pathlib
import subprocess
import sys

from house import House

HERE = pathlib.Path(__file__).parent


def node(binary, folder, modules):
    """Node looks for packages beside the program."""
    program = modules.parent / "mcp_check.mjs"
    program.write_text((HERE / "mcp_check.mjs").read_text())
    with House(binary, folder / "node") as house:
        for agent in ("ann", "bob"):
            house.register(agent)
        words = [house.url, house.key("ann"), house.key("bob"), binary, folder / "stdio"]
        (folder / "stdio").mkdir()
        subprocess.run(["node", program, *words], check=True, timeout=300)
    tool = modules.parent / "mcp_tool.mjs"
    tool.write_text((HERE / tool.name).read_text())
    words = [binary, folder / "mcp_tools", modules.parent]
    subprocess.run([sys.executable, HERE / "mcp_tools.py", *words], check=True, timeout=300)


def main(binary, folder, modules):
    node(binary, folder, modules)
    for name in ("mcp_coders", "agents_check", "a2a_client", "a2a_remote", "nats_check"):
        subprocess.run([sys.executable, HERE / f"{name}.py", binary, folder / name], check=True, timeout=300)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
