"""Detects what kind of answer a question asks for, and where a sentence contains something of that kind."""

import re
from collections.abc import Collection, Iterator
from enum import Enum, auto

from desktop.text.chinese_words import tag_words


class AnswerType(Enum):
    """The kind of answer that a question asks for."""

    NUMBER = auto()
    DATE = auto()
    PERSON = auto()
    PLACE = auto()
    NAME = auto()
    """A name of anything other than a person or a place, such as a team, a work or a company."""
    DEFINITION = auto()
    REASON = auto()
    MANNER = auto()


_ASKS: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        AnswerType.NAME,
        re.compile(
            r"(?:冠军|亚军|季军|金牌|得主|球队|队伍|四强)(?:是?[谁哪].*)?[？?]?$|最[高大多长][^，]{0,4}的[^数量率]{1,6}[？?]?$"
        ),
    ),
    (
        AnswerType.DATE,
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:year|date|day|time|month|century|decade)\b"
            r"|何时|什么时[候间期]|哪[一]?[年天日月]|几[月日号点]|几时|时间|日期|年份",
            re.IGNORECASE,
        ),
    ),
    (
        AnswerType.NUMBER,
        re.compile(
            r"\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|heavy|wide)\b"
            r"|\b(?:population|percentage|price|cost|number|amount|age) of\b|\bwhat (?:percent|number|age|score)"
            r"|多少|多久|几[^乎点何]|几$|多[大高长远久深重快]|人数|人次|次数|数量|金额|价格|票房|票价|占比|比例|增长率|排名|第几"
            r"|点数|震级|[率量额速]$",
            re.IGNORECASE,
        ),
    ),
    (
        AnswerType.PERSON,
        re.compile(
            r"\bwho(?:m|se)?\b|\b(?:what|which) (?:person|man|woman|actor|actress|author|president|singer|king|queen)\b"
            r"|谁|哪[一]?位|何人|什么人|作者|导演|创始人|主演|教练|总理|首席执行官|议长|市长|指令长|火炬手",
            re.IGNORECASE,
        ),
    ),
    (
        AnswerType.PLACE,
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:country|city|place|state|town|continent|county|region|river|island)\b"
            r"|哪里|哪儿|何处|何地|在哪|什么地方|哪[个些]?(?:国家|城市|地方|地区|省|州|县|市)|位于|地点|举办地",
            re.IGNORECASE,
        ),
    ),
    (
        AnswerType.REASON,
        re.compile(r"\bwhy\b|\b(?:reason|cause)s?\b|为什么|为何|原因|何以|怎么会", re.IGNORECASE),
    ),
    (
        AnswerType.NAME,
        re.compile(
            r"\b(?:which|what) (?!(?:is|are|was|were|do|does|did|has|have|had|can|could|would|should|will|kind|type|sort)\b)\w+"
            r"|\bname of\b|\bnamed?\b|\bcalled\b|叫什么|名[字称]|哪[一]?[个些支家部所款本首条种届]|成员|主创|有谁|对手|成绩|结果|冠军|亚军|季军|得主|金牌|最佳",
            re.IGNORECASE,
        ),
    ),
    (
        AnswerType.DEFINITION,
        re.compile(
            r"^\W*(?:what|who)(?:'s| is| are| was| were)\b|\bdefin(?:e|ition)\b|\bmeaning of\b|\bwhat does .* mean"
            r"|什么是|是什么|是谁|指什么|什么意思|何谓|何为|含义|定义|介绍|简介",
            re.IGNORECASE,
        ),
    ),
    (
        AnswerType.MANNER,
        re.compile(
            r"\bhow (?:to|do|does|did|can|could|should|is|are)\b|怎么|怎样|如何|方法|步骤", re.IGNORECASE
        ),
    ),
)

