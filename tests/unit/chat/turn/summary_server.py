"""A turn over real parts except for the network: pages by address, files by path, and a model that records."""

import json
import re
from collections import Counter
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.chat.api.engine import Question
from desktop.chat.checking.service import CitationCheckService
from desktop.chat.procedures.dispatcher import ProcedureDispatcher
from desktop.chat.procedures.documents import passages_of
from desktop.chat.source_lookup import SelectedModel, SourceLookup
from desktop.chat.tools.executor import Approvals
from desktop.chat.turn.runner import TurnRunner
from desktop.domain.events import TurnFailed, TurnFinished
from desktop.domain.knowledge import ItemProgress, Retrieval
from desktop.domain.messages import MessageStatus
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.search import PageStatus, WebPage
from desktop.providers.quotes.model import QuotesModel
from desktop.settings.model import ChatSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from desktop.text.tokens import estimate_tokens
from tests.e2e.model_server import running_model_server
from tests.turns import ask
from tests.unit.chat.procedures.library import NotingModel
from tests.unit.chat.procedures.test_documents import Shelf
from tests.unit.chat.turn.test_runner import no_tools
from tests.unit.providers.requests import opened

ENGLISH = (
    "Study {n} follows {m} patients with a rare tumour over several years. "
    "The authors compare two treatments and report how many patients lived without a relapse. "
    "They conclude that treatment {n} should be tried in a larger trial."
)
CHINESE = "第{n}项研究跟踪了{m}名患者的治疗过程。作者比较了两种疗法，并统计了无复发生存的人数。结论是第{n}种疗法值得在更大的试验中检验。"
PAGE = "https://example.org/cancer-research"
NOTES = '<notes><gist source="1">What it is about.</gist><claim source="2">What it claims.</claim></notes>'
_NUMBERS = re.compile(r"(?:Study |第)(\d+)")


def page_of(tokens: int, pattern: str = ENGLISH) -> str:
    """Return a page of about so many tokens; each of its paragraphs has a number of its own."""
    each = estimate_tokens(pattern.format(n=100, m=100))
    return "\n\n".join(pattern.format(n=n, m=n * 7 % 400 + 5) for n in range(1, tokens // each + 1))


def paragraphs(text: str) -> set[int]:
    """Return the numbers of the paragraphs that a text holds."""
    return {int(number) for number in _NUMBERS.findall(text)}


class Files(Shelf):
    """Attached files by path."""

    def __init__(self, texts: dict[Path, str]) -> None:
        super().__init__()
        self.texts = {str(path): text for path, text in texts.items()}

    async def add(self, base_id, paths):
        for path in paths:
            known = [item for item in self.held.get(base_id, ()) if item.path == str(path)]
            yield ItemProgress(known[0] if known else self.put(base_id, str(path)))

    async def passages(self, item_id):
        (path,) = [item.path for items in self.held.values() for item in items if item.id == item_id]
        return passages_of(self.texts[path])

    async def retrieve(self, _queries, _scope, _count):
        return Retrieval()


class Pages:
    """Reads pages from memory; searches find nothing and are counted."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.queries: list[str] = []

    async def read(self, url):
        if url not in self.texts:
            return WebPage(PageStatus.NOT_FOUND, url, error="The page does not exist.")
        return WebPage(PageStatus.READ, url, "Abstracts", self.texts[url])

    async def search(self, query, *_choices):
        self.queries.append(query)
        return ()

    async def after_help(self, _outcomes):
        return ()


class Lab:
    """Asks questions about pages and files; `seen` is all text that the model was sent."""

    def __init__(
        self, store, pages=None, files=None, *, model_id="some/model", context_tokens=16_000, model=None
    ):
        self.store = store
        self.model = model or (QuotesModel() if model_id == QUOTES_MODEL else NotingModel())
        self.model_id = model_id
        self.pages = Pages(pages or {})
        settings = Settings(chat=ChatSettings(context_tokens=context_tokens, answer_tokens=2_000))
        documents = Files(files or {})
        self.lookup = lookup = SourceLookup(
            web=lambda: self.pages,
            read=self.pages.read,
            knowledge=documents,
            pick_model=self.pick,
            settings=lambda: settings,
        )
        procedures = ProcedureDispatcher(lookup.look_up, lambda: settings, documents, lookup.recall)
        checks = CitationCheckService(store=store, pick_model=self.pick, settings=lambda: settings)
        self.runner = TurnRunner(
            store=store,
            pick_model=self.pick,
            gather=lookup.gather,
            settings=lambda: settings,
            tools=no_tools,
            consents=Approvals(dict),
            procedures=lambda: procedures,
            checks=lambda: checks,
        )

    async def pick(self, model_id):
        return SelectedModel(self.model, model_id, "model")

    @property
    def seen(self) -> str:
        return "\n".join(message.text for request in self.model.requests for message in request.messages)

    async def question(self, text: str, *files: Path, **fields) -> Question:
        conversation = fields.pop("conversation_id", "") or (await self.store.create()).id
        return Question(text, conversation, model=self.model_id, files=files, **fields)

    async def ask(self, text: str, *files: Path, **fields):
        """Return the finished answer."""
        async with aclosing(ask(self.runner, await self.question(text, *files, **fields))) as turn:
            events = [event async for event in turn]
        assert isinstance(events[-1], TurnFinished | TurnFailed)
        return events[-1].message


@dataclass(frozen=True)
class Seen:
    """What a loopback model was sent while it answered: the share of each third of the page, and how it ended."""

    thirds: tuple[float, float, float]
    requests: int
    cited: tuple[int, int, int]
    """How many sources of each third have numbers."""
    is_complete: bool


async def seen_of_page(folder: Path, tokens: int, pattern: str, context_tokens: int = 16_000) -> Seen:
    """Summarize a page of so many tokens with a model behind HTTP, and return what of the page it was sent."""
    text = page_of(tokens, pattern)
    with running_model_server() as server:
        server.pieces = (NOTES,)
        async with opened(f"{server.origin}/v1") as model:
            fields = {"model": model, "context_tokens": context_tokens}
            async with lab(folder, {PAGE: text}, **fields) as at:
                message = await at.ask(f"{'总结一下' if pattern is CHINESE else 'Summarize'} {PAGE}")
                sources = (await at.store.load(message.conversation_id)).sources
        sent = json.dumps(server.requests, ensure_ascii=False)
    known, shown = sorted(paragraphs(text)), paragraphs(sent)
    parts = [known[len(known) * n // 3 : len(known) * (n + 1) // 3] for n in range(3)]
    starts = Counter((source.locator.start or 0) * 3 // len(text) for source in sources)
    return Seen(
        tuple(sum(number in shown for number in part) / len(part) for part in parts),
        len(server.requests),
        tuple(starts[third] for third in range(3)),
        message.status is MessageStatus.COMPLETE,
    )


@asynccontextmanager
async def lab(folder: Path, pages=None, files=None, **fields):
    """Give a laboratory over a real database."""
    store = ConversationStore(folder)
    try:
        yield Lab(store, pages, files, **fields)
    finally:
        await store.close()
