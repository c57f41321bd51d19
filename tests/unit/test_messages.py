"""Every message that is made outside the window has a translation, and is told in it where it is shown."""

import ast
import json
import re
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import desktop
from desktop import errors, phrases
from desktop.errors import servers
from desktop.phrases import localize, sentences, translatable, without_place
from desktop.resources import resource_text, resources_dir
from desktop.text.message_codec import (
    decode_json,
    decode_message,
    decode_msgpack,
    encode_json,
    encode_message,
    encode_msgpack,
    in_english,
)
from desktop.text.old_messages import recognise_message
from tests.cases import cases
from tests.source_trees import parse_modules

FIELD = re.compile(r"\{\w+\}")
TEXT_METHODS = frozenset({"capitalize", "lower", "removesuffix", "replace", "rstrip", "strip", "upper"})
CATALOGUES = sorted((resources_dir() / "translations").glob("phrases_*.toml"))


def templates_of(catalogue: Path) -> dict[str, str]:
    """Return the translations of a catalogue by template."""
    sections = tomllib.loads(catalogue.read_text(encoding="utf-8")).values()
    return {template: translation for section in sections for template, translation in section.items()}


TABLE = templates_of(resources_dir() / "translations" / "phrases_zh_CN.toml")


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """The modules of the program by name, parsed once."""
    root = Path(desktop.__file__).parent
    return {
        ".".join(path.relative_to(root.parent).with_suffix("").parts): tree
        for path, tree in parse_modules(root.rglob("*.py")).items()
    }


def phrases_of(trees: Mapping[str, ast.Module]) -> set[str]:
    """Return what stands in calls of `translatable` anywhere in the program."""
    found = set()
    for tree in trees.values():
        for node in ast.walk(tree):
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
    kinds = [kind for module in (errors, servers) for kind in vars(module).values() if isinstance(kind, type)]
    own = {kind.template for kind in kinds if issubclass(kind, errors.AppError) and "template" in vars(kind)}
    return {template for template in own if FIELD.sub("", template).strip()}


