"""The search engines in the settings: order, use, keys, tests."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from desktop.domain.search import EngineInfo
from desktop.ui.failure_words import localized
from desktop.ui.icons import IconButton
from desktop.ui.parts import horizontal, label, line, vertical
from desktop.ui.settings.key_field import KeyField
from desktop.ui.settings.rows import Context
from desktop.ui.settings.try_button import TryButton


class EngineOrder(QFrame):
    """The engines that need no key: which are used, and which one first."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._context = context
        self._column = vertical(self, spacing=2, margins=(14, 8, 8, 8))
        self._rows: list[QWidget] = []
        self._fill()

    def move_up(self, engine_id: str) -> None:
        """Try an engine before the one above it."""
        order = list(self._context.store.settings.search.engine_order)
        at = order.index(engine_id)
        order[at - 1 : at + 1] = [engine_id, order[at - 1]]
        self._apply(order)

    def use(self, engine_id: str, is_on: bool) -> None:
        """Use an engine, after all others, or leave it out."""
        order = [name for name in self._context.store.settings.search.engine_order if name != engine_id]
        self._apply([*order, engine_id] if is_on else order)

    def _apply(self, order: list[str]) -> None:
        settings = self._context.store.settings
        self._context.store.apply(
            replace(settings, search=replace(settings.search, engine_order=tuple(order)))
        )
        # Later: the control that asked for it is in a row that goes.
        QTimer.singleShot(0, self, self._fill)

    @Slot()
    def _fill(self) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.deleteLater()
        order = self._context.store.settings.search.engine_order
        engines = {engine.id: engine for engine in self._context.catalogue.engines if not engine.needs_key}
        used = [engines[name] for name in order if name in engines]
        unused = [engine for engine in engines.values() if engine.id not in order]
        self._rows = [self._row(engine, at, is_used=True) for at, engine in enumerate(used)]
        self._rows += [self._row(engine, 0, is_used=False) for engine in unused]
        for row in self._rows:
            self._column.addWidget(row)

    def _row(self, engine: EngineInfo, at: int, *, is_used: bool) -> QWidget:
        holder = QWidget(self)
        row = horizontal(holder, spacing=8)
        box = QCheckBox(engine.name, holder)
        box.setChecked(is_used)
        box.toggled.connect(partial(self.use, engine.id))
        up = IconButton("up", holder, QPalette.ColorRole.PlaceholderText)
        up.set_words(self.tr("Try {engine} earlier").format(engine=engine.name))
        up.setEnabled(is_used and at > 0)
        up.clicked.connect(partial(self._on_up_clicked, engine.id))
        test = TryButton(partial(_prepare_test, self._context, engine.id), _told, self._context.loop, holder)
        row.addWidget(box)
        row.addWidget(test, 1)
        row.addWidget(up)
        return holder

    def _on_up_clicked(self, engine_id: str, _checked: bool = False) -> None:
        self.move_up(engine_id)


class EngineKeys(QFrame):
    """A key and a test for every service that needs one."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.keys: dict[str, KeyField] = {}
        column = vertical(self, spacing=10, margins=(16, 12, 16, 12))
        for engine in context.catalogue.engines:
            if not engine.needs_key:
                continue
            if self.keys:
                column.addWidget(line(self))
            column.addWidget(label(self, engine.name))
            self.keys[engine.id] = KeyField(f"search/{engine.id}", context.preferences, context.loop, self)
            self.keys[engine.id].kept.connect(context.catalogue.refresh)
            column.addWidget(self.keys[engine.id])
            column.addWidget(TryButton(partial(_prepare_test, context, engine.id), _told, context.loop, self))


def _told(result: object) -> str:
    return localized(str(result))


def _prepare_test(context: Context, engine_id: str) -> Callable[[], Awaitable[object]]:
    return partial(context.preferences.test_engine, engine_id)
