import base64

from hypothesis import given
from hypothesis import strategies as st

from desktop.search.engines.parse import is_advertising, is_opaque, target_of
from tests.cases import cases

TARGETS = st.sampled_from(
    [
        "https://a.example/path?x=1&y=2#z",
        "http://例子.example/路径/文件?查=询",
        "https://b.example/?next=https%3A%2F%2Fc.example%2F",
        "https://c.example/~~~???>>>",
    ]
)


def bing(target: str) -> str:
    code = base64.urlsafe_b64encode(target.encode()).decode().rstrip("=")
    return f"https://www.bing.com/ck/a?!&&p=12ab&ptn=3&u=a1{code}&ntb=1"


@given(TARGETS)
def test_bing_links_are_decoded_in_every_alphabet(target):
    assert target_of(bing(target)) == target


@cases(
    "href, target",
    [
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fx%3Fy%3D1&rut=f", "https://a.example/x?y=1"),
        ("/url?q=https://a.example/x%3Fy%3D1&sa=U&ved=2", "https://a.example/x?y=1"),
        ("https://www.google.co.uk/url?sa=t&url=https%3A%2F%2Fa.example%2F&usg=x", "https://a.example/"),
        ("https://r.search.yahoo.com/_ylt=A;_ylu=Y/RV=2/RE=1/RO=10/RU=https%3a%2f%2fa.example%2fx/RK=2/RS=z-", "https://a.example/x"),
        ("https://a.example/l/?uddg=https%3A%2F%2Fb.example", "https://a.example/l/?uddg=https%3A%2F%2Fb.example"),
        ("https://www.bing.com/ck/a?u=a1%%%%", "https://www.bing.com/ck/a?u=a1%%%%"),
        ("javascript:alert(1)", ""),
        ("mailto:a@a.example", ""),
        ("http://[::1", ""),
        ("", "https://www.google.com/search?q=a"),
    ],
)  # fmt: skip
def test_links_lead_to_their_targets(href, target):
    assert target_of(href, "https://www.google.com/search?q=a") == target


def test_nested_redirects_are_undone():
    inner = "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F"
    assert target_of(bing(inner)) == "https://a.example/"


def test_a_redirect_to_something_else_than_http_is_not_followed():
    assert target_of(bing("javascript:alert(1)")).startswith("https://www.bing.com/ck/a")


@cases(
    "url",
    [
        "http://www.baidu.com/link?url=abc",
        "https://www.sogou.com/link?url=abc",
        "https://www.so.com/link?m=abc",
    ],
)
def test_links_that_only_their_server_knows_are_opaque(url):
    assert is_opaque(url)
    assert not is_opaque(f"https://a.example/?u={url}")


@cases(
    "url",
    [
        "https://www.bing.com/aclick?ld=x",
        "https://www.google.com/aclk?sa=l",
        "https://duckduckgo.com/y.js?ad_domain=x",
        "http://www.baidu.com/baidu.php?url=x",
        "https://yabs.yandex.ru/count/x",
        "https://www.googleadservices.com/pagead/aclk?sa=L",
    ],
)
def test_click_counters_of_advertisements_are_known(url):
    assert is_advertising(url)
    assert not is_advertising(f"https://a.example/?u={url}")
