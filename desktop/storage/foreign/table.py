"""The kinds of files, in the order in which they are tried."""

from desktop.errors import NotImported
from desktop.phrases import phrase
from desktop.storage.foreign.chatbox import CHATBOX
from desktop.storage.foreign.chatgpt import CHATGPT
from desktop.storage.foreign.cherry_studio import CHERRY_STUDIO
from desktop.storage.foreign.claude import CLAUDE
from desktop.storage.foreign.kind import Kind
from desktop.storage.foreign.open_webui import OPEN_WEBUI
from desktop.storage.foreign.own import CONVERSATION, PROFILE_KIND
from desktop.storage.transfer_files import FileReader

KINDS = (PROFILE_KIND, CONVERSATION, CHERRY_STUDIO, CHATBOX, CHATGPT, CLAUDE, OPEN_WEBUI)

_UNKNOWN = phrase(
    "It is no export of Footnote, ChatGPT, Claude, Cherry Studio, Chatbox or Open WebUI that is known here."
)


def kind_of(reader: FileReader) -> Kind:
    """Return what kind of file this is.

    Raises:
        NotImported: none that is known.
    """
    for kind in KINDS:
        if kind.recognises(reader):
            return kind
    raise NotImported(name=reader.path.name, detail=_UNKNOWN)
