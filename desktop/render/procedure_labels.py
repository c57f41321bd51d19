"""The texts of the panels of procedures, in the languages of the page."""

from dataclasses import dataclass

from desktop.domain.citation_check import SupportLevel
from desktop.domain.procedures import Depth, EvidencePlace, NoteKind, Phase, SearchTarget
from desktop.render.labels import Labels, in_language


@dataclass(frozen=True)
class ResearchLabels:
    """The texts in one language. Those with braces are templates; pairs are singular and plural."""

    titles: dict[Depth, str]
    phases: dict[Phase, str]
    broken_off: str
    done: str
    rounds: tuple[str, str]
    sources_found: tuple[str, str]
    findings_made: tuple[str, str]
    plan: str
    needs: str
    queries: str
    places: dict[SearchTarget, str]
    query: str
    place: str
    new_query: str
    add: str
    remove: str
    start: str
    starting: str
    round: str
    searching: str
    reading: str
    sources: str
    findings: str
    appendix: str
    nothing_found: str
    enough: str
    missing: str
    unjudged: str
    next: str
    spent: str
    spent_rounds: str
    spent_pages: str
    spent_tokens: str
    spent_minutes: str
    of: str
    pause: str
    pausing: str
    resume: str
    resuming: str
    answer: str
    answering: str
    remark: str
    send: str
    remarks: str
    waiting: str
    go_on: str
    kept: str


EN = ResearchLabels(
    titles={
        Depth.QUICK: "Quick research",
        Depth.BALANCED: "Balanced research",
        Depth.THOROUGH: "Thorough research",
    },
    phases={
        Phase.PLANNING: "Planning",
        Phase.PLANNED: "Review the plan",
        Phase.SEARCHING: "Round {round} of at most {rounds}",
        Phase.PAUSED: "Paused",
        Phase.WRITING: "Writing the answer",
        Phase.DONE: "Done",
    },
    broken_off="Interrupted",
    done="{rounds}, {sources}, {findings}",
    rounds=("{count} round", "{count} rounds"),
    sources_found=("{count} source", "{count} sources"),
    findings_made=("{count} finding", "{count} findings"),
    plan="Plan",
    needs="Goals",
    queries="First searches",
    places={SearchTarget.WEB: "Web", SearchTarget.WIKIPEDIA: "Wikipedia", SearchTarget.FILES: "Your files"},
    query="Search {number}",
    place="Where to search for {number}",
    new_query="What to search for",
    add="Add search",
    remove="Remove search {number}",
    start="Start",
    starting="Starting…",
    round="Round {number}",
    searching="Searching…",
    reading="Reading results…",
    sources="Sources",
    findings="Findings",
    appendix="Findings",
    nothing_found="No results.",
    enough="Enough information found.",
    missing="Still missing: {missing}",
    unjudged="Not reviewed",
    next="Next",
    spent="Spent so far",
    spent_rounds="Rounds",
    spent_pages="Pages",
    spent_tokens="Tokens",
    spent_minutes="Minutes",
    of="{spent} of {most}",
    pause="Pause",
    pausing="Pausing after this round…",
    resume="Resume",
    resuming="Resuming…",
    answer="Answer now",
    answering="Writing the answer next…",
    remark="Add instructions for the remaining research",
    send="Send",
    remarks="Your instructions",
    waiting="applies from the next step",
    go_on="Resume research",
    kept="Everything found so far is kept.",
)

ZH_CN = ResearchLabels(
    titles={Depth.QUICK: "快速研究", Depth.BALANCED: "均衡研究", Depth.THOROUGH: "深入研究"},
    phases={
        Phase.PLANNING: "正在制定计划",
        Phase.PLANNED: "请确认计划",
        Phase.SEARCHING: "第 {round} 轮，最多 {rounds} 轮",
        Phase.PAUSED: "已暂停",
        Phase.WRITING: "正在写回答",
        Phase.CHECKING: "正在核对回答",
        Phase.DONE: "已完成",
    },
    broken_off="已中断",
    done="{rounds}，{sources}，{findings}",
    rounds=("{count} 轮", "{count} 轮"),
    sources_found=("{count} 个来源", "{count} 个来源"),
    findings_made=("{count} 条发现", "{count} 条发现"),
    plan="计划",
    needs="需要弄清的内容",
    queries="首先搜索",
    places={SearchTarget.WEB: "网络", SearchTarget.WIKIPEDIA: "维基百科", SearchTarget.FILES: "你的文件"},
    query="搜索 {number}",
    place="搜索 {number} 的位置",
    new_query="要搜索的内容",
    add="添加搜索",
    remove="删除搜索 {number}",
    start="开始",
    starting="正在开始…",
    round="第 {number} 轮",
    searching="正在搜索…",
    reading="正在阅读找到的内容…",
    sources="来源",
    findings="研究发现",
    appendix="研究发现",
    nothing_found="没有找到内容。",
    enough="模型认为已经足够。",
    missing="还缺：{missing}",
    unjudged="未评估。",
    next="接下来",
    spent="目前用量",
    spent_rounds="轮数",
    spent_pages="页数",
    spent_tokens="词元",
    spent_minutes="分钟",
    of="{spent} / {most}",
    pause="暂停",
    pausing="这一轮之后暂停",
    resume="继续",
    resuming="正在继续…",
    answer="立即回答",
    answering="接下来写回答",
    remark="为接下来的研究补充一句话",
    send="发送",
    remarks="你的补充",
    waiting="从下次阅读起生效",
    go_on="继续研究",
    kept="目前找到的内容都已保留。",
)


