"""The built-in model Quotes: answers with sentences of the sources, without a key or the network."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import mul
from typing import Protocol

from desktop.domain.models import (
    QUOTES_MODEL,
    AnswerRemark,
    FinishReason,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    StreamEnded,
    TextDelta,
)
from desktop.domain.search import SearchStatus
from desktop.domain.sources import Source
from desktop.errors import AppError
from desktop.phrases import translatable
from desktop.providers.quotes.candidates import Quote
from desktop.providers.quotes.extraction import (
    best_sentences,
    central_sentences,
    names_no_subject,
    wants_new_text,
    wants_summary,
)
from desktop.providers.quotes.ranking import Compare, Judge
from desktop.text.language import language_of
from desktop.text.terms import add_subject, content_terms, parts_of_question, terms

QUOTES = ModelInfo(id=QUOTES_MODEL, name="Quotes", provider="Footnote")

_CHINESE = {
    "found": "资料中这样写道：",
    "no_part": "找到的资料没有回答这一点。",
    "search_web": "联网搜索、",
    "no_sources": (
        "没有可以引用的资料。**原文摘录**只会摘录资料中的句子，不会自己作答。"
        "可以{search_web}添加文件，或在“设置”的“模型”中设置一个语言模型。"
    ),
    "new_text": (
        "**原文摘录**只会摘录资料中的句子，不会写作、翻译、计算或聊天。"
        "请在消息下方换一个模型，或在“设置”的“模型”中设置一个语言模型。"
    ),
    "no_files": (
        "你的文件似乎没有回答这个问题，所以没有可以引用的资料。"
        "可以换一种问法、{search_web}或在知识库的设置中把“相关度下限”设为 0。"
    ),
    "no_answer": (
        "找到的 {count} 条资料都没有回答这个问题，所以这里不作答。**原文摘录**不会自己写文字。"
        "可以换一种问法、{search_web}添加文件，或在“设置”的“模型”中设置一个语言模型。"
    ),
    SearchStatus.OFFLINE: (
        "无法连接到网络上的搜索引擎，所以没有可以引用的资料。请检查网络连接，然后重试。"
        "没有网络时也可以就文件提问：在消息中添加文件，或选择一个知识库。"
    ),
    SearchStatus.TIMED_OUT: (
        "搜索引擎没有及时回应，所以没有可以引用的资料。请稍后重试，或在设置中换一个搜索引擎。"
    ),
    SearchStatus.BLOCKED: (
        "搜索引擎拒绝了这次搜索，所以没有可以引用的资料。请稍后重试，或在设置中换一个搜索引擎。"
    ),
    SearchStatus.LAYOUT_CHANGED: (
        "搜索引擎的结果页面无法读懂，所以没有可以引用的资料。可以在设置中换一个搜索引擎。"
    ),
    SearchStatus.NOTHING_FOUND: "联网搜索没有找到任何结果。可以换一种问法，或在上面的步骤中修改查询。",
}
_ENGLISH = {
    "found": "From the sources:",
    "no_part": "The sources found do not answer this.",
    "search_web": " use web search,",
    "no_sources": (
        "There are no sources to quote. **Quotes** copies sentences from sources and can’t write answers of its own. "
        "You can{search_web} add files, or set up a language model in Settings > Models."
    ),
    "new_text": (
        "**Quotes** only copies sentences from sources. It can’t write, translate, calculate or chat. "
        "Choose another model below the message, or set one up in Settings > Models."
    ),
    "no_files": (
        "Your files do not seem to answer this, so there is nothing to quote. "
        "Try other words,{search_web} or set “Minimum relevance” of the knowledge base to 0."
    ),
    "no_answer": (
        "None of the sources found ({count}) answers this question, so there is nothing to quote. "
        "**Quotes** can’t write text of its own. "
        "Try other words,{search_web} add files, or set up a language model in Settings > Models."
    ),
    SearchStatus.OFFLINE: (
        "The web can’t be reached, so there is nothing to quote. Check your connection and try again. "
        "Files can be asked without a network: attach some, or choose a knowledge base."
    ),
    SearchStatus.TIMED_OUT: (
        "The search engines did not respond in time, so there is nothing to quote. "
        "Try again later, or choose another engine in Settings."
    ),
    SearchStatus.BLOCKED: (
        "The search engines refused the search, so there is nothing to quote. "
        "Try again later, or choose another engine in Settings."
    ),
    SearchStatus.LAYOUT_CHANGED: (
        "The search engines sent pages that couldn’t be read, so there is nothing to quote. "
        "Choose another engine in Settings."
    ),
    SearchStatus.NOTHING_FOUND: (
        "The web search found nothing. Try other words, or edit the queries in the steps above."
    ),
}
_WITHOUT_NETWORK = translatable("The bundled network did not judge the sentences. {detail}")
_WORTH_OF_NEWS = 0.75
"""A repeated quote is left out if a new one scores at least this share of its score."""

_QUESTION_MARK = re.compile(r"[?？]$")
_ENDS = re.compile(r"[.!?。！？;；:：]$")

_SIGNIFICANT = re.compile(
    r"[\\`*~$]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|:(?=//)|(?<=www)\.|@(?=\w)"
)
_PAIRED = frozenset("`*_~$")
"""Characters that have a meaning only in pairs; single ones stay unescaped, for readers of the raw text."""
_BRACKET = re.compile(r"\[(?![^\[\]\d^]*\](?![(\[:]))|[【［]")
"""A bracket that may start a citation, a link or a definition, unlike the one in `[sic]`."""
_BLOCK_START = re.compile(r"^(?:[#>+*=:|~-]|\d{1,9}(?=[.)](?:\s|$)))")


class TextEmbedder(Protocol):
    """Embeds texts by the built-in embedding model."""

    async def __call__(self, texts: Sequence[str], *, is_query: bool = False) -> Sequence[bytes] | None:
        """Return one unit vector of 32-bit floats per text; None if they cannot be embedded now."""
        ...


class TextJudge(Protocol):
    """Judges by the bundled network whether texts answer a question."""

    async def __call__(self, question: str, texts: Sequence[str], *, of_sentences: bool) -> Sequence[float]:
        """Return one likelihood per text; raises AppError if they cannot be judged now."""
        ...


Find = Callable[[str, Sequence[Source]], tuple[Quote, ...]]
"""Returns the quotes of sources that answer a question."""


class QuotesModel:
    """Answers with what `ModelRequest.references` say about `ModelRequest.question`."""

    def __init__(self, embed: TextEmbedder | None = None, judge: TextJudge | None = None) -> None:
        self._embed = embed
        self._judge = judge

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the answer sentence by sentence; never fails."""
        if wants_new_text(request.question):
            yield TextDelta(_words(request)["new_text"])
            yield StreamEnded(FinishReason.STOP)
            return
        loop = asyncio.get_running_loop()
        compare = None if self._embed is None else _comparing(self._embed, loop)
        problems: list[AppError] = []
        judge = None if self._judge is None else _judging(self._judge, loop, problems)
        find = partial(best_sentences, compare=compare, judge=judge)
        parts = await asyncio.to_thread(_answer_parts, request.question, request.references, find)
        if problems:
            yield AnswerRemark(_WITHOUT_NETWORK.format(detail=problems[0]))
        for piece in _answer(request, parts):
            yield TextDelta(piece)
        yield StreamEnded(FinishReason.STOP)


