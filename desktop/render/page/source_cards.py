"""Sources on the page: cards of marks, the row under an answer, results of citation checks."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath, PurePosixPath
from textwrap import shorten
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from desktop.domain.citation_check import (
    DOUBTED,
    JUDGING,
    CheckedMark,
    CitationCheck,
    Disagreement,
    DisagreementKind,
    SupportLevel,
)
from desktop.domain.file_formats import format_named
from desktop.domain.messages import Message
from desktop.domain.pictures import icon_id
from desktop.domain.sources import DESCRIPTION, Source, SourceKind, host_of, is_page
from desktop.domain.transcript import Transcript
from desktop.phrases import localize, pluralize, translatable
from desktop.render.labels import Labels
from desktop.render.markdown.inline import is_opened
from desktop.render.page.operations import DoubtedMark, Operation, SetPart, ShowSupport
from desktop.render.page_checks import SIGNS, check_of_words, describe_page_check, name_page_check
from desktop.text.html_element import EMPTY, Html, button, element, fragment, icon, join

# What finds the cited sentence is imported with the first card, after the page has been drawn.
# ruff: noqa: PLC0415

_DESCRIPTION_BY = translatable("Description by {model}")
_MOST_MISSING = 6
_BETWEEN = " · "
_DOUBTFUL = (SupportLevel.CONTRADICTED, SupportLevel.NOT_FOUND, SupportLevel.WEAK)
_WORST_FIRST = (*_DOUBTFUL, SupportLevel.UNREAD, SupportLevel.SUPPORTED, SupportLevel.UNCOMPARED)
_MOST_DISPUTES = 2


def progress_html(done: int, total: int, labels: Labels) -> Html:
    """Return the progress of a check, with the button to stop it."""
    words = labels.checking.format(done=done, total=total)
    stop = element("span", labels.actions["stop_check"])
    return element(
        "p",
        element("span", words),
        button(stop, class_="way", data_action="stop_check"),
        class_="support-line checking",
        role="status",
    )


def check_line(check: CitationCheck, labels: Labels) -> str:
    """Return the result of a check as one line."""
    return _BETWEEN.join(words for _, words in _parts(check, labels))


def check_html(check: CitationCheck | None, labels: Labels, *, has_buttons: bool = True) -> Html:
    """Return the result of a check as a line under the answer, in which doubts are buttons; empty if there was no check."""
    if check is None:
        return EMPTY
    parts = (
        _doubt_button(check, kinds, words, labels)
        if has_buttons and not DOUBTED.isdisjoint(kinds)
        else element("span", words, class_=" ".join(kinds))
        for kinds, words in _parts(check, labels)
    )
    problem = element("p", localize(check.problem, labels.language), class_="support-problem")
    return fragment(
        element("p", join(_BETWEEN, parts), class_="support-line"),
        problem if check.problem else None,
        *(
            element("p", _value_html(each, labels), class_="support-problem disputed")
            for each in check.disagreements
        ),
    )


def _doubt_button(check: CitationCheck, kinds: Sequence[str], words: str, labels: Labels) -> Html:
    """Return the button that leads from one such mark to the next; it has the colour of the worst."""
    counts = [
        labels.support_counts[SupportLevel(kind)].format(count=check.count(SupportLevel(kind)))
        for kind in kinds
    ]
    title = labels.show_doubt.format(kinds=labels.comma.join(counts))
    marked = " ".join(kinds)
    return button(words, class_=f"doubt {marked}", data_support=marked, title=title)


def _value_html(found: Disagreement, labels: Labels) -> Html:
    """Return how many sources say each value, with their marks: “2 of 5 sources say 1874”."""
    total = sum(map(len, found.sources))
    told = labels.comma.join(
        _format_share(found, place, total, labels) + "".join(f" [{number}]" for number in numbers)
        for place, numbers in enumerate(found.sources)
    )
    if found.kind is DisagreementKind.NEGATION:
        return fragment(labels.disagree, " ", told)
    return fragment(labels.disagree, " ", element("span", cut_title(found.about)), " ", told)


def _format_share(found: Disagreement, place: int, total: int, labels: Labels) -> str:
    """Return how many of the sources that speak of it say a value."""
    count, value = len(found.sources[place]), found.values[place]
    shown = f"“{cut_title(value)}”" if found.kind is DisagreementKind.NEGATION else value
    return labels.say[count > 1].format(count=count, total=total, value=shown)


def dispute_html(
    check: CitationCheck, mark: CheckedMark, sources: Mapping[int, Source], labels: Labels
) -> Html:
    """Return what sources say differently about what a mark supports, their passages side by side; empty if nothing."""
    from desktop.render.page.cited_sentence import excerpt_of

    rows: list[Html] = []
    for found in check.disputes(mark)[:_MOST_DISPUTES]:
        total = sum(map(len, found.sources))
        for place, numbers in enumerate(found.sources):
            source = next((sources[number] for number in numbers if number in sources), None)
            words = excerpt_of(source.text, found.passage_of(place)).words if source else ""
            told = _format_share(found, place, total, labels)
            title = element("span", cut_title(title_of(source, labels)) if source else "", dir="auto")
            head = element("p", element("strong", told), element("br"), title)
            quote = element("blockquote", words or found.passage_of(place), dir="auto")
            rows.append(element("div", head, quote, class_="side"))
    if not rows:
        return EMPTY
    return fragment(
        element("p", element("strong", labels.others_say), class_="card-support disputed"),
        element("div", *rows, class_="sides"),
    )


def _parts(check: CitationCheck, labels: Labels) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the parts of the line, each with its kinds of marks."""
    if not check.marks and not check.unknown:
        yield (), labels.cites_nothing
    if check.marks:
        levels = _levels_of_claims(check)
        yield ("claims",), pluralize(labels.claims, len(levels))
        words = labels.supported if _has_model(check) else labels.found[len(levels) != 1]  # of one claim
        yield (SupportLevel.SUPPORTED,), words.format(count=levels.count(SupportLevel.SUPPORTED))
        if doubtful := [level for level in levels if level in _DOUBTFUL]:
            kinds = tuple(level for level in _DOUBTFUL if check.count(level))
            yield kinds, labels.doubtful.format(count=len(doubtful))
        for level in (SupportLevel.UNREAD, SupportLevel.UNCOMPARED):
            if count := levels.count(level):
                yield (level,), labels.support_counts[level].format(count=count)
    if check.unknown:
        yield ("unknown-number",), pluralize(labels.unknown_counts, len(check.unknown))


