"""Synthetic documents, and a model that takes notes on them."""

import re
from collections.abc import Sequence
from datetime import date

from desktop.chat.procedures.context import ProcedureContext, ProcedureControl
from desktop.chat.procedures.documents import OpenDocument, Origin
from desktop.chat.source_lookup import SelectedModel, TokenWindow
from desktop.chat.step_log import StepLog
from desktop.domain.events import ProcedureChanged
from desktop.domain.knowledge import PassageInfo
from desktop.domain.models import FinishReason, StreamEnded, TextDelta, UsageReported
from desktop.domain.procedures import ReadDocument
from desktop.domain.sources import Ledger, Source, SourceKind
from desktop.text.tokens import estimate_tokens
from tests.turns import discard

_SOURCE = re.compile(r'<source number="(\d+)"')
_MARK = re.compile(r"\[(\d+)\]")


def document_of(pages: Sequence[tuple[str, str]], name: str = "report.pdf") -> tuple[OpenDocument, str]:
    """Return a document and its text; a page is its heading and its words, one passage each paragraph."""
    passages: list[PassageInfo] = []
    text = ""
    for page, (section, words) in enumerate(pages, 1):
        for paragraph in words.split("\n"):
            start = len(text)
            text += paragraph + "\n\n"
            end = start + len(paragraph)
            passages.append(
                PassageInfo(len(passages), paragraph, page, section, start, end, is_embedded=False)
            )
    info = ReadDocument("item", name, "f" * 64, len(pages))
    origin = Origin(SourceKind.FILE, name, f"file:///{name}", info.sha256)
    return OpenDocument(info, (origin,), tuple(passages)), text


def long_pages(count: int) -> list[tuple[str, str]]:
    """Return the pages of a book of chapters of ten pages; every page says something of its own."""
    filler = "The committee met again and looked at the figures of the district in some detail. " * 4
    return [
        (
            f"Chapter {page // 10 + 1}",
            f"{filler}\nOn page {page + 1} we show that dam {page} holds {page * 7 + 3} % more water.\n{filler}",
        )
        for page in range(count)
    ]


class NotingModel:
    """Notes the last passage of every part, and then writes an answer with the marks that it was given.

    `texts` are said first, in turn; what is an exception is raised. `at_request` is called with the number
    of each request before it is answered.
    """

    def __init__(self, *texts, at_request=lambda _number: None, answer=None) -> None:
        self.texts = list(texts)
        self.requests = []
        self._at_request = at_request
        self._answer = answer

    async def stream(self, request):
        self.requests.append(request)
        self._at_request(len(self.requests))
        text = self.texts.pop(0) if self.texts else self._reply(request)
        if isinstance(text, BaseException):
            raise text
        for piece in re.findall(r".{1,40}", text, re.DOTALL):
            yield TextDelta(piece)
        yield UsageReported(sum(estimate_tokens(message.text) for message in request.messages), 10)
        yield StreamEnded(FinishReason.STOP)

    def _reply(self, request) -> str:
        words = request.messages[1].text
        numbers = _SOURCE.findall(words)
        if numbers:
            last = numbers[-1]
            return (
                f'<notes><gist source="{last}">Gist of the part.</gist>'
                f'<claim source="{last},{numbers[0]}">A claim.</claim><point>without a source</point></notes>'
            )
        if "Bring them together" in request.messages[0].text:
            first, *_, last = _MARK.findall(words)
            return f'<notes><gist source="{first},{last}">Gist of parts.</gist></notes>'
        marks = dict.fromkeys(_MARK.findall(words))
        return self._answer or "## Key points\n\n" + "".join(f"- Point [{number}]\n" for number in marks)


class Desk:
    """Everything around one procedure, and all that it told."""

    def __init__(self, model, *, model_id="some/model", context_tokens=16_000, ledger=None, **fields) -> None:
        self.model = model
        self.ledger = ledger or Ledger()
        self.control = ProcedureControl()
        self.kept: dict[int, Source] = {}
        self.events = []
        self.context = ProcedureContext(
            emit=discard,
            picked=SelectedModel(model, model_id, "m"),
            look_up=fields.pop("look_up", None),
            places=fields.pop("places", ()),
            web="off",
            ledger=self.ledger,
            log=StepLog(),
            keep=self.keep,
            today=date(2026, 1, 2),
            window=TokenWindow(context_tokens, context_tokens // 8),
            control=self.control,
            **fields,
        )

    async def keep(self, sources):
        self.kept.update({source.number: source for source in sources})

    @property
    def states(self):
        return [event.procedure for event in self.events if isinstance(event, ProcedureChanged)]

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    def marks(self) -> set[int]:
        return {int(number) for number in _MARK.findall(self.text)}
