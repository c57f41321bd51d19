"""Bytes become the text that was meant, whatever the label says."""

import codecs
import encodings.aliases

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.decode import decode, decode_html
from tests.cases import cases

TEXTS = {
    "zh": "春天山上的积雪融化，河水上涨，两岸的村庄每年都要加固堤坝，以防洪水淹没农田。今年的雨季比往年来得更早。",
    "zh-hant": "春天山上的積雪融化，河水上漲，兩岸的村莊每年都要加固堤壩，以防洪水淹沒農田。今年的雨季比往年來得更早。",
    "ja": "春になると山の雪がとけて川の水が増えるので、村の人々は毎年堤防を直します。今年の梅雨はいつもより早く始まりました。",
    "ko": "봄이 되면 산에 쌓인 눈이 녹아 강물이 불어나고, 마을 사람들은 해마다 둑을 고칩니다. 올해 장마는 예년보다 일찍 시작되었습니다.",
    "ru": "Весной снег в горах тает, вода в реке поднимается, и жители деревень каждый год укрепляют берега.",
    "el": "Την άνοιξη το χιόνι λιώνει στα βουνά, το ποτάμι φουσκώνει και τα χωριά ενισχύουν τις όχθες τους.",
    "he": "באביב נמס השלג בהרים, מי הנהר עולים, ותושבי הכפרים מחזקים מדי שנה את הגדות.",
    "ar": "في الربيع يذوب الثلج في الجبال ويرتفع ماء النهر ويقوم أهل القرى بتقوية الضفاف كل عام.",
    "th": "ในฤดูใบไม้ผลิ หิมะบนภูเขาละลาย น้ำในแม่น้ำสูงขึ้น ชาวบ้านต้องซ่อมเขื่อนทุกปี",
    "fr": "Au printemps, la neige fond dans les montagnes et la rivière déborde : les habitants consolident les digues, c'est très éprouvant.",
    "tr": "İlkbaharda dağlardaki kar erir, nehrin suyu yükselir ve köylüler her yıl kıyıları güçlendirir; bu iş çok zahmetlidir.",
    "pl": "Wiosną śnieg w górach topnieje, rzeka wzbiera, a mieszkańcy wsi każdego roku umacniają wały przeciwpowodziowe.",
}
LEGACY = [
    ("zh", "gb18030"), ("zh", "gbk"), ("zh", "gb2312"), ("zh-hant", "big5"), ("zh-hant", "gb18030"),
    ("ja", "shift_jis"), ("ja", "cp932"), ("ja", "euc_jp"), ("ja", "iso2022_jp"), ("ko", "euc_kr"), ("ko", "cp949"),
    ("ru", "cp1251"), ("ru", "koi8_r"), ("ru", "iso8859_5"), ("ru", "cp866"), ("el", "cp1253"), ("he", "cp1255"),
    ("ar", "cp1256"), ("th", "cp874"), ("fr", "cp1252"), ("fr", "latin_1"), ("tr", "cp1254"), ("pl", "cp1250"),
]  # fmt: skip
UNICODE = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


@cases("language, encoding", LEGACY)
def test_a_right_label_is_followed(language, encoding):
    text = TEXTS[language]
    assert decode(text.encode(encoding), declared=encoding) == text


@cases("language, encoding", LEGACY)
@cases("label", ["", "utf-8", "no-such-charset", "\x00", "x" * 5000, "base64", "idna", "cp037"])
def test_a_missing_or_impossible_label_is_survived(language, encoding, label):
    text = TEXTS[language]
    assert decode(text.encode(encoding), declared=label) == text


@cases("language, encoding", [pair for pair in LEGACY if pair[0] in {"zh", "ja", "ko", "ru", "el"}])
@cases("label", ["iso-8859-1", "windows-1252", "gb2312", "shift_jis", "euc-kr", "windows-1251"])
def test_a_label_of_another_script_is_survived(language, encoding, label):
    text = TEXTS[language] * 2
    assert decode(text.encode(encoding), declared=label) == text


@cases("language", TEXTS)
@cases("encoding", UNICODE)
@cases("label", ["", "iso-8859-1", "gbk", "utf-8"])
def test_unicode_is_recognised_before_any_label(language, encoding, label):
    assert decode(TEXTS[language].encode(encoding), declared=label) == TEXTS[language]


@cases("label", ["windows-1252", "iso-8859-1", "latin1", "gb2312", ""])
def test_utf8_with_a_few_broken_bytes_stays_utf8(label):
    data = TEXTS["zh"].encode() * 5
    broken = data[:100] + b"\xff" + data[100:]
    assert "河水上涨" in decode(broken, declared=label)
    assert "河水上涨" in decode(data[:-1], declared=label)


def test_browser_meanings_of_labels_are_used():
    assert decode("“quoted” €5".encode("cp1252"), declared="iso-8859-1") == "“quoted” €5"
    assert decode("镕基".encode("gb18030"), declared="gb2312") == "镕基"
    assert decode("①髙".encode("cp932"), declared="x-sjis") == "①髙"


@cases(
    "head",
    ['<meta charset="{}">', "<meta charset={}>", '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset={}">',
     '<?xml version="1.0" encoding="{}"?>'],
)  # fmt: skip
@cases("language, encoding", [("zh", "gb18030"), ("ja", "shift_jis"), ("pl", "windows-1250")])
def test_pages_name_their_own_encoding(head, language, encoding):
    page = f"{head.format(encoding)}<p>{TEXTS[language]}</p>"
    assert decode_html(page.encode(encoding)) == page
    assert decode_html(page.encode(encoding), declared="iso-8859-1" if language != "pl" else "") == page


def test_a_page_that_claims_utf16_in_ascii_is_utf8():
    page = f'<meta charset="utf-16"><p>{TEXTS["zh"]}</p>'
    assert decode_html(page.encode()) == page


@cases("label", sorted({*encodings.aliases.aliases, "idna", "punycode", "undefined", "unicode_escape"}))
def test_no_label_that_python_knows_makes_it_fail(label):
    assert isinstance(decode(b"\xe4\xb8\xad\xff\xfe\\u0041", declared=label), str)


@given(
    st.binary(max_size=400),
    st.sampled_from(["", "utf-8", "gb18030", "latin-1", "utf-16", "hz", "iso-2022-jp"]),
)
def test_any_bytes_become_text(data, label):
    assert isinstance(decode(data, declared=label), str)
    assert isinstance(decode_html(data, declared=label), str)


@given(st.text(max_size=200))
def test_marked_unicode_comes_back_as_it_was(text):
    cleaned = text.encode("utf-8", "ignore").decode()
    assert decode(codecs.BOM_UTF8 + cleaned.encode(), declared="gbk") == cleaned
    if not cleaned.startswith("\0"):  # a zero behind the mark of UTF-16 makes it the mark of UTF-32
        assert decode(codecs.BOM_UTF16_LE + cleaned.encode("utf-16-le"), declared="gbk") == cleaned