def _levels_of_claims(check: CitationCheck) -> list[SupportLevel]:
    """Return one level for each claim: a doubt about one of its marks counts, else what one source supports."""
    levels: dict[object, SupportLevel] = {}
    for mark in check.marks:
        claim = mark.claim or (mark.number, mark.occurrence)
        levels[claim] = min(levels.get(claim, mark.support), mark.support, key=_WORST_FIRST.index)
    return list(levels.values())


def _has_model(check: CitationCheck) -> bool:
    """Say whether a model checked the citations; finding the words does not mean that a claim is supported."""
    return any(mark.judge in JUDGING for mark in check.marks)


def is_found(mark: CheckedMark) -> bool:
    """Say whether the words were found in the source, and no model judged them."""
    return mark.support is SupportLevel.SUPPORTED and mark.judge not in JUDGING


def show_progress(message_id: str, done: int, total: int, labels: Labels) -> Operation:
    """Show the progress of the check of an answer."""
    return SetPart(message_id, "support", progress_html(done, total, labels))


def show_check(message: Message, labels: Labels, sources: Mapping[int, Source]) -> list[Operation]:
    """Show the result of the check of an answer."""
    line = SetPart(message.id, "support", check_html(message.check, labels))
    return [line, *show_doubts(message, labels, sources)]


