"""Notes, outlines and chapters of sentences quoted from sources."""

from datetime import UTC, datetime

from desktop.chat.procedures.quoting import (
    build_chapter_from_quotes,
    build_outline_from_quotes,
    heading_of,
    key_of,
    localize_heading,
    salient_notes,
)
from desktop.domain.procedures import NoteKind
from desktop.domain.sources import Locator, Source, SourceKind
from tests.cases import cases

WORDS = "数据库保存全部用户与商品的资料，每天备份一次。"


def source(number, text=WORDS, section="", title="设计.docx", *, document="d", start=0):
    return Source(
        number=number,
        kind=SourceKind.FILE,
        key=f"file:{document}:{start}-{start + len(text)}",
        title=title,
        url=f"file:///{title}",
        host="",
        locator=Locator(section=section, start=start, end=start + len(text)),
        text=text,
        text_hash="",
        read_at=datetime.now(UTC),
    )


def titles(topic, *sources):
    return [chapter.title for chapter in build_outline_from_quotes(topic, sources)]


@cases(
    "section, title, heading",
    [
        ("概述 › 1.2 数据库设计", "设计.docx", "数据库设计"),
        ("四、**数据库** 实施", "设计.docx", "数据库 实施"),
        ("第三章 数据库", "设计.docx", "数据库"),
        ("A1:D43", "学校排名.csv", "学校排名"),
        ("", "annual_report.docx", "annual report"),
        ("2cdda5c8-e50e-4db4-b5f0-9722a649f455", "Plans.pptx", "Plans"),
        ("目  录", "设计.docx", "设计"),
        ("References", "7810d908b0ff4ce381dcab873196d133.jpg", ""),
        ("2024 年总结", "设计.docx", "2024 年总结"),
        ("", "Release 2.0 notes", "Release 2.0 notes"),
    ],
)
def test_a_heading_names_a_subject(section, title, heading):
    assert heading_of(source(1, section=section, title=title)) == heading


def test_a_heading_in_another_script_is_quoted_in_the_language_of_the_topic():
    assert localize_heading("Refund policy", "退款政策") == "关于“Refund policy”"
    assert localize_heading("退款政策", "What is the refund policy?") == "On “退款政策”"
    assert localize_heading("Refund policy", "The refunds") == "Refund policy"
    assert key_of("关于“3.1 Refund  policy”") == key_of("Refund Policy")


def test_the_outline_has_each_heading_once_in_the_order_of_the_document():
    sources = [
        source(1, section="二、数据库实施", start=900),
        source(2, section="目录", start=10, title="设计.docx"),
        source(3, section="1.1 数据库设计", start=100),
        source(4, section="5.2 数据库实施", start=2_000),
        source(5, "数据库", "只有标题", start=50),
    ]
    assert titles("数据库", *sources) == ["设计", "数据库设计", "数据库实施"]


def test_the_outline_leaves_out_what_only_resembles_what_the_text_is_about():
    sources = [
        source(1, section="备份", start=900),
        source(2, "公司成立于二零零三年，总部设在西安。", "公司历史", document="e"),
    ]
    assert titles("数据库的备份", *sources) == ["备份"]
    assert titles("How are backups made?", *sources) == ["On “备份”", "On “公司历史”"]


def test_without_readable_headings_the_topic_is_the_one_chapter():
    scan = source(1, section="A1", title="7810d908b0ff4ce381dcab873196d133.jpg")
    assert titles("数据库的备份", scan) == ["数据库的备份"]
    assert build_chapter_from_quotes("数据库的备份", "数据库的备份", [scan], ()) == [f"- {WORDS} [1]"]


def test_a_chapter_of_a_table_quotes_its_rows():
    table = "| 字段 | 类型 | 说明 |\n| --- | --- | --- |\n| name | varchar | 账号 |"
    rows = build_chapter_from_quotes("用户表", "数据库", [source(1, table, "1. 用户表")], ())
    assert rows == ["- 字段：name；类型：varchar；说明：账号 [1]"]


def test_a_chapter_says_nothing_again_and_quotes_no_captions():
    sources = [source(1, f"用户表\n\n{WORDS}", "数据库设计"), source(2, WORDS, "数据库设计", start=500)]
    (row,) = build_chapter_from_quotes("数据库设计", "数据库", sources, ())
    assert row == f"- {WORDS} [1][2]"
    assert build_chapter_from_quotes("数据库设计", "数据库", sources, {f"- {WORDS} [7]"}) == []


def test_what_no_source_answers_is_not_filled_with_something_else():
    assert build_chapter_from_quotes("火星上的天气", "数据库", [source(1, section="数据库设计")], ()) == []


TABLE_NAME = "4.school 学校表\n\n本系统的数据库保存学校与商铺的资料。\n\n调查显示七成学生每周使用一次。"


def texts_of_notes(kind, text):
    return [note.text for note in salient_notes([source(1, text, "设计")], "") if note.kind is kind]


def test_points_are_sentences_where_there_are_any():
    assert "4.school 学校表" not in texts_of_notes(NoteKind.POINT, TABLE_NAME)
    assert texts_of_notes(NoteKind.POINT, "4.school 学校表") == ["4.school 学校表"]


def test_a_database_is_no_evidence():
    assert texts_of_notes(NoteKind.EVIDENCE, TABLE_NAME) == ["调查显示七成学生每周使用一次。"]
