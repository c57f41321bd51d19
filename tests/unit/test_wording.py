"""One thing has one name wherever the user reads it, in English and in Chinese: words that were replaced stay away."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from xml.etree import ElementTree

from desktop.cli.parser import build_parser
from desktop.render.labels import EN, ZH_CN
from desktop.resources import resource_text
from tests.cases import cases

PHRASES = "translations/phrases_zh_CN.toml"
WINDOW = "translations/footnote_zh_CN.ts"
ROOT = Path(__file__).parents[2]
FIELD = re.compile(r"\{\w+\}")
MOST_WORDS = 15
"""In a sentence below a control, in a message or in the help; a value that is filled in does not count."""

MOST_CHARACTERS = 24
"""In a Chinese sentence; a word in Latin letters counts as one character, a value that is filled in as none."""

NAMES = re.compile(
    "Alt|Anthropic|Backspace|Chatbox|Cherry|Chinese|Chroma|Chrome|Chromium|Claude|Code|Ctrl|Cursor|Debian|Desktop|Edge|Enter|"
    "Esc|Face|Flatpak|Footnote|Google|Hugging|Keyring|Knowledge|Markdown|Mermaid|Microsoft|Models|Office|Ollama|Open|Python|"
    "Quotes|Sentence|Settings|Shift|Studio|Transformers|Ubuntu|Watch|Windows"
)
"""Programs, companies, languages, keys, and pages and buttons of the window that are called by their names."""

NAMES_EN = [
    (r"(?i)\bconversations?\b", "chat"),
    (r"(?i)\bpictures?\b", "image"),
    (r"(?<!knowledge )(?<!Knowledge )\bbases?\b", "knowledge base"),
    (r"\bmachine\b", "this computer"),
    (r"\b(?:anew|whoever|nobody|somebody|mails)\b", "again, anyone, email"),
    (r"\bSettings, [A-Z]", "Settings > …"),
    (r"(?i)\bkeys? (?:for|of) the quick window|\busual keys\b|\bpress the keys\b|^keys$", "shortcut"),
    (r"(?i)\bnotes? of the desktop\b|\bshow a note\b", "notification"),
    (r"(?i)\binspector\b|\bcame by\b", "Sources and searches"),
    (r"^Retry$|\banswer again\b", "Regenerate"),
    (r"\b[Gg]o(?:es)? on\b", "resume, continue"),
    (r"\bbr(?:oke|oken) off\b", "interrupted"),
    (r"(?i)\bread (?:this )?for me\b", "Summarize a document"),
    (r"(?i)\bas in the settings\b|\bas the (?:system|model) (?!was\b)\w+s\b|\bas usual\b", "Default"),
    (r"(?i)\bmodel servers?\b", "provider"),
    (r"(?i)\bcopy now\b", "Back up now"),
    (r"(?i)\bout of the archive\b|\blook again\b|\bleave it as it is\b", "unarchive, try again, cancel"),
    (
        r"(?i)\bthinks\b|\bas found out\b|\blet go\b|\bonly here\b",
        "reasoning effort, detected, unpin, local only",
    ),
    (r"(?i)\bbear on\b|\bfor always\b|\bnot like this\b|\bwhat became of\b", "plain words"),
    (r"\.\.\.", "…"),
    (r"\bleft alone\b|\bmade out\b|\blooked up for\b", "paused, recognized"),
    (r"(?i)recognis|colour|favourit|behaviour|cancell(?:ed|ing)\b|licence", "American spelling"),
]
"""A pattern of what was replaced, and what stands for it: for every text that the user reads."""

SHORT_EN = [
    (r"\b(?:copies|put back)\b", "backups, restored"),
    (r"\bcould not\b", "couldn’t"),
    (r"\bcannot\b", "can’t"),
    (r"\b(?:don|doesn|didn|isn|aren|couldn|can|won)'t\b", "’"),
    (r"\bhas to\b", "must"),
    (
        r"\bany more\b|\bno more\b|\bin it is already\b|\bfor (?:it )?at the moment\b",
        "no longer, in this backup",
    ),
]
"""The same for the texts of the program alone, which are short."""

NAMES_ZH = [
    ("(?<!（)副本", "备份"),
    ("重排器|重排模型", "重排序模型"),
    ("钥匙串", "系统密钥环"),
    ("提供商|供应商", "服务商"),
    ("按键", "快捷键"),
    ("摘句", "原文摘录"),
    ("大纲", "提纲"),
    ("搜索网络(?!和)|网络搜索", "联网搜索"),
    ("向量服务(?!器)", "嵌入服务器"),
    ("(?i)(?<![a-z])token", "词元"),
    ("为我阅读|帮我读", "文档速读"),
    ("回车", "Enter"),
    ("同设置|与设置相同|同系统|按惯例", "默认"),
    ("模型思考多久|思考程度|思考时长", "思考强度"),
    (
        "先来几个|这里有吗|放得下|篇幅不够|长期有效|得知什么|求助报告",
        "添加示例、是否已存在、超出上下文、已保存的授权",
    ),
    ("疏密", "界面密度"),
    ("过往回答", "以前的回答"),
    ("论断|主张", "说法"),
    ("词语匹配|按语义编入|大得可疑|这里没有|放不下", "关键词、语义索引、过大、不存在、超出上下文"),
    ("没有任何人|这台机器", "本机"),
    ("[\u4e00-\u9fff][,;!?](?!\\d)", "全角标点"),
]

SYSTEM = "system"
"""Words of operating systems, which are not ours to choose."""


def texts() -> list[tuple[str, str]]:
    """Return all texts for the user, English and Chinese; the help of the command line has no Chinese."""
    sections = tomllib.loads(resource_text(PHRASES))
    pairs = [pair for name, section in sections.items() if name != SYSTEM for pair in section.items()]
    for message in ElementTree.fromstring(resource_text(WINDOW)).iter("message"):
        forms = [form.text or "" for form in message.iter("numerusform")]
        pairs.append(
            (message.findtext("source", ""), " ".join([message.findtext("translation", ""), *forms]))
        )
    pairs += [(words, "") for words in (*help_texts(build_parser()), *strings_in(EN))]
    pairs += [("", words) for words in strings_in(ZH_CN)]
    return [(FIELD.sub("", english), FIELD.sub("", chinese)) for english, chinese in pairs]


def strings_in(labels: object) -> Iterator[str]:
    """Yield the texts of the page."""
    if isinstance(labels, str):
        yield labels
    elif is_dataclass(labels):
        for field in fields(labels):
            yield from strings_in(getattr(labels, field.name))
    elif isinstance(labels, Mapping | tuple):
        for value in labels.values() if isinstance(labels, Mapping) else labels:
            yield from strings_in(value)


def help_texts(parser) -> list[str]:
    """Return what `--help` says of a command and of those below it."""
    found = [parser.description or ""]
    for action in parser._actions:
        if action.help and action.help != "==SUPPRESS==":
            found.append(action.help)
        if isinstance(action.choices, dict):
            found += [words for each in action.choices.values() for words in help_texts(each)]
    return found


@cases("wrong, right", [*NAMES_EN, *SHORT_EN])
def test_english(wrong, right):
    found = [english for english, _ in texts() if re.search(wrong, english)]
    assert found == [], f"write: {right}"


@cases("wrong, right", NAMES_ZH)
def test_chinese(wrong, right):
    found = [chinese for _, chinese in texts() if re.search(wrong, chinese)]
    assert found == [], f"write: {right}"


PAGES = (
    "README.md",
    "SECURITY.md",
    *(
        f"docs/{name}.md"
        for name in [
            "assistants",
            "check",
            "cited-pages",
            "cli",
            "drawings",
            "mcp-server",
            "memory",
            "updates",
            "watching",
        ]
    ),
    "docs/index*.md",
    "docs/guide/*.md",
    "resources/assistants/*.toml",
    "resources/example/*/*",
)
"""What is read beside the program; the other pages of `docs` describe its code, in the terms of the code."""

_NO_PROSE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|^    .*$", re.DOTALL | re.MULTILINE)


def test_pages_use_the_names_of_the_window():
    paths = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    assert len(paths) >= len(PAGES)
    found = []
    for path in paths:
        prose = _NO_PROSE.sub("", path.read_text(encoding="utf-8"))
        names = NAMES_ZH if "zh" in str(path.relative_to(ROOT)) else NAMES_EN
        found += [
            (path.name, match[0], right) for wrong, right in names for match in re.finditer(wrong, prose)
        ]
    assert found == []


def test_places_in_the_settings_are_written_alike_in_all_pages():
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guide/*.md")]
    assert [
        path.name for path in pages if re.search(r"(Settings|设置) →", path.read_text(encoding="utf-8"))
    ] == []


def test_english_sentences_have_at_most_15_words():
    found = [
        english
        for english, _ in texts()
        for sentence in re.split(r"(?<=[.!?])\s+|\n", english)
        if len(re.findall(r"\S*\w\S*", sentence)) > MOST_WORDS
    ]
    assert found == [], "write two sentences, or leave words out"


def test_chinese_sentences_have_at_most_24_characters():
    found = [
        chinese
        for _, chinese in texts()
        for sentence in re.split(r"(?<=[。！？；])|\n", chinese)
        if len(re.findall(r"[\u4e00-\u9fff]|[A-Za-z0-9][\w./:<>-]*", sentence)) > MOST_CHARACTERS
    ]
    assert found == [], "write two sentences, or leave words out"


def test_only_names_have_a_capital_within_a_sentence():
    found = []
    for english, _ in texts():
        for part in re.split(r"(?<=[.!?:·])\s+|\n|“[^”]*”| > ", english):
            words = re.findall(r"[A-Za-z][\w’'.-]*", part)[1:]
            names = [word.rstrip(".").removesuffix("’s") for word in words]
            if any(re.fullmatch("[A-Z][a-z]+", name) and not NAMES.fullmatch(name) for name in names):
                found.append(english)
    assert found == [], "write sentence case, or add the name"


def test_counts_have_a_form_for_one_and_one_for_many():
    sections = tomllib.loads(resource_text(PHRASES)).values()
    found = [english for section in sections for english in section if re.search(r": \{count\}\.?$", english)]
    assert found == [], "write two forms, see phrases.pluralize"