def show_doubts(message: Message, labels: Labels, sources: Mapping[int, Source]) -> list[Operation]:
    """Highlight marks that are not clearly supported, or whose page is another one now; for screen readers too."""
    aged = {
        number: source.page_check
        for number, source in sources.items()
        if source.page_check is not None and source.page_check.is_warning and message.knows(number)
    }
    if message.check is None and not aged:
        return []
    found: dict[tuple[int, int], DoubtedMark] = {}
    if aged:
        from desktop.render.page.cited_sentence import (
            citing_sentences,
            excerpt_of,
        )

        for (number, occurrence), sentence in citing_sentences(message.text, aged).items():
            aged_check = aged[number]
            if not aged_check.has_passage:  # which of the marks it is costs a look at the passage
                checked = message.check.mark(number, occurrence) if message.check else None
                words = excerpt_of(sources[number].text, (checked and checked.words) or sentence).words
                aged_check = check_of_words(aged_check, words)
            name = localize(name_page_check(aged_check), labels.language)
            found[number, occurrence] = DoubtedMark(number, occurrence, aged_check.state.value, name)
    check = message.check
    for mark in check.marks if check is not None else ():
        if mark.support in DOUBTED:
            kind, name = mark.support.value, labels.support_names[mark.support]
        elif check is not None and check.disputes(mark):
            kind, name = "disputed", labels.disputed
        else:
            continue
        place = (mark.number, mark.occurrence)
        names = [name, *([found[place].words] if place in found else [])]
        found[place] = DoubtedMark(*place, kind, labels.comma.join(names))
    return [ShowSupport(message.id, tuple(found.values()))]


def page_check_html(source: Source, labels: Labels, cited: str) -> Html:
    """Return what reading the page of a source again showed of the cited words, for a card; empty if it was not."""
    if source.page_check is None:
        return EMPTY
    check = check_of_words(source.page_check, cited)
    kind = "weak" if check.is_warning else ""
    name = localize(name_page_check(check), labels.language)
    words = localize(describe_page_check(check), labels.language)
    day = labels.checked_on.format(date=labels.clock.day_of(check.checked_at))
    heading = element("strong", f"{SIGNS[check.state]} {name}")
    return element("p", heading, " ", element("span", f"{words} {day}"), class_=f"card-support {kind}")


def note_html(mark: CheckedMark, labels: Labels) -> Html:
    """Return the result of the check for the card of a mark."""
    reasons = list(reasons_of(mark, labels))
    if mark.support in DOUBTED and mark.words:
        reasons.append(labels.closest)
    name = labels.found_title if is_found(mark) else labels.support_titles[mark.support]
    told = element("span", labels.sentence_gap.join(reasons))
    return element("p", element("strong", name), " ", told, class_=f"card-support {mark.support.value}")


def reasons_of(mark: CheckedMark, labels: Labels) -> Iterator[str]:
    """Yield the reasons for the result of a mark, as sentences."""
    if mark.unread is not None:
        yield labels.unread_notes[mark.unread]
        return
    yield labels.found_note if is_found(mark) else labels.support_notes[mark.support]
    if mark.missing and mark.support in DOUBTED:
        yield labels.missing.format(missing=labels.comma.join(mark.missing[:_MOST_MISSING]))


ICON_HOST = "icon"
"""Host in the page's own URL scheme for site icons, each under its `icon_id`."""

_TINTS = 6
_MEMORY_CHARS = 120

MAX_TITLE_CHARS: Final = 300
"""Maximum length of a displayed title: some pages and files have huge ones, laid out at each hover."""

_MAX_ADDRESS_CHARS: Final = 200
_MAX_CHIPS = 4
_MAX_CHIP_NUMBERS = 4
_MAX_CHIP_CHARS = 60


class SourceCard(NamedTuple):
    """The HTML of a card, and the sentence whose words it highlights in the source."""

    html: Html
    sentence: str


