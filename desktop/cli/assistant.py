"""The assistant that a question on the command line is asked of."""

import locale
import sys

from desktop.chat.assistants import find, known
from desktop.domain.assistants import Assistant
from desktop.engine.assembly import Rooms
from desktop.errors import UnknownAssistant


def assistant_called(rooms: Rooms, name: str) -> Assistant:
    """Return the assistant of a name or id; the general one for an empty name.

    Raises:
        UnknownAssistant: there is none.
    """
    settings = rooms.preferences.settings
    language = settings.window.language or locale.getlocale()[0] or ""
    assistants = known(settings, language)
    found = find(assistants, name)
    if found is None:
        raise UnknownAssistant(assistant=name, known=", ".join(each.name for each in assistants))
    return found


async def bases_of(rooms: Rooms, assistant: Assistant) -> tuple[str, ...]:
    """Return the ids of the bases that an assistant wants; those that are not there are named on stderr."""
    if not assistant.bases:
        return ()
    by_key = {key: base.id for base in await rooms.knowledge.bases() for key in (base.name, base.id)}
    for missing in (base for base in assistant.bases if base not in by_key):
        sys.stderr.write(f"footnote: “{assistant.name}” goes without “{missing}”, which is not there\n")
    return tuple(dict.fromkeys(by_key[base] for base in assistant.bases if base in by_key))
