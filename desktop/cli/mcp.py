"""`footnote mcp`: Footnote as a tool server for other programs, on stdin and stdout or on loopback."""

import argparse
import asyncio
import signal
import sys

from desktop.cli.ask import temporary_services
from desktop.cli.kb import find_base
from desktop.cli.output.terminal import WrongArguments, tell
from desktop.domain.serving import BASE_TOOLS, ServedTool
from desktop.services.container import ServiceContainer
from desktop.services.serving.calls import OpenParts
from desktop.services.serving.server import HOST, PATH, ServingServer, open_port, serve_http
from desktop.services.serving.service import DEFAULT_PORT


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client closes stdin, or the process is told to end; stdout carries only the protocol."""
    if arguments.port is not None and not arguments.http:
        raise WrongArguments("--port is for --http")
    return asyncio.run(_serve(arguments))


async def _serve(arguments: argparse.Namespace) -> int:
    if not arguments.http and sys.platform != "win32":
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    listening = (
        open_port(DEFAULT_PORT if arguments.port is None else arguments.port) if arguments.http else None
    )
    try:
        async with temporary_services(arguments.data_dir, has_files=False) as services:
            services.served_calls.for_this_run = await _open_parts(services, arguments)
            server = ServingServer(
                services.served_calls,
                services.serving.log,
                services.preferences.reload,
                stays_here=arguments.only_here,
            )
            if listening is None:
                await server.serve_stdio()
            else:
                token = await services.serving.token()
                tell(f"footnote: http://{HOST}:{listening.getsockname()[1]}{PATH}\nfootnote: token {token}")
                await serve_http(server, listening, token)
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM
    finally:
        if listening is not None:
            listening.close()
    return 0


async def _open_parts(services: ServiceContainer, arguments: argparse.Namespace) -> OpenParts:
    bases = [(await find_base(services, name)).id for name in arguments.allow]
    tools = set(ServedTool) if "all" in arguments.tool else set(map(ServedTool, arguments.tool))
    return OpenParts(frozenset(tools | (BASE_TOOLS if bases else set())), frozenset(bases))
