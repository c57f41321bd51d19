"""The search engines in the settings: order, use, keys, tests, health, and engines of the user."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QLineEdit, QPushButton, QWidget

from desktop.domain.search import EngineHealth, EngineInfo, SearchStatus
from desktop.settings.model import OwnEngine, SearchSettings
from desktop.ui.dialogs.browser_dialogs import CaptchaDialog
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.controls import SecretField, TestButton
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.labels import localize_message
from desktop.ui.widgets.layout import hbox, label, plain_name, separator, set_style_flag, vbox

_WIDTH = 460
_PLACEHOLDER = "%s"
_EXAMPLE = "https://example.org/search?q=%s"

_ANSWERS = frozenset({SearchStatus.RESULTS, SearchStatus.NOTHING_FOUND})

_LOOK_EVERY_MS = 2_000


class CustomEngineDialog(Retranslated, ScreenFitDialog):
    """Adds an engine, or edits `engine`. `others` are the names and addresses that exist already.

    Signals:
        kept: the new or changed `OwnEngine`.
        removed: the user removes it.
    """

    kept = Signal(object)
    removed = Signal()

    def __init__(
        self, engine: OwnEngine | None, others: Collection[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._others = {text.casefold() for text in others}
        self.name = QLineEdit(engine.name if engine else "", self)
        self.address = QLineEdit(engine.address if engine else "", self)
        self.address.setPlaceholderText(_EXAMPLE)
        self.problem = label(self, "", "danger")
        self.remove = QPushButton(self)
        self.remove.setVisible(engine is not None)
        self.cancel = QPushButton(self)
        self.keep = QPushButton(self)
        self.keep.setDefault(True)
        self.keep.setProperty("primary", "true")
        self._help = label(self, "", "muted")
        self._names = (label(self), label(self))
        self._lay_out()
        self.keep.clicked.connect(self._on_keep_clicked)
        self.cancel.clicked.connect(self.reject)
        self.remove.clicked.connect(self._on_remove_clicked)
        for edit in (self.name, self.address):
            edit.textEdited.connect(self.problem.clear)
        self._retranslate()

    def _lay_out(self) -> None:
        column = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        form = QFormLayout()
        form.setSpacing(10)
        for name, edit in zip(self._names, (self.name, self.address), strict=True):
            name.setBuddy(edit)
            form.addRow(name, edit)
        column.addLayout(form)
        column.addWidget(self._help)
        column.addWidget(self.problem)
        column.addStretch(1)
        row = hbox(spacing=8)
        row.addWidget(self.remove)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.keep)
        column.addLayout(row)
        self.setMinimumWidth(_WIDTH)

    def _retranslate(self) -> None:
        is_new = self._engine is None
        self.setWindowTitle(self.tr("Add search engine") if is_new else self.tr("Edit search engine"))
        words = (self.tr("Name"), self.tr("Address"))
        for name, edit, text in zip(self._names, (self.name, self.address), words, strict=True):
            name.setText(text)
            edit.setAccessibleName(text)
        self._help.setText(
            self.tr("Search on that site and copy the address. Replace your search words in it with %s.")
        )
        self.remove.setText(self.tr("Remove"))
        self.cancel.setText(self.tr("Cancel"))
        self.keep.setText(self.tr("Add") if is_new else self.tr("Save"))

    def _problem_of(self, engine: OwnEngine) -> str:
        """Return what keeps an engine from being kept; empty when nothing does."""
        site = _site_of(engine.address)
        problems = (
            (not site, self.tr("Enter an address that starts with https:// or http://.")),
            (_PLACEHOLDER in site, self.tr("%s can’t be part of the site name.")),
            (
                _PLACEHOLDER not in engine.address,
                self.tr("Add %s where the search words go."),
            ),
            (
                engine.address.casefold() in self._others,
                self.tr("An engine with this address already exists."),
            ),
            (engine.name.casefold() in self._others, self.tr("An engine with this name already exists.")),
        )
        return next((words for is_so, words in problems if is_so), "")

    @Slot()
    def _on_keep_clicked(self) -> None:
        address = self.address.text().strip()
        engine = OwnEngine(self.name.text().strip() or _site_of(address), address)
        problem = self._problem_of(engine)
        self.problem.setText(problem)
        if not problem:
            self.kept.emit(engine)
            self.accept()

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removed.emit()
        self.accept()


def _site_of(address: str) -> str:
    """Return the site that an address leads to; empty if it leads to none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return (parts.hostname or "") if parts.scheme in {"http", "https"} else ""