def find_card(
    shown: Transcript,
    message_id: str,
    number: int,
    occurrence: int,
    labels: Labels,
    *,
    places: Sequence[str] = (),
) -> SourceCard | None:
    """Return the card for the `occurrence`th mark (from 0) of a number in a message; `places` are names of bases."""
    source, message = shown.sources.get(number), shown.get(message_id)
    if source is None or message is None or not message.knows(number):
        return None
    mark = message.check.mark(number, occurrence) if message.check else None
    sentence = find_sentence(message, number, occurrence)
    sides = dispute_html(message.check, mark, shown.sources, labels) if message.check and mark else EMPTY
    card = card_html(source, labels, sentence, mark, sides)
    return SourceCard(fragment(card, _add_button(source, labels), bases_html(places, labels)), sentence)


def bases_html(places: Sequence[str], labels: Labels) -> Html:
    """Return in which knowledge bases a source is; empty if in none."""
    if not places:
        return EMPTY
    names = labels.comma.join(f"“{cut_title(name, _MAX_CHIP_CHARS)}”" for name in places)
    return element("p", labels.in_bases.format(names=names), class_="card-bases")


def _add_button(source: Source, labels: Labels) -> Html:
    if source.kind not in {SourceKind.WEB, SourceKind.FILE}:
        return EMPTY
    return button(labels.actions["add_source"], class_="add-source", data_source=source.number)


def find_sentence(message: Message, number: int, occurrence: int) -> str:
    """Return what a mark of a message supports, or the words that the check found closest to it."""
    from desktop.render.page.cited_sentence import citing_sentence

    mark = message.check.mark(number, occurrence) if message.check else None
    closest = mark.words if mark else ""
    return closest or citing_sentence(message.text, number, occurrence)


def words_behind(source: Source | None, sentence: str) -> str:
    """Return the words of a source that support a sentence, for opening the source there."""
    from desktop.render.page.cited_sentence import excerpt_of

    return excerpt_of(source.text, sentence).words if source and sentence else ""


def card_html(
    source: Source, labels: Labels, sentence: str = "", mark: CheckedMark | None = None, sides: Html = EMPTY
) -> Html:
    """Return the card of a source: its kind, its origin, and the words that support `sentence`.

    For a checked `mark` it includes the result; `sides` is what other sources say.
    """
    from desktop.render.page.cited_sentence import excerpt_of

    address = cut_title(web_address(source), _MAX_ADDRESS_CHARS)
    title = cut_title(title_of(source, labels))
    facts = [kind_and_place(source, labels, address), *dates_of(source, labels)]
    shown = excerpt_of(source.text, (mark and mark.words) or sentence)
    before, marked, after = (_without_signs(part, source) for part in shown)
    words = element("mark", marked) if marked else None
    follow = labels.follow[source.kind]
    head = element(
        "div",
        element("strong", title, dir="auto"),
        element("span", " · ".join(facts), class_="card-place"),
        class_="card-title",
    )
    return fragment(
        element(
            "div",
            _tile(source),
            head,
            element("span", source.number, class_="card-number"),
            class_="card-head",
        ),
        note_html(mark, labels) if mark else None,
        page_check_html(source, labels, shown.words),
        element(
            "blockquote",
            before,
            words,
            after,
            class_="passage beside-sides" if sides else "passage",
            dir="auto",
        ),
        sides,
        damage_html(labels, is_damaged=source.is_damaged),
        button(follow, class_="follow", data_source=source.number) if follow else None,
        _copy_button(source, labels),
    )


_MARKDOWN = re.compile(
    r"^#{1,6}[ \t]+(?=\S)|\*\*(?=\S)|(?<=\S)\*\*|^\|(?:[ \t]*:?-+:?[ \t]*\|)+\n?", re.MULTILINE
)


def _without_signs(text: str, source: Source) -> str:
    """Return prose without the signs of Markdown; code stays as it is."""
    from desktop.text.markdown import hide_signs

    is_prose = source.kind is not SourceKind.FILE or format_named(PurePath(source.title)).is_prose
    return _MARKDOWN.sub("", hide_signs(text)) if is_prose else text


