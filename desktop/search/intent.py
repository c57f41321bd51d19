"""Decides what a question needs: queries for the web and for files, links to open, and how long to wait."""

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from html import escape, unescape
from pathlib import Path
from statistics import median
from threading import Lock

import msgspec

from desktop.domain.messages import Message, Speaker
from desktop.domain.models import Model, ModelRequest, PromptMessage, TextDelta
from desktop.domain.trace import Decider
from desktop.errors.servers import ProviderError
from desktop.phrases import sentences, translatable
from desktop.resources import fill_resource, resource_text
from desktop.search.keywords import keyword_query, title_query
from desktop.text.almost_xml import asked_name, names_pattern, strip_tags, strip_thoughts
from desktop.text.terms import add_subject, content_terms, parts_of_question

NOT_NEEDED = "not_needed"
SUMMARIZE = "summarize"

_MAX_CHARS = 20_000
_MAX_QUESTIONS = 4
_MAX_QUESTION_CHARS = 300
_SECTIONS = ("websearch", "knowledge")
_ELEMENTS = ("question", "rewrite", "links")
_SECTION = re.compile(rf"<\s*(/?)\s*({names_pattern(*_SECTIONS)})[^<>]*?(/?)>", re.IGNORECASE)
_ELEMENT = re.compile(
    rf"<\s*({names_pattern(*_ELEMENTS)})[^<>]*>(.*?)"
    rf"(?:(?P<end><\s*/\s*{names_pattern(*_ELEMENTS)}\s*>)"
    rf"|(?=<\s*/?\s*{names_pattern(*_ELEMENTS, *_SECTIONS, 'lookup')})|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE = re.compile(r".*</\s*\w+\s*>", re.DOTALL)
_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)、])\s+")


@dataclass(frozen=True)
class IntentBlock:
    """One block of a decision. Without questions it says that nothing, or only a summary, is needed."""

    questions: tuple[str, ...] = ()
    rewrite: str = ""
    summarizes: bool = False


@dataclass(frozen=True)
class Lookup:
    """A decision as the model wrote it; a missing or malformed block is None."""

    web: IntentBlock | None = None
    knowledge: IntentBlock | None = None
    links: tuple[str, ...] = ()


def parse_lookup(text: str) -> Lookup:
    """Return the decision in `text`, which may be fenced, truncated, unescaped or wrapped in prose."""
    written = strip_thoughts(text[-_MAX_CHARS:])
    web: list[str] = []
    knowledge: list[str] = []
    loose: list[str] = []
    place, position = loose, 0
    for mark in _SECTION.finditer(written):
        place.append(written[position : mark.start()])
        position = mark.end()
        opens = not (mark[1] or mark[3])
        named = web if asked_name(mark[2], _SECTIONS) == "websearch" else knowledge
        place = named if opens else loose
        if mark[3]:
            named.append(f"<question>{NOT_NEEDED}</question>")
    place.append(written[position:])
    elements = "".join(web), "".join(knowledge), "".join(loose)
    shared = _section(elements[2])  # questions outside any block are meant for both
    return Lookup(
        web=_section(elements[0]) or shared,
        knowledge=_section(elements[1]) or shared,
        links=tuple(dict.fromkeys(link for part in elements for link in _links(part))),
    )


def whole_elements(text: str) -> str:
    """Return `text` up to its last end tag, dropping an unfinished rest."""
    found = _WHOLE.match(text)
    return found[0] if found else ""


