"""Records in the settings that the user adds, edits and removes, a card for each; cards of servers made of fields."""

import uuid
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QLineEdit, QPushButton, QWidget

from desktop.chat.api.system import Preferences
from desktop.settings.model import BackupDestination, ChromaServer, OwnEmbedder, OwnReranker, Settings
from desktop.settings.proxies import split_login
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.controls import SecretField, TestButton
from desktop.ui.settings.rows import Binding, SettingsContext, bind
from desktop.ui.widgets.dialog import ask_for_file
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.labels import localize_message
from desktop.ui.widgets.layout import WrappingRow, hbox, label, vbox
from desktop.ui.widgets.notice_bar import NoticeBar, StatusLabel, undo_notice

Server = OwnEmbedder | OwnReranker | ChromaServer | BackupDestination
Test = Callable[[SettingsContext, Server, str | None], Awaitable[object]]

_SCHEMES: Final = ("http://", "https://")


@dataclass(frozen=True)
class FieldSpec:
    """A field of a card for the attribute `name` of a server; with `most` it is a number from `least` to `most`."""

    name: str
    label: str
    placeholder: str = ""
    help: str = ""
    is_address: bool = False
    is_folder: bool = False
    most: int = 0
    least: int = 0


@dataclass(frozen=True)
class RecordKind:
    """A kind of server, in the current language.

    The servers are in `attribute` of the section `space` of the settings, together with others for which
    `belongs` is false. `secret` is the prefix of the names of their keys, `key` the label of the key, empty
    without one. `test` gets the server and a key that was typed and perhaps not stored yet; it runs on the
    asyncio thread after all input is saved. `holds` returns why a server cannot be removed, or an empty text.
    """

    attribute: str
    secret: str
    key: str
    add: str
    new: Callable[[str], Server]
    fields: Sequence[FieldSpec]
    test: Test | None
    holds: Callable[[SettingsContext, Server], str]
    space: str = "knowledge"
    belongs: Callable[[Server], bool] = lambda _server: True


