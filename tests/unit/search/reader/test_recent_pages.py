"""The pages that were read last: each counts once for the limits, however many addresses lead to it."""

from desktop.domain.search import PageStatus, WebPage
from desktop.search.reader.recent_pages import RecentPages

SIZE = 1_000_000
"""Five pages of this size reach the limit of 5,000,000 characters."""


def test_a_page_that_was_redirected_counts_once():
    recent = RecentPages()
    for number in range(5):
        page = WebPage(PageStatus.READ, f"https://x.example/new/{number}", text="x" * SIZE)
        recent.add(f"https://x.example/old/{number}", page)
    recent.add(
        "https://x.example/old/4", WebPage(PageStatus.READ, "https://x.example/new/4", text="y" * SIZE)
    )
    for number in range(5):
        assert recent.find(f"https://x.example/old/{number}") is recent.find(
            f"https://x.example/new/{number}"
        )
    assert recent.find("https://x.example/old/0") is not None

    recent.add("https://x.example/more", WebPage(PageStatus.READ, "https://x.example/more", text="z" * SIZE))
    found = [
        recent.find(f"https://x.example/{place}/{number}") for number in range(5) for place in ("old", "new")
    ]
    assert [page is not None for page in found] == [False] * 2 + [True] * 8