def _comparing(embed: TextEmbedder, loop: asyncio.AbstractEventLoop) -> Compare:
    """Return a function for other threads that compares texts by embeddings made in `loop`."""

    async def vectors(question: str, texts: Sequence[str]) -> tuple[Sequence[bytes], Sequence[bytes]] | None:
        asked = await embed([question], is_query=True)
        found = await embed(texts) if asked else None
        return (asked, found) if asked and found else None

    def compare(question: str, texts: Sequence[str]) -> list[float] | None:
        made = asyncio.run_coroutine_threadsafe(vectors(question, texts), loop).result()
        return None if made is None else [_cosine(made[0][0], vector) for vector in made[1]]

    return compare


def _judging(judge: TextJudge, loop: asyncio.AbstractEventLoop, problems: list[AppError]) -> Judge:
    """Return a function for other threads that has texts judged in `loop`, until that fails once."""

    async def judge_texts(question: str, texts: Sequence[str], of_sentences: bool) -> Sequence[float]:
        return await judge(question, texts, of_sentences=of_sentences)

    def judge_now(question: str, texts: Sequence[str], of_sentences: bool) -> Sequence[float] | None:
        if problems:
            return None
        try:
            return asyncio.run_coroutine_threadsafe(judge_texts(question, texts, of_sentences), loop).result()
        except AppError as error:
            problems.append(error)
            return None

    return judge_now


def _cosine(one: bytes, other: bytes) -> float:
    """Return the product of two unit vectors of 32-bit floats."""
    return float(sum(map(mul, memoryview(one).cast("f"), memoryview(other).cast("f"))))


