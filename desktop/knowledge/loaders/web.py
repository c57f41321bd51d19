"""HTML: its main text."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from pathlib import Path

from desktop.errors import CorruptFile, NothingToRead
from desktop.knowledge.loaders.document import Desk, Document, Part, document_of
from desktop.knowledge.loaders.plain import read_text
from desktop.phrases import phrase
from desktop.text.decode import decode
from desktop.text.html import main_text


def load_html(path: Path, _desk: Desk) -> Document:
    """Load the main text of a saved web page.

    Raises:
        NothingToRead: the page holds no text.
    """
    return _document(path, read_text(path), path.as_uri())


def load_mhtml(path: Path, _desk: Desk) -> Document:
    """Load the main text of a web page saved with all its parts in one file.

    Raises:
        CorruptFile: there is no page in it.
        NothingToRead: the page holds no text.
    """
    message = message_from_bytes(path.read_bytes(), EmailMessage, policy=modern)
    for part in message.walk():
        payload = part.get_payload(decode=True)
        if part.get_content_type() == "text/html" and isinstance(payload, bytes):
            return _document(path, decode(payload), part.get("Content-Location", path.as_uri()))
    raise CorruptFile(name=path.name, detail=phrase("there is no web page in it"))


def _document(path: Path, html: str, url: str) -> Document:
    article = main_text(html, url)
    document = document_of(article.title, [Part(article.text)])
    if not document.parts:
        raise NothingToRead(name=path.name, detail=phrase("The page has no text of its own."))
    return document