_CHINESE_DIGITS = "[一二两三四五六七八九十百千万亿零〇]"
_DAY = (
    r"\d{2,4}\s*年(?:\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*[日号])?)?|\d{1,2}\s*月\s*\d{1,2}\s*[日号]|\d{1,2}\s*(?:月|日|号|时|点)"
    rf"|{_CHINESE_DIGITS}{{2,4}}年|{_CHINESE_DIGITS}{{1,3}}月"
    r"|\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}:\d\d\b"
)
_MONTH = (
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.?|Feb\.?|Mar\.?|Apr\.?|Jun\.?|Jul\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\.?)"
)
_WORD_NUMBER = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|hundred|thousand|million|billion|trillion|half|twice|once"
    r"|thirds?|quarters?)s?\b"
)
_DATE = re.compile(
    rf"{_DAY}|世纪|公元|[东西]周|[东西]汉|春秋|战国|[夏商周秦汉晋隋唐宋元明清]朝|[明清]代|\b\d{{1,2}}(?:st|nd|rd|th)? century|{_MONTH}(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?(?:,?\s+\d{{4}})?(?![a-z])"
    r"|\b(?:1\d|20)\d\ds?\b|\b(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b"
)
_NUMBER = re.compile(
    rf"[$€£¥]?\d+(?:[,.]\d+)*|{_CHINESE_DIGITS}+(?=[个位名人次年月日天岁米元件种家座条项倍成%％届只所支部分])|{_WORD_NUMBER}",
    re.IGNORECASE,
)
_NO_QUANTITY = re.compile(
    rf"{_DAY}|\b\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}|{_MONTH}\s+\d{{1,2}}\b(?:,?\s+\d{{4}})?|(?<![\d$€£¥.,])(?:1[5-9]|20)\d\d(?![\d,.]*\d|\s?[%％])"
)
"""Days and years, which are not quantities."""
_DIGITS = re.compile(r"\d+(?:[,.]\d+)*")
_NAME = re.compile(
    r"\b(?:[A-Z][\w'’.-]*|[a-z]*[A-Z]\w+)(?:\s+(?:(?:of|de|van|von|the|al|bin|and|&)\s+)?(?:[A-Z][\w'’.-]*|\d+\b))*"
)
_FIRST_WORD = re.compile(r"(?:^|[.!?:“\"]\s*)(?P<word>[A-Z][\w'’-]*)")
_TITLE = re.compile(r"《[^《》]{1,40}》|“[^“”]{1,40}”|「[^「」]{1,40}」|\"[^\"]{2,40}\"")
_CHINESE_NAME = re.compile(r"[\u4e00-\u9fff]{1,8}(?:[·•・‧-][\u4e00-\u9fff]{1,8})+")
_REASON = re.compile(
    r"\b(?:because|due to|since|therefore|thus|caused? by|result(?:s|ed)? (?:from|in)|leads? to|led to|in order to|reason)\b"
    r"|因为|由于|原因|所以|导致|因此|因而|从而|使得|造成|为了|[因系]",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\b(?:by|using|use|first|then|step|through|via|method|process|click|select|install|run)\b"
    r"|通过|首先|然后|步骤|方法|使用|利用|采用|点击|选择|方式",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"\b(?:is|are|was|were) (?:a|an|the|one of|any|used|defined)\b|\brefers? to\b|\bmeans\b|\bknown as\b"
    r"|是指|指的是|是一[^样直定般旦]|是[^否]{1,30}[的之]|即|，是|又称|亦称|被称为|简称",
    re.IGNORECASE,
)
_MARKERS = {
    AnswerType.REASON: _REASON,
    AnswerType.MANNER: _MANNER,
    AnswerType.DEFINITION: _DEFINITION,
}
_CHINESE_TAGS = {
    AnswerType.PERSON: frozenset({"nr", "nrt", "nrfg"}),
    AnswerType.PLACE: frozenset({"ns", "nt"}),
    AnswerType.NAME: frozenset({"nr", "nrt", "nrfg", "ns", "nt", "nz"}),
}
_HAN = re.compile(r"[\u4e00-\u9fff]")

