"""Queries without a model: politeness dropped, and what a bare follow-up leaves out put back."""

import re
from collections.abc import Sequence

from desktop.text.terms import content_terms

_MAX_CHARS = 200
_MAX_WORDS = 24
_TOPIC_WORDS = 3
_BARE_TERMS = 2
"""A Chinese question with no more than this leaves its subject to what was said before."""

_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_ENGLISH_FRAME = re.compile(
    r"^(?:(?:hi|hello|hey|ok|okay|well|so|and|but|please|now|thanks|thank you|also)\b[\s,.!:]*)+"
    r"|\b(?:please|kindly|thanks|thank you|by the way|i wonder|i(?:'d| would) like to know|i want to know"
    r"|i(?:'m| am) (?:looking for|interested in)|do you know|can you|could you|would you|will you"
    r"|tell me(?: more)?(?: about)?|explain(?: to me)?|show me|find(?: out| me)?|search for|look up"
    r"|give me|help me|let me know|describe|what (?:about|else)|how about)\b",
    re.IGNORECASE,
)
_CHINESE_FRAME = re.compile(
    r"^(?:你好|您好|嗨|那么|那|好的|好吧|嗯哼?|对了|谢谢|感谢)[，,。！!\s]*"
    r"|请问(?:一下)?|麻烦(?:你|您)?|拜托|谢谢(?:你|您)?|劳驾|(?:能不能|可不可以|可以|能否|能)(?:帮我|告诉我|给我|介绍)"
    r"|(?:帮|给|替)我(?:找找?|查查?|搜搜?|看看|讲讲|介绍|说说|解释)?(?:一下|下)?|告诉我|我(?:想|要|希望)(?:知道|了解|问|查)(?:一下)?"
    r"|(?:你|您)(?:知道|觉得|认为|了解)|查(?:一下|一查|查)|搜(?:一下|索一下|索)|介绍一下|解释一下|讲讲|说说|详细说|(?:一下)"
)
_CHINESE_PARTICLES = re.compile(r"(?:吗|呢|吧|啊|呀|嘛|哦|么|呗|哈)+(?=[\s，。！？,.!?]|$)")
_SMALL_TALK = re.compile(
    r"^\W*(?:how are (?:you|things)|how do you do|who are you|what are you|what can you do|(?:yes|no|sure|cool|great|wow|lol)\b"
    r"|你是谁|你好吗|你叫什么|你能做什么|是的?|不是?|对|嗯+|哈+)[\W\w]{0,12}$",
    re.IGNORECASE,
)
_ENGLISH_POINTER = re.compile(
    r"\b(?:it|its|it's|they|they're|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|ones?"
    r"|the (?:first|second|third|last|other|latter|former|same|next|others|rest|two)|others?|another|both|such)\b"
    r"|^\W*(?:and|but|or|so|what about|how about|what else)\b",
    re.IGNORECASE,
)
_ENGLISH_OPEN_END = re.compile(
    r"\b(?:the|any|some)(?: [\w'-]+){1,3}\W*$|^\W*(?:why|how|when|where|who)\W*(?:so|not|then)?\W*$",
    re.IGNORECASE,
)
"""“What are the main advantages?” asks of something that was named before."""
_CHINESE_POINTER = re.compile(
    r"[他她它]们?|这|那[个些种本部位款]|其中|其[他它]|后者|前者|第[一二三四五六七八九十\d][个条种次款部点]|另[一外]|还有|上面|以上|刚才|上述"
    r"|^(?:那|为什么|为啥|怎么|如何|多少|哪|谁|是|有|和|跟|比|也|还)|呢[？?]?$"
)
_WORD = re.compile(r"[\w\u0900-\u0dff]+(?:[.'’+#&@/:-]+[\w\u0900-\u0dff]+)*[+#]*")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def keyword_query(question: str, earlier: Sequence[str]) -> str:
    """Return a query for `question`; empty if it asks for nothing, such as a greeting.

    `earlier` are the person's questions before it, oldest first. A follow-up ("and the second one?",
    "那后者呢？") gets the words of what was asked before, as it cannot be searched for by itself.
    """
    topic: list[str] = []
    for text in earlier:
        words = _keywords(text)
        names = _names(words)
        if not _is_follow_up(text, words):
            topic = names or words
        elif names:
            topic = names
    words = _keywords(question)
    if topic and _is_follow_up(question, words):
        words = _joined(topic, words)
    return _within(words or _small_words(question))


def _small_words(question: str) -> list[str]:
    """Return the words of a question that has small ones only (“Who are The Who?”), unless it is small talk."""
    plain = _URL.sub(" ", question).strip()
    framed = _CHINESE_FRAME.sub(" ", _ENGLISH_FRAME.sub(" ", plain))
    return [] if _SMALL_TALK.match(plain) else _WORD.findall(framed)


def _joined(topic: Sequence[str], words: Sequence[str]) -> list[str]:
    """Put the topic, as it was first named, before what is asked about it now."""
    own = {term for word in words for term in content_terms(word)}
    carried = [word for word in topic if not own.issuperset(content_terms(word))]
    return [*carried[-_TOPIC_WORDS:], *words]


def _names(words: Sequence[str]) -> list[str]:
    """Return what looks like a name: capitals beyond the beginning, digits."""
    return [word for word in words[1:] if not word.islower() and not _HAN.search(word)]


def _keywords(text: str) -> list[str]:
    """Return the words of `text` that say what it is about, in their order."""
    plain = _URL.sub(" ", text)
    if _HAN.search(plain):
        framed = _CHINESE_PARTICLES.sub(" ", _CHINESE_FRAME.sub(" ", plain))
        return [word for word in _WORD.findall(framed) if content_terms(word)]
    framed = _ENGLISH_FRAME.sub(" ", plain)
    return list(dict.fromkeys(word for word in _WORD.findall(framed) if content_terms(word)))


def _is_follow_up(text: str, words: Sequence[str]) -> bool:
    if _HAN.search(text):
        return bool(_CHINESE_POINTER.search(text)) or len(set(content_terms(" ".join(words)))) <= _BARE_TERMS
    return bool(_ENGLISH_POINTER.search(text) or _ENGLISH_OPEN_END.search(text)) or not words


def _within(words: Sequence[str]) -> str:
    query = " ".join(words[:_MAX_WORDS])
    return query if len(query) <= _MAX_CHARS else query[:_MAX_CHARS].rpartition(" ")[0] or query[:_MAX_CHARS]
