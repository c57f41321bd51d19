"""HTML: its main text."""

from pathlib import Path

from desktop.errors import NothingToRead
from desktop.knowledge.loaders.document import Document, Part, Report, document_of
from desktop.knowledge.loaders.plain import read_text
from desktop.text.html import main_text


def load_html(path: Path, report: Report) -> Document:  # noqa: ARG001 - a web page has no pages to report
    """Load the main text of a saved web page.

    Raises:
        NothingToRead: the page holds no text.
    """
    article = main_text(read_text(path), path.as_uri())
    document = document_of(article.title, [Part(article.text)])
    if not document.parts:
        raise NothingToRead(name=path.name, detail="The page has no text of its own.")
    return document
