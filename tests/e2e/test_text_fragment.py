"""Text fragments in real Chromium: the page is scrolled to the passage."""

import asyncio
from dataclasses import replace
from html import escape

from playwright.async_api import async_playwright

from desktop.search.browser.discovery import find_browser
from desktop.ui.links import web_address
from tests.ui.fakes.turns import SOURCE
from tests.unit.search.page_server import PageServer

PASSAGES = {
    "/short": "Tides follow the moon and, less, the sun.",
    "/dashes": "A state-of-the-art heat-pump works at minus fifteen degrees - and below & above, 100% of the time.",
    "/long": (
        "The lighthouse stands on a basalt cliff at the northern end of the island, where the ferry passes. "
        "Its lamp reaches 42 kilometres and has been electric since 1931."
    ),
    "/paragraphs": "First paragraph begins here with words.\nThe second.\nThe last one ends with these very words.",
    "/chinese": (
        "维尔莫拉灯塔位于岛屿北端的玄武岩悬崖上，是当地最著名的建筑。灯塔由工程师阿达·科斯滕于1873年建成，"
        "她此前还负责了港口的排水工程。灯塔的光照距离为42公里，1931年改为电力照明。"
    ),
    "/unbroken": "潮汐是海水在月球和太阳引力作用下的周期性涨落现象",
    "/arabic": "المضخات الحرارية تعمل في درجات حرارة منخفضة جدا",
}
FILLER = "".join(f"<p>Filler number {number} stands here alone.</p>" for number in range(200))

IN_VIEW = """() => {
  const box = document.getElementById("there").getBoundingClientRect();
  return box.top < innerHeight && box.bottom > 0;
}"""


def page_of(passage):
    lines = "".join(f"<p>{escape(line).replace('heat', '<b>heat</b>')}</p>" for line in passage.split("\n"))
    return f"<!doctype html><meta charset=utf-8><h1>T</h1>{FILLER}<div id=there>{lines}</div>{FILLER}"


def test_a_browser_goes_to_the_passage_also_where_the_address_has_a_fragment_of_its_own():
    async def run():
        seen = {}
        async with PageServer() as server, async_playwright() as playwright:
            program = find_browser("", playwright.chromium.executable_path)
            browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            tab = await browser.new_page()
            for path, passage in PASSAGES.items():
                url = server.page(path, page_of(passage), Content_Type="text/html; charset=utf-8")
                own = "#own" if path == "/short" else ""
                address = web_address(replace(SOURCE, url=url + own, text=passage))
                await tab.goto(address.toEncoded().data().decode())
                await tab.wait_for_function(IN_VIEW)
                seen[path] = await tab.evaluate("scrollY")
            await browser.close()
        return seen

    seen = asyncio.run(run())
    assert set(seen) == set(PASSAGES)
    assert all(top > 0 for top in seen.values())
