"""What a person does with keys, as a program of its own under the keyring that the environment offers.

    python -m tests.soak.keyring_session keep|use|lock FOLDER ORIGIN KEY

It prints one line of JSON. `use` ends by kill -9, as crashes do.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.memory import tree_of
from desktop.chat.api.engine import Question
from desktop.domain.search import WEB_OFF
from desktop.errors import AppError
from desktop.services.container import ServiceContainer, running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import (
    ChatSettings,
    KnowledgeSettings,
    McpServer,
    OwnEmbedder,
    ProviderSettings,
    Settings,
)
from desktop.settings.redaction import RedactingFormatter
from desktop.settings.secrets import Secrets
from desktop.storage.local_copies import LocalBackups

NAMES = ("provider/far", "search/tavily", "embedding/e", "proxy/search", "mcp/files/TOKEN")


def settings_for(origin: str) -> Settings:
    return Settings(
        providers=(ProviderSettings("far", "Far", "openai", f"{origin}/v1"),),
        chat=ChatSettings(model="far/scripted"),
        knowledge=KnowledgeSettings(own_embedders=(OwnEmbedder("e", "Embeds", f"{origin}/v1", "m"),)),
        mcp_servers=(
            McpServer(
                "files", "Files", (sys.executable, "-c", "import time; time.sleep(60)"), secret_names=()
            ),
        ),
    )


def seen_by_children() -> list[str]:
    """Return what everybody may read of our processes: their words on the command line and their environment."""
    found = []
    for pid in tree_of(os.getpid()):
        for name in ("cmdline", "environ"):
            path = Path(f"/proc/{pid}/{name}")
            try:
                found.append(
                    f"{pid if pid != os.getpid() else 'self'} {name} {path.read_bytes().decode(errors='replace')}"
                )
            except OSError:  # it has ended
                continue
    return [
        each for each in found if not each.startswith("self cmdline")
    ]  # the test itself gave us the key there


async def keep(rooms: ServiceContainer, key: str) -> dict[str, object]:
    for name in NAMES:
        await rooms.preferences.set_secret(name, key)
    return {"problem": await rooms.preferences.probe_keyring()}


async def use(rooms: ServiceContainer, folder: Path, key: str) -> dict[str, object]:
    handler = logging.FileHandler(folder / "logs" / "footnote.log")
    plain = logging.Formatter("%(name)s %(message)s")
    handler.setFormatter(RedactingFormatter(plain, rooms.preferences.redact))
    logging.basicConfig(level=logging.DEBUG, handlers=[handler])
    engine = window_services(rooms)
    info = await engine.conversations.create()
    question = Question("What do herons eat?", info.id, "far/scripted", web=WEB_OFF)
    last = [event async for event in engine.turns.ask(question)][-1]
    again = [event async for event in engine.turns.ask(replace(question, text="Once more"))][-1]
    logging.getLogger("crash").error("Something broke with %s", key, exc_info=RuntimeError(f"Bearer {key}"))
    errors = []
    for provider in rooms.preferences.settings.providers:
        try:
            await rooms.preferences.test_provider(
                replace(provider, base_url=f"http://127.0.0.1:9/{key}"), key
            )
        except AppError as error:
            errors.append(str(error))
    with suppress(TimeoutError):
        async with asyncio.timeout(2.0):  # it greets nobody; it is there to be looked at
            await engine.tool_servers.states()
    await rooms.bases.create("Base")
    store = rooms.store
    LocalBackups(store.database.path).take(datetime.now(UTC))
    children = seen_by_children()
    shown = " ".join(
        map(repr, (last, again, errors, rooms.preferences.settings, await engine.conversations.load(info.id)))
    )
    return {
        "works": await rooms.preferences.secret("provider/far") == key,
        "processes": len({line.split()[0] for line in children}),
        "leaks": [line[:80] for line in [*children, shown] if key in line],
        "ended": type(last).__name__,
    }


async def lock(rooms: ServiceContainer) -> dict[str, object]:
    import secretstorage

    with closing(secretstorage.dbus_init()) as connection:
        secretstorage.get_default_collection(connection).lock()
    secrets = Secrets(time_limit_s=5.0)
    found = await secrets.get("provider/far")
    await secrets.set("provider/new", "a-new-key")
    return {"found": found, "problem": secrets.problem, "kept": await secrets.get("provider/new")}


async def main() -> None:
    what, folder, origin, key = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    async with running_services(folders_for(folder)) as rooms:
        rooms.folders.create()
        await rooms.preferences.save(settings_for(origin))
        match what:
            case "keep":
                told = await keep(rooms, key)
            case "use":
                told = await use(rooms, folder, key)
                print(json.dumps(told), flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            case _:
                told = await lock(rooms)
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
