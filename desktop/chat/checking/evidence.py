"""Finds passages that may support or contradict a claim: in knowledge bases, on the web, and in the pages it cites."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from desktop.chat.api.engine import Question
from desktop.chat.checking.checker import ClaimJudges
from desktop.chat.checking.texts import EvidencePlaces, FoundPassages
from desktop.chat.emit import EmitStep
from desktop.chat.retrieval.source_lookup import GatherRequest, SelectedModel, SourceLookup
from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.knowledge import Retriever
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.search import WEB_OFF
from desktop.search.gather.web import PageReading
from desktop.search.intent.intent import without_links
from desktop.settings import egress

_BUDGET_TOKENS = 6_000
_PASSAGES_OF_CLAIM = 6
_QUERY_CHARS = 500


async def _show_nothing(_event: StepStarted | StepFinished) -> None:
    """Show no step."""


class EvidenceSearch:
    """Builds the places where claims are looked up.

    `reader` returns the current service under the settings, `judges` the models that judge claims.
    """

    def __init__(
        self,
        *,
        knowledge: Retriever,
        lookup: SourceLookup,
        reader: Callable[[], PageReading],
        pick_model: Callable[[str], Awaitable[SelectedModel]],
        judges: Callable[[], ClaimJudges],
    ) -> None:
        self._knowledge = knowledge
        self._lookup = lookup
        self._reader = reader
        self._pick_model = pick_model
        self._judges = judges

    def places(self, scopes: tuple[str, ...], web: str, *, opens_pages: bool = True) -> EvidencePlaces:
        """Return the places for a text; `scopes` are keys, `web` is off, auto or an engine's id.

        Cited pages are not opened where the conversation stays on this machine.
        """
        opens_pages = opens_pages and not egress.current().stays_here
        return EvidencePlaces(
            read=self._reader().read if opens_pages else None,
            search_bases=partial(self._search_bases, scopes) if scopes else None,
            search_web=partial(self._search_web, web) if web != WEB_OFF else None,
            judges=self._judges(),
        )

    async def look_up(self, query: str, web: str, emit: EmitStep = _show_nothing) -> FoundPassages:
        """Search the web for a query, and read the pages found."""
        query = without_links(query)  # a page is only read as a reference
        question = Question(query, "", web=web, queries=(query,), uses_memory=False)
        request = GatherRequest(question, (), await self._pick_model(QUOTES_MODEL), _BUDGET_TOKENS)
        found = await self._lookup.gather(request, emit)
        errors = () if found.passages else (outcome.error for outcome in found.outcomes if outcome.error)
        return FoundPassages(tuple(found.passages), tuple(dict.fromkeys((*errors, *found.notes))))

    async def _search_web(self, web: str, claim: str) -> FoundPassages:
        return await self.look_up(claim[:_QUERY_CHARS], web)

    async def _search_bases(self, scopes: Sequence[str], claim: str) -> FoundPassages:
        """Find passages, also weak ones: a claim that is wrong is not worded as in its source."""
        found = await self._knowledge.retrieve([claim], scopes, _PASSAGES_OF_CLAIM)
        near = found.passages or tuple(left.passage for left in found.left_out[:_PASSAGES_OF_CLAIM])
        return FoundPassages(near, () if found.is_unanswered else found.notes)
