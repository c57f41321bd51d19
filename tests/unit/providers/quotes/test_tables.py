"""What the built-in model quotes of tables and documents in Markdown."""

from datetime import UTC, datetime

from desktop.domain.sources import Locator, Source, SourceKind
from desktop.providers.quotes.candidates import quotable_lines
from desktop.providers.quotes.extraction import best_sentences, central_sentences
from tests.cases import cases

HEAD = "| 城市 | 人口 | 方言 |\n| --- | --- | --- |\n"
FIRST = "| 成都 | 2140万 | 四川话 |\n| 重庆 | 3191万 | 重庆话 |"
SECOND = "| 贵阳 | 660万 | 贵阳话 |\n| 昆明 | 868万 | 昆明话 |"


def source(number, text, section="A1:C9", *, document="d" * 64, start=0):
    return Source(
        number=number,
        kind=SourceKind.FILE,
        key=f"file:{document}:{start}-{start + len(text)}",
        title="城市.csv",
        url="file:///城市.csv",
        host="",
        locator=Locator(section=section, start=start, end=start + len(text)),
        text=text,
        text_hash="",
        read_at=datetime.now(UTC),
    )


def best(question, *sources):
    return best_sentences(question, sources)[0].text


def test_a_row_is_quoted_with_its_columns():
    assert best("重庆的人口是多少？", source(1, HEAD + FIRST)) == "城市：重庆；人口：3191万；方言：重庆话"


def test_a_row_whose_head_is_in_another_source_of_its_sheet_takes_it_from_there():
    first = source(1, HEAD + FIRST)
    assert (
        best("昆明的人口是多少？", first, source(2, SECOND, start=500))
        == "城市：昆明；人口：868万；方言：昆明话"
    )


def test_a_row_takes_no_head_of_another_document_or_sheet():
    first = source(1, HEAD + FIRST)
    for other in (source(2, SECOND, document="e" * 64), source(2, SECOND, "B2:D9", start=500)):
        assert best("昆明的人口是多少？", first, other) == "昆明 · 868万 · 昆明话"


def test_a_first_record_is_no_head():
    table = "| 成都 | 21 | 川 |\n| --- | --- | --- |\n| 昆明 | 868 | 滇 |"
    assert best("昆明的人口是多少？", source(1, table)) == "昆明 · 868 · 滇"


def test_a_form_has_no_columns():
    form = "| 名称 | 登录 | 标识 |\n| --- | --- | --- |\n| 接口说明 | 用户账号和密码 |"
    assert best("登录的接口说明是什么？", source(1, form, "功能")) in {
        "名称 · 登录 · 标识",
        "接口说明 · 用户账号和密码",
    }


def test_a_form_filled_up_with_empty_cells_has_no_columns():
    form = (
        "| 名称 | 上传图片 | 标识 | Review_photo |\n| --- | --- | --- | --- |\n"
        "| 接口说明 | 上传图片的接口 | | |\n| 输入 | 用户提供的图片 | | |\n| 输出 | 是 | 或 | 否 |"
    )
    assert best("上传图片的接口说明是什么？", source(1, form, "功能")) in {
        "名称 · 上传图片 · 标识 · Review_photo",
        "接口说明 · 上传图片的接口",
    }


PDF = (
    "The table shows when each branch was opened.\nBranch Opened Staff Rent per month\n"
    "Harbour Street 1961 14 2,300 EUR\nOld Market 1978 9 1,150 EUR\nNorth Gate 2004 21 3,050 EUR\n"
    "Coffee is free for all guests."
)
CHINESE_PDF = "各城市情况如下。\n城市 人口 方言\n成都 2140万 四川话\n重庆 3191万 重庆话\n数据来自年鉴。"


@cases(
    "question, text, quote",
    [
        (
            "How much is the rent per month of Old Market?",
            PDF,
            "Branch Opened Staff Rent per month: Old Market 1978 9 1,150 EUR",
        ),
        ("重庆的人口是多少？", CHINESE_PDF, "城市 人口 方言：重庆 3191万 重庆话"),
    ],
)
def test_a_row_of_a_table_that_lost_its_columns_is_quoted_with_its_header(question, text, quote):
    assert best(question, source(1, text)) == quote


@cases(
    "text",
    [
        "News of the day\nApple sells 3 million phones in one week\nFoxes eat 2 of the hens in town",
        "How to install\n1. Open page 2\n2. Press button 3",
        "Visit Us Today\nHarbour Street 12.\nOld Market 3.",
        "Customer Data\nPhone: 425 000\nOrder: 77 12",
        "Harbour Street 12\nOld Market 3",
        "Prices for Adults\nMuseum 12 EUR",
    ],
)
def test_lines_that_only_resemble_a_table_are_quoted_as_they_are(text):
    lines = list(quotable_lines(text))
    assert not any(line.is_row for line in lines)
    assert all(line.text in text for line in lines)


@cases("text", [CHINESE_PDF, HEAD + FIRST])
def test_a_summary_of_a_table_has_its_rows(text):
    said = " ".join(quote.text for quote in central_sentences([source(1, text)]))
    assert "2140万" in said
    assert "3191万" in said


def test_headings_and_lines_of_a_table_of_contents_are_not_quoted():
    text = "# 退款政策\n\n退款政策\t12\n\n**退款政策**：顾客可在三十天内申请退款。"
    quotes = best_sentences("退款政策是什么？", [source(1, text, "退款政策")])
    assert [quote.text for quote in quotes] == ["退款政策：顾客可在三十天内申请退款。"]
