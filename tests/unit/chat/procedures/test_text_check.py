"""The check of a text: places in their order, a state that goes on, an end at any time."""

import pytest

from desktop.chat.checking.texts import EvidencePlaces, FoundPassages
from desktop.chat.procedures.text_check import OutsideText, check_text
from desktop.domain.citation_check import SupportLevel, UnreadReason
from desktop.domain.events import CitationsChecked, ProcedureChanged, TextReplaced
from desktop.domain.procedures import AnswerNow, EvidencePlace, Phase, TextCheck
from desktop.domain.search import PageStatus, WebPage
from desktop.domain.sources import Passage, SourceKind
from desktop.errors import IndexUnavailable, NoTextToCheck
from tests.turns import run_with
from tests.unit.chat.procedures.library import Desk, NotingModel

pytestmark = pytest.mark.anyio

TOWER = "The lighthouse of Velmora was built in 1873 by Ada Korsten. Its lamp reaches 42 kilometres."
HARBOUR = "The harbour of Ostrava was closed in 1900 because the river silted up."
TEXT = (
    "The lighthouse of Velmora was built in 1873 by Ada Korsten ([site](https://a.example/tower)). "
    "The harbour of Ostrava was closed in 1900 ([site](https://a.example/gone)). "
    "Penguins sing operas in the market hall."
)


class Places:
    """Pages and passages by their words; `asked` has what was looked up where."""

    def __init__(self) -> None:
        self.asked = []

    async def read(self, address):
        self.asked.append(("page", address))
        if address.endswith("/tower"):
            return WebPage(PageStatus.READ, address, "The tower", TOWER)
        return WebPage(PageStatus.NOT_FOUND, address, error="Gone.")

    async def bases(self, claim):
        self.asked.append(("bases", claim))
        return FoundPassages((Passage(SourceKind.FILE, "notes.md", HARBOUR, "file:///notes.md", "f" * 64),))

    async def web(self, claim):
        self.asked.append(("web", claim))
        return FoundPassages((), ("No search engine answered.",))


class Pasted:
    async def load_file(self, path, _report):
        return OutsideText(path.name, TEXT)

    async def load_page(self, address):
        return OutsideText(address, TEXT)


async def checked(desk, places, state=TextCheck(), asked=TEXT):
    """Check a text; the events are those of the desk, also after an error."""

    async def run(begun, context):
        await check_text(begun, "message", asked, (), texts=Pasted(), places=places, context=context)

    async for event in run_with(desk.context, run, state):
        desk.events.append(event)
    return desk.events


async def test_the_page_that_is_cited_decides_first_then_bases_then_the_web():
    found = Places()
    desk = Desk(NotingModel())
    places = EvidencePlaces(read=found.read, search_bases=found.bases, search_web=found.web)
    events = await checked(desk, places)
    state = [event.procedure for event in events if isinstance(event, ProcedureChanged)][-1]
    assert state.phase is Phase.DONE
    tower, harbour, penguins = state.claims
    assert (tower.place, tower.verdict.support) == (EvidencePlace.CITED, SupportLevel.SUPPORTED)
    assert (harbour.place, harbour.verdict.support) == (EvidencePlace.BASES, SupportLevel.SUPPORTED)
    assert [mark.unread for mark in harbour.judged] == [None, UnreadReason.GONE]
    assert penguins.verdict.support is SupportLevel.NOT_FOUND
    assert state.checked[0] == penguins  # the worst first
    assert state.notes == ("No search engine answered.",)
    titles = {source.number: source.title for source in desk.context.ledger.sources}
    assert titles == {1: "The tower", 2: "site", 3: "notes.md"}  # a link is called by the page that was read
    looked_up = [where for where, _ in found.asked]
    assert looked_up.count("page") == 2
    assert looked_up.count("bases") == 2  # not for the claim that its own page supports
    assert looked_up.count("web") == 1
    _without_marks, text = [event.text for event in events if isinstance(event, TextReplaced)]
    assert text.startswith("The lighthouse of Velmora was built in 1873 by Ada Korsten [1]. The harbour of")
    assert "closed in 1900 [2][3]. Penguins" in text
    (check,) = [event.check for event in events if isinstance(event, CitationsChecked)]
    assert [(mark.number, mark.support) for mark in check.marks] == [
        (1, SupportLevel.SUPPORTED),
        (2, SupportLevel.UNREAD),
        (3, SupportLevel.SUPPORTED),
    ]