def is_phrase(node: ast.AST, names: set[str]) -> bool:
    """Say whether an expression is a message: a name that `translatable` gave, its call, or such with its fields."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Call(func=ast.Name(id="translatable")):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            return is_phrase(inner, names)
        case ast.IfExp(body=one, orelse=other):
            return is_phrase(one, names) or is_phrase(other, names)
    return False


def parts_of_plain_text(node: ast.AST) -> list[ast.expr]:
    """Return what an expression makes plain text of: an f-string, `+`, `join` and methods such as `strip`."""
    match node:
        case ast.JoinedStr(values=values):
            return [each.value for each in values if isinstance(each, ast.FormattedValue)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [left, right]
        case ast.Call(func=ast.Attribute(attr="join"), args=[ast.List() | ast.Tuple() as listed]):
            return listed.elts
        case ast.Call(func=ast.Attribute(attr="join"), args=[ast.GeneratorExp() | ast.ListComp() as each]):
            return [each.elt]
        case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in TEXT_METHODS:
            return [inner]
    return []


def find_lost_templates(trees: Mapping[str, ast.Module]) -> list[str]:
    """Return where modules, by name, make plain text of messages, which is then told in English only."""
    own = {
        module: {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and is_phrase(node.value, set())
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        for module, tree in trees.items()
    }
    found = []
    for module, tree in trees.items():
        imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
        names = own[module] | {
            alias.asname or alias.name
            for node in imports
            for alias in node.names
            if alias.name in own.get(node.module or "", ())
        }
        found += [
            f"{module}: {ast.unparse(node)}"
            for node in ast.walk(tree)
            if any(is_phrase(part, names) for part in parts_of_plain_text(node))
        ]
    return found


def test_no_message_becomes_plain_text_on_its_way_to_the_user(trees):
    told = {  # the command line prints English text
        name: tree for name, tree in trees.items() if not name.startswith("desktop.cli.")
    }
    assert find_lost_templates(told) == []


def test_a_message_that_becomes_plain_text_is_found():
    module = ast.parse("_SAID = translatable('{x} failed')\n")
    other = "from a import _SAID\n"
    for lost in ('f"{_SAID} Again."', '_SAID.format(x=1) + "."', '" ".join([_SAID, ""])', "_SAID.strip()"):
        assert find_lost_templates({"a": module, "b": ast.parse(f"{other}y = {lost}")}) == [
            f"b: {ast.unparse(ast.parse(lost))}"
        ]
    kept = ast.parse(f"{other}y = sentences([_SAID.format(x=1)])")
    assert find_lost_templates({"a": module, "b": kept}) == []


def test_a_language_is_one_file(tmp_path, monkeypatch):
    folder = tmp_path / "translations"
    folder.mkdir()
    (folder / "phrases_eo.toml").write_text(
        '[a]\n"“{name}” contains no text. {detail}" = "“{name}” sen teksto. {detail}"'
    )
    monkeypatch.setattr(phrases, "resources_dir", lambda: tmp_path)
    monkeypatch.setattr(phrases, "resource_text", lambda name: (tmp_path / name).read_text("utf-8"))
    phrases._catalogue.cache_clear()
    try:
        assert localize(str(errors.NothingToRead(name="a", detail="")), "eo") == "“a” sen teksto."
    finally:
        phrases._catalogue.cache_clear()


@cases("catalogue", CATALOGUES)
def test_a_catalogue_has_every_message_of_the_program(catalogue, trees):
    lacking = (phrases_of(trees) | error_templates()) - set(templates_of(catalogue))
    assert sorted(lacking) == []


@cases("template", sorted(TABLE))
def test_a_translation_is_chinese_and_keeps_the_fields(template):
    assert sorted(FIELD.findall(template)) == sorted(FIELD.findall(TABLE[template]))
    assert re.search("[一-鿿]", TABLE[template])


@cases("template", sorted(TABLE))
def test_a_message_is_told_with_its_fields_filled_in(template):
    fields = {name: f"«{name}»" for name in re.findall(r"\{(\w+)\}", template)}
    message = translatable(template).format(**fields)
    assert message == template.format(**fields)
    assert localize(message, "zh-CN") == TABLE[template].format(**fields)
    assert localize(message, "en") == message


@cases("template", sorted(TABLE))
def test_a_text_of_an_earlier_version_is_recognised(template):
    fields = {name: f"«{name}»" for name in re.findall(r"\{(\w+)\}", template)}
    recognised = recognise_message(template.format(**fields))
    assert recognised.casefold() == template.format(**fields).casefold()
    told = localize(recognised, "zh-CN")
    assert told.replace(" ", "") == TABLE[template].format(**fields).replace(" ", "")


def test_every_phrase_of_the_table_is_in_the_code(trees):
    sections = tomllib.loads(resource_text("translations/phrases_zh_CN.toml"))
    ours = {template for name, section in sections.items() if name != "system" for template in section}
    assert ours == phrases_of(trees) | error_templates()


def test_messages_within_messages_keep_their_templates():
    inner = translatable("{count} sources left out.").format(count=2)
    refused = servers.RequestRejected(
        provider="OpenAI", detail=sentences((inner, "Quota of project 12.", ""))
    )
    assert str(refused) == "OpenAI refused the request. 2 sources left out. Quota of project 12."
    assert (
        localize(str(refused), "zh_CN") == "OpenAI 拒绝了请求。未提供给模型的来源：2 个。Quota of project 12."
    )
    hidden = str(refused).map_texts(lambda text: text.replace("project 12", "…"))
    assert localize(hidden, "zh_CN") == "OpenAI 拒绝了请求。未提供给模型的来源：2 个。Quota of …."


def test_who_is_in_the_settings_is_not_told_that_something_is_there():
    refused = str(servers.AuthFailed(provider="OpenAI", detail="In Settings: 401."))
    assert refused == "OpenAI did not accept the API key. Check it in Settings > Models. In Settings: 401."
    assert (
        localize(refused, "zh_CN") == "OpenAI 不接受这个 API 密钥，请在“设置 > 模型”中检查。In Settings: 401."
    )
    within = str(errors.FileUnreadable(name="a", detail=sentences((refused, "Again."))))
    short = "OpenAI did not accept the API key. Check it. In Settings: 401."
    assert without_place(refused) == short
    assert short in without_place(within) != within
    assert (
        localize(without_place(refused), "zh_CN") == "OpenAI 不接受这个 API 密钥，请检查。In Settings: 401."
    )
    assert without_place("It is in Settings.") == "It is in Settings."


def test_a_message_that_has_a_field_already_keeps_it():
    unreachable = translatable(
        "The hub can’t be reached. Check your connection, or set a mirror {in_settings}."
    )
    told = unreachable.format(in_settings="in Settings").format(detail="refused")
    assert told == "The hub can’t be reached. Check your connection, or set a mirror in Settings."
    assert told.template == unreachable
    assert told.fields == {"in_settings": "in Settings", "detail": "refused"}


@cases(
    "template, fields, chinese",
    [
        (
            "{provider} did not accept the API key. Check it in Settings > Models. {detail}",
            {"provider": "OpenAI in Settings.", "detail": "401"},
            "OpenAI in Settings. 不接受这个 API 密钥，请在“设置 > 模型”中检查。401",
        ),
        (
            "{service} needs an API key. Add one in Settings.",
            {"service": "Brave"},
            "Brave 需要 API 密钥，请在“设置”中添加。",
        ),
        (
            "It did not accept the token. Check it in Settings > Knowledge.",
            None,
            "它拒绝了令牌，请在“设置 > 知识库”中检查。",
        ),
        ("Of no version: look in Settings.", None, "Of no version: look in Settings."),
    ],
)
def test_a_message_that_was_stored_with_the_place_in_its_template_is_still_translated(
    template, fields, chinese
):
    form = json.dumps({"$message": template, "fields": fields or {}})
    assert localize(decode_message(form), "zh_CN") == chinese
    assert localize(phrases.TranslatableMessage(template, fields), "zh_CN") == chinese


def test_a_message_survives_json_messagepack_a_text_column_and_copies():
    message = str(errors.FileUnreadable(name="a.pdf", detail=translatable("it needs a password")))
    for copy in (
        decode_json(encode_json(("x", message)), tuple[str, str])[1],
        decode_msgpack(encode_msgpack({"a": [message]}), dict[str, list[str]])["a"][0],
        decode_message(encode_message(message)),
        deepcopy(message),
    ):
        assert copy == message
        assert localize(copy, "zh_CN") == localize(message, "zh_CN") != message
    assert type(json.loads(json.dumps(in_english([message])))[0]) is str


@cases(
    "stored",
    [
        "",
        "{}",
        '{"$message": 1, "fields": {}}',
        '{"$message": "{x}", "fields": {}}',
        '{"$message": "{x.y:9}{x}", "fields": {}}',
        '{"$message": "x"}',
        '{"$message": "{x}{x}", "fields": {"x": "which fills the memory, deep enough"}}',
        '{"$message": "{x}", "fields": {"x": ' * 400 + '""' + "}}" * 400,
        '["$message"' + ", [" * 5_000,
        "$message",
    ],
)
def test_what_only_resembles_a_stored_message_stays_text(stored):
    assert decode_message(stored) == stored


def test_a_reason_of_the_system_may_hold_braces():
    reason = errors.plain_reason(OSError(5, "no {unit} there"))
    assert decode_json(encode_json([reason]), list[str]) == ["no {unit} there"]


def test_a_document_that_is_nested_too_deeply_is_no_value_of_ours():
    with pytest.raises(msgspec.MsgspecError):
        decode_json("[" * 5_000 + '"$message"' + "]" * 5_000, list[str])


def test_a_reason_of_the_system_is_told_also_within_a_sentence():
    reason = errors.plain_reason(OSError(13, "Permission denied"), within_sentence=True)
    assert localize(translatable("The file: {reason}").format(reason=reason), "zh_CN") == "The file: 没有权限"


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
    assert localize(recognise_message(english), "zh_CN") == chinese


@cases("words", ["internal error (" * 2_000 + ")" * 2_000, "x. " * 5_000, "“" * 9_000])
def test_hostile_words_cost_neither_the_stack_nor_much_time(words):
    assert len(localize(recognise_message(words), "zh_CN")) > 1_000


@cases("words", [". ", "x", "The answer was stopped at the limit of ", "<img src=x>: "])
def test_a_megabyte_of_a_servers_words_stays_as_it_is(words):
    text = words * 1_000_000
    assert recognise_message(text) is text


def test_a_servers_text_stays_as_it_is():
    assert localize("The page did not load in time.", "zh_CN") == "The page did not load in time."
    assert recognise_message("Quota of project 12 exhausted") == "Quota of project 12 exhausted"


@given(st.text(max_size=200))
def test_no_words_make_it_fail(words):
    assert localize(recognise_message(words), "zh_CN") is not None
    assert decode_message(encode_message(words)) == words