class RecordList(Retranslated, QWidget):
    """The cards of the records at `path` of the settings, such as `knowledge.own_embedders`, with buttons below them.

    A removal can be undone until the next one or until the page is left; the secrets of the record are deleted
    then. A card has the signals `edited`, with the changed record, and `removed`, with its id.

    Signals:
        changed: records were added, edited or removed.
    """

    changed = Signal()

    def __init__(self, path: str, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._place: Binding[tuple[Any, ...]] = bind(path)
        self._removed: tuple[int, Any] | None = None
        """The record that was removed last, with its position."""
        self.cards: list[Any] = []
        self._cards = vbox(spacing=10)
        self.empty = label(self, "", "muted")
        self.notices = NoticeBar(self)
        self.buttons = WrappingRow()
        self.column = column = vbox(self, spacing=10)
        column.addWidget(self.empty)
        self.body = hbox(spacing=12)
        """Contains the cards."""
        self.body.addLayout(self._cards, 1)
        column.addLayout(self.body)
        column.addWidget(self.notices)
        column.addLayout(self.buttons)
        self.empty.hide()

    def make_card(self, record: Any) -> Any:
        """Return a new card of a record, or None for a record of another list."""
        raise NotImplementedError

    def secrets_of(self, record: Any) -> Iterable[str]:
        """Return the names of the secrets that belong to a record."""
        raise NotImplementedError

    @property
    def records(self) -> tuple[Any, ...]:
        """The records in the settings."""
        return self._place.read(self._context.store.settings)

    def hideEvent(self, event: QHideEvent) -> None:
        """Delete the secrets of a removed record when the page is left, but not when its window is minimised."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.forget_removed()

    @Slot()
    def fill(self) -> None:
        """Make the cards anew."""
        for card in self.cards:
            self._cards.removeWidget(card)
            card.deleteLater()
        made = map(self.make_card, self.records)
        self.cards = [card for card in made if card is not None]
        for card in self.cards:
            self._cards.addWidget(card)
            card.edited.connect(self.replace_record)
            card.removed.connect(self.remove)
        self._retranslate()
        self.empty.setVisible(bool(self.empty.text()) and not self.cards)

    def apply(self, records: tuple[Any, ...]) -> None:
        """Apply the records; the cards stay as they are."""
        store = self._context.store
        store.apply(self._place.write(store.settings, records))
        self.changed.emit()

    @Slot(object)
    def replace_record(self, record: Any) -> None:
        """Apply a changed record."""
        self.apply(tuple(record if other.id == record.id else other for other in self.records))

    @Slot(str)
    def remove(self, record_id: str) -> None:
        """Remove a record."""
        self.forget_removed()
        at = [record.id for record in self.records].index(record_id)
        self._removed = (at, self.records[at])
        self.apply((*self.records[:at], *self.records[at + 1 :]))
        self._fill_later()

    @Slot()
    def undo_removal(self) -> None:
        """Put the record that was removed last back in its place."""
        if self._removed is not None:
            (at, record), self._removed = self._removed, None
            self.apply((*self.records[:at], record, *self.records[at:]))
            self._fill_later()

    def forget_removed(self) -> None:
        """Delete the secrets of the record that was removed last; it cannot be put back any more."""
        if self._removed is not None:
            self._context.store.keep_secrets(self.end_undo())

    def end_undo(self, replaced_by: Collection[str] | None = None) -> list[tuple[str, str]]:
        """Do not offer to put back the record that was removed last, and return its secrets as to be deleted.

        With `replaced_by`, only if its id is among these: new records must not get its secrets, nor lose theirs.
        """
        if self._removed is None or (replaced_by is not None and self._removed[1].id not in replaced_by):
            return []
        removed, self._removed = self._removed[1], None
        self.notices.dismiss()
        return [(name, "") for name in self.secrets_of(removed)]

    def _fill_later(self) -> None:
        """Fill once the button that asked for it, on a card that is deleted, has returned."""
        QTimer.singleShot(0, self, self._fill_and_offer_undo)

    @Slot()
    def _fill_and_offer_undo(self) -> None:
        self.fill()
        if self._removed is not None:
            words = QCoreApplication.translate("RecordList", "“{name}” was removed.")
            said = words.format(name=self._removed[1].name)
            self.notices.say(undo_notice(said, self.undo_removal, is_lasting=True))
            self.notices.action.setFocus(Qt.FocusReason.OtherFocusReason)

    def _retranslate(self) -> None:
        """Set the texts in the current language; called before the cards are shown."""


class RecordCard(QFrame):
    """Edits one server in place; every change applies at once.

    Signals:
        edited: the changed server.
        removed: id of the server that the user removes.
    """

    edited = Signal(object)
    removed = Signal(str)

    def __init__(
        self, server: Server, kind: RecordKind, context: SettingsContext, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.server = server
        self._kind = kind
        self._context = context
        self._title = label(self, server.name, "heading")
        self.remove = QPushButton(self.tr("Remove"), self)
        self.remove.setProperty("flat", "true")
        self.edits = {
            field.name: QLineEdit(str(getattr(server, field.name) or ""), self) for field in kind.fields
        }
        self.key = SecretField(f"{kind.secret}/{server.id}", context, self, takes_one=True)
        self.problem = StatusLabel(self, "danger", "small")
        self.test = TestButton(self._prepare_test, _describe_result, context.loop, self)
        self.test.setVisible(kind.test is not None)
        self._lay_out()
        for edit in self.edits.values():
            edit.editingFinished.connect(self.keep)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.key.failed.connect(self.problem.show_error)

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10, margins=(16, 12, 16, 12))
        top = hbox(spacing=10)
        top.addWidget(self._title, 1)
        top.addWidget(self.remove)
        column.addLayout(top)
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for field in self._kind.fields:
            edit = self.edits[field.name]
            edit.setPlaceholderText(field.placeholder)
            edit.setToolTip(field.help)
            edit.setAccessibleName(field.label)
            edit.setAccessibleDescription(field.help)
            if field.is_folder:
                self._let_choose(edit)
            form.addRow(field.label, edit)
            form.labelForField(edit).setMinimumHeight(edit.sizeHint().height())  # beside its middle
        self.key.setVisible(bool(self._kind.key))
        if self._kind.key:
            form.addRow(self._kind.key, self.key)
            form.labelForField(self.key).setMinimumHeight(self.key.sizeHint().height())
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addWidget(self.test)

    def _let_choose(self, edit: QLineEdit) -> None:
        choose = edit.addAction(icon("folder", self.palette()), QLineEdit.ActionPosition.TrailingPosition)
        choose.setToolTip(self.tr("Choose a folder"))
        choose.triggered.connect(partial(self._on_choose_asked, edit))

    def _on_choose_asked(self, edit: QLineEdit, _checked: bool = False) -> None:
        use = partial(self._use_folder, edit)
        ask_for_file(self, self.tr("Choose a folder"), use, is_folder=True, folder=edit.text())

    def _use_folder(self, edit: QLineEdit, folder: Path) -> None:
        edit.setText(str(folder))
        self.keep()

    def _prepare_test(self) -> Callable[[], Awaitable[object]]:
        self.keep()
        assert self._kind.test is not None
        context, key = self._context, self.key.unsaved
        test = partial(self._kind.test, context, self.server, key)
        secret = f"{self._kind.secret}/{self.server.id}"
        return partial(_save_and_test, context.preferences, context.store.settings, secret, key, test)

    def _problem_of(self, field: FieldSpec, text: str) -> str:
        if field.is_address and text and not text.startswith(_SCHEMES):
            return self.tr("Enter an address that starts with https:// or http://.")
        if field.most and text and not (text.isdecimal() and field.least <= int(text) <= field.most):
            return self.tr("“{text}” is not a number up to {most}.").format(text=text, most=field.most)
        return ""

    @Slot()
    def keep(self) -> None:
        """Apply the values of all fields, except invalid ones."""
        self._part_login()
        texts = {field: self.edits[field.name].text().strip() for field in self._kind.fields}
        problems = {field: self._problem_of(field, text) for field, text in texts.items()}
        self.problem.setText(next(filter(None, problems.values()), ""))
        change: dict[str, Any] = {
            field.name: int(text or 0) if field.most else text
            for field, text in texts.items()
            if not problems[field] and (text or not (field.least or field.name == "name"))
        }
        server = replace(self.server, **change)
        if server != self.server:
            self.server = server
            self._title.setText(server.name)
            self.edited.emit(server)

    def _part_login(self) -> None:
        """Move name and password out of an address into their fields: the password into the keyring."""
        user = self.edits.get("user")
        for field in self._kind.fields:
            address, login = split_login(self.edits[field.name].text()) if field.is_address else ("", "")
            if not login or user is None:
                continue
            name, _, password = login.partition(":")
            self.edits[field.name].setText(address)
            user.setText(name or user.text())
            if password:
                keeping = self._context.store.keep_secrets(
                    [(f"{self._kind.secret}/{self.server.id}", password)]
                )
                keeping.succeeded.connect(self.key.refresh)
                keeping.failed.connect(self.problem.show_error)

    @Slot()
    def _on_remove_clicked(self) -> None:
        problem = self._kind.holds(self._context, self.server)
        self.problem.setText(problem)
        if not problem:
            self.removed.emit(self.server.id)


class RecordCards(RecordList):
    """The cards of all servers of a kind, and the button that adds one.

    Signals:
        added: id of the new server.
    """

    added = Signal(str)

    def __init__(self, kind: RecordKind, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(f"{kind.space}.{kind.attribute}", context, parent)
        self._kind = kind
        self.add = QPushButton(kind.add, self)
        self.buttons.addWidget(self.add)
        self.add.clicked.connect(self.add_server)
        self.fill()

    def make_card(self, record: Server) -> RecordCard | None:
        """Return the card of a server of the kind."""
        return RecordCard(record, self._kind, self._context, self) if self._kind.belongs(record) else None

    def secrets_of(self, record: Server) -> Iterable[str]:
        """Return the name of the key of a server."""
        return (f"{self._kind.secret}/{record.id}",)

    @Slot()
    def add_server(self) -> None:
        """Add a server without an address, and focus its first field."""
        new = self._kind.new(uuid.uuid4().hex[:8])
        self.apply((*self.records, new))
        self.fill()
        self.added.emit(new.id)
        self.cards[-1].edits[self._kind.fields[0].name].setFocus()


async def _save_and_test(
    preferences: Preferences,
    settings: Settings,
    secret: str,
    key: str | None,
    test: Callable[[], Awaitable[object]],
) -> object:
    """Save all input, then test: the engine uses only what is saved."""
    if key is not None:
        await preferences.set_secret(secret, key)
    await preferences.save(settings)
    return await test()


def _describe_result(result: object) -> str:
    return localize_message(str(result))
