"""The page of watched topics: what is watched, what was found, and what can be done with each."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLocale, QModelIndex, QSignalBlocker, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QFileDialog, QLineEdit, QListView, QPushButton, QTextBrowser, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.conversations import Topics
from desktop.domain.sources import Locator, Source, SourceKind
from desktop.domain.topics import Interval, Topic, TopicRun, private_sources_of, without_private
from desktop.errors import NotExported, plain_reason
from desktop.render.export.topic_feed import (
    ALL,
    atom_feed,
    history_markdown,
    run_line,
    topic_labels,
    topic_markdown,
)
from desktop.render.labels import labels_of
from desktop.settings.atomic_files import write_whole
from desktop.ui.dialogs.private_passages import PrivatePassagesDialog
from desktop.ui.i18n import Retranslated
from desktop.ui.links import open_link
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.labels import format_datetime
from desktop.ui.widgets.layout import (
    NoWheelComboBox,
    NoWheelSpinBox,
    WrappingRow,
    hbox,
    label,
    set_style_flag,
    shorten_name,
    vbox,
)
from desktop.ui.widgets.notice_bar import NoticeBar, StatusLabel, undo_notice

_SIZE = (980, 620)
_BUDGET_STEP = 50_000
_MOST_TOKENS = 99_999_999
_ALL_NAME = "topics.atom"
_TOPIC_ROLE = Qt.ItemDataRole.UserRole


async def _write(path: Path, data: bytes) -> None:
    """Write a file.

    Raises:
        NotExported: it cannot be written.
    """
    try:
        await asyncio.to_thread(write_whole, path, data)
    except OSError as error:
        raise NotExported(detail=plain_reason(error)) from error


class _History(QTextBrowser):
    """Shows Markdown of ours with texts of others: nothing is loaded, and links are checked before they open."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.anchorClicked.connect(lambda url: open_link(url.toString()))

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Load no picture or style sheet."""
        return None


class TopicsDialog(Retranslated, FormDialog):
    """Lists topics beside the history of the selected one. One topic is looked up at a time, and can be stopped.

    Signals:
        conversation_asked: id of the conversation of the newest run that found something.
    """

    conversation_asked = Signal(str)

    def __init__(
        self, topics: Topics, loop: BackgroundLoop, new_topic: Callable[[str], Topic], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._topics = topics
        self._loop = loop
        self._new_topic = new_topic
        self._job: Job | None = None
        self._planned = ""
        """Id of the topic whose interval and budget are shown."""
        self.question = QLineEdit(self)
        self.interval, self.chosen_interval = NoWheelComboBox(self), NoWheelComboBox(self)
        self.budget = NoWheelSpinBox(self)
        self.budget.setRange(0, _MOST_TOKENS)
        self.budget.setSingleStep(_BUDGET_STEP)
        self.budget.setGroupSeparatorShown(True)
        self.budget.setKeyboardTracking(False)
        self.budget_words, self.used = label(self, "", "muted"), label(self, "", "muted")
        for words in (self.budget_words, self.used):
            words.setWordWrap(False)
        self.budget_words.setBuddy(self.budget)
        self.watch, self.run, self.pause, self.open_chat = (QPushButton(self) for _ in range(4))
        self.export, self.export_all, self.remove = (QPushButton(self) for _ in range(3))
        self.rows = QStandardItemModel(0, 1, self)
        self.view = QListView(self)
        self.view.setObjectName("choices")
        self.view.setModel(self.rows)
        self.view.setWordWrap(True)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.history = _History(self)
        self.notices = NoticeBar(self)
        self.status = StatusLabel(self, "muted")
        self.hint = label(self, "", "muted", "small")
        self.hint.setWordWrap(True)
        set_style_flag(self.watch, "primary", True)
        for interval in Interval:
            self.interval.addItem(interval.value)
            self.chosen_interval.addItem(interval.value)
        self.interval.setCurrentIndex(list(Interval).index(Interval.DAILY))
        self._lay_out()
        for signal, slot in (
            (self.watch.clicked, self._on_watch),
            (self.question.returnPressed, self._on_watch),
            (self.question.textChanged, self._refresh_buttons),
            (self.run.clicked, self._on_run_or_stop),
            (self.chosen_interval.activated, self._on_plan_changed),
            (self.budget.valueChanged, self._on_plan_changed),
            (self.pause.clicked, self._on_pause),
            (self.open_chat.clicked, self._on_open),
            (self.export.clicked, self._on_export),
            (self.export_all.clicked, self._on_export_all),
            (self.remove.clicked, self._on_remove),
            (self.view.selectionModel().currentChanged, self._on_selected),
        ):
            signal.connect(slot)
        self._retranslate()

    @property
    def selected(self) -> Topic | None:
        """The selected topic."""
        topic = self.view.currentIndex().data(_TOPIC_ROLE)
        return topic if isinstance(topic, Topic) else None

    @Slot()
    def refresh(self) -> None:
        """Read the topics again."""
        self._loop.run(self, self._topics.all, self._show, self._fail)

    def _lay_out(self) -> None:
        adding = hbox(spacing=8)
        adding.addWidget(self.question, 1)
        adding.addWidget(self.interval)
        adding.addWidget(self.watch)
        middle = hbox(spacing=12)
        middle.addWidget(self.view, 2)
        plan = hbox(spacing=8)
        plan.addWidget(self.chosen_interval)
        plan.addSpacing(8)
        for part in (self.budget_words, self.budget, self.used):
            plan.addWidget(part)
        plan.addStretch(1)
        right = vbox(spacing=8)
        right.addLayout(plan)
        right.addWidget(self.history, 1)
        middle.addLayout(right, 3)
        buttons = WrappingRow(spacing=8)
        for button in (self.run, self.pause, self.open_chat, self.export, self.export_all, self.remove):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        self.watch.setAutoDefault(False)
        column = vbox(self, spacing=10, margins=(20, 18, 20, 16))
        column.addLayout(adding)
        column.addWidget(self.hint)
        column.addLayout(middle, 1)
        column.addWidget(self.notices)
        column.addWidget(self.status)
        column.addLayout(buttons)
        self.resize(*_SIZE)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Watched topics"))
        self.question.setPlaceholderText(self.tr("What should Footnote look up regularly?"))
        self.question.setAccessibleName(self.tr("Question"))
        self.interval.setAccessibleName(self.tr("How often"))
        self.view.setAccessibleName(self.tr("Watched topics"))
        self.history.setAccessibleName(self.tr("What was found"))
        words = topic_labels(self._labels)
        for place, interval in enumerate(Interval):
            for field in (self.interval, self.chosen_interval):
                field.setItemText(place, words.intervals[interval])
        self.chosen_interval.setAccessibleName(self.tr("How often the selected topic is looked up"))
        self.budget_words.setText(self.tr("Tokens a month:"))
        self.budget.setSpecialValueText(self.tr("no limit"))
        self.watch.setText(self.tr("Watch"))
        self.open_chat.setText(self.tr("Open chat"))
        self.export.setText(self.tr("Export…"))
        self.export_all.setText(self.tr("Export all…"))
        self.remove.setText(self.tr("Remove"))
        self.hint.setText(
            self.tr("Uses the web, knowledge bases and model that are chosen in the message field now.")
        )
        self._refresh_buttons()

    @property
    def _labels(self) -> Any:
        return labels_of(QLocale().name())

    def _show(self, topics: Sequence[Topic]) -> None:
        chosen = self.selected
        # In place: without a selected topic, the fields of its plan would be hidden and lose the focus.
        self.rows.setRowCount(len(topics))
        for row, topic in enumerate(topics):
            index = self.rows.index(row, 0)
            self.rows.setData(index, self._line(topic), Qt.ItemDataRole.DisplayRole)
            self.rows.setData(index, topic, _TOPIC_ROLE)
        place = next((row for row, topic in enumerate(topics) if chosen and topic.id == chosen.id), 0)
        if topics:
            self.view.setCurrentIndex(self.rows.index(place, 0))
            self._show_selected()
        else:
            self.history.setPlainText(self.tr("No topics yet. Write a question above, and press Watch."))
        self._refresh_buttons()

    def _line(self, topic: Topic) -> str:
        words = topic_labels(self._labels)
        when = self.tr("paused") if topic.is_paused else format_datetime(topic.next_run_at())
        last = run_line(topic.runs[-1], self._labels) if topic.runs else words.no_run
        return f"{shorten_name(topic.question)}\n{words.intervals[topic.interval]} · {when}\n{shorten_name(last)}"

    @Slot(QModelIndex, QModelIndex)
    def _on_selected(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self._show_selected()

    def _show_selected(self) -> None:
        if topic := self.selected:
            self.history.setMarkdown(history_markdown(topic, self._labels))
            self.chosen_interval.setCurrentIndex(list(Interval).index(topic.interval))
            if topic.id != self._planned or not self.budget.hasFocus():  # what is being typed stays
                with QSignalBlocker(self.budget):
                    self.budget.setValue(topic.budget_tokens)
            self._planned = topic.id
            used = QLocale().toString(topic.tokens_in_month(datetime.now(UTC)))
            self.used.setText(self.tr("{count} used").format(count=used))
        self._refresh_buttons()

    @Slot()
    def _refresh_buttons(self, _text: str = "") -> None:
        topic, is_running = self.selected, self._job is not None
        self.watch.setEnabled(bool(self.question.text().strip()))
        for button in (self.pause, self.export, self.export_all, self.remove):
            button.setEnabled(topic is not None and not is_running)
        for part in (self.chosen_interval, self.budget_words, self.budget, self.used):
            part.setVisible(topic is not None)
        self.run.setEnabled(topic is not None)
        self.run.setText(self.tr("Stop") if is_running else self.tr("Look up now"))
        self.pause.setText(self.tr("Resume") if topic and topic.is_paused else self.tr("Pause"))
        self.open_chat.setEnabled(bool(self._conversation_of(topic)))

    def _conversation_of(self, topic: Topic | None) -> str:
        runs = reversed(topic.runs) if topic else ()
        return next((run.conversation_id for run in runs if run.conversation_id), "")

    @Slot()
    def _on_watch(self) -> None:
        text = self.question.text().strip()
        if text:
            topic = replace(
                self._new_topic(text),
                interval=list(Interval)[self.interval.currentIndex()],
                created_at=datetime.now(UTC),
            )
            self.question.clear()
            self._loop.run(self, partial(self._topics.add, topic), self._on_added, self._fail)

    def _on_added(self, topic: Topic) -> None:
        self.refresh()
        self._look_up(topic)

    @Slot()
    def _on_run_or_stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
        elif topic := self.selected:
            self._look_up(topic)

    def _look_up(self, topic: Topic) -> None:
        if self._job is not None:
            return
        self.status.setText(self.tr("Looking up “{question}”…").format(question=shorten_name(topic.question)))
        self._job = self._loop.run(
            self,
            partial(self._topics.run, topic),
            self._on_run,
            self._on_run_failed,
            cancelled=self._on_stopped,
        )
        self._refresh_buttons()

    def _on_run(self, done: tuple[Topic, TopicRun]) -> None:
        self._job = None
        self.status.setText(run_line(done[1], self._labels))
        self._refresh_buttons()
        self.refresh()

    def _on_run_failed(self, error: Exception) -> None:
        self._job = None
        self._fail(error)
        self._refresh_buttons()

    def _on_stopped(self) -> None:
        self._job = None
        self.status.setText(self.tr("Stopped."))
        self._refresh_buttons()

    @Slot(int)
    def _on_plan_changed(self, _value: int) -> None:
        if topic := self.selected:
            interval = list(Interval)[self.chosen_interval.currentIndex()]
            work = partial(self._topics.change, topic.id, interval, self.budget.value())
            self._loop.run(self, work, self._on_changed, self._fail)

    @Slot()
    def _on_pause(self) -> None:
        if topic := self.selected:
            work = partial(self._topics.pause, topic.id, not topic.is_paused)
            self._loop.run(self, work, self._on_changed, self._fail)

    @Slot()
    def _on_remove(self) -> None:
        if topic := self.selected:
            work = partial(self._topics.remove, topic.id)
            self._loop.run(self, work, partial(self._on_removed, topic), self._fail)

    def _on_removed(self, topic: Topic, _nothing: object) -> None:
        self._offer_undo(topic)
        self._on_changed(None)

    def _offer_undo(self, topic: Topic) -> None:
        words = self.tr("“{question}” is no longer watched.").format(question=shorten_name(topic.question))
        self.notices.say(undo_notice(words, partial(self._restore, topic), is_lasting=True))

    def _restore(self, topic: Topic) -> None:
        work = partial(self._topics.restore, topic)
        self._loop.run(self, work, self._on_changed, partial(self._on_not_restored, topic))

    def _on_not_restored(self, topic: Topic, error: Exception) -> None:
        self._offer_undo(topic)
        self._fail(error)

    def _on_changed(self, _nothing: object) -> None:
        self.status.clear()
        self.refresh()

    @Slot()
    def _on_open(self) -> None:
        if conversation := self._conversation_of(self.selected):
            self.conversation_asked.emit(conversation)

    @Slot()
    def _on_export(self) -> None:
        if topic := self.selected:
            self._export((topic,), "topic.atom")

    @Slot()
    def _on_export_all(self) -> None:
        rows = (self.rows.item(row) for row in range(self.rows.rowCount()))
        self._export(tuple(item.data(_TOPIC_ROLE) for item in rows), _ALL_NAME)

    def _export(self, topics: Sequence[Topic], suggested: str) -> None:
        name, chosen = QFileDialog.getSaveFileName(
            self, self.tr("Export…"), suggested, "Atom (*.atom *.xml);;Markdown (*.md)"
        )
        if name:
            is_markdown = "*.md" in chosen or name.endswith(".md")
            self.write(topics, Path(name), is_markdown=is_markdown, is_all=suggested == _ALL_NAME)

    def write(self, topics: Sequence[Topic], path: Path, *, is_markdown: bool, is_all: bool = False) -> None:
        """Write what was found to a file; the user first decides which private sources it may contain.

        A feed of all topics stays the same feed for readers while topics come and go.
        """
        private = private_sources_of(topics)
        listed = tuple(
            Source(
                number,
                SourceKind.FILE,
                str(number),
                found.title,
                found.address,
                "",
                Locator(),
                found.passage,
                "",
                read_at,
            )
            for number, (found, read_at) in enumerate(private, 1)
        )
        if not listed:
            self._write(topics, path, is_markdown=is_markdown, is_all=is_all)
            return
        dialog = PrivatePassagesDialog(listed, self)

        def write(left_out: frozenset[int]) -> None:
            kept = [found for number, (found, _) in enumerate(private, 1) if number not in left_out]
            shown = [without_private(topic, kept) for topic in topics]
            self._write(shown, path, is_markdown=is_markdown, is_all=is_all)

        dialog.decided.connect(write)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _write(self, topics: Sequence[Topic], path: Path, *, is_markdown: bool, is_all: bool) -> None:
        labels = self._labels
        title, feed = (
            (f"Footnote: {self.windowTitle()}", ALL) if is_all else (topics[0].question, topics[0].id)
        )
        data = (
            "\n".join(topic_markdown(topic, labels) for topic in topics).encode()
            if is_markdown
            else atom_feed(topics, title, labels, feed_id=feed)
        )
        said = self.tr("Exported to {name}.").format(name=path.name)
        self._loop.run(self, partial(_write, path, data), lambda _none: self.status.setText(said), self._fail)

    def _fail(self, error: Exception) -> None:
        self.status.show_error(error)
