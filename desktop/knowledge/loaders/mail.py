"""Mail: sender, recipients, subject, names of attachments, and text."""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from pathlib import Path
from typing import Any

from kreuzberg import ExtractionConfig, KreuzbergError, extract_file_sync

from desktop.errors import CorruptFile
from desktop.knowledge.loaders.document import Document, DocumentPart, LoaderContext, document_of
from desktop.knowledge.loaders.plain import read_bytes
from desktop.phrases import translatable
from desktop.text.decode import decode
from desktop.text.html_article import main_text

_HEAD = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_ATTACHMENTS = "Attachments"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UNREADABLE = translatable("it is not a readable {kind} file")
_BROKEN_FIELD = (ValueError, IndexError, AttributeError, LookupError, TypeError)
"""Exceptions of the standard library's parser for invalid header fields."""
_config: Any = ExtractionConfig  # its type hints lack `disable_ocr`
_CONFIG = _config(use_cache=False, enable_quality_processing=False, disable_ocr=True, output_format="plain")
_FIELDS = (("From", "from_email"), ("To", "to_emails"), ("Cc", "cc_emails"), ("Date", "created_at"))
_OUTLOOK_HEAD = re.compile(
    r"(?:\*{0,2}(?:Subject|From|To|CC|BCC|Date|Attachments)\*{0,2}: .*\n+)+", re.IGNORECASE
)


def load_mail(path: Path, _context: LoaderContext) -> Document:
    """Load a mail in the Internet Message Format (RFC 5322).

    Raises:
        CorruptFile: it has neither header nor text.
    """
    data = read_bytes(path)
    if data.startswith(_WIDE_MARKS):
        data = decode(data).encode("utf-8", "replace")
    mail = message_from_bytes(data, EmailMessage, policy=modern)
    head = {name: value for name in _HEAD if (value := _field(mail, name))}
    leaves = list(_leaves(mail))
    if not head and not any(_words(leaf) for leaf in leaves):
        raise CorruptFile(name=path.name, detail=_UNREADABLE.format(kind="eml"))
    attached = [name for leaf in leaves if (name := _file_name(leaf))]
    return _document(head, attached, _body(leaves))


def load_outlook(path: Path, _context: LoaderContext) -> Document:
    """Load a mail saved by Outlook.

    Raises:
        CorruptFile: it is not an Outlook mail.
    """
    try:
        result = extract_file_sync(path, config=_CONFIG)
    except KreuzbergError as error:
        raise CorruptFile(name=path.name, detail=_UNREADABLE.format(kind="msg")) from error
    facts = result.metadata
    head = {name: _join_values(value) for name, key in _FIELDS if (value := facts.get(key))}
    if subject := facts.get("subject"):
        head["Subject"] = str(subject)
    attached = [str(name) for name in facts.get("attachments") or ()]
    return _document(head, attached, _OUTLOOK_HEAD.sub("", result.content, count=1))


def _document(head: dict[str, str], attached: list[str], body: str) -> Document:
    lines = [f"{name}: {value}" for name, value in head.items()]
    if attached:
        lines.append(f"{_ATTACHMENTS}: {', '.join(attached)}")
    return document_of(head.get("Subject", ""), [DocumentPart("\n".join(lines)), DocumentPart(body)])


def _join_values(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _field(mail: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(mail.get(name, "")).split())
    except _BROKEN_FIELD:
        return ""


def _leaves(mail: EmailMessage) -> Iterator[EmailMessage]:
    return (part for part in mail.walk() if not part.is_multipart())


def _file_name(part: EmailMessage) -> str:
    try:
        return " ".join((part.get_filename() or "").split())
    except _BROKEN_FIELD:
        return ""


def _body(leaves: list[EmailMessage]) -> str:
    """Return the text of a mail; of several alternatives, the one without markup."""
    written = [leaf for leaf in leaves if not _file_name(leaf)]
    plain = [_words(leaf) for leaf in written if leaf.get_content_type() == "text/plain"]
    if any(map(str.strip, plain)):
        return "\n\n".join(plain)
    pages = [_words(leaf) for leaf in written if leaf.get_content_type() == "text/html"]
    return "\n\n".join(main_text(page).text for page in pages)


def _words(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    try:
        charset = part.get_content_charset() or ""
    except _BROKEN_FIELD:
        charset = ""
    return decode(payload, declared=charset)