def research_labels(labels: Labels) -> ResearchLabels:
    """Return the texts for a research in the language of `labels`."""
    return in_language({"en": EN, "zh": ZH_CN}, labels.language)


@dataclass(frozen=True)
class DocumentLabels:
    """The texts in one language. Those with braces are templates; pairs are singular and plural."""

    reading: str
    reading_phases: dict[Phase, str]
    parts: tuple[str, str]
    notes: tuple[str, str]
    part: str
    page: str
    pages: str
    progress: str
    of: str
    kinds: dict[NoteKind, str]
    writing: str
    writing_phases: dict[Phase, str]
    chapters: tuple[str, str]
    outline: str
    outline_hint: str
    written: str
    being_written: str
    not_written: str
    change: str
    change_hint: str
    heading: str
    new_heading: str
    add: str
    remove: str
    up: str
    rewrite: str
    rewrite_named: str
    start: str
    starting: str
    apply: str
    broken_off: str
    go_on_reading: str
    go_on_writing: str
    kept: str


_DOCUMENT_EN = DocumentLabels(
    reading="Summary of “{name}”",
    reading_phases={
        Phase.PLANNING: "Opening the document",
        Phase.READING: "Section {place} of {count}",
        Phase.PAUSED: "Paused",
        Phase.WRITING: "Writing the summary",
        Phase.CHECKING: "Checking citations",
    },
    parts=("{count} section", "{count} sections"),
    notes=("{count} note", "{count} notes"),
    part="Section {number}",
    page="p. {first}",
    pages="pp. {first}–{last}",
    progress="Sections read",
    of="{done} of {count}",
    kinds={
        NoteKind.GIST: "Summary",
        NoteKind.POINT: "Key points",
        NoteKind.NEW: "New",
        NoteKind.CLAIM: "Claims",
        NoteKind.EVIDENCE: "Evidence",
        NoteKind.ANSWER: "Your question",
    },
    writing="Draft",
    writing_phases={
        Phase.PLANNING: "Planning the outline",
        Phase.PLANNED: "Review the outline",
        Phase.PAUSED: "Paused",
        Phase.WRITING: "Chapter {place} of {count}",
        Phase.CHECKING: "Checking citations",
    },
    chapters=("{count} chapter", "{count} chapters"),
    outline="Outline",
    outline_hint="Edit the outline, then start.",
    written="written",
    being_written="being written…",
    not_written="not written",
    change="Edit outline",
    change_hint="New chapters are written. The others keep their text.",
    heading="Heading {number}",
    new_heading="Chapter topic",
    add="Add chapter",
    remove="Remove chapter {number}",
    up="Move chapter {number} up",
    rewrite="Rewrite",
    rewrite_named="Rewrite chapter {number}",
    start="Start writing",
    starting="Starting…",
    apply="Apply",
    broken_off="Interrupted",
    go_on_reading="Resume",
    go_on_writing="Resume",
    kept="Everything done so far is kept.",
)

_DOCUMENT_ZH_CN = DocumentLabels(
    reading="“{name}”的摘要",
    reading_phases={
        Phase.PLANNING: "正在打开文档",
        Phase.READING: "第 {place} 部分，共 {count} 部分",
        Phase.PAUSED: "已暂停",
        Phase.WRITING: "正在整理",
        Phase.CHECKING: "正在核对引用",
    },
    parts=("{count} 个部分", "{count} 个部分"),
    notes=("{count} 条笔记", "{count} 条笔记"),
    part="第 {number} 部分",
    page="第 {first} 页",
    pages="第 {first}–{last} 页",
    progress="已读部分",
    of="{done} / {count}",
    kinds={
        NoteKind.GIST: "概括",
        NoteKind.POINT: "要点",
        NoteKind.NEW: "新内容",
        NoteKind.CLAIM: "论断",
        NoteKind.EVIDENCE: "依据",
        NoteKind.ANSWER: "与你的问题有关",
    },
    writing="草稿",
    writing_phases={
        Phase.PLANNING: "正在拟提纲",
        Phase.PLANNED: "请确认提纲",
        Phase.PAUSED: "已暂停",
        Phase.WRITING: "第 {place} 章，共 {count} 章",
        Phase.CHECKING: "正在核对引用",
    },
    chapters=("{count} 章", "{count} 章"),
    outline="提纲",
    outline_hint="可以随意修改，然后开始。",
    written="已写",
    being_written="正在写…",
    not_written="未写",
    change="修改提纲",
    change_hint="新标题会写出正文，其余保留原文。",
    heading="标题 {number}",
    new_heading="本章讲什么",
    add="添加一章",
    remove="删除第 {number} 章",
    up="上移第 {number} 章",
    rewrite="重写",
    rewrite_named="重写第 {number} 章",
    start="开始写作",
    starting="正在开始…",
    apply="应用",
    broken_off="已中断",
    go_on_reading="继续",
    go_on_writing="继续",
    kept="已完成的内容都已保留。",
)


