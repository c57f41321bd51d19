"""Settings of how the window looks: theme, accent, the user's own CSS, with a preview."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QPointF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFontDatabase, QHideEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QColorDialog,
    QFrame,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from desktop.domain.messages import Message, Speaker
from desktop.domain.sources import Locator, Source, SourceKind
from desktop.domain.transcript import Transcript
from desktop.render.page.custom_css import StyleFault, StyleProblem, own_style
from desktop.settings.model import Settings
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.i18n import LANGUAGES, Retranslated
from desktop.ui.settings.rows import (
    Choice,
    HeadingRow,
    Panel,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Toggle,
    make_labelled_row,
)
from desktop.ui.transcript.transcript_view import TranscriptView
from desktop.ui.widgets.colors import DARK, LIGHT, is_dark, with_accent
from desktop.ui.widgets.layout import WrappingRow, label, plain_tip, vbox
from desktop.ui.widgets.theme import build_page_appearance

_SWATCHES = (
    ("", QT_TRANSLATE_NOOP("accent_choice", "Blue (default)")),
    ("#0f766e", QT_TRANSLATE_NOOP("accent_choice", "Teal")),
    ("#2e7d32", QT_TRANSLATE_NOOP("accent_choice", "Green")),
    ("#b45309", QT_TRANSLATE_NOOP("accent_choice", "Amber")),
    ("#c2273d", QT_TRANSLATE_NOOP("accent_choice", "Red")),
    ("#b83280", QT_TRANSLATE_NOOP("accent_choice", "Pink")),
    ("#7c3aed", QT_TRANSLATE_NOOP("accent_choice", "Violet")),
    ("#5b6472", QT_TRANSLATE_NOOP("accent_choice", "Gray")),
)
_SIZE = QSize(26, 26)
_RING = 2.0

_EDITOR_HEIGHT = 150
_PAUSE_MS = 300
_SHOWN = 4
_EXAMPLE = (
    ".bubble { border-radius: 4px }\n.text { font-size: 1.05rem; line-height: 1.8 }\n:root { --ink: #222 }"
)

_PREVIEW_HEIGHT = 240
_QUIET = ".actions, .sources, #to-end { display: none }"
"""There is nothing to be done to an example."""

_MOMENT = datetime(2026, 1, 1, 9, tzinfo=UTC)

_SIZES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


class Swatch(QAbstractButton):
    """A round swatch of a colour, with a ring where it is selected or has the focus."""

    def __init__(self, accent: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.accent = accent
        self.setCheckable(True)
        self.setFixedSize(_SIZE)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the accent as the current theme shows it."""
        palette = self.palette()
        theme = DARK if is_dark(palette) else LIGHT
        colour = QColor(with_accent(theme, self.accent).accent)
        middle, radius = QPointF(self.rect().center()) + QPointF(0.5, 0.5), self.width() / 2
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(middle, radius - 2 * _RING, radius - 2 * _RING)
            if self.isChecked() or self.hasFocus():
                ring = palette.color(QPalette.ColorRole.WindowText) if self.hasFocus() else colour
                painter.setPen(ring)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(middle, radius - _RING / 2, radius - _RING / 2)


