"""One number, one source."""

import threading
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.sources import (
    TEXT_JOIN,
    Ledger,
    Locator,
    Passage,
    SourceKind,
    canonical_url,
    host_of,
    source_key,
)
from tests.cases import cases


def web(url, text="text", **more):
    return Passage(SourceKind.WEB, "title", text, url=url, **more)


def from_file(document, text="text", start=None, end=None):
    return Passage(
        SourceKind.FILE,
        "name.pdf",
        text,
        url="file:///a",
        document=document,
        locator=Locator(start=start, end=end),
    )


URLS = st.one_of(
    st.sampled_from([f"https://example.org/{page}" for page in range(8)]),
    st.sampled_from(["http://Example.org/1#a", "https://www.example.org/1/?utm_source=x", "", "nonsense"]),
    st.text(max_size=20),
    st.builds(
        "{}://{}{}{}{}".format,
        st.sampled_from(["http", "https", "HTTP", "ftp", "javascript"]),
        st.text(max_size=8),
        st.sampled_from(["", ":80", ":443", ":99999", ":x", "]", "@b"]),
        st.sampled_from(["", "/", "/a//b/", "/%7Ea", "/ü"]),
        st.sampled_from(["", "?", "?a=1&a=2&b", "?utm_x=1&gclid=2", "?a=%26&b=+", "#x", "?q#f"]),
    ),
)
PASSAGES = st.one_of(
    st.builds(web, URLS, st.sampled_from(["", "one", "two", "one two"])),
    st.builds(
        from_file,
        st.sampled_from(["a" * 64, "b" * 64]),
        st.sampled_from(["one", "two"]),
        st.one_of(st.none(), st.integers(0, 3)),
    ),
    st.builds(
        Passage, st.just(SourceKind.MEMORY), st.just(""), st.just("m"), document=st.sampled_from(["1", "2"])
    ),
)
BATCHES = st.lists(st.lists(PASSAGES, max_size=6), max_size=6)


