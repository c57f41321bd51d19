"""Builds queries from keywords without a model, and recognizes questions that memories answer."""

import re
from collections.abc import Iterable, Sequence

from desktop.phrases import translatable
from desktop.text.terms import content_terms

_MAX_CHARS = 200
_MAX_WORDS = 24
_TOPIC_WORDS = 3
_BARE_TERMS = 2
"""A Chinese question with at most this many terms refers to an earlier subject."""

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
_CHITCHAT = re.compile(
    r"^\W*(?:how are (?:you|things)|how do you do|who are you|what are you|what can you do|(?:yes|no|sure|cool|great|wow|lol)\b"
    r"|你是谁|你好吗|你叫什么|你能做什么|是的?|不是?|对|嗯+|哈+)[\W\w]{0,12}$",
    re.IGNORECASE,
)
_LONGEST_COURTESY_CHARS = 160
_CLAUSE_END = re.compile(r"[,.!?;:…~—，。！？；：～、\n]+")
_DAY = r"(?:today|tonight|this morning|this evening|these days|lately)"
_ENGLISH_COURTESIES = (
    r"(?:hi|hiya|hey|hello|howdy|greetings)(?: there| all| everyone| again| friend| footnote)?",
    r"good (?:morning|afternoon|evening|night|day)(?: everyone| to you)?",
    rf"how(?: are|'re| is|'s) (?:you|things|it|everything|life|your day)(?: doing| going)?(?: {_DAY})?",
    r"how do you do|what(?: is|'s) up|sup|and you|are you (?:there|ok|okay|real|human|a bot|a robot|an ai)",
    r"(?:nice|pleased|glad|good|great) to (?:meet|see) you(?: too| again)?",
    r"who are you|what are you|what(?: is|'s) your name|what (?:can|do) you do(?: for me)?",
    r"(?:can|could|will|would) you (?:please )?help(?: me)?|introduce yourself|tell me about yourself",
    r"(?:many )?(?:thanks|thank you|thx)(?: a lot| so much| very much| again| for (?:your|the) help)?",
    r"(?:good)?bye(?: bye)?|see (?:you|ya)(?: later| soon| tomorrow)?|take care",
    r"have a (?:nice|good|great|lovely) (?:day|evening|night|weekend|one)",
    r"please|ok|okay|great|cool|nice|wow|lol|yes|no|sure|well|so",
)
_CHINESE_COURTESIES = (
    r"(?:你|您|大家|你们)好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好|早安|晚安|早",
    r"请问|麻烦|那么?|在吗|在不在|最近(?:怎么样|好吗|如何)|今天(?:怎么样|好吗)|过得(?:怎么样|好吗)",
    r"(?:你|您)(?:到底)?(?:是谁|是什么|叫什么(?:名字)?|(?:能|会|可以)做(?:些|点)?什么|会(?:些)?什么|有(?:什么|哪些)功能)",
    r"(?:你|您)(?:是(?:人|真人|机器人)|在|还好|(?:可以|能)帮(?:我|忙|帮我))|(?:自我)?介绍一?下(?:你|您)?自己|自我介绍(?:一下)?",
    r"(?:非常)?(?:谢谢|多谢|感谢)(?:你|您|你们)?(?:的帮助)?|辛苦(?:你|您)?了|很?高兴(?:认识|见到)(?:你|您)",
    r"再见|拜拜|明天见|回头见|好的?|嗯+|哈+|[吗呢呀啊哦啦吧么了]",
)
_COURTESIES = re.compile(
    rf"(?:(?:{'|'.join((*_ENGLISH_COURTESIES, *_CHINESE_COURTESIES))})(?:\s+|$|(?<=[一-鿿])))+", re.IGNORECASE
)
_ENGLISH_POINTER = re.compile(
    r"\b(?:it|its|it's|they|they're|them|their|theirs|he|him|his|she|her|hers|this|these|those|ones?"
    r"|that(?!['’]?s? (?:is|are|was|were|can|has|have|will))|another|both|such|(?:are|is|were|was) there)\b"
    r"|\bthe (?:first|second|third|fourth|last|other|latter|former|same|next|others|rest|two)(?: (?:one|two))?\W*$",
    re.IGNORECASE,
)
_ENGLISH_OPENING = re.compile(
    r"^\W*(?:and|but|or|so|ok(?:ay)?[.,]|what about|how about|what else)\b", re.IGNORECASE
)
_ENGLISH_OPEN_END = re.compile(
    r"\b(?:the|any|some|others?)(?: (?!of\b|in\b|for\b)[\w'-]+){0,2}\W*$"
    r"|^\W*(?:why|how|when|where|who)\W*(?:so|not|then)?\W*$",
    re.IGNORECASE,
)
"""“What are the main advantages?” refers to an earlier subject unless it names one itself."""
_ENGLISH_NAME = re.compile(r"(?<=[\w,;:'’\"] )[A-Z][\w'’-]*|\b(?=\w*\d)\w+|\b[A-Z][A-Z\d]+\b")
_CHINESE_POINTER = re.compile(
    r"[他她它]们?|这|那[个些种本部位款]|其中|其[他它]|里面|后者|前者|第[一二三四五六七八九十\d][个条种次款部点]|另[一外]|还有|上面|以上|刚才|上述"
    r"|^(?:那|为什么|为啥|怎么|如何|多少|哪|谁|是|有|和|跟|比|也|还|最)|呢[？?]?$|^\w{0,4}(?:是谁|在哪[里儿]?|多少钱?|怎么样)[？?]?$"
)
_CHINESE_ABOUT = re.compile(
    r"^(?:你|您)?(?:们)?(?:还)?(?:有没有|是否)?(?:知道|听说过?|看过|玩过?|听过|吃过|去过|用过|喜欢|了解|认识|觉得|记得)(?:一下)?"
    r"|(?:是(?:谁|什么|哪里?|怎样|怎么).*|在哪[里儿]?.*|(?:怎么样|如何|怎样|好不好|好看|好玩|好吃|好用).*|有(?:哪些|什么|多少|几).*|多少.*)$"
)
"""The phrases around the subject in “你知道洛天依吗” and “刺杀骑士团长怎么样”."""
_ABOUT_PAGES = re.compile(
    r"^(?:see|says?|read|summari[sz]e|summary|sum|article|page|link|site|website|url|open|look|check|think|content|text"
    r"|(?:总结|概括|看看?|读|帮忙|这[篇个条]?|文章|网页|页面|链接|内容|主要|大意|讲|说|写|了|的|什么|一下|里面?|打开)+)$",
    re.IGNORECASE,
)
_CHINESE_ASKS = re.compile(
    r"为什么|为何|为啥|什么时候|何时|几时|什么地方|哪里|哪儿|哪[个些位种年月天]|谁|什么|怎么样|怎么|怎样|如何"
    r"|有?多[长高大少远深重久快厚宽]|几[个位次年岁]|是不是|有没有|是否|[吗呢][？?]?$"
)
_CHINESE_TITLE = re.compile(r"《([^《》]{1,60})》")
_CHINESE_EDGE = re.compile(r"^[是有在和与了]|[是有在了]$")
_ASKS = re.compile(
    r"[?？]|^\W*(?:who|what|when|where|why|which|whose|how|is|are|was|were|do|does|did|can|could|has|have)\b"
    rf"|{_CHINESE_ASKS.pattern}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w\u0900-\u0dff]+(?:[.'’+#&@/:-]+[\w\u0900-\u0dff]+)*[+#]*")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def keyword_query(question: str, earlier: Sequence[str]) -> str:
    """Return a query for `question`; empty if it asks for nothing, such as a greeting.

    `earlier` are the user's previous questions, oldest first. A follow-up ("and the second one?", "那后者呢？")
    cannot be searched by itself, so it gets the topic of the previous questions.
    """
    if _is_courtesy(question):
        return ""
    topic: list[str] = []
    for text in earlier:
        if not _is_follow_up(text) or _ENGLISH_NAME.search(text):
            topic = _topic(text) or topic
    words = _keywords(question)
    if _URL.search(question):  # “this” is the page, and words about reading it are no query
        return _within([word for word in words if not _ABOUT_PAGES.match(word)])
    if topic and _is_follow_up(question):
        words = _join_topic(topic, words)
    return _within(words or _small_words(question))