def damage_html(labels: Labels, *, is_damaged: bool) -> Html:
    """Return the mark after a damaged text, or in its place."""
    return element("p", labels.damaged, class_="damaged") if is_damaged else EMPTY


def sources_html(
    sources: Sequence[Source], cited: Iterable[int], unknown: Iterable[int], labels: Labels
) -> Html:
    """Return what stands under an answer: a chip for each cited document, and the list of all sources, closed."""
    by_number = {source.number: source for source in sources}
    used = [by_number[number] for number in sorted(set(cited)) if number in by_number]
    rest = [source for source in sources if source not in used]
    missing = list(unknown)
    if not used and not rest and not missing:
        return EMPTY
    total = len(used) + len(rest)
    title = element("span", labels.sources, class_="sources-title")
    parts = [
        element(
            "summary", title, element("span", _count_of(total, len(used), labels), class_="sources-count")
        ),
        _group(labels.cited, used, labels),
        _group(labels.not_cited, rest, labels),
    ]
    if total:
        parts += (
            button(labels.actions[action], class_="copy-sources", data_action=action)
            for action in ("copy_sources", "add_sources")
        )
    if missing:
        numbers = join(" ", (element("code", f"[{number}]") for number in missing))
        parts += (
            element("h3", labels.unknown, class_="sources-unknown"),
            element("p", numbers, class_="unknown"),
        )
    return fragment(_chips(used, labels), element("details", *parts, class_="source-list"))


def _count_of(total: int, used: int, labels: Labels) -> str:
    """Return how many sources there are, and how many of them are cited, if not all."""
    return str(total) if used == total else _BETWEEN.join((str(total), labels.cited_count.format(count=used)))


def _chips(used: Sequence[Source], labels: Labels) -> Html:
    """Return the chips of the first cited documents; passages of one document share a chip."""
    documents: dict[str, list[Source]] = {}
    for source in used:
        documents.setdefault(source.url or str(source.number), []).append(source)
    if not documents:
        return EMPTY
    chips = (_chip(passages, labels) for passages in list(documents.values())[:_MAX_CHIPS])
    more = len(documents) - _MAX_CHIPS
    rest = element("span", f"+{more}", class_="more-chips") if more > 0 else None
    return element("div", *chips, rest, class_="chips")


def _chip(passages: Sequence[Source], labels: Labels) -> Html:
    first = passages[0]
    numbers = ", ".join(str(source.number) for source in passages[:_MAX_CHIP_NUMBERS])
    numbers += "…" if len(passages) > _MAX_CHIP_NUMBERS else ""
    is_web = first.kind is SourceKind.WEB
    words = (host_or_file(first).removeprefix("www.") if is_web else "") or source_list_title(first, labels)
    title = cut_title(source_list_title(first, labels))
    return button(
        _tile(first),
        element("span", cut_title(words, _MAX_CHIP_CHARS), class_="chip-words", dir="auto"),
        element("span", numbers, class_="number"),
        class_="source chip",
        data_source=first.number,
        aria_label=f"{labels.source} {numbers}: {title}",
    )


def title_of(source: Source, labels: Labels) -> str:
    """Return the title of a source; a source without one is called by its host or file.

    The title of a memory says whose words it contains, and is translated.
    """
    is_ours = source.kind is SourceKind.MEMORY
    title = (localize(source.title, labels.language) if is_ours else source.title).strip()
    return title or host_or_file(source) or f"[{source.number}]"


def cut_title(title: str, chars: int = MAX_TITLE_CHARS) -> str:
    """Return a title of at most `chars` characters; a longer one ends with an ellipsis."""
    return title if len(title) <= chars else title[: chars - 1].rstrip() + "…"


def source_list_title(source: Source, labels: Labels) -> str:
    """Return the title that identifies a source in a list; for a memory, its text."""
    if source.kind is not SourceKind.MEMORY:
        return title_of(source, labels)
    words = labels.damaged if source.is_damaged else source.text
    return f"{title_of(source, labels)} “{shorten(words, _MEMORY_CHARS, placeholder='…')}”"