@dataclass(frozen=True)
class _QuestionPart:
    """One part of the question, with the quotes that answer it."""

    question: str
    quotes: tuple[Quote, ...]

    def with_question(self, question: str) -> "_QuestionPart":
        """Return this part with a further question that its quotes answer."""
        gap = "" if language_of(question) == "zh" else " "
        return replace(self, question=f"{_capitalize(self.question)}{gap}{_capitalize(question)}")


def _answer_parts(question: str, references: Sequence[Source], find: Find) -> tuple[_QuestionPart, ...]:
    asked = (question,) if wants_summary(question) else _as_questions(parts_of_question(question))
    first, *others = asked
    parts = [_QuestionPart(first, _quotes(first, references, find))]
    for part in others:
        quotes = _quotes_of_part(part, first, references, find)
        best = max((quote.score for quote in quotes), default=0.0)
        news = tuple(quote for quote in quotes if not any(_says(one, quote) for one in parts))
        if any(quote.score >= best * _WORTH_OF_NEWS for quote in news) or not quotes:
            parts.append(_QuestionPart(part, news))
        else:
            said = max(quotes, key=lambda quote: quote.score)
            place = next(place for place, one in enumerate(parts) if _says(one, said))
            parts[place] = parts[place].with_question(part)
    if any(part.quotes for part in parts):
        return tuple(parts)
    return (_QuestionPart(question, _quotes(question, references, find)),)


def _as_questions(parts: Sequence[str]) -> list[str]:
    """Return the parts of a question with the question mark that “and” took from all but the last."""
    ending = _QUESTION_MARK.search(parts[-1])
    return [part if ending is None or _ENDS.search(part) else part + ending.group() for part in parts]


def _says(part: _QuestionPart, quote: Quote) -> bool:
    return any(quote.text in said.text for said in part.quotes)


def _quotes_of_part(part: str, first: str, references: Sequence[Source], find: Find) -> tuple[Quote, ...]:
    """Return the quotes for a later part; a quote that only contains the omitted subject does not count."""
    whole = add_subject(part, first)
    quotes = _quotes(whole, references, find)
    if whole == part:
        return quotes
    own = set(content_terms(part))
    return tuple(quote for quote in quotes if _has_any(own, quote.text))


def _has_any(words: Iterable[str], text: str) -> bool:
    held = set(terms(text))
    # Chinese characters are cut into other words elsewhere: “有多高” and “塔高86米”.
    return any(word in held or (not word.isascii() and word in text) for word in words)


def _quotes(question: str, references: Sequence[Source], find: Find) -> tuple[Quote, ...]:
    if not wants_summary(question):
        return find(question, references)
    found = () if names_no_subject(question) else find(question, references)
    return found or central_sentences(references)


def _words(request: ModelRequest) -> dict[str, str]:
    return _CHINESE if language_of(request.question) == "zh" else _ENGLISH


def _answer(request: ModelRequest, parts: Sequence[_QuestionPart]) -> Iterator[str]:
    words = _words(request)
    search_web = words["search_web"] if request.web is None else ""  # else it was searched already
    if not request.references:
        nothing = words["no_files" if request.has_unanswering_files else "no_sources"]
        yield words.get(request.web or "", nothing.format(search_web=search_web))
    elif not any(part.quotes for part in parts):
        yield words["no_answer"].format(count=len(request.references), search_web=search_web)
    else:
        yield words["found"]
        for part in parts:
            if len(parts) > 1:
                yield f"\n\n**{as_text(_capitalize(part.question))}**"
            for quote in part.quotes:
                marks = "".join(f"[{number}]" for number in quote.numbers)
                yield f"\n\n- {as_text(quote.text)} {marks}"
            if not part.quotes:
                yield f"\n\n{words['no_part']}"


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def as_text(sentence: str) -> str:
    """Return Markdown that shows exactly `sentence`, without any markup, link or citation in it."""
    escaped = _SIGNIFICANT.sub(lambda match: _escape(match.group(), sentence), sentence)
    # as entities: `\[` would start display maths, and the full-width brackets cannot be escaped
    escaped = _BRACKET.sub(lambda match: f"&#{ord(match.group())};", escaped)
    return _BLOCK_START.sub(_escape_block_start, escaped)


def _escape(sign: str, sentence: str) -> str:
    return sign if sign in _PAIRED and sentence.count(sign) == 1 else f"\\{sign}"


def _escape_block_start(match: re.Match[str]) -> str:
    start = match.group()
    return f"{start}\\" if start.isdigit() else f"\\{start}"
