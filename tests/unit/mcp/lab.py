"""A tool server for tests, over its standard streams: it echoes, fails, hangs, dies, floods and changes."""

import os
import sys
import time

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("lab")


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def environment() -> str:
    """Say what it knows of its environment."""
    return " ".join(sorted(f"{name}={value}" for name, value in os.environ.items()))


@server.tool()
def fail() -> str:
    """Fail."""
    raise ToolError("out of order")


@server.tool()
async def hang() -> str:
    """Never end."""
    await anyio.sleep_forever()
    return ""


@server.tool()
def die() -> str:
    """Die at once."""
    print("I am dying", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
def flood() -> str:
    """Write 20 MB of complaints."""
    for _ in range(20):
        sys.stderr.write("complaint " * 100_000)
    sys.stderr.flush()
    return "done"


@server.tool()
def big() -> str:
    """Bring back 8 MB."""
    return "word " * 1_600_000


if __name__ == "__main__":
    if "--silent" in sys.argv:
        time.sleep(600)
    server.run("stdio")
