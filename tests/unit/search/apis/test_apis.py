"""What each API is sent, and how its answers are read."""

from desktop.search.apis import APIS
from desktop.search.engines.model import SearchOptions
from tests.cases import cases

PLAIN = SearchOptions()
WISHES = SearchOptions("zh-CN", "CN", count=7, time_range="week", safe="strict")

ANSWERS = {
    "tavily": {
        "results": [
            {
                "title": "T",
                "url": "https://a.example/",
                "content": "S",
                "raw_content": "B",
                "published_date": "2026-01-02",
            }
        ]
    },
    "searxng": {
        "results": [
            {"title": "T", "url": "https://a.example/", "content": "S", "publishedDate": "2026-01-02"}
        ]
    },
    "brave-api": {
        "web": {
            "results": [
                {"title": "T", "url": "https://a.example/", "description": "S", "page_age": "2026-01-02"}
            ]
        }
    },
    "exa": {
        "results": [
            {
                "title": "T",
                "url": "https://a.example/",
                "highlights": ["S"],
                "text": "B",
                "publishedDate": "2026-01-02",
            }
        ]
    },
    "serper": {
        "organic": [{"title": "T", "link": "https://a.example/", "snippet": "S", "date": "2026-01-02"}]
    },
    "bocha": {
        "code": 200,
        "data": {
            "webPages": {
                "value": [
                    {"name": "T", "url": "https://a.example/", "summary": "S", "datePublished": "2026-01-02"}
                ]
            }
        },
    },
    "zhipu": {
        "search_result": [
            {"title": "T", "link": "https://a.example/", "content": "S", "publish_date": "2026-01-02"}
        ]
    },
    "jina": {"data": [{"title": "T", "url": "https://a.example/", "description": "S", "date": "2026-01-02"}]},
    "csdn": {
        "result_vos": [
            {
                "title": "<em>T</em>",
                "url_location": "https://a.example/",
                "digest": "S",
                "create_time_str": "2026-01-02",
            }
        ]
    },
    "juejin": {
        "data": [
            {
                "result_model": {"article_id": "7", "article_info": {"title": "T", "ctime": "1767312000"}},
                "content_highlight": "<em>S</em>",
            }
        ]
    },
    "querit": {
        "results": {
            "result": [{"title": "T", "url": "https://a.example/", "snippet": "S", "page_age": "2026-01-02"}]
        }
    },
    "wikipedia": {
        "query": {
            "pages": [
                {"title": "Second", "fullurl": "https://b.example/", "extract": "x", "index": 2},
                {"title": "T", "fullurl": "https://a.example/", "extract": "S", "index": 1},
            ]
        }
    },
}


def test_every_api_has_an_answer_here():
    assert set(ANSWERS) == set(APIS)


@cases("name", APIS)
def test_answers_are_read(name):
    first = APIS[name].read(ANSWERS[name])[0]
    assert (first.title, first.snippet) == ("T", "S")
    assert first.url in {"https://a.example/", "https://juejin.cn/post/7"}
    assert first.published in {"2026-01-02", ""}
    assert first.text in {"B", ""}


@cases("name", APIS)
@cases(
    "payload",
    [{}, {"results": None}, {"results": "x"}, {"data": []}, {"web": 1}, {"results": [1, None, {"url": "file:///x"}]}],
)  # fmt: skip
def test_answers_of_the_wrong_shape_hold_no_results(name, payload):
    assert APIS[name].read(payload) == ()


@cases("name", APIS)
def test_query_and_key_are_sent_and_the_key_never_in_the_address(name):
    request = APIS[name].request("灯笼蛾 moth", PLAIN, "secret-key")
    sent = {**request.parameters, **(request.body or {})}
    assert "灯笼蛾 moth" in sent.values()
    assert "secret-key" not in f"{request.path} {request.parameters}"
    assert APIS[name].needs_key == any("secret-key" in value for value in request.headers.values())


@cases("name", APIS)
def test_wishes_change_what_is_sent(name):
    api = APIS[name]
    assert api.request("moth", WISHES, "k") != api.request("moth", PLAIN, "k")


@cases(
    "query, host",
    [
        ("lantern moth", "https://en.wikipedia.org"),
        ("灯笼蛾是什么", "https://zh.wikipedia.org"),
        ("ランタンの蛾とは", "https://ja.wikipedia.org"),
        ("Wie zählt man die Falter in der Nacht", "https://de.wikipedia.org"),
    ],
)
def test_wikipedia_is_asked_in_the_language_of_the_question(query, host):
    assert APIS["wikipedia"].address(query, PLAIN) == host


@cases(
    "options, language, country",
    [
        (SearchOptions("ja", "JP"), "jp", "JP"),
        (SearchOptions("pt-BR"), "pt-br", "BR"),
        (SearchOptions("pt", "PT"), "pt-pt", "PT"),
        (SearchOptions("zh-SG"), "zh-hans", None),
        (SearchOptions("de", "DE"), "de", "DE"),
        (PLAIN, None, None),
    ],
)
def test_brave_is_asked_for_what_it_knows_only(options, language, country):
    sent = APIS["brave-api"].request("moth " * 100, options, "k").parameters
    assert (sent.get("search_lang"), sent.get("country")) == (language, country)
    assert len(sent["q"].split()) == 50
    assert len(APIS["brave-api"].request("蛾" * 500, options, "k").parameters["q"]) == 400