class EngineRow(Retranslated, QWidget):
    """One search engine without a key: use, position, test, health.

    Signals:
        used: whether the user enables it.
        raised: it is moved before the one above it.
        edit_asked: the user wants to edit an engine that they have added.
        show_asked: the user wants to see the page that blocks the engine (`EngineHealth`).
    """

    used = Signal(bool)
    raised = Signal()
    edit_asked = Signal()
    show_asked = Signal(object)

    def __init__(
        self,
        engine: EngineInfo,
        context: SettingsContext,
        parent: QWidget | None = None,
        *,
        is_used: bool,
        is_first: bool,
        is_own: bool,
    ) -> None:
        super().__init__(parent)
        self.engine = engine
        self._health: EngineHealth | None = None
        self.box = QCheckBox(plain_name(engine.name), self)
        self.box.setChecked(is_used)
        self.test = TestButton(test_of(context, engine.id), status_text, context.loop, self)
        self.edit = IconButton("rename", self, QPalette.ColorRole.PlaceholderText)
        self.edit.setVisible(is_own)
        self.up = IconButton("up", self, QPalette.ColorRole.PlaceholderText)
        self.up.setEnabled(is_used and not is_first)
        self.doing = label(self, "", "muted", "small")
        self.show_page = QPushButton(self)
        self.show_page.setProperty("flat", "true")
        self._lay_out()
        self.box.toggled.connect(self.used)
        self.up.clicked.connect(self._on_up_clicked)
        self.edit.clicked.connect(self._on_edit_clicked)
        self.show_page.clicked.connect(self._on_show_clicked)
        self._retranslate()

    def _lay_out(self) -> None:
        column = vbox(self, spacing=0)
        row = hbox(spacing=8)
        row.addWidget(self.box)
        row.addWidget(self.test, 1)
        row.addWidget(self.edit)
        row.addWidget(self.up)
        column.addLayout(row)
        below = hbox(spacing=8, margins=(27, 0, 8, 4))
        below.addWidget(self.doing, 1)
        below.addWidget(self.show_page)
        column.addLayout(below)

    def show_health(self, health: EngineHealth | None) -> None:
        """Show the health of the engine; None where it is unknown."""
        self._health = health
        self._refresh()

    def _retranslate(self) -> None:
        self.up.set_words(self.tr("Move {engine} up").format(engine=self.engine.name))
        self.edit.set_words(self.tr("Edit {engine}").format(engine=self.engine.name))
        self.show_page.setText(self.tr("Verify…"))
        self._refresh()

    def _refresh(self) -> None:
        health = self._health
        has_result = health is not None and health.last is not None
        self.doing.setVisible(has_result)
        self.show_page.setVisible(health is not None and health.can_be_shown)
        if health is not None:
            self.doing.setText(self._words_on(health))
            set_style_flag(self.doing, "danger", health.last not in _ANSWERS)

    def _words_on(self, health: EngineHealth) -> str:
        if health.last in _ANSWERS:
            seconds = self.locale().toString(health.typical_s, "f", 1)
            return self.tr("Working, usually answers in {seconds} s.").format(seconds=seconds)
        if not health.paused_s:
            return localize_message(health.error)
        pause = self.tr("Paused for {seconds} s.").format(seconds=round(health.paused_s))
        return f"{localize_message(health.error)} {pause}"

    @Slot()
    def _on_up_clicked(self) -> None:
        self.raised.emit()

    @Slot()
    def _on_edit_clicked(self) -> None:
        self.edit_asked.emit()

    @Slot()
    def _on_show_clicked(self) -> None:
        self.show_asked.emit(self._health)


def status_text(result: object) -> str:
    """Return the result of a test in the current language."""
    return localize_message(str(result))


def test_of(context: SettingsContext, engine_id: str) -> Callable[[], Callable[[], Awaitable[object]]]:
    """Return the function that prepares the test of an engine."""
    return partial(partial, context.preferences.test_engine, engine_id)