def _section(block: str) -> IntentBlock | None:
    """Return the content of a block, or None if nothing in it can be used."""
    found = [
        (asked_name(match[1], _ELEMENTS), _plain(match[2]), match["end"])
        for match in _ELEMENT.finditer(block)
    ]
    finished = [text for name, text, end in found if name == "question" and text and end]
    cut_off = [text for name, text, end in found if name == "question" and text and not end]
    asked = finished or cut_off  # half a question is better than none and worse than a whole one
    rewrite = next((text for name, text, _ in found if name == "rewrite" and text), "")
    if not found:  # <knowledge>not_needed</knowledge>
        asked = [bare] if (bare := _plain(block)) and _value(bare) in {NOT_NEEDED, SUMMARIZE} else []
    values = {_value(text) for text in asked}
    questions = [text for text in asked if _value(text) not in {NOT_NEEDED, SUMMARIZE}]
    if not asked and not rewrite:
        return None
    if _value(rewrite) in {NOT_NEEDED, SUMMARIZE}:
        rewrite = ""
    if not asked:
        questions = [rewrite]
    return IntentBlock(
        tuple(filter(None, dict.fromkeys(questions)))[:_MAX_QUESTIONS],
        rewrite,
        summarizes=SUMMARIZE in values,
    )


def _links(block: str) -> list[str]:
    """Return the text of all link elements; the caller checks whether it is an address."""
    texts = (match[2] for match in _ELEMENT.finditer(block) if asked_name(match[1], _ELEMENTS) == "links")
    return [word for text in texts for word in unescape(strip_tags(text)).split()]


def _plain(text: str) -> str:
    """Return the text of an element on one line, without tags, entities and list marks."""
    line = " ".join(_LIST_MARK.sub("", unescape(strip_tags(text))).split())
    return "".join(char for char in line if char.isprintable())[:_MAX_QUESTION_CHARS].strip()


def _value(text: str) -> str:
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


LIMIT_S = 20.0
"""How long a model of unknown speed may take to decide."""

Timed = Callable[[float, bool], None]
"""Receives how many seconds a model took to decide, and whether it finished in that time."""

_MAX_OUTPUT_TOKENS = 700
_HISTORY_MESSAGES = 8
_HISTORY_CHARS = 700
_QUESTION_CHARS = 4_000
_MAX_LINKS = 8
_END = re.compile(r"</\s*lookup\s*>", re.IGNORECASE)
_LINK = re.compile(
    r"(?:https?://|(?<![\w@/.-])www\.)[^\s<>\"'`“”‘’（）【】「」《》，。；！？、|\\^{}]+", re.IGNORECASE
)
_LINK_TAIL = ".,;:!?*_~"
_PAIRS = {")": "(", "]": "["}

_ONLY_WIKIPEDIA = "The web is Wikipedia alone: its questions are titles of articles or a few keywords, never whole questions."
_NO_MODEL = translatable("Searched with keywords from your question.")
_NOT_READABLE = translatable(
    "The model’s search terms couldn’t be read, so keywords from your question were used."
)
_SLOW = translatable("The model took longer than {seconds} s to choose search terms, so keywords were used.")
_KEYWORDS_USED = translatable("Keywords were used.")


@dataclass(frozen=True)
class Intent:
    """What to search for. No queries and no links mean that nothing is needed.

    `rewrite` is the complete question, for display and for the search in files. `fallback_reason` says why the
    queries are keywords of the question and not a model's. If `summarizes`, the question asks for a summary of
    the linked pages and attached files, so all of them is read.
    """

    web_queries: tuple[str, ...] = ()
    knowledge_queries: tuple[str, ...] = ()
    rewrite: str = ""
    links: tuple[str, ...] = ()
    fallback_reason: str = ""
    decider: Decider = Decider.NONE
    summarizes: bool = False


