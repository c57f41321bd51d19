"""Exports conversations and their sources as files and to the clipboard; pure functions of a `Conversation`.

parse_message ─▶ places_of ─▶ markdown                  the text as written, its marks as footnotes
              ├▶ HtmlPage ─▶ html, clipboard            the HTML of our own page
              │           ├▶ printed_page (→ PDF)         its list quotes the passages
              │           └▶ picture (→ PNG)              printed to long pages, which picture_drawing draws
              └▶ docx                                   blocks and tokens as paragraphs and runs, marks as footnotes
shared_page: the HTML of one answer with the cards of its marks
private_sources: what only the user has, and how it is left out
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
from desktop.render.export.private_sources import leave_out, private_sources, without_passages
from desktop.render.export.shared_page import shared_page_of
from desktop.render.export.source_list import ListFormat, format_source_list

__all__ = [
    "Clip",
    "Format",
    "ListFormat",
    "answer_clip",
    "export_conversation",
    "file_name",
    "format_source_list",
    "leave_out",
    "list_used_sources",
    "only",
    "private_sources",
    "shared_page_of",
    "without_passages",
]
