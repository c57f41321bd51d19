"""Exports conversations and their sources as files and to the clipboard; pure functions of a `Conversation`.

parse_message ─▶ places_of ─▶ markdown                  the text as written, its marks as footnotes
              ├▶ HtmlWriter ─▶ html (→ PDF), clipboard  the HTML of our own page
              └▶ docx                                   blocks and tokens as paragraphs and runs
shared_page: the HTML of one answer with the cards of its marks
source_list: sources as Markdown, plain text, BibTeX
"""

from desktop.render.export.formats import (
    Clip,
    Format,
    answer_clip,
    export_conversation,
    file_name,
    list_used_sources,
    only,
)
from desktop.render.export.shared_page import private_sources, shared_page_of
from desktop.render.export.source_list import ListFormat, format_source_list

__all__ = [
    "Clip",
    "Format",
    "ListFormat",
    "answer_clip",
    "export_conversation",
    "file_name",
    "format_source_list",
    "list_used_sources",
    "only",
    "private_sources",
    "shared_page_of",
]
