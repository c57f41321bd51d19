"""Finds the few memories that are relevant to a question, by its words; all others are not sent."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from desktop.domain.knowledge import Retrieval
from desktop.domain.memory import Memory, MemoryOrigin
from desktop.domain.messages import Message, Speaker
from desktop.domain.sources import Passage, SourceKind
from desktop.phrases import translatable
from desktop.text.passages import bm25_scores
from desktop.text.terms import content_terms

MOST = 5
"""Maximum number of memories for one question."""

_LEAST_SHARE = 0.3
"""Minimum share of the best score; below it a memory has little more than one word in common."""

_SAID = translatable("You said")
_CONFIRMED = translatable("Proposed by a model, confirmed by you")
_TITLES = {MemoryOrigin.SAID: _SAID, MemoryOrigin.CONFIRMED: _CONFIRMED}

_KNOWN_TEXTS = 8_192

_COUNTS = re.compile(r"\d{1,2}")
"""Numbers this short are counts: they identify no house, year of birth or telephone."""

# Words such as “live” or “每天” in both a question and a memory do not make them related.
_EVERYDAY = """
able actually ago almost already always another answer anything ask away back bad become begin best better big bring
buy call certain change come company cost country create day days different difference easy eat end enough even
example explain fact far fast feel find first full give go good great happen hard help high hold home hour idea
important information interest keep kind know large last late learn leave less life light line list little live long
look lose lot love low main man mean means meet mention minute money month move name near need never new next nice
night number often old open order part pay people person place plan play point possible prefer problem put question
reason recommend remember right run say second see sell send set show side simple small something sort speak start
stay still stop story suggest sure take talk tell thing think time today tomorrow tonight try turn type understand use
useful used usual version wait walk want watch way week weekend well win word work works world write wrong year years
yesterday young blue red green black white one two three four five six seven eight nine ten half
一样 一起 一直 不同 东西 两 个人 之前 之后 事 事情 人 今天 今年 介绍 使用 做 做法 先 全部 公司 写 出 出来 分 别 到底 办 办法
区别 卖 原因 去年 变 叫 吃 喜欢 喝 回 国家 地方 多 多久 大 大家 天 好 好的 如果 字 学 学习 完 家 容易 小 小时 工作 希望
常 年 建议 开 开始 当 影响 快 想 意思 感觉 找 推荐 支持 放 方法 方便 明天 昨天 星期 是什么 最好 最近 月 有关 有哪些 朋友 本 来自
正常 每天 每年 每周 比如 比较 水 注意 活动 点 特别 现在 用 用来 生活 电话 目标 直接 看 看看 知道 种 第一 简单 经常 给我 老 花 解决
觉得 记得 记住 认为 请教 读 起来 跟 路 过程 适合 选 选择 部分 里面 重要 钱 长 问 问题 间 需要 高 今晚 周末 帮 帮我 哪种 怎么办 这么
不吃 不想 不要 不用 喜欢吃 标是 天要 天应 么用
"""


@dataclass(frozen=True)
class MemoryRetriever:
    """Looks up memories; see `desktop.domain.knowledge.Retriever`. Ignores the scope, which is for bases."""

    memories: Sequence[Memory]

    async def retrieve(self, queries: Sequence[str], scope: Sequence[str], count: int) -> Retrieval:  # noqa: ARG002 (of the protocol)
        """Return the matching memories, the best first."""
        found = await asyncio.to_thread(match_memories, self.memories, queries)
        return Retrieval(tuple(passage_of(memory, score) for memory, score in found[: min(count, MOST)]))


@dataclass(frozen=True)
class UnreadableMemories:
    """Stands for memories that cannot be read from disk; the answer continues without them and reports it."""

    reason: str

    async def retrieve(self, queries: Sequence[str], scope: Sequence[str], count: int) -> Retrieval:  # noqa: ARG002 (of the protocol)
        """Return the reason as a note."""
        return Retrieval(notes=(self.reason,))


def match_memories(memories: Sequence[Memory], queries: Iterable[str]) -> list[tuple[Memory, float]]:
    """Return the memories that match `queries`, the best first, with their scores.

    A memory matches by a distinctive word: everyday words and bare numbers do not count.
    """
    texts = [memory.text for memory in memories]
    named = [_names(text) for text in texts]
    best = [0.0] * len(texts)
    for query in queries:
        asked = _names(query)
        matches = [bool(asked & names) for names in named]
        if any(matches):  # most questions match no memory and need no scores
            scores = bm25_scores(query, texts)
            best = [
                max(known, score) if is_match else known
                for known, score, is_match in zip(best, scores, matches, strict=True)
            ]
    least = _LEAST_SHARE * max(best, default=0.0)
    found = [
        (memory, score) for memory, score in zip(memories, best, strict=True) if score > 0 and score >= least
    ]
    return sorted(found, key=lambda each: each[1], reverse=True)


def passage_of(memory: Memory, score: float = 0.0) -> Passage:
    """Return a memory as a source that can be numbered; its date is the day of its last change."""
    return Passage(
        SourceKind.MEMORY,
        _TITLES[memory.origin],
        memory.text,
        document=memory.id,
        score=score,
        published=memory.changed_at.date().isoformat(),
    )


def user_texts(history: Iterable[Message]) -> tuple[str, ...]:
    """Return the texts of the user's messages."""
    return tuple(message.text for message in history if message.speaker is Speaker.USER)


def marks(texts: Iterable[str]) -> frozenset[str]:
    """Return the identifying terms of texts: names, and numbers that are not mere counts."""
    found = {term for text in texts for term in content_terms(text)}
    return frozenset(term for term in found if not _COUNTS.fullmatch(term)) - _everyday()


@lru_cache(maxsize=_KNOWN_TEXTS)
def _names(text: str) -> frozenset[str]:
    return frozenset(term for term in content_terms(text) if not term.isdecimal()) - _everyday()


@cache
def _everyday() -> frozenset[str]:
    words = _EVERYDAY.split()
    return frozenset(words) | frozenset(content_terms(" ".join(words)))
