"""Claims about news articles, right and wrong ones, made from the articles alone: what a machine's summary gets wrong.

Nobody judged them: a claim counts as right because nothing but words that it does not need were taken away, or because
the page describes itself so; as wrong because one thing in it was exchanged, turned around, denied or added. They train
the check for such errors; they prove nothing about texts that people judged.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from desktop.chat.checking.words import tokenize
from desktop.text.sentences import split_sentences

LEAST_SENTENCES = 6
LEAST_WORDS = 8
MOST_WORDS = 45
_DESCRIPTION = re.compile(
    r"<meta[^>]+(?:name|property)=[\"'](?:og:|twitter:)?description[\"'][^>]*>", re.IGNORECASE
)
_CONTENT = re.compile(r"content=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]+>", re.DOTALL | re.IGNORECASE)
_BLOCK_ENDS = re.compile(r"</(?:p|div|h\d|li|blockquote|tr|figcaption)>|<br\s*/?>", re.IGNORECASE)
_NAME = re.compile(
    r"(?<!^)(?<![.!?“\"'] )\b[A-Z][\w.’'-]*[a-z](?:(?: (?:of|the|de|al|van|for))? [A-Z][\w’'-]*[a-z])*\b"
)
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]")
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
_BE = re.compile(r"\b(is|are|was|were|has|have|had|will|can|could|would|should|did|does)\b(?! not|n['’]t)")
_DENIAL = re.compile(r"\b(is|are|was|were|has|have|had|will|can|could|would|should|did|does) not\b")
_HAN_DENIAL = re.compile(r"不|没有|未")
_HAN_VERB = re.compile(r"(?<=[\u4e00-\u9fff])(是|将|已|会|能|可以|成为)(?=[\u4e00-\u9fff])")
_OPPOSITES = [
    ("increase", "decrease"), ("increased", "decreased"), ("rose", "fell"), ("rise", "fall"), ("more", "fewer"),
    ("first", "last"), ("before", "after"), ("won", "lost"), ("win", "lose"), ("higher", "lower"), ("up", "down"),
    ("largest", "smallest"), ("best", "worst"), ("new", "old"), ("bought", "sold"), ("approved", "rejected"),
    ("accepted", "refused"), ("opened", "closed"), ("began", "ended"), ("early", "late"), ("supported", "opposed"),
    ("增长", "下降"), ("上涨", "下跌"), ("增加", "减少"), ("提高", "降低"), ("之前", "之后"), ("最大", "最小"), ("支持", "反对"),
]  # fmt: skip


@dataclass(frozen=True)
class NewsClaim:
    """A claim about an article; `kind` says how it was made."""

    kind: str
    claim: str
    article: str
    text: str
    is_right: bool


@dataclass(frozen=True)
class Article:
    """A text; `description` is how its page describes itself, `sentences` are those that claims are made of."""

    id: str
    text: str
    description: str
    sentences: tuple[str, ...]


def news_claims(folder: Path, seed: int = 20_261_124, count: int = 8) -> list[NewsClaim]:
    """Return claims about the articles in `folder` (scrapinghub, readability, gne_zh); always the same."""
    return claims_about(list(_articles(folder)), seed, count)


def claims_about(articles: Sequence[Article], seed: int, count: int = 8) -> list[NewsClaim]:
    """Return claims about articles, made of at most `count` sentences of each and of its description."""
    chance = random.Random(seed)
    claims: list[NewsClaim] = []
    for place, article in enumerate(articles):
        is_han = bool(_HAN_NAME.search(article.text[:200]))
        others = [
            one for one in articles if bool(_HAN_NAME.search(one.text[:200])) == is_han and one is not article
        ]
        stranger = chance.choice(others)
        whole = [
            (sentence, "sentence")
            for sentence in chance.sample(article.sentences, min(count, len(article.sentences)))
        ]
        for sentence in _described(article):
            whole += [(sentence, "description")] * 2
        for sentence, origin in whole:
            shorter = _compress(sentence, chance) if chance.random() < 0.75 else sentence
            if chance.random() < 0.2:
                shorter = _fuse(article, sentence, chance) or shorter
            claims.append(NewsClaim(f"{origin}", shorter, str(place), article.text, is_right=True))
            for kind, wrong in _wrong(shorter, sentence, article, stranger, chance):
                claims.append(NewsClaim(f"{origin}_{kind}", wrong, str(place), article.text, is_right=False))
    return claims


def _articles(folder: Path) -> Iterator[Article]:
    for name in ("scrapinghub", "gne_zh"):
        truth = json.loads((folder / name / "ground-truth.json").read_text("utf-8"))
        for key, page in truth.items():
            paths = [folder / name / "html" / f"{key}{end}" for end in ("", ".html", ".html.gz")]
            html = next((path.read_bytes() for path in paths[:2] if path.is_file()), b"")
            yield from read_article(f"{name}/{key}", page["articleBody"], html.decode("utf-8", "replace"))
    for page in sorted((folder / "readability").iterdir()):
        html = (page / "source.html").read_text("utf-8", "replace")
        body = _BLOCK_ENDS.sub("\n\n", (page / "expected.html").read_text("utf-8", "replace"))
        yield from read_article(f"readability/{page.name}", unescape(_TAGS.sub("", body)), html)


def read_article(key: str, text: str, html: str = "") -> Iterator[Article]:
    """Yield an article, unless it has too few sentences."""
    text = re.sub(r"[ \t]+", " ", text)[:8_000]
    sentences = [" ".join(text[span.start : span.end].split()) for span in split_sentences(text)]
    usable = tuple(
        one
        for one in dict.fromkeys(sentences)
        if LEAST_WORDS <= _length(one) <= MOST_WORDS and one[-1:] in ".。!！"
    )
    if len(usable) < LEAST_SENTENCES:
        return
    tag = _DESCRIPTION.search(html)
    content = _CONTENT.search(tag[0]) if tag else None
    description = unescape(content[1] or content[2] or "") if content else ""
    yield Article(key, text, description, usable)


def _length(text: str) -> int:
    return sum(1 for _ in tokenize(text))


def _described(article: Article) -> Iterator[str]:
    """Yield the sentences in which a page describes itself, unless its text has them word by word or says nothing of it."""
    plain = " ".join(article.text.split())
    for span in split_sentences(article.description)[:2]:
        sentence = " ".join(article.description[span.start : span.end].split())
        content = [token.term for token in tokenize(sentence) if token.is_content]
        held = {token.term for token in tokenize(article.text)}
        share = sum(term in held for term in content) / len(content) if content else 0
        is_whole = sentence[-1:] in ".。!！?" and "…" not in sentence and "..." not in sentence
        if (
            is_whole
            and LEAST_WORDS <= _length(sentence) <= MOST_WORDS
            and share >= 0.6
            and sentence not in plain
        ):
            yield sentence


def _compress(sentence: str, chance: random.Random) -> str:
    """Return a sentence without words that it can do without: brackets, a beginning, an end, adverbs."""
    shorter = re.sub(r"\s*[(（][^()（）]*[)）]", "", sentence)
    pieces = re.split(r"(?<=[^\d])[,，] ?", shorter)
    comma = "，" if "，" in shorter else ", "
    if len(pieces) > 1 and chance.random() < 0.8:
        rests = [comma.join(pieces[:cut]) for cut in range(1, len(pieces))]
        rests += [comma.join(pieces[cut:]) for cut in range(1, len(pieces))]
        rests = [rest for rest in rests if _length(rest) >= LEAST_WORDS - 2]
        if rests:
            shorter = chance.choice(rests)
    shorter = (
        re.sub(r"\b(?:\w+ly|also|just|very|however|meanwhile|now|still|even) ", "", shorter)
        if chance.random() < 0.5
        else shorter
    )
    shorter = (
        re.sub(r"\b([A-Z]\w+) ([A-Z]\w+)(?= (?:said|is|was|has|will|told))", r"\2", shorter)
        if chance.random() < 0.3
        else shorter
    )
    shorter = (
        re.sub(r" (?:on|in) (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", "", shorter)
        if chance.random() < 0.5
        else shorter
    )
    shorter = shorter.strip(' ,，;；-–—“”"')
    shorter = shorter[:1].upper() + shorter[1:]
    return shorter if shorter[-1:] in ".。!！" else shorter + ("。" if "，" in comma else ".")


def _fuse(article: Article, sentence: str, chance: random.Random) -> str:
    """Return a sentence and the one behind it as one."""
    place = article.sentences.index(sentence) if sentence in article.sentences else -1
    if place < 0 or place + 1 >= len(article.sentences):
        return ""
    one, two = _compress(sentence, chance), _compress(article.sentences[place + 1], chance)
    both = f"{one.rstrip('.。!！')}{'，' if '。' in one else ' and '}{two[:1].lower() + two[1:]}"
    return both if _length(both) <= MOST_WORDS else ""


def _names(text: str) -> list[str]:
    if _HAN_NAME.search(text):
        import rjieba

        kinds = {"nr", "nrt", "nrfg", "ns", "nt", "nz"}
        return list(dict.fromkeys(word for word, tag in rjieba.tag(text) if tag in kinds and len(word) > 1))
    return list(dict.fromkeys(match[0] for match in _NAME.finditer(text)))


def _wrong(
    claim: str, sentence: str, article: Article, stranger: Article, chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield two of the ways in which a claim can be made wrong, chosen by chance."""
    ways = list(_ways(claim, sentence, article, stranger, chance))
    chance.shuffle(ways)
    seen: set[str] = set()
    plain = " ".join(article.text.split())
    for kind, wrong in ways:
        if wrong != claim and wrong not in plain and kind not in seen and len(seen) < 2:
            seen.add(kind)
            yield kind, wrong


