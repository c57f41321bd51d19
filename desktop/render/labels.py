"""The texts of the page and its scripts, in the languages of the window."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from desktop.domain.citation_check import SupportLevel, UnreadReason
from desktop.domain.messages import MessageStatus, SettingsPage, StepKind
from desktop.domain.privacy import Channel
from desktop.domain.sources import SourceKind
from desktop.render.clock import ISO_CLOCK, Clock

_T = TypeVar("_T")

STARTS: Final = ("research", "summarize", "write", "compare", "models")
"""What an empty conversation offers besides questions: its cards in their order, and the way to a model below them."""


@dataclass(frozen=True)
class Labels:
    """The texts in one language. Those with braces are templates."""

    language: str
    you: str
    answer: str
    conversation: str
    source: str
    sources: str
    cited: str
    cited_count: str
    not_cited: str
    unknown: str
    kinds: dict[SourceKind, str]
    page_number: str
    read_on: str
    checked_on: str
    published: str
    remembered: str
    said_on: str
    as_in_note: str
    """After the title of a source that an earlier footnote names in full."""
    follow: dict[SourceKind, str]
    steps: dict[StepKind, str]
    counts: dict[StepKind, tuple[str, str]]
    """Units that `Step.count` counts: singular and plural."""
    worked: tuple[str, str]
    issues: tuple[str, str]
    thinking: str
    thought: str
    """Heading of reasoning whose duration is unknown."""
    thought_for: str
    seconds: str
    minutes: str
    tokens: str
    speed: str
    cached_tokens: str
    reasoning_tokens: str
    writing: str
    finished: str
    statuses: dict[MessageStatus, str]
    actions: dict[str, str]
    answer_it: str
    """Button for a question without an answer."""
    error_details: str
    """Behind it is what a server or the system said about a failure."""
    error_fixes: dict[SettingsPage, str]
    set_up_model: str
    try_again: str
    """Button for an answer whose search has failed."""
    damaged: str
    """Shown for text that was damaged on disk and is in no backup."""
    variant: str
    """Shows which of several versions of a message is displayed."""
    checking: str
    cites_nothing: str
    claims: tuple[str, str]
    supported: str
    found: tuple[str, str]
    doubtful: str
    show_doubt: str
    found_title: str
    found_note: str
    support_counts: dict[SupportLevel, str]
    unknown_counts: tuple[str, str]
    support_names: dict[SupportLevel, str]
    """Descriptions of citation marks for screen readers."""
    support_titles: dict[SupportLevel, str]
    support_notes: dict[SupportLevel, str]
    unread_notes: dict[UnreadReason, str]
    sent_to: str
    sent_nowhere: str
    sent_by_tools: str
    """Of an answer that used tools, which may send something on."""
    sites: tuple[str, str]
    sent_data: dict[Channel, str]
    last_comma: str
    disagree: str
    say: tuple[str, str]
    """How many sources say a value: one, several."""
    disputed: str
    others_say: str
    in_bases: str
    missing: str
    closest: str
    comma: str
    sentence_gap: str
    quotes: str
    """Name of the built-in model."""
    copied: str
    copy_code: str
    wrap_code: str
    lines: tuple[str, str]
    more_lines: str
    picture: str
    load_picture: str
    cut_note: str
    drawing: str
    code: str
    is_drawing: str
    stop_drawing: str
    save_drawing: str
    not_drawn: str
    to_end: str
    quote: str
    """Label of the button next to a selection."""
    welcome: str
    welcome_text: str
    sample_title: str
    sample_text: str
    examples: tuple[str, ...]
    file_example: str
    """The one of the examples that is about files, which the user attaches first."""
    starts: tuple[tuple[str, str], ...]
    """Title and use of each card of `STARTS`."""
    without_model: str
    """Below the cards while no model is set up."""
    left_out: str
    """Title of a private source that a shared page leaves out."""
    left_out_note: str
    frozen: str
    """Below a shared page: what its passages are."""
    clock: Clock = ISO_CLOCK
    has_model: bool = True
    """Whether a model is set up that writes answers."""

    def end_of_answer(self, status: MessageStatus) -> str:
        """Return what is said when an answer has ended."""
        return self.statuses.get(status, self.finished)


EN = Labels(
    language="en",
    you="You",
    answer="Answer",
    conversation="Chat",
    source="source",
    sources="Sources",
    cited="Cited",
    cited_count="{count} cited",
    not_cited="Also read",
    unknown="Source not found",
    kinds={
        SourceKind.WEB: "Web page",
        SourceKind.FILE: "File",
        SourceKind.MEMORY: "Memory",
        SourceKind.ANSWER: "Past answer",
    },
    page_number="page {page}",
    read_on="read {date}",
    checked_on="Read again on {date}.",
    published="published {date}",
    remembered="saved {date}",
    said_on="from {date}",
    as_in_note=", as in note {number}.",
    follow={
        SourceKind.WEB: "Open live page",
        SourceKind.FILE: "Open the file",
        SourceKind.MEMORY: "Show the memory",
        SourceKind.ANSWER: "Show in chat",
    },
    steps={
        StepKind.INTENT: "Planning the search",
        StepKind.SEARCH: "Searching the web",
        StepKind.READ: "Reading",
        StepKind.KNOWLEDGE: "Searching your files",
        StepKind.MEMORY: "Checking memory",
        StepKind.TOOL: "Using a tool",
        StepKind.PLAN: "Planning",
        StepKind.JUDGE: "Reviewing results",
        StepKind.CHECK: "Checking citations",
        StepKind.CONTEXT: "Selecting passages",
        StepKind.ANSWER: "Answering",
        StepKind.RETRY: "Waiting for the provider",
    },
    counts={
        StepKind.SEARCH: ("{count} result", "{count} results"),
        StepKind.KNOWLEDGE: ("{count} passage", "{count} passages"),
        StepKind.MEMORY: ("{count} memory", "{count} memories"),
        StepKind.CONTEXT: ("{count} passage", "{count} passages"),
    },
    worked=("{count} step", "{count} steps"),
    issues=("{count} issue", "{count} issues"),
    thinking="Thinking",
    thought="Reasoning",
    thought_for="Thought for {time}",
    seconds="{seconds} s",
    minutes="{minutes} min {seconds} s",
    tokens="{given} input tokens, {made} output tokens",
    speed="{count} tokens per second",
    cached_tokens="{count} cached",
    reasoning_tokens="{count} used for reasoning",
    writing="Writing",
    finished="The answer is finished.",
    statuses={
        MessageStatus.STOPPED: "You stopped this answer.",
        MessageStatus.INTERRUPTED: "Footnote quit before this answer was finished.",
        MessageStatus.FAILED: "The answer was interrupted.",
    },
    actions={
        "copy": "Copy",
        "retry": "Regenerate",
        "skip_wait": "Ask now",
        "retry_with": "Use another model…",
        "earlier": "Previous version",
        "later": "Next version",
        "more": "More",
        "beside": "Compare with another model…",
        "choose": "Continue with this answer",
        "stop": "Stop",
        "unfold": "Show or hide this answer",
        "continue": "Resume",
        "edit": "Edit",
        "remember": "Remember this",
        "details": "Sources and searches…",
        "share": "Share or export…",
        "copy_sources": "Copy sources",
        "copy_source": "Copy source",
        "add_source": "Add to knowledge base…",
        "add_sources": "Add to knowledge base…",
        "check": "Check citations",
        "stop_check": "Cancel",
    },
    answer_it="Get an answer",
    error_details="Details",
    error_fixes={
        SettingsPage.MODELS: "Open Settings > Models",
        SettingsPage.SEARCH: "Open Settings > Search",
        SettingsPage.NETWORK: "Open Settings > Network",
        SettingsPage.TOOLS: "Open Settings > Tools",
        SettingsPage.KNOWLEDGE: "Open Settings > Knowledge",
    },
    set_up_model="Set up a model…",
    try_again="Try again",
    damaged="This message is damaged and isn’t in any backup.",
    variant="Version {number} of {count}",
    checking="Checking citations: {done} of {total}",
    cites_nothing="This answer has no citations.",
    claims=("{count} claim", "{count} claims"),
    supported="{count} supported",
    found=("{count} found in its sources", "{count} found in their sources"),
    doubtful="{count} doubtful",
    show_doubt="Show the citation: {kinds}",
    found_title="Found in the source.",
    found_note="The source has its words, names and numbers. The meaning was not checked.",
    support_counts={
        SupportLevel.WEAK: "{count} weak",
        SupportLevel.CONTRADICTED: "{count} contradicted",
        SupportLevel.NOT_FOUND: "{count} not found",
        SupportLevel.UNREAD: "{count} couldn’t be read",
        SupportLevel.UNCOMPARED: "{count} not compared",
    },
    unknown_counts=("{count} number without a source", "{count} numbers without a source"),
    support_names={
        SupportLevel.WEAK: "weakly supported",
        SupportLevel.CONTRADICTED: "contradicted by the source",
        SupportLevel.NOT_FOUND: "not in the source",
        SupportLevel.UNREAD: "the source couldn’t be read",
    },
    support_titles={
        SupportLevel.SUPPORTED: "Supported.",
        SupportLevel.WEAK: "Weak.",
        SupportLevel.CONTRADICTED: "Contradicted.",
        SupportLevel.NOT_FOUND: "Not found.",
        SupportLevel.UNCOMPARED: "Not compared.",
        SupportLevel.UNREAD: "Can’t be read.",
    },
    support_notes={
        SupportLevel.SUPPORTED: "The source says this.",
        SupportLevel.WEAK: "The source only partly supports this.",
        SupportLevel.CONTRADICTED: "The source seems to say otherwise.",
        SupportLevel.NOT_FOUND: "The source doesn’t seem to support this.",
        SupportLevel.UNCOMPARED: "The answer and the source are in different languages.",
        SupportLevel.UNREAD: "The cited page couldn’t be read.",
    },
    unread_notes={
        UnreadReason.GONE: "The cited page no longer exists.",
        UnreadReason.FORBIDDEN: "The site of the cited page asks for payment, a sign-in or a CAPTCHA.",
        UnreadReason.REFUSED: "Footnote did not open the cited page. Its address is private or invalid, "
        "or the page is too large.",
        UnreadReason.UNREACHABLE: "The cited page can’t be reached at present.",
        UnreadReason.UNSUPPORTED: "The cited address isn’t text. It may be a video or a program.",
        UnreadReason.EMPTY: "The cited page has no text.",
        UnreadReason.KEPT_BACK: "The cited page was not opened, because nothing of this chat may leave this computer.",
    },
    sent_to="Sent to {names}",
    sent_nowhere="Stayed on this computer",
    sent_by_tools="Nothing was sent by Footnote itself; its tools may have sent something",
    sites=("{count} site", "{count} sites"),
    sent_data={
        Channel.MODEL: "question, chat, sources and images",
        Channel.SEARCH: "search words",
        Channel.READING: "addresses of pages and images",
        Channel.TOOLS: "data that the model passed to the tool",
        Channel.EMBEDDING: "passages from files, and search words",
        Channel.RERANKING: "search words and passages found",
        Channel.INDEX: "vectors of passages",
        Channel.BACKUP: "backups",
        Channel.UPDATE: "update check",
    },
    last_comma=" and ",
    disagree="The sources disagree:",
    say=("{count} of {total} sources says {value}", "{count} of {total} sources say {value}"),
    disputed="other sources disagree",
    others_say="Sources disagree about this.",
    in_bases="In the knowledge base {names}.",
    missing="Missing from the source: {missing}.",
    closest="The closest passage is highlighted.",
    comma=", ",
    sentence_gap=" ",
    quotes="Quotes",
    copied="Copied",
    copy_code="Copy code",
    wrap_code="Wrap lines",
    lines=("{count} line", "{count} lines"),
    more_lines="Show all {count} lines",
    picture="Image from {host} (not loaded)",
    load_picture="Load image from {host}",
    cut_note="This passage is very long. The rest is shown as plain text.",
    drawing="Drawing",
    code="Code",
    is_drawing="Drawing…",
    stop_drawing="Stop drawing",
    save_drawing="Copy or save the drawing",
    not_drawn="This couldn’t be drawn: {problem}",
    to_end="Jump to latest",
    quote="Quote in message",
    welcome="What would you like to know?",
    welcome_text="Every answer cites its sources. Point to a number to see the passage.",
    sample_title="This is a citation",
    sample_text="In an answer, it shows the passage that supports the sentence. Click it to open the source there.",
    examples=(
        "What changed in the newest version of Python?",
        "How do heat pumps work when it is freezing outside?",
        "Summarize the files I attach",
    ),
    file_example="Summarize the files I attach",
    starts=(
        ("Research", "Search in rounds, and answer from all that is found"),
        ("Summarize a document", "Outline and key points, with page numbers"),
        ("Write a draft", "A longer text from your files, with a source for each statement"),
        ("Compare models", "Several answers to one question, side by side"),
    ),
    without_model="Quotes answers with exact sentences from your sources.",
    left_out="Private source",
    left_out_note="Its passage is not part of this file.",
    frozen="The passages are as they were read for this answer of {date}. Pages on the web may have changed since.",
)

ZH_CN = Labels(
    language="zh-CN",
    you="你",
    answer="回答",
    conversation="对话",
    source="来源",
    sources="来源",
    cited="已引用",
    cited_count="引用 {count} 个",
    not_cited="已读未引用",
    unknown="找不到来源",
    kinds={
        SourceKind.WEB: "网页",
        SourceKind.FILE: "文件",
        SourceKind.MEMORY: "记忆",
        SourceKind.ANSWER: "以前的回答",
    },
    page_number="第 {page} 页",
    read_on="{date} 读取",
    checked_on="于 {date} 再次读取。",
    published="{date} 发布",
    remembered="{date} 起记住",
    said_on="{date} 说过",
    as_in_note="，见注 {number}。",
    follow={
        SourceKind.WEB: "打开当前网页",
        SourceKind.FILE: "打开文件",
        SourceKind.MEMORY: "查看这条记忆",
        SourceKind.ANSWER: "查看原处",
    },
    steps={
        StepKind.INTENT: "规划搜索",
        StepKind.SEARCH: "联网搜索",
        StepKind.READ: "阅读",
        StepKind.KNOWLEDGE: "查找你的文件",
        StepKind.MEMORY: "查找记忆",
        StepKind.TOOL: "使用工具",
        StepKind.PLAN: "拟定计划",
        StepKind.JUDGE: "评估已找到的内容",
        StepKind.CHECK: "核对引用",
        StepKind.CONTEXT: "选择段落",
        StepKind.ANSWER: "回答",
        StepKind.RETRY: "等待服务商",
    },
    counts={
        StepKind.SEARCH: ("{count} 条结果", "{count} 条结果"),
        StepKind.KNOWLEDGE: ("{count} 段", "{count} 段"),
        StepKind.MEMORY: ("{count} 条记忆", "{count} 条记忆"),
        StepKind.CONTEXT: ("{count} 段", "{count} 段"),
    },
    worked=("{count} 个步骤", "{count} 个步骤"),
    issues=("{count} 个步骤异常", "{count} 个步骤异常"),
    thinking="正在思考",
    thought="思考过程",
    thought_for="思考了 {time}",
    seconds="{seconds} 秒",
    minutes="{minutes} 分 {seconds} 秒",
    tokens="输入 {given} 词元，输出 {made} 词元",
    speed="每秒 {count} 词元",
    cached_tokens="输入中 {count} 个来自缓存",
    reasoning_tokens="输出中 {count} 个用于思考",
    writing="正在生成",
    finished="回答已完成。",
    statuses={
        MessageStatus.STOPPED: "你停止了这个回答。",
        MessageStatus.INTERRUPTED: "Footnote 在回答途中被关闭。",
        MessageStatus.FAILED: "这个回答中断了。",
    },
    actions={
        "copy": "复制",
        "retry": "重新生成",
        "skip_wait": "立即提问",
        "retry_with": "使用其他模型…",
        "earlier": "上一个版本",
        "later": "下一个版本",
        "more": "更多",
        "beside": "与其他模型比较…",
        "choose": "以此回答继续",
        "stop": "停止",
        "unfold": "展开或收起这个回答",
        "continue": "继续",
        "edit": "编辑",
        "remember": "记住这句话",
        "details": "来源与搜索…",
        "share": "分享或导出…",
        "copy_sources": "复制全部来源",
        "copy_source": "复制来源",
        "add_source": "加入知识库…",
        "add_sources": "加入知识库…",
        "check": "核对引用",
        "stop_check": "取消",
    },
    answer_it="回答这个问题",
    error_details="详细信息",
    error_fixes={
        SettingsPage.MODELS: "打开“设置 > 模型”",
        SettingsPage.SEARCH: "打开“设置 > 搜索”",
        SettingsPage.NETWORK: "打开“设置 > 网络”",
        SettingsPage.TOOLS: "打开“设置 > 工具”",
        SettingsPage.KNOWLEDGE: "打开“设置 > 知识库”",
    },
    set_up_model="设置模型…",
    try_again="重试",
    damaged="这条消息已损坏，任何备份中都没有它。",
    variant="第 {number} 个版本，共 {count} 个",
    checking="正在核对引用：{total} 处中的第 {done} 处",
    cites_nothing="这个回答没有引用来源。",
    claims=("{count} 条说法", "{count} 条说法"),
    supported="{count} 条有来源支持",
    found=("{count} 条在来源中找到", "{count} 条在来源中找到"),
    doubtful="{count} 条存疑",
    show_doubt="显示该引用：{kinds}",
    found_title="在来源中找到。",
    found_note="其中的词语、名称和数字在来源中以相近的顺序出现；未判断其含义。",
    support_counts={
        SupportLevel.WEAK: "{count} 处依据不足",
        SupportLevel.CONTRADICTED: "{count} 处与来源矛盾",
        SupportLevel.NOT_FOUND: "{count} 处未找到依据",
        SupportLevel.UNREAD: "{count} 处来源无法读取",
        SupportLevel.UNCOMPARED: "{count} 处无法比较",
    },
    unknown_counts=("{count} 个编号没有来源", "{count} 个编号没有来源"),
    support_names={
        SupportLevel.WEAK: "依据不足",
        SupportLevel.CONTRADICTED: "与来源矛盾",
        SupportLevel.NOT_FOUND: "来源中未找到",
        SupportLevel.UNREAD: "来源无法读取",
    },
    support_titles={
        SupportLevel.SUPPORTED: "有依据。",
        SupportLevel.WEAK: "依据不足。",
        SupportLevel.CONTRADICTED: "与来源矛盾。",
        SupportLevel.NOT_FOUND: "未找到依据。",
        SupportLevel.UNCOMPARED: "无法比较。",
        SupportLevel.UNREAD: "无法读取。",
    },
    support_notes={
        SupportLevel.SUPPORTED: "来源中有这一说法。",
        SupportLevel.WEAK: "来源中有相近的说法，但可能不完全一致。",
        SupportLevel.CONTRADICTED: "来源的说法似乎不同。",
        SupportLevel.NOT_FOUND: "来源中似乎没有这一说法。",
        SupportLevel.UNCOMPARED: "回答与来源语言不同，或没有可比较的文字。",
        SupportLevel.UNREAD: "所引用的网页无法读取。",
    },
    unread_notes={
        UnreadReason.GONE: "所引用的网页不存在（或已删除）。",
        UnreadReason.FORBIDDEN: "所引用的网站要求付费、登录或人工验证。",
        UnreadReason.REFUSED: "Footnote 未打开所引用的网页。其地址位于专用网络或无效，或网页过大。",
        UnreadReason.UNREACHABLE: "目前无法连接所引用的网页。",
        UnreadReason.UNSUPPORTED: "所引用的地址不是文字，例如视频或程序。",
        UnreadReason.EMPTY: "所引用的网页没有文字。",
        UnreadReason.KEPT_BACK: "未打开所引用的网页，因为此对话只留在本机。",
    },
    sent_to="已发送给 {names}",
    sent_nowhere="全部留在本机",
    sent_by_tools="Footnote 本身未发送任何内容；所用工具可能发送了内容",
    sites=("{count} 个网站", "{count} 个网站"),
    sent_data={
        Channel.MODEL: "问题、对话、来源和图片",
        Channel.SEARCH: "搜索词",
        Channel.READING: "网页和图片的地址",
        Channel.TOOLS: "模型交给工具的数据",
        Channel.EMBEDDING: "文件段落和搜索词",
        Channel.RERANKING: "搜索词和找到的段落",
        Channel.INDEX: "段落的向量",
        Channel.BACKUP: "备份",
        Channel.UPDATE: "检查更新",
    },
    last_comma="和",
    disagree="来源说法不一：",
    say=("{total} 个来源中有 {count} 个说 {value}", "{total} 个来源中有 {count} 个说 {value}"),
    disputed="其他来源说法不同",
    others_say="各来源对此说法不一。",
    in_bases="已在知识库{names}中。",
    missing="来源中没有：{missing}。",
    closest="已标出最接近的段落。",
    comma="，",
    sentence_gap="",
    quotes="原文摘录",
    copied="已复制",
    copy_code="复制代码",
    wrap_code="自动换行",
    lines=("{count} 行", "{count} 行"),
    more_lines="显示全部 {count} 行",
    picture="{host} 上的图片，未加载",
    load_picture="从 {host} 加载图片",
    cut_note="内容过长，其余部分按纯文本显示。",
    drawing="图形",
    code="代码",
    is_drawing="正在绘制…",
    stop_drawing="停止绘制",
    save_drawing="复制或保存图形",
    not_drawn="无法绘制：{problem}",
    to_end="跳到最新",
    quote="引用到消息",
    welcome="想了解什么？",
    welcome_text="每个回答都注明来源。指向编号即可查看原文。",
    sample_title="这是一个引用编号",
    sample_text="在回答中，它显示支持该句的原文。点击即可在来源中打开这一段。",
    examples=(
        "Python 最新版本有哪些变化？",
        "热泵在零下的天气里是怎么工作的？",
        "总结我附加的文件",
    ),
    file_example="总结我附加的文件",
    starts=(
        ("研究", "分多轮搜索，根据找到的全部内容回答"),
        ("文档速读", "提纲和要点，附页码"),
        ("撰写草稿", "根据你的文件写一篇长文，每句都有来源"),
        ("比较模型", "多个模型并排回答同一个问题"),
    ),
    without_model="当前由“原文摘录”用来源中的原句回答。",
    left_out="私有来源",
    left_out_note="此文件不包含它的段落。",
    frozen="这些段落是 {date} 回答时读取的内容。网页此后可能已有变化。",
)


def in_language(texts: Mapping[str, _T], locale: str) -> _T:
    """Return the texts, by language, for a locale such as `zh_CN`; English if there are none."""
    return texts.get(locale[:2].lower(), texts["en"])


def labels_of(locale: str) -> Labels:
    """Return the texts for a locale such as `zh_CN`; English if there are none."""
    return in_language({"en": EN, "zh": ZH_CN}, locale)