def dates_of(source: Source, labels: Labels) -> tuple[str, ...]:
    """Return when a source was written and read, if known; for memories and answers, when they were written."""
    if source.kind is SourceKind.MEMORY and source.published:
        return (labels.remembered.format(date=labels.clock.format_published(source.published)),)
    if source.kind is SourceKind.ANSWER and source.published:
        return (labels.said_on.format(date=labels.clock.format_published(source.published)),)
    read_on = labels.read_on.format(date=labels.clock.day_of(source.read_at))
    if not source.published:
        return (read_on,)
    return (labels.published.format(date=labels.clock.format_published(source.published)), read_on)


def host_or_file(source: Source) -> str:
    """Return the host of a web page or the name of a file."""
    if source.kind is SourceKind.WEB:
        return source.host
    if is_page(source):
        return host_of(source.url)
    try:
        return PurePosixPath(unquote(urlsplit(source.url).path)).name
    except ValueError:
        return ""


def localize_section(section: str, language: str) -> str:
    """Return the heading of a passage; only the heading of a description is translated."""
    if not section.startswith(DESCRIPTION):
        return section
    return localize(_DESCRIPTION_BY.format(model=section.removeprefix(DESCRIPTION)), language)


def web_address(source: Source) -> str:
    """Return the address of a web page; empty for others, as a file's address would reveal folder names."""
    address = " ".join(source.url.split())
    return address if is_page(source) and is_opened(address) else ""


def kind_and_place(source: Source, labels: Labels, address: str = "") -> str:
    """Return the kind and origin of a source: its `address` if given, else its host or file, unless that is its title."""
    place = address or cut_title(host_or_file(source))
    parts = [labels.kinds[source.kind], place if place != title_of(source, labels) else ""]
    if source.locator.page is not None:
        parts.append(labels.page_number.format(page=source.locator.page))
    parts.append(cut_title(localize_section(source.locator.section, labels.language)))
    return " · ".join(part for part in parts if part)


def _group(name: str, sources: Sequence[Source], labels: Labels) -> Html:
    if not sources:
        return EMPTY
    rows = (_row(source, labels) for source in sources)
    return fragment(element("h3", name), element("ul", *rows))


def _row(source: Source, labels: Labels) -> Html:
    title = cut_title(source_list_title(source, labels))
    sign, name = EMPTY, f"{labels.source} {source.number}: {title}"
    if (check := source.page_check) is not None:
        told = localize(name_page_check(check), labels.language)
        kind = " weak" if check.is_warning else ""
        sign = element("span", f"{SIGNS[check.state]} {told}", class_=f"page-check{kind}")
        name += f" ({told})"
    opening = button(
        element("span", source.number, class_="number"),
        _tile(source),
        element("span", title, class_="source-title", dir="auto"),
        sign,
        element("span", kind_and_place(source, labels), class_="source-place"),
        class_="source",
        data_source=source.number,
        data_address=web_address(source),
        aria_label=name,
    )
    return element("li", opening, _copy_button(source, labels))


_COPY = icon("M8 8h9v11H8zM5 16V5h9")


def _copy_button(source: Source, labels: Labels) -> Html:
    name = labels.actions["copy_source"]
    return button(
        _COPY,
        class_="copy-source",
        data_source=source.number,
        title=name,
        aria_label=f"{name} {source.number}",
    )


def _tile(source: Source) -> Html:
    """Return a letter, covered by the site's icon if it is stored here; no icon service is queried.

    A digit would look like a citation number.
    """
    name = source.text if source.kind is SourceKind.MEMORY else host_or_file(source) or source.title
    letter = next((char for char in name[:1] + source.title + name if char.isalpha()), "W").upper()
    tint = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[0] % _TINTS
    stored = icon_id(source.url) if source.kind is SourceKind.WEB else ""
    picture = element("img", class_="favicon", src=f"footnote-page://{ICON_HOST}/{stored}", alt="")
    return element(
        "span", letter, picture if stored else None, class_=f"tile tint-{tint}", aria_hidden="true"
    )