def _ways(
    claim: str, sentence: str, article: Article, stranger: Article, chance: random.Random
) -> Iterator[tuple[str, str]]:
    own, inside = _names(claim), [name for name in _names(article.text) if name not in sentence]
    outside = [name for name in _names(stranger.text) if name not in article.text]
    if own and inside:
        yield "name_inside", claim.replace(chance.choice(own), chance.choice(inside), 1)
    if own and outside:
        yield "name_outside", claim.replace(chance.choice(own), chance.choice(outside), 1)
    distinct = [name for name in own if claim.count(name) == 1]
    if len(distinct) > 1:
        one, other = chance.sample(distinct, 2)
        yield "swapped", claim.replace(one, "\0").replace(other, one).replace("\0", other)
    numbers = _NUMBER.findall(claim)
    elsewhere = [number for number in _NUMBER.findall(article.text) if number not in sentence]
    if numbers and elsewhere:
        yield "number", claim.replace(chance.choice(numbers), chance.choice(elsewhere), 1)
    yield from _turns(claim, chance)
    yield from _grafts(claim, sentence, article, stranger, chance)


def _turns(claim: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield claims that deny what was said, or say it with a word of opposite sense."""
    if found := _DENIAL.search(claim):
        yield "affirmed", claim.replace(found[0], found[1], 1)
    elif found := _BE.search(claim):
        yield "denied", claim[: found.end()] + " not" + claim[found.end() :]
    if found := _HAN_DENIAL.search(claim):
        yield "affirmed", claim.replace(found[0], "", 1)
    elif found := _HAN_VERB.search(claim):
        yield "denied", claim[: found.start()] + "不" + claim[found.start() :]
    for one, other in chance.sample(_OPPOSITES, len(_OPPOSITES)):
        left, right = (one, other) if chance.random() < 0.5 else (other, one)
        pattern = left if _HAN_NAME.match(left) else rf"\b{left}\b"
        if re.search(pattern, claim):
            yield "opposite", re.sub(pattern, right, claim, count=1)
            break


def _grafts(
    claim: str, sentence: str, article: Article, stranger: Article, chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield claims that go on, begin or are told with something from another sentence."""
    others = [one for one in article.sentences if one != sentence]
    comma = "，" if _HAN_NAME.search(claim) else ", "
    for kind, pool in (("graft", others), ("foreign_graft", list(stranger.sentences))):
        other = chance.choice(pool)
        tail = re.split(r"[,，] ?", _compress(other, chance))[-1]
        head = re.split(r"[,，] ?", claim.rstrip(".。!！"))
        if 3 <= _length(tail) <= 14:
            yield kind, f"{comma.join(head)}{comma}{tail}"
        cut = re.search(r"\b(?:is|was|were|are|has|have|had|said|says|will)\b|[是将已]", claim)
        other_cut = re.search(r"\b(?:is|was|were|are|has|have|had|said|says|will)\b|[是将已]", other)
        if cut and other_cut and cut.start() > 3 and other_cut.start() > 3:
            yield f"{kind}_subject", other[: other_cut.start()] + claim[cut.start() :]
    words = [
        token
        for token in tokenize(stranger.text)
        if token.is_content and not token.is_name and len(token.surface) > 4
    ]
    mine = [
        token
        for token in tokenize(claim)
        if token.is_content and not token.is_name and len(token.surface) > 4
    ]
    if _HAN_NAME.search(claim):
        words = [token for token in tokenize(stranger.text) if token.is_content and len(token.surface) > 1]
        mine = [token for token in tokenize(claim) if token.is_content and len(token.surface) > 1]
    if words and mine:
        left, right = chance.choice(mine).surface, chance.choice(words).surface
        if right not in article.text:
            yield "word", re.sub(re.escape(left), right, claim, count=1, flags=re.IGNORECASE)
