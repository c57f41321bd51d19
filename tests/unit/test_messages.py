"""Every sentence that is made outside the window has a Chinese translation, and is recognised when shown."""

import ast
import re
import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import desktop
from desktop import errors
from desktop.phrases import localize
from desktop.resources import resource_text
from tests.cases import cases

FIELD = re.compile(r"\{\w+\}")
FIELDS_BEHIND = re.compile(r"(?<=[.!?])(?: \{\w+\})+$")
TABLE = {
    template: translation
    for section in tomllib.loads(resource_text("translations/phrases_zh_CN.toml")).values()
    for template, translation in section.items()
}


def sentence_of(template: str) -> str:
    """Return the part of a template that is translated: fields behind the last sentence hold sentences of their own."""
    return FIELDS_BEHIND.sub("", template)


def phrases_in_the_code() -> set[str]:
    """Return what stands in calls of `phrase` anywhere in the program."""
    found = set()
    for path in Path(desktop.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "translatable"
            ):
                (words,) = node.args
                found.add(ast.literal_eval(words))
    return found


def error_templates() -> set[str]:
    """Return the sentences of every leaf of the error tree."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    own = {kind.template for kind in kinds if issubclass(kind, errors.AppError) and "template" in vars(kind)}
    return {sentence_of(template) for template in own if FIELD.sub("", template).strip()}


def test_every_phrase_in_the_code_is_translated():
    assert {sentence_of(template) for template in phrases_in_the_code()} - set(TABLE) == set()


def test_every_error_is_translated():
    assert error_templates() - set(TABLE) == set()


@cases("template", sorted(TABLE))
def test_a_translation_is_chinese_and_keeps_the_fields(template):
    assert sorted(FIELD.findall(template)) == sorted(FIELD.findall(TABLE[template]))
    assert re.search("[一-鿿]", TABLE[template])


@cases("template", sorted(TABLE))
def test_a_phrase_is_recognised_with_its_fields_filled_in(template):
    fields = {name: f"«{name}»" for name in re.findall(r"\{(\w+)\}", template)}
    assert localize(template.format(**fields), "zh-CN") == TABLE[template].format(**fields)


@cases("template", sorted(TABLE))
def test_a_field_at_the_end_is_at_the_end_in_chinese_too(template):
    if last := re.search(r"\{\w+\}$", template):  # what it holds is told after it, sentence by sentence
        assert TABLE[template].endswith(last.group())


def test_every_phrase_of_the_table_is_in_the_code():
    sections = tomllib.loads(resource_text("translations/phrases_zh_CN.toml"))
    ours = {template for name, section in sections.items() if name != "system" for template in section}
    assert (
        ours - error_templates()
        == {sentence_of(template) for template in phrases_in_the_code()} - error_templates()
    )


@cases(
    "english, chinese",
    [
        (
            "Bing is paused for another 5 s after an error: Bing is slow. Is it up? Bing found nothing.",
            "Bing 出错后暂停使用，还剩 5 秒。原因：Bing is slow. Is it up? Bing 没有找到任何结果。",
        ),
        (
            "Qwant is paused for another 5 s after an error: The results of Qwant are shown only in a browser with JavaScript.",
            "Qwant 出错后暂停使用，还剩 5 秒。原因：Qwant 的结果页面只有启用 JavaScript 的浏览器才能显示。",
        ),
        (
            "The page couldn’t be loaded: DuckDuckGo can’t be reached. Check your connection. 2 sources left out.",
            "无法加载网页：无法连接 DuckDuckGo。请检查网络连接。未提供给模型的来源：2 个。",
        ),
        (
            "OpenAI refused the request. Quota of project 12 exhausted. It sent a web page.",
            "OpenAI 拒绝了请求。Quota of project 12 exhausted. 对方发来的是一个网页。",
        ),
        (
            "“Dr. A (b).pdf” can’t be opened: permission denied.",
            "无法打开“Dr. A (b).pdf”：没有权限。",
        ),
        (
            "The setting web.pace is not valid (Too big. Far too big), so its default is used.",
            "设置 web.pace 无效（Too big. Far too big），因此使用默认值。",
        ),
        ("“a.pdf” is damaged or protected: it needs a password.", "“a.pdf”已损坏或受保护：需要密码。"),
    ],
)
def test_sentences_within_sentences_and_foreign_words_among_them(english, chinese):
    assert localize(english, "zh_CN") == chinese


@cases("words", ["internal error (" * 2_000 + ")" * 2_000, "x. " * 5_000, "“" * 9_000])
def test_hostile_words_cost_neither_the_stack_nor_much_time(words):
    assert len(localize(words, "zh_CN")) > 1_000


@cases("words", [". ", "x", "The answer was stopped at the limit of ", "<img src=x>: "])
def test_a_megabyte_of_a_servers_words_stays_as_it_is(words):
    text = words * 1_000_000
    assert localize(text, "zh_CN") is text


def test_several_sentences_are_told_one_after_the_other():
    english = "The page did not load in time. 3 sources left out."
    assert not re.search("[A-Za-z]{3}", localize(english, "zh_CN"))
    assert "3" in localize(english, "zh_CN")


def test_english_and_unknown_words_stay_as_they_are():
    assert localize("The page did not load in time.", "en") == "The page did not load in time."
    assert localize("Quota of project 12 exhausted", "zh_CN") == "Quota of project 12 exhausted"


@given(st.text(max_size=200))
def test_no_words_make_it_fail(words):
    assert isinstance(localize(words, "zh_CN"), str)