def title_query(text: str) -> str:
    """Return a question as a query for an encyclopedia: its names and keywords, as in titles.

    A text that is no question stays unchanged, and so does one that has only stop words.
    """
    if not _ASKS.search(text):
        return text
    if not _HAN.search(text):
        return _within(_keywords(text)) or text
    titles = [title.strip() for title in _CHINESE_TITLE.findall(text)]
    bare = _CHINESE_ASKS.sub(" ", _CHINESE_TITLE.sub(" ", text))
    parts = (_CHINESE_EDGE.sub("", part) for word in _keywords(bare) for part in word.split("的"))
    return _within(list(dict.fromkeys([*titles, *filter(None, parts)]))) or text


def _is_courtesy(text: str) -> bool:
    """Say whether every clause is a greeting, thanks, a farewell or a question about the assistant."""
    if len(text) > _LONGEST_COURTESY_CHARS:
        return False
    clauses = [clause.strip(" \t\"'“”()（）") for clause in _CLAUSE_END.split(text.replace("’", "'"))]
    said = [clause for clause in clauses if any(map(str.isalnum, clause))]
    return bool(said) and all(_COURTESIES.fullmatch(clause) for clause in said)


def _small_words(question: str) -> list[str]:
    """Return the words of a question that has only stop words (“Who are The Who?”), unless it is small talk."""
    plain = _URL.sub(" ", question).strip()
    framed = _CHINESE_FRAME.sub(" ", _ENGLISH_FRAME.sub(" ", plain))
    return [] if _CHITCHAT.match(plain) else _WORD.findall(framed)


