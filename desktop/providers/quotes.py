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
from desktop.providers.extraction import Quote, best_sentences
from desktop.text.language import language_of

QUOTES = ModelInfo(id=QUOTES_MODEL, name="Quotes", provider="Footnote")

_CHINESE = {
    "found": "资料中这样写道：",
    "no_sources": (
        "没有可以引用的资料。**Quotes** 只会摘录资料原文，自己不会作答。"
        "请打开网络搜索、添加文件，或在设置中配置一个语言模型。"
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
        "Switch web search on, add files, or set up a language model in Settings."
    ),
    "no_answer": (
        "None of the sources found ({count}) answers this question, so there is nothing to quote. "
        "Try other words, switch web search on, add files, or set up a language model in Settings."
    ),
}

_SIGNIFICANT = re.compile(r"[\\`*_<~$]|&(?=#?\w+;)|:(?=//)|(?<=www)\.|@(?=\w)")
_BRACKETS = str.maketrans({"[": "&#91;", "【": "&#12304;", "［": "&#65339;"})
"""As entities: escaped with a backslash, `[` would open display maths; the wide ones know no escape."""
_BLOCK_START = re.compile(r"^(?:[#>+=:-]|\d{1,9}(?=[.)]))")


class Quotes:
    """Answers with what `ModelRequest.references` say about `ModelRequest.question`."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the answer sentence by sentence; never fails."""
        quotes = await asyncio.to_thread(best_sentences, request.question, request.references)
        for piece in _answer(request.question, request.references, quotes):
            yield TextDelta(piece)
        yield StreamEnded(FinishReason.STOP)


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
    escaped = _SIGNIFICANT.sub(r"\\\g<0>", sentence).translate(_BRACKETS)
    return _BLOCK_START.sub(_escape_block_start, escaped)


def _escape_block_start(match: re.Match[str]) -> str:
    start = match.group()
    return start + "\\" if start.isdigit() else "\\" + start