def document_labels(labels: Labels) -> DocumentLabels:
    """Return the texts for summaries and drafts in the language of `labels`."""
    return in_language({"en": _DOCUMENT_EN, "zh": _DOCUMENT_ZH_CN}, labels.language)


@dataclass(frozen=True)
class TextCheckLabels:
    """The texts for the check of a text in one language."""

    name: str
    phases: dict[Phase, str]
    claims: tuple[str, str]
    verdicts: dict[SupportLevel, str]
    places: dict[EvidencePlace, str]
    likelihood: str
    full_stop: str
    differs: str
    nothing: str
    uncompared: str
    closest: str
    progress: str
    of: str
    worst_first: str
    checked_text: str
    show_in_text: str
    broken_off: str
    go_on: str


_TEXT_CHECK_EN = TextCheckLabels(
    name="Check of “{name}”",
    phases={
        Phase.PLANNING: "Reading the text",
        Phase.CHECKING: "Claim {place} of {count}",
        Phase.PAUSED: "Paused",
    },
    claims=("{count} claim", "{count} claims"),
    verdicts={
        SupportLevel.CONTRADICTED: "Contradicted",
        SupportLevel.NOT_FOUND: "Not found",
        SupportLevel.UNREAD: "Can’t be read",
        SupportLevel.WEAK: "Partly supported",
        SupportLevel.UNCOMPARED: "Not compared",
        SupportLevel.SUPPORTED: "Supported",
    },
    places={
        EvidencePlace.CITED: "in the page it cites",
        EvidencePlace.BASES: "in your knowledge bases",
        EvidencePlace.WEB: "on the web",
    },
    likelihood="likelihood of support {percent} %",
    full_stop=".",
    differs="Missing from the source: {missing}.",
    nothing="Nothing was found that it could be compared with.",
    uncompared="The claim and the source are in different languages or have no words to compare.",
    closest="Closest passage:",
    progress="Claims checked",
    of="{done} of {count}",
    worst_first="Claims, the worst first",
    checked_text="The checked text",
    show_in_text="Show in the text",
    broken_off="Interrupted",
    go_on="Resume",
)

_TEXT_CHECK_ZH_CN = TextCheckLabels(
    name="核查“{name}”",
    phases={
        Phase.PLANNING: "正在读取文本",
        Phase.CHECKING: "第 {place} 条说法，共 {count} 条",
        Phase.PAUSED: "已暂停",
    },
    claims=("{count} 条说法", "{count} 条说法"),
    verdicts={
        SupportLevel.CONTRADICTED: "与来源矛盾",
        SupportLevel.NOT_FOUND: "未找到依据",
        SupportLevel.UNREAD: "来源无法读取",
        SupportLevel.WEAK: "依据不足",
        SupportLevel.UNCOMPARED: "无法比较",
        SupportLevel.SUPPORTED: "有依据",
    },
    places={
        EvidencePlace.CITED: "依据所引用的网页",
        EvidencePlace.BASES: "依据你的知识库",
        EvidencePlace.WEB: "依据网络",
    },
    likelihood="有依据的可能性 {percent}%",
    full_stop="。",
    differs="来源中没有：{missing}。",
    nothing="没有找到可以比较的内容。",
    uncompared="说法与来源语言不同，或没有可以比较的文字。",
    closest="最接近的段落：",
    progress="已核查的说法",
    of="{done} / {count}",
    worst_first="各条说法（问题最大的在前）",
    checked_text="被核查的文本",
    show_in_text="在文中显示",
    broken_off="已中断",
    go_on="继续",
)


def text_check_labels(labels: Labels) -> TextCheckLabels:
    """Return the texts for the check of a text in the language of `labels`."""
    return in_language({"en": _TEXT_CHECK_EN, "zh": _TEXT_CHECK_ZH_CN}, labels.language)