def _join_topic(topic: Sequence[str], words: Sequence[str]) -> list[str]:
    """Put the topic, as first named, before the words of the current question."""
    own = {term for word in words for term in content_terms(word)}
    return [*(word for word in topic if not own.issuperset(content_terms(word))), *words]


def _topic(text: str) -> list[str]:
    """Return the few words of a question to which a follow-up probably refers: names, else the last words."""
    words = _keywords(text)
    if _HAN.search(text):
        return [subject for word in words if (subject := _CHINESE_ABOUT.sub("", word))][:_TOPIC_WORDS]
    names = set(_ENGLISH_NAME.findall(text))
    others = [word for word in words if word not in names]
    chosen = names.union(others[-max(1, _TOPIC_WORDS - len(names)) :])
    return [word for word in words if word in chosen][:_TOPIC_WORDS]


def _keywords(text: str) -> list[str]:
    """Return the words of `text` that describe its subject, in order."""
    plain = _URL.sub(" ", text)
    if _HAN.search(plain):
        framed = _CHINESE_PARTICLES.sub(" ", _CHINESE_FRAME.sub(" ", plain))
        return [word for word in _WORD.findall(framed) if content_terms(word)]
    framed = _ENGLISH_FRAME.sub(" ", plain)
    return list(dict.fromkeys(word for word in _WORD.findall(framed) if content_terms(word)))


def _is_follow_up(text: str) -> bool:
    """Say whether a question omits its subject."""
    if _HAN.search(text):
        return bool(_CHINESE_POINTER.search(text)) or len(set(content_terms(text))) <= _BARE_TERMS
    if _ENGLISH_POINTER.search(text):
        return True
    is_open = _ENGLISH_OPENING.search(text) or _ENGLISH_OPEN_END.search(text)
    return bool(is_open) and not _ENGLISH_NAME.search(text)


def _within(words: Sequence[str]) -> str:
    query = " ".join(words[:_MAX_WORDS])
    return query if len(query) <= _MAX_CHARS else query[:_MAX_CHARS].rpartition(" ")[0] or query[:_MAX_CHARS]


LEFT_OUT = (
    translatable("{count} query left out because it contains private details from your memories or files."),
    translatable(
        "{count} queries left out because they contain private details from your memories or files."
    ),
)

_LEAST_SHARE = 0.5
"""The share of a question's words that a memory must contain to answer it."""

_ABOUT_ONESELF = re.compile(
    r"\b(?:my|mine|myself|our|ours)\b|\babout me\b"
    r"|\b(?:do|did|am|was|are|were|have|had|can|will|would) (?:i|we)\b"
    r"|\b(?:i|we)(?:['’](?:m|ve|d|re)| (?:am|are|was|were|have|had|said|told|asked))\b"
    r"|(?<!自)[我咱俺](?!国)|本人",
    re.IGNORECASE,
)
_ASKS_THE_WORLD = re.compile(
    r"\b(?:should|recommend|suggest|advice|tips?|best|how (?:do|can|could|would) (?:i|we)|how to|why|news|latest|prices?"
    r"|near(?:by)?|search|look up|on the web|online|weather)\b"
    r"|应该|建议|推荐|怎么|怎样|如何|为什么|为何|最新|最近|附近|价格|多少钱|天气|搜|查一?[下查]|网上",
    re.IGNORECASE,
)
"""Questions for advice or current facts are not answered by memories."""


def is_answered_by_memory(question: str, memories: Iterable[str]) -> bool:
    """Say whether a question asks for a fact about the user that one of their memories holds."""
    if not _ABOUT_ONESELF.search(question) or _ASKS_THE_WORLD.search(question):
        return False
    asked = set(content_terms(question))
    shares = (len(asked.intersection(content_terms(memory))) for memory in memories)
    return bool(asked) and max(shares, default=0) >= _LEAST_SHARE * len(asked)
