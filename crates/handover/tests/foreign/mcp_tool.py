"""A tool that is served by the official MCP package for Python, on stdin and stdout."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("words")


@server.tool()
def count_words(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


if __name__ == "__main__":
    server.run("stdio")