@cases(
    "one, other",
    [
        ("http://example.org", "https://example.org/"),
        ("https://example.org/a/", "https://example.org/a"),
        ("https://EXAMPLE.org/a", "https://example.org/a"),
        ("https://www.example.org/a", "https://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("http://example.org:80/a", "https://example.org/a"),
        ("https://example.org/a#part", "https://example.org/a"),
        ("https://example.org/a?utm_source=x&utm_medium=y&id=1&fbclid=z", "https://example.org/a?id=1"),
        ("https://example.org/a?", "https://example.org/a"),
        ("  https://example.org/a\n", "https://example.org/a"),
        ("http://[2001:DB8::1]:80/a", "https://[2001:db8::1]/a"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("https://example.org./a", "https://example.org/a"),
        ("https://example.org/%7euser", "https://example.org/~user"),
        ("https://zh.wikipedia.org/wiki/中文", "https://zh.wikipedia.org/wiki/%E4%B8%AD%E6%96%87"),
        ("https://example.org/?q=a+b", "https://example.org/?q=a%20b"),
    ],
)
def test_links_to_one_page_are_one(one, other):
    assert canonical_url(one) == canonical_url(other)


@cases(
    "one, other",
    [
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/a?id=1", "https://example.org/a?id=2"),
        ("https://example.org/a?a=1&b=2", "https://example.org/a?b=2&a=1"),
        ("https://example.org:8443/a", "https://example.org/a"),
        ("https://a.example.org/", "https://example.org/"),
        ("https://example.org/a?b=", "https://example.org/a"),
        ("https://example.org/a%2Fb", "https://example.org/a/b"),
        ("https://example.org/?q=a%26b", "https://example.org/?q=a&b"),
        ("https://example.org/#!/a", "https://example.org/#!/b"),
        ("ftp://example.org/a", "https://example.org/a"),
        ("https://example.org/?q=%D6%D0%CE%C4", "https://example.org/?q=%B9%FA%BC%D2"),
    ],
)
def test_links_to_two_pages_are_two(one, other):
    assert canonical_url(one) != canonical_url(other)


@given(URLS)
def test_canonical_is_canonical(url):
    once = canonical_url(url)
    assert canonical_url(once) == once


@cases(
    "url, host",
    [
        ("https://www.example.org:8080/a", "example.org"),
        ("https://EXAMPLE.org", "example.org"),
        ("https://[::1", ""),
        ("nonsense", ""),
    ],
)
def test_an_address_has_a_host_or_none(url, host):
    assert host_of(url) == host


@given(BATCHES)
def test_numbers_are_stable_dense_and_never_reused(batches):
    ledger = Ledger()
    seen = {}
    for batch in batches:
        numbers = ledger.register(batch)
        assert len(numbers) == len(batch)
        for passage, number in zip(batch, numbers, strict=True):
            assert seen.setdefault(source_key(passage), number) == number
    assert sorted(seen.values()) == list(range(1, len(seen) + 1))
    assert [source.number for source in ledger.sources] == sorted(seen.values())
    assert ledger.numbers == set(seen.values())


@given(BATCHES)
def test_numbers_follow_the_order_of_first_registration(batches):
    ledger = Ledger()
    order = list(dict.fromkeys(source_key(passage) for batch in batches for passage in batch))
    for batch in batches:
        ledger.register(batch)
    assert [source.key for source in ledger.sources] == order


@given(BATCHES, st.lists(PASSAGES, max_size=6))
def test_a_ledger_made_of_saved_sources_goes_on_where_it_was(batches, more):
    ledger = Ledger()
    for batch in batches:
        ledger.register(batch)
    again = Ledger.of(reversed(ledger.sources))
    assert again.sources == ledger.sources
    assert again.register(more) == ledger.register(more)


@given(BATCHES)
def test_text_only_grows_and_at_its_end(batches):
    ledger = Ledger()
    before = {}
    for batch in batches:
        ledger.register(batch)
        for source in ledger.sources:
            assert source.text.startswith(before.get(source.number, ""))
            before[source.number] = source.text


@given(BATCHES)
def test_every_passage_is_in_the_text_of_its_number(batches):
    ledger = Ledger()
    for batch in batches:
        for passage, number in zip(batch, ledger.register(batch), strict=True):
            assert passage.text in ledger.get(number).text


def test_a_number_after_a_gap_is_never_an_old_one():
    ledger = Ledger()
    ledger.register([web(f"https://example.org/{page}") for page in range(5)])
    kept = [source for source in ledger.sources if source.number != 3]
    again = Ledger.of(kept)
    assert again.register([web("https://example.org/new")]) == (6,)
    assert again.get(3) is None


def test_web_comes_first_and_knowledge_follows_when_registered_so():
    ledger = Ledger()
    assert ledger.register([web("https://a"), web("https://b")]) == (1, 2)
    assert ledger.register([from_file("d", start=0, end=4), from_file("d", start=4, end=8)]) == (3, 4)
    assert ledger.register([web("http://www.a/"), web("https://c")]) == (1, 5)


def test_two_parts_of_one_page_are_joined_visibly():
    ledger = Ledger()
    ledger.register([web("https://a", "one"), web("https://a", "two"), web("https://a", "one")])
    [source] = ledger.sources
    assert source.text == f"one{TEXT_JOIN}two"
    assert source.text_hash != Ledger.of([]).sources


def test_the_hash_follows_the_text():
    ledger = Ledger()
    ledger.register([web("https://a", "one")])
    first = ledger.sources[0].text_hash
    ledger.register([web("https://a", "two")])
    assert ledger.sources[0].text_hash != first


def test_the_same_file_at_another_place_is_the_same_source():
    moved = replace(from_file("d", start=0, end=4), url="file:///elsewhere", title="other.pdf")
    assert Ledger().register([from_file("d", start=0, end=4), moved]) == (1, 1)


def test_sources_know_their_host():
    ledger = Ledger()
    ledger.register([web("https://www.example.org/a"), from_file("d")])
    assert [source.host for source in ledger.sources] == ["example.org", ""]


def test_lone_surrogates_have_a_hash():
    ledger = Ledger()
    assert ledger.register([from_file("d", "broken \ud800")]) == (1,)
    assert len(ledger.sources[0].text_hash) == 64


def test_a_source_that_lost_its_words_is_whole_once_they_are_read_again():
    first = Ledger()
    first.register([web("https://example.org/", "one and two")])
    (source,) = first.sources
    lost = replace(source, text="", is_damaged=True)
    for text, is_damaged in (("one and two", False), ("other words", True)):
        ledger = Ledger.of([lost])
        assert ledger.register([web("https://example.org/", text)]) == (1,)
        assert [(each.text, each.is_damaged) for each in ledger.sources] == [(text, is_damaged)]


def test_threads_share_one_count():
    ledger = Ledger()
    barrier = threading.Barrier(8)
    given_out = []

    def register(thread):
        barrier.wait()
        for page in range(50):
            passages = [web(f"https://example.org/{page}"), web(f"https://{thread}.example.org/{page}")]
            given_out.append((passages, ledger.register(passages)))

    threads = [threading.Thread(target=register, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_key = {}
    for passages, numbers in given_out:
        for passage, number in zip(passages, numbers, strict=True):
            assert by_key.setdefault(source_key(passage), number) == number
    assert sorted(by_key.values()) == list(range(1, 50 + 8 * 50 + 1))


def test_a_locator_reads_as_people_write_it():
    assert str(Locator(page=3, section="Results")) == "p. 3 · Results"
    assert str(Locator(section="Results")) == "Results"
    assert str(Locator()) == ""
