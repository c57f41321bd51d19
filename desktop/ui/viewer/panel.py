"""The panel beside the conversation: the source of one mark and the way to the others, or how an answer got its sources."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.data import PageArchive
from desktop.chat.api.knowledge import Knowledge
from desktop.ui.i18n import Retranslated
from desktop.ui.viewer.loader import ViewRequest
from desktop.ui.viewer.window import SourceViewer
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, label, vbox

_LEAST_WIDTH = 300


class SourcePanel(Retranslated, QWidget):
    """Shows one source at a time with the widgets of the viewer, or a record of an answer.

    Signals:
        step_asked: the previous mark (-1) or the next one (1) is wanted.
        add_asked: the Source that should be added to a knowledge base.
        close_asked: the panel is no longer wanted.
        page_checked: `PagesChecked`: a kept page was read again.
    """

    step_asked = Signal(int)
    add_asked = Signal(object)
    close_asked = Signal()
    page_checked = Signal(object)

    def __init__(
        self,
        knowledge: Knowledge,
        loop: BackgroundLoop,
        parent: QWidget,
        *,
        pages: PageArchive | None = None,
    ) -> None:
        super().__init__(parent)
        self._pages = pages
        self._knowledge = knowledge
        self._loop = loop
        self._at = (0, 0)
        self.viewer: SourceViewer | None = None
        self.record: QWidget | None = None
        self.setObjectName("sourcePanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(_LEAST_WIDTH)
        self.count = label(self, "", "muted", "small")
        self.back = IconButton("back", self)
        self.forward = IconButton("forward", self)
        self.leave = IconButton("close", self)
        head = hbox(spacing=2, margins=(16, 10, 10, 0))
        self.count.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        for widget in (self.count, self.back, self.forward, self.leave):
            head.addWidget(widget)
        self._column = vbox(self, spacing=0, margins=(1, 0, 0, 0))  # beside the line at its edge
        self._column.addLayout(head)
        self.back.clicked.connect(self._on_back)
        self.forward.clicked.connect(self._on_forward)
        self.leave.clicked.connect(self.close_asked)
        keys = Qt.Key
        self._keys: list[QShortcut] = []
        for key, slot in (
            (keys.Key_P, self._on_back),
            (keys.Key_Left, self._on_back),
            (keys.Key_N, self._on_forward),
            (keys.Key_Right, self._on_forward),
        ):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)
            self._keys.append(shortcut)
        self._retranslate()

    def show_source(self, wanted: ViewRequest, at: int, count: int) -> None:
        """Show a source, which belongs to mark `at` (from 1; 0 for none) of `count`."""
        had_focus = self.viewer is not None and self.viewer.isAncestorOf(self.focusWidget())
        self.clear()
        self.viewer = SourceViewer(
            wanted, self._knowledge, self._loop, self, pages=self._pages, is_beside=True
        )
        self.viewer.add_asked.connect(self.add_asked)
        self.viewer.page_checked.connect(self.page_checked)
        self._column.addWidget(self.viewer, 1)
        self.viewer.show()
        if had_focus:
            self.forward.setFocus()
        self._at = (at, count)
        self._retranslate()

    def show_record(self, view: QWidget) -> None:
        """Show how an answer got its sources."""
        self.clear()
        self.record = view
        self._column.addWidget(view, 1)
        view.show()
        self._at = (0, 0)
        self._retranslate()

    def clear(self) -> None:
        """Delete what is shown."""
        for shown in (self.viewer, self.record):
            if shown is not None:
                self._column.removeWidget(shown)
                shown.hide()
                shown.deleteLater()
        self.viewer = self.record = None

    def _retranslate(self) -> None:
        at, count = self._at
        is_record = self.record is not None
        told = self.tr("Citation {at} of {count}").format(at=at, count=count) if at else ""
        self.count.setText(self.tr("Sources and searches") if is_record else told)
        self.back.set_words(self.tr("Previous citation"), self.tr("Previous citation  Alt+←"))
        self.forward.set_words(self.tr("Next citation"), self.tr("Next citation  Alt+→"))
        self.leave.set_words(self.tr("Close panel"), self.tr("Close panel  Esc"))
        for button in (self.back, self.forward):
            button.setEnabled(count > 1)
            button.setVisible(not is_record)
        for shortcut in self._keys:  # the arrows open and close the rows of a record
            shortcut.setEnabled(not is_record)
        self.setAccessibleName(self.tr("Sources and searches") if is_record else self.tr("Source"))

    def _on_back(self) -> None:
        self.step_asked.emit(-1)

    def _on_forward(self) -> None:
        self.step_asked.emit(1)