async def decide(
    question: str,
    history: Sequence[Message],
    *,
    model: Model | None,
    model_name: str = "",
    has_knowledge: bool,
    wants_web: bool,
    is_encyclopedia: bool = False,
    limit_s: float = LIMIT_S,
    on_timed: Timed = lambda _seconds, _is_finished: None,
) -> Intent:
    """Return what `question` needs; without a usable response of the model, keywords decide.

    `is_encyclopedia` means that the only web source is Wikipedia, which is searched by titles and keywords. A
    model that takes longer than `limit_s` is cancelled; `on_timed` receives its duration unless it failed.

    Links in the message are opened whatever the model says. A model cannot add an address of its own: an
    address counts only if the user wrote it, now or earlier.
    """
    links = links_in(question)
    if not (has_knowledge or wants_web):
        return Intent(rewrite=question, links=links)
    by_keywords = decide_by_keywords(
        question,
        history,
        has_knowledge=has_knowledge,
        wants_web=wants_web,
        is_encyclopedia=is_encyclopedia,
    )
    if not by_keywords.rewrite:  # a greeting, or nothing but a link
        return replace(by_keywords, rewrite=question)
    if model is None:
        return replace(by_keywords, fallback_reason=_NO_MODEL, decider=Decider.KEYWORDS)
    places = _places(has_knowledge=has_knowledge, wants_web=wants_web)
    if is_encyclopedia and wants_web:
        places = f"{places} {_ONLY_WIKIPEDIA}"
    messages = _messages(question, history, places)
    request = ModelRequest(
        model_name, messages, temperature=0.0, max_output_tokens=_MAX_OUTPUT_TOKENS, thinks=False
    )
    written, problem = await _ask(model, request, limit_s, on_timed)
    if problem:  # half a question is worse than the keywords
        written = whole_elements(written)
    lookup = _without_echoes(parse_lookup(written), (question, *(message.text for message in history)))
    named = _links_of_user(lookup.links, history)
    decided = _ask_model(lookup, question, has_knowledge=has_knowledge, wants_web=wants_web)
    if decided is None:
        reason = problem or _NOT_READABLE
        return replace(by_keywords, fallback_reason=reason, decider=Decider.KEYWORDS)
    if is_encyclopedia:
        decided = replace(decided, web_queries=_titles(decided.web_queries))
    return replace(decided, links=tuple(dict.fromkeys([*links, *named]))[:_MAX_LINKS])


def _titles(queries: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(title_query, queries)))


def explicit_intent(question: str, queries: Sequence[str]) -> Intent:
    """Return what `question` needs if the user has given the queries."""
    asked = tuple(dict.fromkeys(queries))
    return Intent(asked, asked, rewrite=question, links=links_in(question), decider=Decider.USER)


def links_in(text: str) -> tuple[str, ...]:
    """Return the web addresses in `text`, without trailing punctuation."""
    found = (_trim(match.group()) for match in _LINK.finditer(text))
    whole = (link if "://" in link else f"https://{link}" for link in found)
    return tuple(dict.fromkeys(whole))[:_MAX_LINKS]


def without_links(text: str) -> str:
    """Return `text` without its web addresses."""
    return _LINK.sub(" ", text).strip()


def _trim(link: str) -> str:
    while link and (
        link[-1] in _LINK_TAIL or (link[-1] in _PAIRS and link.count(_PAIRS[link[-1]]) < link.count(link[-1]))
    ):
        link = link[:-1]
    return link


def decide_by_keywords(
    question: str,
    history: Sequence[Message],
    *,
    has_knowledge: bool,
    wants_web: bool,
    is_encyclopedia: bool = False,
) -> Intent:
    """Return what `question` needs by its keywords; a greeting or a bare link has no `rewrite`."""
    earlier = [message.text for message in history if message.speaker is Speaker.USER][-_HISTORY_MESSAGES:]
    query = keyword_query(question, earlier)
    queries = _keyword_queries(question, earlier) if query else ()
    titles = _titles(queries) if is_encyclopedia else queries
    return Intent(
        web_queries=titles if wants_web else (),
        knowledge_queries=queries if has_knowledge else (),
        rewrite=query,
        links=links_in(question),
    )