class AccentChoice(Retranslated, QWidget):
    """Swatches in a row, and a dialog for all other colours.

    Signals:
        chosen: a colour such as #2f5bd0; empty for the default.
    """

    chosen = Signal(str)

    def __init__(self, accent: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.swatches = [Swatch(colour, self) for colour, _name in _SWATCHES]
        self.own = Swatch(accent, self)
        self.other = QPushButton(self)
        row = WrappingRow(self, spacing=5)
        for swatch in (*self.swatches, self.own):
            self._group.addButton(swatch)
            row.addWidget(swatch)
            swatch.clicked.connect(partial(self._on_swatch_clicked, swatch))
        row.addWidget(self.other)
        self.other.clicked.connect(self._on_other_clicked)
        self._retranslate()
        self._show(accent)

    def setAccessibleName(self, name: str) -> None:
        """Set the accessible name of all swatches."""
        super().setAccessibleName(name)
        self._retranslate()

    def _retranslate(self) -> None:
        translate = QCoreApplication.translate
        names = [*(translate("accent_choice", name) for _colour, name in _SWATCHES), self.tr("Custom color")]
        for swatch, name in zip((*self.swatches, self.own), names, strict=True):
            swatch.setToolTip(plain_tip(name))
            swatch.setAccessibleName(name)
        self.other.setText(self.tr("Other…"))

    def _show(self, accent: str) -> None:
        usual = next((swatch for swatch in self.swatches if swatch.accent == accent), None)
        self.own.setVisible(usual is None)
        (usual or self.own).setChecked(True)
        self.own.update()

    def _on_swatch_clicked(self, swatch: Swatch, _checked: bool = False) -> None:
        self.chosen.emit(swatch.accent)

    @Slot()
    def _on_other_clicked(self) -> None:
        dialog = QColorDialog(QColor(self.own.accent or LIGHT.accent), self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.colorSelected.connect(self._on_colour_selected)
        dialog.open()

    @Slot(QColor)
    def _on_colour_selected(self, colour: QColor) -> None:
        self.own.accent = colour.name()
        self._show(colour.name())
        self.chosen.emit(colour.name())


def accent_row(context: SettingsContext, parent: QWidget) -> QWidget:
    """Return the row of the accent."""
    choice = AccentChoice(context.store.settings.window.accent, parent)
    choice.chosen.connect(partial(_write_accent, context))
    return make_labelled_row(format_accent()[0], format_accent()[1], choice, parent)


def format_accent() -> Sequence[str]:
    """Return title and description of the row."""
    translate = QCoreApplication.translate
    return (
        translate("accent_choice", "Accent color"),
        translate("accent_choice", "Adjusted where needed for contrast."),
    )


def _write_accent(context: SettingsContext, accent: str) -> None:
    settings = context.store.settings
    context.store.apply(replace(settings, window=replace(settings.window, accent=accent)))


class StyleEditor(Retranslated, QWidget):
    """A CSS editor, with the rejected parts listed below it."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.edit = QPlainTextEdit(self)
        self.edit.setObjectName("lines")
        self.edit.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.edit.setPlainText(context.store.settings.window.page_style)
        self.edit.setPlaceholderText(_EXAMPLE)
        self.edit.setFixedHeight(_EDITOR_HEIGHT)
        self.edit.setTabChangesFocus(True)
        self.problem = label(self, "", "danger", "small")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        column = vbox(self, spacing=4, margins=(0, 4, 0, 4))
        for widget in (self.edit, self.problem):
            column.addWidget(widget)
        self._retranslate()
        self.edit.textChanged.connect(self._pause.start)
        self._pause.timeout.connect(self.use)

    def hideEvent(self, event: QHideEvent) -> None:
        """Apply the last input at once."""
        super().hideEvent(event)
        if self._pause.isActive():
            self._pause.stop()
            self.use()

    @Slot()
    def use(self) -> None:
        """Apply the typed CSS to the conversation, and report the parts that cannot be used."""
        settings = self._context.store.settings
        text = self.edit.toPlainText().strip()
        self._context.store.apply(replace(settings, window=replace(settings.window, page_style=text)))
        self._tell()

    def _retranslate(self) -> None:
        self.edit.setAccessibleName(QCoreApplication.translate("appearance_page", "Custom CSS"))
        self._tell()

    def _tell(self) -> None:
        problems = own_style(self.edit.toPlainText().strip()).problems
        lines = [self._words(problem) for problem in problems[:_SHOWN]]
        if len(problems) > _SHOWN:
            lines.append("…")
        self.problem.setText("\n".join(lines))
        self.problem.setVisible(bool(lines))
        self.edit.setAccessibleDescription(self.problem.text())

    def _words(self, problem: StyleProblem) -> str:
        words = {
            StyleFault.LOADS: self.tr("Line {line} was skipped: it would load external content."),
            StyleFault.RULE: self.tr("Line {line} was skipped: this @ rule isn’t supported."),
            StyleFault.BROKEN: self.tr("Line {line} was skipped: the CSS is incomplete."),
            StyleFault.LONG: self.tr("Too long"),
        }
        return words[problem.fault].format(line=problem.line)


class AppearancePreview(QFrame):
    """Shows a question and its answer in a real conversation page."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setFixedHeight(_PREVIEW_HEIGHT)
        self._context = context
        self._is_wanted = False
        self.page: TranscriptView | None = None
        self._column = vbox(self, margins=(1, 1, 1, 1))
        context.store.changed.connect(self._on_settings_changed)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Create the web page when it comes into view first, as it is costly."""
        super().paintEvent(event)
        if not self._is_wanted:
            self._is_wanted = True
            QTimer.singleShot(0, self, self._furnish)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and self.page is not None:
            self._fill(self.page)

    @Slot()
    def _furnish(self) -> None:
        self.page = TranscriptView(self._context.loop, self)
        self.page.ready.connect(self._show_beginning)
        self._column.addWidget(self.page)
        self._fill(self.page)
        self._on_settings_changed(self._context.store.settings)

    def _fill(self, page: TranscriptView) -> None:
        source = _source(
            self.tr("The moon and the sea"), self.tr("The tides follow the moon, and less the sun.")
        )
        question = _message(Speaker.USER, self.tr("What makes the tides?"))
        answer = _message(
            Speaker.MODEL,
            self.tr(
                "Mostly **the moon** [1]: the sea rises below it and on the far side.\n\n"
                "- twice a day in most places\n- higher at new and full moon"
            ),
        )
        page.show_transcript(Transcript.of((question, answer), (source,)))
        page.set_language(QLocale().name())

    @Slot()
    def _show_beginning(self) -> None:
        if self.page is not None:
            self.page.web_page.runJavaScript("scrollTo(0, 0)")

    @Slot(object)
    def _on_settings_changed(self, settings: Settings) -> None:
        if self.page is not None:
            self.page.set_zoom(settings.window.zoom)
            look = build_page_appearance(settings.window)
            self.page.set_appearance(replace(look, style=f"{_QUIET}\n{look.style}"))


def _message(speaker: Speaker, text: str) -> Message:
    offered = (1,) if speaker is Speaker.MODEL else ()
    return Message(f"preview-{speaker.value}", "preview", speaker, text, _MOMENT, offered=offered)


def _source(title: str, text: str) -> Source:
    url = "https://example.org/tides"
    return Source(
        number=1,
        kind=SourceKind.WEB,
        key=url,
        title=title,
        url=url,
        host="example.org",
        locator=Locator(),
        text=text,
        text_hash="",
        read_at=_MOMENT,
    )


def _title() -> str:
    return QCoreApplication.translate("appearance_page", "Appearance")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        *_colours(),
        *_letters(),
        HeadingRow(
            translate("appearance_page", "Custom CSS"),
            translate(
                "appearance_page",
                "CSS for chats, applied as you type. External content isn’t loaded.",
            ),
        ),
        Panel(StyleEditor, ("CSS", translate("appearance_page", "Custom CSS"))),
        HeadingRow(translate("appearance_page", "Preview")),
        Panel(AppearancePreview),
    )


def _colours() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    system = translate("appearance_page", "Use system setting")
    return (
        Choice(
            translate("appearance_page", "Theme"),
            (
                ("system", system),
                ("light", translate("appearance_page", "Light")),
                ("dark", translate("appearance_page", "Dark")),
            ),
            "window.theme",
        ),
        Panel(accent_row, tuple(format_accent())),
        Choice(
            translate("appearance_page", "Language"),
            (("", system), *LANGUAGES),
            "window.language",
        ),
    )


def _letters() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    sizes = tuple((size, f"{size:.0%}") for size in _SIZES)
    return (
        Choice(
            translate("appearance_page", "Font"),
            (("", translate("appearance_page", "Use system setting")), *_families()),
            "window.font",
            translate("appearance_page", "Used in the window and in chats."),
        ),
        Choice(
            translate("appearance_page", "Window text size"),
            sizes,
            "window.text_size",
        ),
        Choice(
            translate("appearance_page", "Chat text size"),
            sizes,
            "window.zoom",
        ),
        Choice(
            translate("appearance_page", "Density"),
            (
                ("comfortable", translate("appearance_page", "Comfortable")),
                ("compact", translate("appearance_page", "Compact")),
            ),
            "window.density",
            translate("appearance_page", "Compact fits more on the screen."),
        ),
        Choice(
            translate("appearance_page", "Animations"),
            (
                ("system", translate("appearance_page", "Use system setting")),
                ("less", translate("appearance_page", "Reduced")),
            ),
            "window.motion",
        ),
        Toggle(
            translate("appearance_page", "Draw diagrams"),
            "window.has_drawings",
            translate("appearance_page", "Shows Mermaid, SVG and HTML in answers as drawings."),
        ),
    )


def _families() -> Sequence[tuple[str, str]]:
    """Return the fonts that text can be set in."""
    families = (name for name in QFontDatabase.families() if not QFontDatabase.isPrivateFamily(name))
    return tuple((name, name) for name in families)


PAGE = SettingsPageWidget("appearance", "appearance", _title, _rows)
