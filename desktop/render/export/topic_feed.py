"""What watched topics found, as Markdown and as an Atom feed (RFC 4287)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from desktop.domain.topics import FindingKind, Interval, RunState, Topic, TopicFinding, TopicRun
from desktop.phrases import localize
from desktop.render.clock import ISO_CLOCK
from desktop.render.export.common_parts import clean, markdown_address, markdown_line, one_line
from desktop.render.labels import Labels, in_language
from desktop.text.html_element import Html, element, fragment, join

_ATOM = "http://www.w3.org/2005/Atom"
_TITLE_CHARS = 120
ALL = "all"
"""The id of the feed of all topics."""


@dataclass(frozen=True)
class TopicLabels:
    """The texts in one language."""

    kinds: dict[FindingKind, str]
    intervals: dict[Interval, str]
    verdicts: dict[str, str]
    earlier: str
    nothing: str
    no_run: str
    private: str
    count: str


_EN = TopicLabels(
    kinds={FindingKind.NEW: "New", FindingKind.DIFFERENT: "Different"},
    intervals={
        Interval.HOURLY: "every hour",
        Interval.DAILY: "every day",
        Interval.WEEKLY: "every week",
        Interval.MONTHLY: "every month",
    },
    verdicts={
        "partly": "its source only partly says so",
        "contradicted": "its source seems to say otherwise",
        "not_found": "not found in its source",
    },
    earlier="Before: {text}",
    nothing="Nothing new.",
    no_run="Not looked up yet.",
    private="a private source",
    count="{new} new, {different} different",
)
_ZH_CN = TopicLabels(
    kinds={FindingKind.NEW: "新内容", FindingKind.DIFFERENT: "有变化"},
    intervals={
        Interval.HOURLY: "每小时",
        Interval.DAILY: "每天",
        Interval.WEEKLY: "每周",
        Interval.MONTHLY: "每月",
    },
    verdicts={
        "partly": "来源中只有部分依据",
        "contradicted": "来源的说法似乎不同",
        "not_found": "来源中未找到",
    },
    earlier="之前：{text}",
    nothing="没有新内容。",
    no_run="尚未查询。",
    private="私人来源",
    count="新内容 {new} 条，变化 {different} 条",
)


def topic_labels(labels: Labels) -> TopicLabels:
    """Return the texts for topics in the language of `labels`."""
    return in_language({"en": _EN, "zh": _ZH_CN}, labels.language)


def run_line(run: TopicRun, labels: Labels) -> str:
    """Return the result of a run as one line."""
    words = topic_labels(labels)
    if run.state is not RunState.DONE:
        return localize(run.problem, labels.language)
    if not run.findings:
        return localize(run.problem, labels.language) or words.nothing
    kinds = [finding.kind for finding in run.findings]
    return words.count.format(new=kinds.count(FindingKind.NEW), different=kinds.count(FindingKind.DIFFERENT))


def run_markdown(run: TopicRun, labels: Labels) -> str:
    """Return what a run found as a Markdown list with links to the sources, or its result as one line."""
    if not run.findings:
        return markdown_line(one_line(run_line(run, labels)))
    return "\n".join(_finding(finding, labels) for finding in run.findings)


def topic_markdown(topic: Topic, labels: Labels) -> str:
    """Return the history of a topic as Markdown, the newest run first."""
    return f"# {markdown_line(one_line(topic.question))}\n\n{_history(topic, labels, '## {}')}\n"


def history_markdown(topic: Topic, labels: Labels) -> str:
    """Return the history of a topic for a page that names the topic beside it."""
    return _history(topic, labels, "**{}**")


def _history(topic: Topic, labels: Labels, heading: str) -> str:
    runs = (
        f"{heading.format(ISO_CLOCK.moment(run.started_at))}\n\n{run_markdown(run, labels)}"
        for run in reversed(topic.runs)
    )
    return "\n\n".join(runs) or topic_labels(labels).no_run


def atom_feed(topics: Sequence[Topic], title: str, labels: Labels, *, feed_id: str) -> bytes:
    """Return an Atom feed with an entry for each run of the topics that found something, the newest first.

    `feed_id` is the id of the only topic, or `ALL`: readers know a feed by it, also once there are more topics.
    """
    ET.register_namespace("", _ATOM)
    found = sorted(
        ((run, topic) for topic in topics for run in topic.runs if run.findings),
        key=lambda each: each[0].started_at,
        reverse=True,
    )
    newest = max((run.started_at for topic in topics for run in topic.runs), default=datetime.now(UTC))
    feed = ET.Element(f"{{{_ATOM}}}feed")
    for name, text in (
        ("title", title),
        ("id", f"urn:footnote:topics:{feed_id}"),
        ("updated", _stamp(newest)),
        ("generator", "Footnote"),
    ):
        _add(feed, name, text)
    _add(_add(feed, "author", ""), "name", "Footnote")
    for run, topic in found:
        entry = _add(feed, "entry", "")
        _add(entry, "title", f"{one_line(topic.question)[:_TITLE_CHARS]} — {run_line(run, labels)}")
        _add(entry, "id", f"urn:footnote:topic:{topic.id}:{run.id}")
        _add(entry, "updated", _stamp(run.started_at))
        _add(entry, "content", fragment(*(_finding_html(each, labels) for each in run.findings))).set(
            "type", "html"
        )
        addresses = (source.address for each in run.findings for source in each.sources)
        for address in dict.fromkeys(filter(_is_web, addresses)):
            ET.SubElement(entry, f"{{{_ATOM}}}link", {"rel": "related", "href": clean(address)})
    whole: bytes = ET.tostring(feed, "utf-8", xml_declaration=True)
    return whole + b"\n"


def _finding(finding: TopicFinding, labels: Labels) -> str:
    words = topic_labels(labels)
    links = " ".join(
        f"({words.private})"
        if not source.title and source.is_private
        else f"([{markdown_line(one_line(source.title) or source.address)}]({markdown_address(clean(source.address))}))"
        if _is_web(source.address)
        else f"({markdown_line(one_line(source.title))})"
        for source in finding.sources
    )
    line = f"- **{words.kinds[finding.kind]}:** {markdown_line(one_line(finding.text))} {links}".rstrip()
    more = [words.earlier.format(text=markdown_line(one_line(finding.earlier))) if finding.earlier else ""]
    more.append(words.verdicts.get(finding.verdict, ""))
    return "\n  - ".join(filter(None, (line, *more)))


def _finding_html(finding: TopicFinding, labels: Labels) -> Html:
    words = topic_labels(labels)
    links = (
        words.private
        if not source.title and source.is_private
        else element("a", one_line(source.title) or clean(source.address), href=clean(source.address))
        if _is_web(source.address)
        else one_line(source.title)
        for source in finding.sources
    )
    earlier = words.earlier.format(text=one_line(finding.earlier)) if finding.earlier else ""
    more = labels.sentence_gap.join(filter(None, (earlier, words.verdicts.get(finding.verdict, ""))))
    line = element(
        "p",
        element("strong", f"{words.kinds[finding.kind]}:"),
        f" {one_line(finding.text)} (",
        join(", ", links),
        ")",
        element("br") if more else None,
        more,
    )
    passages = (clean(source.passage) for source in finding.sources if source.passage)
    return fragment(line, *(element("blockquote", passage) for passage in passages))


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def _add(parent: "ET.Element[str]", name: str, text: str) -> "ET.Element[str]":
    child = ET.SubElement(parent, f"{{{_ATOM}}}{name}")
    child.text = clean(text)
    return child


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