async def test_a_cited_page_that_is_found_again_is_named_once():
    found = Places()
    desk = Desk(NotingModel())
    page = Passage(SourceKind.WEB, "The tower", TOWER, "https://a.example/tower")

    async def web(_claim):
        return FoundPassages((page,))

    text = "Its lamp reaches 42 kilometres, to Ostrava ([site](https://a.example/tower))."
    events = await checked(desk, EvidencePlaces(read=found.read, search_web=web), asked=text)
    (claim,) = [event.procedure for event in events if isinstance(event, ProcedureChanged)][-1].claims
    assert [(mark.number, mark.support) for mark in claim.judged] == [(1, SupportLevel.WEAK)]
    assert claim.place is EvidencePlace.CITED


async def test_a_page_in_another_language_does_not_make_a_claim_partly_supported():
    found = Places()
    chinese = "维尔莫拉的灯塔由阿达·科斯滕（Ada Korsten）于1873年建成，灯光可达42公里。"

    async def read(address):
        if address.endswith("/chinese"):
            return WebPage(PageStatus.READ, address, "灯塔", chinese)
        return await found.read(address)

    async def web(_claim):
        return FoundPassages((Passage(SourceKind.WEB, "灯塔", chinese, "https://b.example/lamp"),))

    async def harbour(claim):
        return FoundPassages((*(await web(claim)).passages, *(await found.bases(claim)).passages))

    text = (
        "The lighthouse of Velmora by Ada Korsten cost 90 crowns in 1875 ([site](https://a.example/gone)). "
        "The lighthouse of Velmora by Ada Korsten had 77 steps in 1876 ([site](https://a.example/chinese)). "
        "The lighthouse of Velmora by Ada Korsten burned down in 1877. "
        "The harbour of Ostrava was closed in 1901."
    )
    events = await checked(Desk(NotingModel()), EvidencePlaces(read, harbour, web), asked=text)
    claims = [event.procedure for event in events if isinstance(event, ProcedureChanged)][-1].claims
    assert [claim.verdict.support for claim in claims] == [
        SupportLevel.UNREAD,
        SupportLevel.UNCOMPARED,
        SupportLevel.NOT_FOUND,
        SupportLevel.CONTRADICTED,
    ]
    assert claims[3].verdict.missing == ("1901",)


async def test_a_check_that_broke_off_goes_on_without_asking_again():
    found = Places()
    desk = Desk(NotingModel())
    text = "".join(f"The harbour number {number} of Ostrava was closed in 1900.\n\n" for number in range(12))
    asked = 0

    async def failing(claim):
        nonlocal asked
        asked += 1
        if asked > 9:
            raise IndexUnavailable(detail="the disk is gone")
        return await found.bases(claim)

    with pytest.raises(IndexUnavailable):
        await checked(desk, EvidencePlaces(search_bases=failing), asked=text)
    state = desk.states[-1]
    assert len(state.checked) == 8
    found.asked.clear()
    events = await checked(Desk(NotingModel()), EvidencePlaces(search_bases=found.bases), state, text)
    ended = [event.procedure for event in events if isinstance(event, ProcedureChanged)][-1]
    assert (ended.phase, len(ended.checked), len(found.asked)) == (Phase.DONE, 12, 4)


async def test_the_user_ends_a_check_and_keeps_what_was_checked():
    desk = Desk(NotingModel())
    desk.context.control.take(AnswerNow())
    events = await checked(desk, EvidencePlaces())
    state = [event.procedure for event in events if isinstance(event, ProcedureChanged)][-1]
    assert (state.phase, state.checked, state.ended_by) == (Phase.DONE, (), "You ended the check here.")


async def test_a_text_that_states_nothing_is_refused():
    with pytest.raises(NoTextToCheck):
        await checked(Desk(NotingModel()), EvidencePlaces(), asked="# A heading\n\n| a | b |\n")


async def test_a_page_that_may_not_be_opened_is_told_apart_from_one_that_does_not_say_it():
    desk = Desk(NotingModel())
    events = await checked(
        desk, EvidencePlaces(), asked="The harbour has two lights ([site](https://a.example/x))."
    )
    state = [event.procedure for event in events if isinstance(event, ProcedureChanged)][-1]
    (claim,) = state.claims
    assert (claim.verdict.support, claim.verdict.unread) == (SupportLevel.UNREAD, UnreadReason.KEPT_BACK)
