"""The user guide in the window."""

import re

from PySide6.QtCore import QLocale, QUrl
from PySide6.QtGui import QDesktopServices

from desktop.resources import GUIDE_PAGES
from desktop.ui.dialogs.guide_dialogs import GuideDialog
from tests.cases import cases


@cases("language, words", [("en_US", "Troubleshooting"), ("zh_CN", "疑难解答")])
def test_every_page_is_readable_without_a_network(language, words, qtbot):
    before = QLocale()
    QLocale.setDefault(QLocale(language))
    try:
        dialog = GuideDialog("troubleshooting", None)
        for at in reversed(range(len(GUIDE_PAGES))):
            dialog.pages.setCurrentIndex(at)
            assert not re.search(r"!!!|\*\*|\]\(", dialog.text.toPlainText())
        dialog.pages.setCurrentIndex(GUIDE_PAGES.index("troubleshooting"))
    finally:
        QLocale.setDefault(before)
    qtbot.add_widget(dialog)
    assert dialog.pages.currentText() == words
    assert words in dialog.text.toPlainText()
    titles = [dialog.pages.itemText(at) for at in range(dialog.pages.count())]
    assert len(set(titles)) == len(GUIDE_PAGES)


def test_links_lead_to_pages_of_the_guide_or_into_the_browser(qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or True)
    dialog = GuideDialog("first-question", None)
    qtbot.add_widget(dialog)
    for page in GUIDE_PAGES:
        dialog.pages.setCurrentIndex(GUIDE_PAGES.index(page))
        targets = re.findall(r'href="([^"]+)"', dialog.text.toHtml())
        assert all(each.startswith("https://") or each.removesuffix(".md") in GUIDE_PAGES for each in targets)
        assert "<img" not in dialog.text.toHtml()
    dialog.text.anchorClicked.emit(QUrl("models.md"))
    assert dialog.pages.currentData() == "models"
    dialog.text.anchorClicked.emit(QUrl("https://docs.astral.sh/uv/"))
    dialog.text.anchorClicked.emit(QUrl("file:///etc/passwd"))
    assert opened == ["https://docs.astral.sh/uv/"]
    assert dialog.pages.currentData() == "models"
