"""The knowledge manager: bases on the left, the items of the chosen one or a page about it on the right."""

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from desktop.domain.knowledge import BaseInfo, ItemInfo
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.bars import DropHint, EmptyState, TransferBar
from desktop.ui.knowledge.base_panel import BasePanel
from desktop.ui.knowledge.item_model import ItemFilter
from desktop.ui.knowledge.items_page import ItemsPage
from desktop.ui.knowledge.manager_actions import BaseActions, FileActions
from desktop.ui.knowledge.manager_controller import ManagerContext, ManagerController
from desktop.ui.knowledge.menus import AddMenu, read_drop
from desktop.ui.knowledge.passages_page import PassagesPage
from desktop.ui.knowledge.search_test_page import SearchTestPage
from desktop.ui.knowledge.side_pages import FoldersPage, NoteDraft, NotePage, OptionsPage
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.layout import hbox, new_menu, vbox
from desktop.ui.widgets.notice_bar import Notice, NoticeBar, failure_notice

SIZE: Final = QSize(1180, 740)


class KnowledgeManager(Retranslated, FormDialog):
    """A window of its own, so that the user can go on asking while files are read.

    Signals:
        place_asked: the `Source` to open.
        read_asked: key of the `Scope` of an item that is to be read for the user, and its name.
    """

    place_asked = Signal(object)
    read_asked = Signal(str, str)

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._knowledge_store = means.knowledge_store
        self._is_naming = False
        self.controller = ManagerController(means, self)
        self.adding = AddMenu(self)
        self.panel = BasePanel(self.controller.bases, self)
        self._right = QWidget(self)
        self.pages = QStackedWidget(self._right)
        self.items = ItemsPage(self.controller, self.adding, self.pages)
        self.passages = PassagesPage(means, self.pages)
        self.trial = SearchTestPage(means, self.pages)
        self.options = OptionsPage(means, self.pages)
        self.folders = FoldersPage(means, self.pages)
        self.note = NotePage(means, self.pages)
        self.first = QPushButton(self)
        self.take = QPushButton(self)
        self.empty = EmptyState("library", (self.first, self.take), self.pages)
        self.transfers = TransferBar(means, self._right)
        self.notices = NoticeBar(self._right)
        self.hint = DropHint(self._right)
        self.base_actions = BaseActions(means.knowledge_store, self.panel.view, self.transfers, self)
        self.item_actions = FileActions(self.controller, self)
        self.setAcceptDrops(True)
        self.setObjectName("manager")
        self.resize(SIZE)
        self._lay_out()
        self._connect()
        self._retranslate()
        self.panel.view.choose("")
        self._show_list()
        means.knowledge_store.refresh()

    def _lay_out(self) -> None:
        for page in (
            self.items,
            self.passages,
            self.trial,
            self.options,
            self.folders,
            self.note,
            self.empty,
        ):
            self.pages.addWidget(page)
        self.first.setProperty("primary", "true")
        bars = vbox(spacing=6, margins=(20, 0, 20, 12))
        bars.addWidget(self.transfers)
        bars.addWidget(self.notices)
        right = vbox(self._right, spacing=0)
        right.addWidget(self.pages, 1)
        right.addLayout(bars)
        row = hbox(self, spacing=0)
        row.addWidget(self.panel)
        row.addWidget(self._right, 1)

    def _connect(self) -> None:
        controller, view, base_actions = self.controller, self.panel.view, self.base_actions
        for signal, slot in (
            (view.chosen, self._on_base_chosen),
            (view.menu_asked, self._on_base_menu_asked),
            (view.delete_pressed, self._on_delete_pressed),
            (self.panel.base_actions.asked, base_actions.do),
            (self.panel.new_asked, self._on_new_asked),
            (self.panel.import_asked, self.transfers.ask_import),
            (self.first.clicked, self._on_new_asked),
            (self.take.clicked, self.transfers.ask_import),
            (self._knowledge_store.created, self._on_created),
            (controller.base_changed, self._on_base_changed),
            (controller.bases.rowsInserted, self._on_base_came),
            (controller.failed, self._on_failed),
            (self.transfers.failed, self._on_failed),
            (self.transfers.refused, self._on_transfer_refused),
            (self.transfers.ended, self._on_transfer_ended),
            (base_actions.page_asked, self._on_page_asked),
            (base_actions.again_asked, controller.read_all_again),
            (base_actions.noticed, self.notices.say),
            (self.item_actions.noticed, self.notices.say),
            (self.item_actions.withdrawn, self.notices.withdraw),
            (self.item_actions.note_asked, self._on_note_asked),
            (self.item_actions.passages_asked, self._on_passages_asked),
            (self.item_actions.read_asked, self._on_read_asked),
            (self.items.action_asked, self.item_actions.do),
            (self.items.base_menu_asked, self._on_base_menu_asked),
            (self.items.trial_asked, self._on_trial_asked),
            (self.items.resume_asked, self._on_resume_asked),
            (self.passages.place_asked, self.place_asked),
            (self.passages.note_asked, self._on_note_asked),
            (self.trial.place_asked, self.place_asked),
            (self.options.changed, self._knowledge_store.update),
            (self.folders.more_asked, self.adding.actions["watch"].trigger),
            (self.note.saved, self._on_note_saved),
            (self.note.dropped, self._on_note_dropped),
            (self.adding.chosen, controller.add),
            (self.adding.watch_chosen, self._on_watch_chosen),
            (self.adding.link_given, self._on_link_given),
            (self.adding.refused, self._on_link_refused),
            (self.adding.note_asked, self._on_new_note),
            *((page.left, self._show_list) for page in self._side_pages),
        ):
            signal.connect(slot)

        QShortcut(QKeySequence.StandardKey.Find, self, self._on_find)
        QShortcut(QKeySequence.StandardKey.Undo, self, self.notices.undo)
        # Not in the whole window: text is pasted into fields.
        shortcut = QShortcut(QKeySequence.StandardKey.Paste, self.items.view, self._on_paste)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)

    @property
    def _side_pages(self) -> tuple[PassagesPage | SearchTestPage | OptionsPage | FoldersPage | NotePage, ...]:
        return (self.passages, self.trial, self.options, self.folders, self.note)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Finish pending removals, and keep a note that is being written."""
        self._keep_note()
        self.controller.settle()
        # Not QDialog's: it rejects, and that closes.
        event.accept()
        if self.transfers.is_busy:
            # The import goes on without the window; it is shown again when the user reopens the window.
            event.ignore()
            self.hide()

    def reject(self) -> None:
        """Clear the filter with Escape first, then close like the button of the window."""
        if self.items.isVisible() and self.items.filter.filter != ItemFilter():
            self.items.filter.clear()
        else:
            self.close()

    def _keep_note(self) -> None:
        """Save the note that is being written: switching to another page must not lose it."""
        if (draft := self.note.unsaved) is not None:
            self.note.clear()
            self._on_note_saved(draft)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files, folders and links."""
        if read_drop(event.mimeData()):
            event.acceptProposedAction()
            self._show_drop(event.position().toPoint())

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show the base that would receive it."""
        event.acceptProposedAction()
        self._show_drop(event.position().toPoint())

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Remove the hint."""
        self.hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Add it to the base below the pointer, else to the selected one, else to a new one."""
        event.acceptProposedAction()
        self.hint.hide()
        dropped = read_drop(event.mimeData())
        base = self._base_below(event.position().toPoint()) or self.controller.base
        if base is None:
            self.base_actions.make(dropped.name, dropped.paths, dropped.links)
            return
        self.panel.view.choose(base.id)
        self.controller.add(dropped.paths, dropped.links)
        self._show_list()

    def _base_below(self, place: QPoint) -> BaseInfo | None:
        view = self.panel.view
        inside = view.mapFrom(self, place)
        return view.base_at(inside) if view.rect().contains(inside) else None

    def _show_drop(self, place: QPoint) -> None:
        base = self._base_below(place) or self.controller.base
        new = self.tr("Drop to create a knowledge base")
        self.hint.appear(self.tr("Add to “{base}”").format(base=base.name) if base else new)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Knowledge"))
        self.controller.bases.tell_changed()
        self.first.setText(self.tr("New knowledge base"))
        self.take.setText(self.tr("Import…"))
        self.empty.say(
            self.tr("Add your own sources"),
            self.tr(
                "Collect papers, manuals, email, books, web pages and notes that answers can cite. Drop files or a folder here. Everything stays on this computer."
            ),
        )

    @Slot()
    def _show_list(self) -> None:
        has_base = self.controller.base is not None
        self.pages.setCurrentWidget(self.items if has_base else self.empty)
        self.adding.set_enabled(has_base)
        if has_base and self.isVisible():
            (self.items.view if self.items.view.isVisible() else self.panel.view).setFocus()

    @Slot(object)
    def _on_base_chosen(self, base: BaseInfo | None) -> None:
        self._keep_note()
        self.controller.choose(base)
        self.panel.base_actions.fit((base,) if base else ())
        self.items.filter.clear()
        self.pages.setCurrentWidget(self.items if base else self.empty)
        self.adding.set_enabled(base is not None)

    @Slot(object)
    def _on_base_changed(self, base: BaseInfo | None) -> None:
        self.panel.base_actions.fit((base,) if base else ())
        if base is not None:
            self.options.follow(base)

    @Slot()
    def _on_base_came(self) -> None:
        if self.panel.view.base is None:
            self.panel.view.choose("")

    @Slot(object)
    def _on_created(self, base: BaseInfo) -> None:
        self.panel.view.choose(base.id)
        if self._is_naming:
            self._is_naming = False
            self.panel.view.setFocus()
            self.panel.view.rename()

    @Slot()
    def _on_new_asked(self) -> None:
        self._is_naming = True
        self.base_actions.make()

    @Slot(QPoint)
    def _on_base_menu_asked(self, place: QPoint) -> None:
        menu = new_menu(self)
        self.panel.base_actions.fill(menu)
        menu.popup(place)

    @Slot()
    def _on_delete_pressed(self) -> None:
        self.base_actions.do("delete")

    @Slot()
    def _on_trial_asked(self) -> None:
        self.base_actions.do("trial")

    @Slot()
    def _on_resume_asked(self) -> None:
        self.base_actions.do("resume")

    @Slot()
    def _on_find(self) -> None:
        fields = (
            (self.items, self.items.filter.words),
            (self.passages, self.passages.words),
            (self.trial, self.trial.query),
        )
        for page, field in fields:
            if page is self.pages.currentWidget() and field.isVisible():
                field.setFocus(Qt.FocusReason.ShortcutFocusReason)
                field.selectAll()

    @Slot()
    def _on_paste(self) -> None:
        pasted = read_drop(QGuiApplication.clipboard().mimeData())
        if pasted and self.pages.currentWidget() is self.items:
            self.controller.add(pasted.paths, pasted.links)

    @Slot(str, object)
    def _on_page_asked(self, name: str, base: BaseInfo) -> None:
        pages: dict[str, SearchTestPage | FoldersPage | OptionsPage]
        pages = {"trial": self.trial, "folders": self.folders, "options": self.options}
        self.pages.setCurrentWidget(pages[name])
        pages[name].show_base(base)

    @Slot(object)
    def _on_passages_asked(self, item: ItemInfo) -> None:
        self.pages.setCurrentWidget(self.passages)
        self.passages.show_item(item)

    @Slot(str, str)
    def _on_read_asked(self, scope: str, name: str) -> None:
        self.read_asked.emit(scope, name)
        self.close()  # What is read appears in the conversation, which this window would cover.

    @Slot(object)
    def _on_note_asked(self, item: ItemInfo) -> None:
        self._keep_note()
        self.pages.setCurrentWidget(self.note)
        self.note.edit(item)

    @Slot()
    def _on_new_note(self) -> None:
        self._write_note(NoteDraft())

    def _write_note(self, draft: NoteDraft) -> None:
        self._keep_note()
        self.pages.setCurrentWidget(self.note)
        self.note.write(draft)

    @Slot(object)
    def _on_note_saved(self, draft: NoteDraft) -> None:
        self.controller.put_note(draft.title, draft.text, draft.item_id)

    @Slot(object)
    def _on_note_dropped(self, draft: NoteDraft) -> None:
        words = self.tr("The note was not saved.")
        go_on = partial(self._go_on_writing, self.controller.base.id if self.controller.base else "", draft)
        self.notices.say(Notice(words, self.tr("Keep editing"), go_on, is_lasting=True))

    def _go_on_writing(self, base_id: str, draft: NoteDraft) -> None:
        self.panel.view.choose(base_id)
        self._write_note(draft)

    @Slot(object)
    def _on_watch_chosen(self, path: Path) -> None:
        if self.controller.base is not None:
            self.pages.setCurrentWidget(self.folders)
            self.folders.watch(self.controller.base, path)

    @Slot(str)
    def _on_link_given(self, link: str) -> None:
        self.controller.add((), (link,))

    @Slot(str)
    def _on_link_refused(self, text: str) -> None:
        words = self.tr("“{text}” is not a web address.").format(text=text)
        self.notices.say(Notice(words, self.tr("Try again"), self.adding.ask_link, is_error=True))

    @Slot()
    def _on_transfer_refused(self) -> None:
        words = self.tr("Wait for the current import or export to finish, or cancel it.")
        self.notices.say(Notice(words))

    @Slot()
    def _on_transfer_ended(self) -> None:
        if self.isHidden():
            self.deleteLater()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.options.give_up()
        self.notices.say(failure_notice(error))