def _keyword_queries(question: str, earlier: Sequence[str]) -> tuple[str, ...]:
    """Return a query for each part of the question."""
    first, *others = parts_of_question(question)
    queries = [keyword_query(first, earlier)]
    queries += [keyword_query(add_subject(part, first), (*earlier, first)) for part in others]
    return tuple(dict.fromkeys(filter(None, queries)))


async def _ask(model: Model, request: ModelRequest, limit_s: float, on_timed: Timed) -> tuple[str, str]:
    """Return the text the model wrote, even if incomplete, and an error text."""
    written: list[str] = []
    started = time.monotonic()
    try:
        async with asyncio.timeout(limit_s), aclosing(model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    written.append(event.text)
                    if ">" in event.text and _END.search("".join(written[-40:])):
                        break  # some models go on to explain their response
    except TimeoutError:
        on_timed(time.monotonic() - started, False)
        return "".join(written), _SLOW.format(seconds=round(limit_s))
    except ProviderError as error:
        return "".join(written), sentences((str(error), _KEYWORDS_USED))
    on_timed(time.monotonic() - started, True)
    return "".join(written), ""


def _ask_model(lookup: Lookup, question: str, *, has_knowledge: bool, wants_web: bool) -> Intent | None:
    """Return the decision of the model, or None if nothing of it can be used.

    A missing or malformed block takes the questions of the other.
    """
    web = lookup.web or lookup.knowledge
    knowledge = lookup.knowledge or lookup.web
    if web is None or knowledge is None:
        return None
    rewrite = knowledge.rewrite or question
    files = knowledge.questions or ((rewrite,) if knowledge.summarizes else ())
    return Intent(
        web_queries=web.questions if wants_web else (),
        knowledge_queries=files if has_knowledge else (),
        rewrite=rewrite,
        decider=Decider.MODEL,
        summarizes=(web.summarizes or knowledge.summarizes) and not (web.questions or knowledge.questions),
    )


def _without_echoes(lookup: Lookup, conversation: Sequence[str]) -> Lookup:
    """Drop queries that a small model copied from the examples in the prompt."""
    known = set(content_terms(" ".join(conversation)))
    echoes = {query for query in _example_queries() if known.isdisjoint(content_terms(query))}

    def remove_echoes(section: IntentBlock | None) -> IntentBlock | None:
        if section is None or echoes.isdisjoint((*section.questions, section.rewrite)):
            return section
        kept = tuple(query for query in section.questions if query not in echoes)
        rewrite = "" if section.rewrite in echoes else section.rewrite
        return replace(section, questions=kept, rewrite=rewrite) if kept else None

    return replace(lookup, web=remove_echoes(lookup.web), knowledge=remove_echoes(lookup.knowledge))


@cache
def _example_queries() -> frozenset[str]:
    documents = [parse_lookup(text) for text in resource_text("prompts/intent.txt").split("</lookup>")]
    sections = [section for lookup in documents for section in (lookup.web, lookup.knowledge) if section]
    return frozenset(
        query for section in sections for query in (*section.questions, section.rewrite) if query
    )


def _links_of_user(links: Sequence[str], history: Sequence[Message]) -> list[str]:
    """Return those of `links` that the user wrote earlier, because pages must not be able to plant any."""
    written = {
        link for message in history if message.speaker is Speaker.USER for link in links_in(message.text)
    }
    return [link for link in links if link in written]


def _messages(question: str, history: Sequence[Message], places: str) -> tuple[PromptMessage, ...]:
    fields = {
        "today": datetime.now().astimezone().date().isoformat(),
        "places": places,
        "history": _format_history(history) or "(nothing yet)",
        "question": _material(question, _QUESTION_CHARS),
    }
    return (
        PromptMessage("system", fill_resource("prompts/intent.txt", fields)),
        PromptMessage("user", fill_resource("prompts/intent_message.txt", fields)),
    )


def _places(*, has_knowledge: bool, wants_web: bool) -> str:
    if has_knowledge and wants_web:
        return (
            "The web and the user's own files can be searched. Fill both blocks, each for what it can know."
        )
    if wants_web:
        return "Only the web can be searched: the question of <knowledge> is not_needed, its rewrite is still wanted."
    return "Only the user's own files can be searched: the question of <websearch> is not_needed."


def _format_history(history: Sequence[Message]) -> str:
    lines = []
    for message in history[-_HISTORY_MESSAGES:]:
        who = "Person" if message.speaker is Speaker.USER else "Assistant"
        lines.append(f"{who}: {_material(message.text, _HISTORY_CHARS)}")
    return "\n".join(lines)


def _material(text: str, limit: int) -> str:
    """Return a text that cannot close any of the template's tags."""
    return escape(_shorten(text, limit), quote=False)


def _shorten(text: str, limit: int) -> str:
    """Keep the beginning and the end, one of which contains the actual question."""
    if len(text) <= limit:
        return text
    return f"{text[: limit * 2 // 3]} […] {text[-limit // 3 :]}"


_REMEMBERED_TIMES = 5
_FEWEST_TIMES = 2
"""The first decision may include loading the model, so one measurement is not enough."""
_SPARE = 2.0
"""A decision may take twice as long as it usually does."""
_SHORTEST_LIMIT_S = 4.0
_QUESTIONS_BETWEEN_TRIES = 10
"""A model that is too slow is tried again after this many questions, as it may have become faster."""


@dataclass
class _TimesRecord:
    times_s: tuple[float, ...] = ()
    passed_over: int = 0


class DecisionTimes:
    """The measured decision times of each model, by its id. Thread-safe."""

    def __init__(self, file: Path | None = None) -> None:
        """Load the times; `file` keeps them between runs, and a damaged one counts as empty."""
        self._file = file
        self._lock = Lock()
        self._is_changed = False
        self._records: defaultdict[str, _TimesRecord] = defaultdict(_TimesRecord, _read(file))

    def note(self, model: str, seconds: float, *, is_finished: bool) -> None:
        """Record that a decision took `seconds`, or was cancelled after that time.

        The real duration of a cancelled decision is unknown; twice the time is assumed.
        """
        taken = seconds if is_finished else seconds * _SPARE
        with self._lock:
            record = self._records[model]
            record.times_s = (*record.times_s, taken)[-_REMEMBERED_TIMES:]
            record.passed_over = 0
            self._is_changed = True

    def limit_s(self, model: str, longest_s: float) -> float:
        """Return how long to wait for a decision of `model`, at most `longest_s`."""
        times_s = self._records[model].times_s
        if len(times_s) < _FEWEST_TIMES:
            return longest_s
        return min(max(_SPARE * median(times_s), _SHORTEST_LIMIT_S), longest_s)

    def too_slow_s(self, model: str, longest_s: float) -> float:
        """Return how long a decision usually takes if that is more than `longest_s`, else 0.

        Every tenth time it is 0 nevertheless, so that the model is used and measured again.
        """
        with self._lock:
            record = self._records[model]
            if len(record.times_s) < _FEWEST_TIMES or median(record.times_s) <= longest_s:
                return 0.0
            record.passed_over += 1
            return median(record.times_s) if record.passed_over % _QUESTIONS_BETWEEN_TRIES else 0.0

    def save(self) -> None:
        """Save new times. They are not essential, so a write error is ignored."""
        with self._lock, suppress(OSError):
            if self._file is None or not self._is_changed:
                return
            self._is_changed = False
            self._file.parent.mkdir(parents=True, exist_ok=True)
            draft = self._file.with_suffix(".new")
            draft.write_bytes(msgspec.json.encode(dict(self._records)))
            draft.replace(self._file)


def _read(file: Path | None) -> dict[str, _TimesRecord]:
    try:
        return {} if file is None else msgspec.json.decode(file.read_bytes(), type=dict[str, _TimesRecord])
    except (OSError, msgspec.MsgspecError):
        return {}