class EngineOrder(Retranslated, QFrame):
    """The engines that need no key: which are used, in which order, and those that the user has added."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._context = context
        self._column = vbox(self, spacing=2, margins=(14, 8, 8, 8))
        self.rows: list[EngineRow] = []
        self._shown: tuple[list[EngineInfo], list[EngineInfo], set[str]] | None = None
        self.add = QPushButton(self)
        below = hbox(spacing=0, margins=(0, 6, 0, 4))
        below.addWidget(self.add)
        below.addStretch(1)
        self._column.addLayout(below)
        self.add.clicked.connect(self.add_engine)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self.refresh)
        context.catalogue.engines_listed.connect(self._fill)
        self._retranslate()
        self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        """Update the health of the engines while the list is visible."""
        super().showEvent(event)
        self._timer.start()
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop updating the health of the engines."""
        super().hideEvent(event)
        self._timer.stop()

    def _retranslate(self) -> None:
        self.add.setText(self.tr("Add search engine…"))

    def move_up(self, engine_id: str) -> None:
        """Move an engine before the one above it."""
        order = list(self._search.engine_order)
        at = order.index(engine_id)
        order[at - 1 : at + 1] = [engine_id, order[at - 1]]
        self._apply(engine_order=tuple(order))

    def use(self, engine_id: str, is_on: bool) -> None:
        """Enable an engine, after all others, or disable it."""
        order = [name for name in self._search.engine_order if name != engine_id]
        self._apply(engine_order=(*order, engine_id) if is_on else tuple(order))

    @Slot()
    def add_engine(self) -> None:
        """Ask for an engine to add; it is used after all others."""
        self._open(CustomEngineDialog(None, self._list_taken(), self), None)

    def edit_engine(self, engine_id: str) -> None:
        """Open the dialog that edits an engine of the user."""
        engine = next(own for own in self._search.own_engines if own.address == engine_id)
        taken = [text for text in self._list_taken() if text not in {engine.name, engine.address}]
        self._open(CustomEngineDialog(engine, taken, self), engine)

    @property
    def _search(self) -> SearchSettings:
        return self._context.store.settings.search

    def _list_taken(self) -> list[str]:
        return [text for engine in self._engines().values() for text in (engine.id, engine.name)]

    def _open(self, dialog: CustomEngineDialog, old: OwnEngine | None) -> None:
        dialog.kept.connect(partial(self._keep, old))
        dialog.removed.connect(partial(self._keep, old, None))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _keep(self, old: OwnEngine | None, new: OwnEngine | None) -> None:
        """Put `new` where `old` was, in the list and in the order; without `old` at the end of both."""
        own, order = list(self._search.own_engines), list(self._search.engine_order)
        if old is None:
            own, order = [*own, *filter(None, [new])], [*order, *([new.address] if new else [])]
        else:
            own = [kept for kept in (new if engine == old else engine for engine in own) if kept]
            addresses = [new.address] if new else []
            order = [name for known in order for name in (addresses if known == old.address else [known])]
        self._apply(own_engines=tuple(own), engine_order=tuple(order))

    def _apply(
        self,
        *,
        engine_order: tuple[str, ...] | None = None,
        own_engines: tuple[OwnEngine, ...] | None = None,
    ) -> None:
        search = self._search
        if engine_order is not None:
            search = replace(search, engine_order=engine_order)
        if own_engines is not None:
            search = replace(search, own_engines=own_engines)
        self._context.store.apply(replace(self._context.store.settings, search=search))
        # Later: the control that asked for it is in a row that goes.
        QTimer.singleShot(0, self, self._fill)

    def _engines(self) -> dict[str, EngineInfo]:
        """Return the engines that need no key; those just added are not in the catalogue yet."""
        known = {engine.id: engine for engine in self._context.catalogue.engines if not engine.needs_key}
        for own in self._search.own_engines:
            known[own.address] = EngineInfo(own.address, own.name, needs_key=False, is_ready=True)
        return known

    @Slot()
    def _fill(self) -> None:
        order, engines = self._search.engine_order, self._engines()
        own = {engine.address for engine in self._search.own_engines}
        used = [engines[name] for name in order if name in engines]
        unused = [engine for engine in engines.values() if engine.id not in order]
        if (used, unused, own) == self._shown:
            return  # what a test has just said stays to be read
        self._shown = (used, unused, own)
        for row in self.rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self.rows = [
            EngineRow(
                engine, self._context, self, is_used=at < len(used), is_first=at == 0, is_own=engine.id in own
            )
            for at, engine in enumerate([*used, *unused])
        ]
        for at, row in enumerate(self.rows):
            self._column.insertWidget(at, row)
            row.used.connect(partial(self.use, row.engine.id))
            row.raised.connect(partial(self.move_up, row.engine.id))
            row.edit_asked.connect(partial(self.edit_engine, row.engine.id))
            row.show_asked.connect(self._hand_over)
        self._align()
        self.refresh()

    def _align(self) -> None:
        """Align the controls behind the names."""
        width = max((row.box.sizeHint().width() for row in self.rows), default=0)
        for row in self.rows:
            row.box.setMinimumWidth(width)

    @Slot()
    def refresh(self) -> None:
        """Load the health of the engines."""
        self._context.loop.run(self, lambda: self._context.searches().health(), self._on_loaded)

    @Slot(object)
    def _on_loaded(self, engines: Sequence[EngineHealth]) -> None:
        known = {health.engine: health for health in engines}
        for row in self.rows:
            row.show_health(known.get(row.engine.id))

    def _hand_over(self, health: EngineHealth) -> None:
        dialog = CaptchaDialog(health, self._context.searches, self._context.loop, self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self.refresh)
        dialog.open()


class EngineKeys(QFrame):
    """A key and a test for every service that needs one."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.keys: dict[str, SecretField] = {}
        column = vbox(self, spacing=10, margins=(16, 12, 16, 12))
        for engine in context.catalogue.engines:
            if not engine.needs_key:
                continue
            if self.keys:
                column.addWidget(separator(self))
            column.addWidget(label(self, engine.name))
            self.keys[engine.id] = SecretField(f"search/{engine.id}", context, self)
            column.addWidget(self.keys[engine.id])
            column.addWidget(TestButton(test_of(context, engine.id), status_text, context.loop, self))