_UNITS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))
    for asked, given in (
        (
            r"多久|多长时间|how long|how old|多大|\bage\b",
            r"\s*-?(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|decades?|[年天月周日岁]|小时|分钟|个月|星期|km|miles?|kilomet|met|feet|ft|m\b)",
        ),
        (
            r"多少钱|价格?|售价|票房|收入|金额|元$|费用|how much|\bcost|\bprice|\bworth|salary|revenue|GDP的?(?:总量|是)",
            r"\s*(?:[多余]?[万亿]*(?:美|欧|日|港|人民币)?[元镑币]|[万亿]|million|billion|trillion|dollars?|pounds?|euros?|cents?)",
        ),
        (r"率|比例|占比|percent|增速|涨了|上涨|增长", r"\s*(?:%|％|‰|个百分点|per ?cent|percentage)"),
        (
            r"人数|人口|多少[名位]?(?:人|学生|志愿者|本科生)|几[个名位]?人|how many people|population",
            r"\s*(?:[多余]?[万亿]*[余多]?[名人位]|people|persons?|million|inhabitants|residents|students|members)",
        ),
        (
            r"how (?:far|tall|high|deep|wide)|多[高远长深宽重]",
            r"\s*-?(?:km|m\b|cm|miles?|mi\b|kilomet|met|feet|foot|ft|inch|yards?|[米公千里尺吨克]|厘米)",
        ),
        (r"产量|多重|重量", r"\s*[万亿]*\s*[余多]?(?:吨|公斤|斤|千克|克|桶|立方|tons?|tonnes?|kg)"),
    )
)
_COUNTED = re.compile(r"(?:多少|几)([\u4e00-\u9fff])|\bhow many (?:\w+ ){0,2}?(\w{3})\w*", re.IGNORECASE)


_ASKING = re.compile(
    r"(?:[是有在叫为被]|分别|大[约概]|一共|总共|请问|请|告诉我|介绍一下)*"
    r"(?:为什么|什么(?:样|时候|时间|地方|人)?|哪(?:一?[个些里儿位年天日月种家条部次]|怕)?|谁|多少|几[个种次位年月日名]?"
    r"|何[时处地人以]|为何|怎么?样?|如何|是否|能否|吗|呢|吧|[的了]|[？?，。])"
)
"""Function words: words next to them do not belong to the subject for that reason."""


def subject_of(question: str) -> str:
    """Return the question without its Chinese question words, which are not separated by spaces."""
    return _ASKING.sub(" ", question)


def detect_answer_type(question: str) -> AnswerType | None:
    """Return the kind of answer that fits, or None if the question does not show it."""
    return next((wanted for wanted, asks in _ASKS if asks.search(question)), None)


def spans_of_type(wanted: AnswerType, sentence: str, known: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the wanted kind in `sentence`, except for the `known` terms of the question."""
    match wanted:
        case AnswerType.NUMBER:
            yield from _numbers(sentence, known)
        case AnswerType.DATE:
            for date in _DATE.finditer(sentence):
                if any(part not in known for part in _DIGITS.findall(date.group()) or [date.group()]):
                    yield date.span()
        case AnswerType.PERSON | AnswerType.PLACE | AnswerType.NAME:
            yield from _names(wanted, sentence, known)
        case _:
            yield from (match.span() for match in _MARKERS[wanted].finditer(sentence))


def _numbers(sentence: str, known: Collection[str]) -> Iterator[tuple[int, int]]:
    days = [match.span() for match in _NO_QUANTITY.finditer(sentence)]
    for number in _NUMBER.finditer(sentence):
        start, end = number.span()
        if number.group() not in known and not any(first <= start < last for first, last in days):
            yield start, end


def _names(wanted: AnswerType, sentence: str, known: Collection[str]) -> Iterator[tuple[int, int]]:
    openings = {match.start("word") for match in _FIRST_WORD.finditer(sentence)}
    for name in _NAME.finditer(sentence):
        words = name.group().lower().split()
        is_opening = name.start() in openings and len(words) == 1 and name.group()[1:].islower()
        if not is_opening and any(word.strip(".") not in known for word in words):
            yield name.span()
    if wanted is AnswerType.NAME:
        yield from (match.span() for match in _TITLE.finditer(sentence))
    if _HAN.search(sentence):
        yield from (match.span() for match in _CHINESE_NAME.finditer(sentence))
        tags = _CHINESE_TAGS[wanted]
        position = 0
        for word, tag in tag_words(sentence):
            if tag in tags and word not in known and len(word) > 1:
                yield position, position + len(word)
            position += len(word)


def has_asked_unit(question: str, sentence: str, end: int) -> bool | None:
    """Say whether the number that ends at `end` counts what the question asks for; None if unknown."""
    behind = sentence[end : end + 20]
    counted = _COUNTED.search(question)
    found = None
    if counted and (counted[1] or counted[2]):
        thing = (counted[1] or counted[2]).lower()
        found = thing in behind.lower()[: 4 if counted[1] else 20]
    for asked, given in _UNITS:
        if asked.search(question):
            found = (
                bool(found)
                or bool(given.match(behind))
                or sentence[max(0, end - 12) : end].lstrip()[:1] in "$€£¥%"
            )
    return found
