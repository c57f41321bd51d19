"""Finds sentences that answer a question, or that summarise the sources, without a language model.

For a question, `ranking` scores each sentence by the likelihood that it answers; if all are unlikely,
there is no answer. For a summary, each sentence is scored by the terms that it shares with the rest of its
source.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from desktop.domain.sources import Source
from desktop.providers.quotes.answer_type import subject_of
from desktop.providers.quotes.candidates import (
    Quote,
    Sentence,
    SourcePart,
    is_no_answer,
    parts_of,
    quotes_of,
    rank_quotes,
    readability,
)
from desktop.providers.quotes.ranking import Compare, Judge, RankedSentences, rank_sentences
from desktop.text.terms import content_terms

_ROW_WORTH = 0.1
"""Factor for table rows: one is quoted beside a sentence only if it is twice as likely to answer."""
_ROW_IN_PROSE = 0.45
"""Factor for table rows in a summary, where their source has fewer rows than sentences."""

_ANSWERS = 3
_SEVERAL_ANSWERS = 6
"""Maximum number of sentences for a question, and for one that asks for several things."""

_ASKS_FOR_SEVERAL = re.compile(
    r"哪些|哪几|都有谁|列出|列举|分别|所有|全部|几[种类个]方面"
    r"|\b(?:list|all|several|every|name (?:two|three|four|five|some)|what are|who are|which (?:\w+ )?\w{3,}s)\b",
    re.IGNORECASE,
)


def best_sentences(
    question: str,
    sources: Sequence[Source],
    compare: Compare | None = None,
    judge: Judge | None = None,
) -> tuple[Quote, ...]:
    """Return the sentences that answer `question`, likeliest first; empty if none is likely enough."""
    parts = [part for of_source in parts_of(sources) for part in of_source]
    return pick_answers(question, rank_sentences(question, parts, compare, judge))


def pick_answers(question: str, ranked: RankedSentences) -> tuple[Quote, ...]:
    """Return the quotes for ranked sentences; empty if none of them answers."""
    if not ranked.is_answered:
        return ()
    weighed = [replace(sentence, score=sentence.score * _worth(sentence)) for sentence in ranked.sentences]
    most = _SEVERAL_ANSWERS if _ASKS_FOR_SEVERAL.search(question) else _ANSWERS
    return rank_quotes(weighed, most, ranked.kept_share)


def _worth(sentence: Sentence) -> float:
    if is_no_answer(sentence):
        return 0.0
    return _ROW_WORTH if sentence.is_row else 1.0


_WISH = re.compile(
    r"\bsummar(?:y|ies|i[sz]e)|\b(?:main|key) (?:points?|ideas?)\b|\boverview\b|\bgist\b|\btl;?dr\b"
    r"|\bwhat (?:is|are|does|do) (?:this|these|the|it|they|my)\b.{0,300}\b(?:about|say)\b"
    r"|总结|概括|摘要|归纳|概述|要点|大意|主要内容|主要观点|讲了什么|说了什么|讲的是什么|关于什么",
    re.IGNORECASE,
)
_MATERIAL = re.compile(
    r"\b(?:documents?|files?|articles?|pages?|papers?|texts?|sources?|websites?|pdf|content|give|brief|short)\b"
    r"|文[档件章本]|文献|资料|论文|网页|页面|内容|材料|报告|来源|链接|[这那该][份篇个些段条]?|主要|简要|简单|帮我|一下",
    re.IGNORECASE,
)
_POLITELY = (
    r"\W*(?:(?:(?:can|could|would|will) you|please|kindly|now|just|hey|ok(?:ay)?|help me(?: to)?|let.?s"
    r"|i (?:want|need|would like|.d like) you to)\b\W*)*"
)
_CHINESE_POLITELY = r"\W*+(?:请你?|麻烦你?|帮我|帮忙|给我|替我|为我|你能不能|你能|能不能|能否|可不可以|可以|我想让你|我要你|现在)*\s*+"
_WRITTEN = (
    r"(?:poems?|sonnets?|haikus?|limericks?|rhymes?|(?:short )?stor(?:y|ies)|fairy tales?|tales?|songs?|lyrics|jokes?|riddles?|raps?"
    r"|essays?|letters?|e-?mails?|messages?|repl(?:y|ies)|speech(?:es)?|toasts?|tweets?|posts?|articles?|blogs?|captions?|slogans?|taglines?"
    r"|titles?|headlines?|names?|ads?|scripts?|code|functions?|programs?|class(?:es)?|regex(?:es)?|quer(?:y|ies)|macros?|formulas?|cv|resumes?"
    r"|résumés?|bios?|dialogues?|scenes?|plans?|ideas?|tests?|invitations?|complaints?|applications?)"
)
_SOME_WORDS = r"(?:\W++\w[\w’'+#]*+){0,5}?"
"""Each word ends in only one place: “write -----…” would be divided in millions of ways."""
_TO_WRITE = re.compile(
    rf"^{_POLITELY}(?:"
    rf"(?:write|compose|draft|invent|make up|come up with|generate|create|sing){_SOME_WORDS}\W+{_WRITTEN}\b"
    rf"|(?:give me|tell me|suggest)\W+(?:ideas|jokes|(?:an?|some|another|your|\d+|two|three|four|five|ten){_SOME_WORDS}\W+{_WRITTEN})\b"
    r"|(?:translate|rewrite|reword|rephrase|paraphrase|proofread|edit|polish|shorten|debug|refactor|brainstorm|calculate|compute|role.?play"
    r"|pretend|act as)\b"
    r"|solve\s+(?:this|these|the|for|it|[\dx(])"
    r"|(?:correct|improve|fix|continue|finish|convert)\s+(?:this|that|these|my|the following|it)\b"
    r"|how are you\b|who are you\b|(?:hi|hello|hey|thanks?(?: you)?|good (?:morning|evening|night))\b[\W\d]*$)"
    r"|^[^\w(]*+(?:what(?:.s| is)\s++)?(?!\d{1,4}(?:/\d{1,4}|(?:-\d\d){2})[?\s]*+$)"  # not 9/11, a date
    r"[\d(][\d\s.,()]*+(?:[-+*/×÷^%][\d\s.,()]++)++[=?\s]*+$"
    rf"|^{_CHINESE_POLITELY}(?:用[^，。！？]{{1,10}}?)?(?:"
    r"(?:(?:写|编写|创作|生成|起草|续写)(?:一|几|两|三|\d)?[首篇个段封份则句些条副]?"
    r"|(?:作|编|来|讲|想|出|取|起|拟)(?:一|几|两|三|\d)?[首篇个段封份则句些条副])[^，。！？,.!?]{0,20}?"
    r"(?:诗|词|歌|故事|童话|笑话|谜语|小说|散文|作文|文章|文案|邮件|信|演讲稿|发言稿|致辞|请假条|简历|脚本|代码|函数|程序|正则|对联"
    r"|标题|口号|广告语|名字|点子|剧本|台词|祝福语|朋友圈|检讨|计划)(?![是的里中有吗]|为什么|怎么)"
    r"|翻译|(?:把|将)[^？?]{0,200}(?:翻?译成|改成|改写|换成|转换成)|润色|改写|改错|校对|续写|扩写|修改(?:这|下|以)|扮演|假装|计算(?![机器])|算一下|算算|解方程"
    r"|头脑风暴|(?:你好|您好|谢谢你?|早上好|晚上好|再见)\W*$|你是谁"
    r"|[\d.]+\s*(?:乘以?|加上?|减去?|除以)\s*[\d.]+)",
    re.IGNORECASE,
)
"""A wish at the beginning that no quoted sentence fulfils: to write, translate, correct, calculate or chat."""

_LEAD_WORTH = 0.5
"""Weight of a sentence's position: texts tend to start with what they are about."""
_FEW_TERMS = 5


