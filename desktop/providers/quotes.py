"""The built-in model Quotes: answers with sentences of the sources, needs no key and no network."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from desktop.domain.models import (
    QUOTES_MODEL,
    FinishReason,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    StreamEnded,
    TextDelta,
)
from desktop.domain.sources import Source
from desktop.providers.candidates import Quote
from desktop.providers.extraction import best_sentences
from desktop.providers.gist import central_sentences, names_no_subject, wants_gist
from desktop.text.language import language_of

QUOTES = ModelInfo(id=QUOTES_MODEL, name="Quotes", provider="Footnote")

_CHINESE = {
    "found": "资料中这样写道：",
    "no_sources": (
        "没有可以引用的资料。**Quotes** 只会摘录资料原文，自己不会作答。"
        "上面的步骤说明了查找的结果。可以打开网络搜索、添加文件，或在设置中配置一个语言模型。"
    ),
    "no_answer": (
        "找到的 {count} 条资料都没有回答这个问题，所以这里不作答。"
        "可以换一种问法、打开网络搜索、添加文件，或在设置中配置一个语言模型。"
    ),
}
_ENGLISH = {
    "found": "This is what the sources say:",
    "no_sources": (
        "There are no sources to quote from. **Quotes** only repeats what sources say and knows nothing itself. "
        "The steps above show what was tried. "
        "Switch web search on, add files, or set up a language model in Settings."
    ),
    "no_answer": (
        "None of the sources found ({count}) answers this question, so there is nothing to quote. "
        "Try other words, switch web search on, add files, or set up a language model in Settings."
    ),
}

_SIGNIFICANT = re.compile(r"[\\`*_~$]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|:(?=//)|(?<=www)\.|@(?=\w)")
_PAIRED = frozenset("`*_~$")
"""These mean something in pairs only; alone they stay as they are, for those who read the text unrendered."""
_BRACKET = re.compile(r"\[(?![^\[\]\d^]*\](?![(\[:]))|[【［]")
"""Opens what may be read as a citation, a link or a definition, unlike `[sic]`."""
_BLOCK_START = re.compile(r"^(?:[#>+*=:|~-]|\d{1,9}(?=[.)]))")


class Quotes:
    """Answers with what `ModelRequest.references` say about `ModelRequest.question`."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the answer sentence by sentence; never fails."""
        quotes = await asyncio.to_thread(_quotes, request.question, request.references)
        for piece in _answer(request.question, request.references, quotes):
            yield TextDelta(piece)
        yield StreamEnded(FinishReason.STOP)


def _quotes(question: str, references: Sequence[Source]) -> tuple[Quote, ...]:
    if not wants_gist(question):
        return best_sentences(question, references)
    found = () if names_no_subject(question) else best_sentences(question, references)
    return found or central_sentences(references)


def _answer(question: str, references: Sequence[Source], quotes: Sequence[Quote]) -> Iterator[str]:
    words = _CHINESE if language_of(question) == "zh" else _ENGLISH
    if not references:
        yield words["no_sources"]
    elif not quotes:
        yield words["no_answer"].format(count=len(references))
    else:
        yield words["found"]
        for quote in quotes:
            marks = "".join(f"[{number}]" for number in quote.numbers)
            yield f"\n\n- {as_text(quote.text)} {marks}"


def as_text(sentence: str) -> str:
    """Return Markdown that shows `sentence` and nothing else: no markup, link or citation of its own."""
    escaped = _SIGNIFICANT.sub(lambda match: _escaped(match.group(), sentence), sentence)
    # as entities: behind a backslash `[` would open display maths, and the wide ones know no escape
    escaped = _BRACKET.sub(lambda match: f"&#{ord(match.group())};", escaped)
    return _BLOCK_START.sub(_escape_block_start, escaped)


def _escaped(sign: str, sentence: str) -> str:
    return sign if sign in _PAIRED and sentence.count(sign) == 1 else f"\\{sign}"


def _escape_block_start(match: re.Match[str]) -> str:
    start = match.group()
    return f"{start}\\" if start.isdigit() else f"\\{start}"