def wants_summary(question: str) -> bool:
    """Say whether a question asks for a summary."""
    return _WISH.search(question) is not None


def wants_new_text(question: str) -> bool:
    """Say whether a question asks for words that are in no source: a poem, a translation, a program, a sum, small talk."""
    return not wants_summary(question) and _TO_WRITE.search(question) is not None


def names_no_subject(question: str) -> bool:
    """Say whether a summary request names no subject, so that it applies to all sources."""
    return not content_terms(subject_of(_MATERIAL.sub(" ", _WISH.sub(" ", question))))


def central_sentences(sources: Sequence[Source]) -> tuple[Quote, ...]:
    """Return the sentences that share most terms with the rest of their source, preferring the first ones."""
    scored = [sentence for parts in parts_of(sources) for sentence in _score_by_centrality(parts)]
    return quotes_of(scored)


def score_sentences(sources: Sequence[Source]) -> tuple[Sentence, ...]:
    """Return all sentences of sources that belong to one text, scored together; they keep their numbers."""
    return tuple(_score_by_centrality([part for parts in parts_of(sources) for part in parts]))


def _score_by_centrality(parts: Sequence[SourcePart]) -> list[Sentence]:
    contents = [
        (sentence, frozenset(content_terms(sentence.text))) for part in parts for sentence in part.sentences
    ]
    holders = Counter(term for _, content in contents for term in content)
    rows = sum(sentence.is_row for sentence, _ in contents)
    is_table = rows >= sum(not (sentence.is_row or sentence.is_heading) for sentence, _ in contents)
    return [
        replace(
            sentence,
            score=_centrality(content, holders)
            * (1 + _LEAD_WORTH / (1 + place))
            * readability(sentence)
            * (_ROW_IN_PROSE if sentence.is_row and not is_table else 1.0),
        )
        for place, (sentence, content) in enumerate(contents)
    ]


def _centrality(content: frozenset[str], holders: Counter[str]) -> float:
    """Return how much of its source's vocabulary a sentence shares per word; fragments score low."""
    if not content:
        return 0.0
    mean = sum(math.log(1 + holders[term]) for term in content) / len(content)
    return mean * min(1.0, len(content) / _FEW_TERMS)
