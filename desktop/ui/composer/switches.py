"""The switches below a message: where to search, and which assistant, model, mode and effort to use."""

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal, Slot
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget, QWidgetAction

from desktop.domain.assistants import GENERAL, Assistant, Effort
from desktop.domain.knowledge import BaseInfo, ItemInfo
from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.domain.procedures import AnswerMode, Depth, DocumentTask
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, EngineInfo
from desktop.ui.composer.pills import Pill
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.labels import (
    assistant_name,
    depth_name,
    format_budget,
    model_name,
    task_hint,
    task_name,
    web_name,
    with_badge,
)
from desktop.ui.widgets.layout import add_choice, plain_name, plain_tip
from desktop.ui.widgets.model_menu import ModelMenu
from desktop.ui.widgets.scope_tree import ScopeTree, choice_lines, keep_existing


class WebSwitch(Pill):
    """Selects no web search, automatic web search, or one engine.

    Signals:
        picked: off, auto or an engine's id.
        setup_asked: the user wants to set up an engine.
    """

    picked = Signal(str)
    setup_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("globe", parent)
        self._engines: tuple[EngineInfo, ...] = ()
        self._has_own = False
        self.choice = WEB_AUTO
        self.setMenu(add_access_keys(QMenu(self)))
        self.one = QMenu(self)
        """Submenu of the engines that need no key; there are too many for the main menu."""
        self.unready = QMenu(self)
        self.menu().aboutToShow.connect(self._fill)
        self.refresh()

    def set_engines(self, engines: tuple[EngineInfo, ...]) -> None:
        """Offer `engines`."""
        self._engines = engines
        self.refresh()

    def set_has_own(self, has_own: bool) -> None:
        """Show or hide the search of the model's server."""
        self._has_own = has_own

    def set_choice(self, choice: str) -> None:
        """Show `choice` as chosen."""
        self.choice = choice
        self.refresh()

    def refresh(self) -> None:
        """Show the selection. Engines that cannot be used are disabled."""
        shown = self.choice if self.isEnabled() else WEB_OFF
        self.show_state(web_name(shown, self._engines), self.tr("Web search"), is_active=shown != WEB_OFF)

    @Slot()
    def _fill(self) -> None:
        menu, chosen = self.menu(), {engine.id: engine for engine in self._engines}.get(self.choice)
        for each in (menu, self.one, self.unready):
            each.clear()
        self._add(menu, WEB_OFF, self.tr("Off"))
        self._add(menu, WEB_AUTO, self.tr("Automatic"))
        if self._has_own:
            self._add(menu, WEB_OWN, self.tr("Model’s own search"))
        menu.addSeparator()
        for engine in self._engines:
            if not engine.is_ready:
                missing = self.unready.addAction(plain_name(self._words_for(engine)))
                missing.triggered.connect(self.setup_asked)
            else:
                self._add(menu if engine.needs_key else self.one, engine.id, engine.name)
        is_one = chosen is not None and chosen.is_ready and not chosen.needs_key
        one = self.tr("Only {engine}") if is_one else self.tr("One search engine")
        self.one.setTitle(plain_name(one.format(engine=chosen.name if chosen else "")))
        self.unready.setTitle(self.tr("Not set up"))
        for each in (self.one, self.unready):
            if not each.isEmpty():
                menu.addMenu(each)
        menu.addSeparator()
        menu.addAction(self.tr("Search settings…")).triggered.connect(self.setup_asked)

    def _words_for(self, engine: EngineInfo) -> str:
        words = (
            self.tr("{engine} (needs a key)") if engine.needs_key else self.tr("{engine} (needs an address)")
        )
        return words.format(engine=engine.name)

    def _add(self, menu: QMenu, choice: str, text: str) -> None:
        add_choice(menu, text, partial(self._on_picked, choice), is_chosen=choice == self.choice)

    def _on_picked(self, choice: str, _checked: bool = False) -> None:
        self.set_choice(choice)
        self.picked.emit(choice)


class ScopeMenu(QMenu):
    """A menu with a `ScopeTree` and the other actions for knowledge bases."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.tree = ScopeTree(self)
        self._holder = QWidgetAction(self)
        self._holder.setDefaultWidget(self.tree)
        self.addAction(self._holder)
        self.none_yet = self.addAction(self.tr("No knowledge base yet"))
        self.none_yet.setEnabled(False)
        self.addSeparator()
        self.clear_choice = self.addAction(self.tr("Don’t use knowledge bases"))
        self.manage = self.addAction(self.tr("Manage knowledge…"))
        add_access_keys(self)

    def offer(self, bases: tuple[BaseInfo, ...], keys: tuple[str, ...]) -> None:
        """Offer `bases`, with `keys` selected."""
        self._holder.setVisible(bool(bases))
        self.tree.setHidden(
            not bases
        )  # a menu does not lay out a widget that it never showed: it would cover the first row
        self.none_yet.setVisible(not bases)
        self.clear_choice.setVisible(bool(keys))
        self.tree.offer(bases, keys)


class KnowledgeSwitch(Pill):
    """Selects any number of knowledge bases, whole or in part.

    Signals:
        picked: keys (tuple of str, as in `Scope.key`) of what is searched.
        items_asked: id of a base whose files are needed; `set_items` supplies them.
        manage_asked: the user wants to see the bases.
    """

    picked = Signal(object)
    items_asked = Signal(str)
    manage_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("library", parent)
        self._bases: tuple[BaseInfo, ...] | None = None
        """None until the bases are listed, in the first seconds after the start."""
        self._listed: dict[str, tuple[ItemInfo, ...]] = {}
        self._chosen: tuple[str, ...] = ()
        self._build_menu()
        self.refresh()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The selected keys that still exist; all selected keys while the bases are not listed yet."""
        return self._chosen if self._bases is None else keep_existing(self._chosen, self._bases, self._listed)

    def set_bases(self, bases: tuple[BaseInfo, ...]) -> None:
        """Offer `bases`."""
        self._bases = bases
        self.refresh()

    def set_chosen(self, keys: tuple[str, ...]) -> None:
        """Show `keys` as chosen."""
        self._chosen = keys
        self.refresh()

    def set_items(self, base_id: str, items: tuple[ItemInfo, ...]) -> None:
        """Set the files of a base."""
        self._listed[base_id] = items
        self._scope_menu.tree.set_items(base_id, items)
        self.refresh()

    def refresh(self) -> None:
        """Show the base and the selected part, or the number of bases; the tooltip lists all of them."""
        lines = choice_lines(self.chosen, self._bases or (), self._listed)
        text = lines[0] if len(lines) == 1 else self.tr("Knowledge")
        if len(lines) > 1:
            text = self.tr("{count} knowledge bases").format(count=len(lines))
        name = self.tr("Knowledge bases")
        self.show_state(text, name, is_active=bool(self.chosen))
        self.setToolTip(plain_tip("\n".join((name, *lines))))

    def changeEvent(self, event: QEvent) -> None:
        """Create the menu anew when the language changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._scope_menu.deleteLater()
            self._build_menu()

    def _build_menu(self) -> None:
        self._scope_menu = ScopeMenu(self)
        self._scope_menu.aboutToShow.connect(self._on_menu_opening)
        self._scope_menu.tree.picked.connect(self._on_picked)
        self._scope_menu.tree.items_asked.connect(self.items_asked)
        self._scope_menu.clear_choice.triggered.connect(self._on_cleared)
        self._scope_menu.manage.triggered.connect(self.manage_asked)
        self.setMenu(self._scope_menu)

    @Slot()
    def _on_menu_opening(self) -> None:
        self._scope_menu.offer(self._bases or (), self.chosen)

    @Slot(object)
    def _on_picked(self, keys: tuple[str, ...]) -> None:
        self.set_chosen(keys)
        self._scope_menu.clear_choice.setVisible(bool(keys))
        self.picked.emit(self.chosen)

    @Slot()
    def _on_cleared(self) -> None:
        self._on_picked(())


class ToggleSwitch(Pill):
    """Turns something on or off for the conversation.

    Signals:
        picked: whether it is on from now on.
    """

    picked = Signal(bool)

    def __init__(self, icon_name: str, parent: QWidget, *, is_on: bool) -> None:
        super().__init__(icon_name, parent)
        self.is_on = is_on
        self.clicked.connect(self._on_clicked)
        self.refresh()

    def show_choice(self, *, is_on: bool) -> None:
        """Show the setting of the conversation."""
        self.is_on = is_on
        self.refresh()

    @Slot()
    def _on_clicked(self) -> None:
        self.show_choice(is_on=not self.is_on)
        self.picked.emit(self.is_on)


class MemorySwitch(ToggleSwitch):
    """Turns the use of memories on or off; hidden while there are no memories."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("memory", parent, is_on=True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.set_offered(False)

    def refresh(self) -> None:
        """Show the state in the current language."""
        on, off = self.tr("Memory: on in this chat"), self.tr("Memory: off in this chat")
        words = on if self.is_on else off
        self.show_state("", words, is_active=self.is_on, is_default=self.is_on)
        self.setAccessibleName(words)


class LocalOnlySwitch(ToggleSwitch):
    """Turns local-only mode on or off: whether the conversation must stay on this machine."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("machine", parent, is_on=False)

    def refresh(self) -> None:
        """Show the state in the current language."""
        tip = (
            self.tr("Keep this chat on this computer: no web, no tools, local models only")
            if self.is_on
            else self.tr("Keep this chat on this computer")
        )
        self.show_state(self.tr("Local only") if self.is_on else "", tip, is_active=self.is_on)
        self.set_brief(not self.is_on)
        self.setAccessibleName(tip)


class ModelSwitch(Retranslated, Pill):
    """Selects the model that answers, or several that answer side by side.

    Signals:
        picked: id of a model.
        changed: id of the model that is selected now, also if an assistant or the settings selected it.
        setup_asked: the user wants to set up another model.
        compare_asked: the user wants several models to answer.
        opened: the menu was opened; a server may have been started since the models were listed.
    """

    picked = Signal(str)
    changed = Signal(str)
    setup_asked = Signal()
    compare_asked = Signal()
    opened = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("model", parent)
        self._models: tuple[ModelInfo, ...] = ()
        self.choice = QUOTES_MODEL
        self._beside: tuple[str, ...] = ()
        self._build_menu()
        self.refresh()

    @property
    def also(self) -> tuple[str, ...]:
        """The models that answer beside the selected one."""
        return tuple(each for each in self._beside if each != self.choice)

    @property
    def has_several(self) -> bool:
        """Whether there are at least two models to compare, or none is listed yet."""
        return len(self._models) != 1

    def set_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Offer `models`, also in a menu that is open."""
        self._models = models
        self.refresh()
        menu = self.menu()
        if isinstance(menu, ModelMenu) and menu.isVisible():
            menu.list.update_models(models)

    def set_choice(self, model_id: str) -> None:
        """Show `model_id` as chosen."""
        is_new, self.choice = model_id != self.choice, model_id
        self.refresh()
        if is_new:
            self.changed.emit(model_id)

    def refresh(self) -> None:
        """Show the model's name and the number of models that answer beside it."""
        name = model_name(self.choice, self._models)
        text = f"{name} + {len(self.also)}" if self.also else name
        self.show_state(text, self.tr("Model"), is_active=bool(self.also))

    def set_beside(self, models: tuple[str, ...]) -> None:
        """Set the models that answer beside the selected one, whichever that is."""
        self._beside = models
        self.refresh()

    def compare(self, models: tuple[str, ...]) -> None:
        """Select several models to answer."""
        self.set_beside(models[1:])
        self.set_choice(models[0])
        self.picked.emit(models[0])

    def _retranslate(self) -> None:
        self._build_menu()

    def _build_menu(self) -> None:
        menu = ModelMenu(self)
        menu.aboutToShow.connect(self._fill)
        menu.picked.connect(self._on_picked)
        menu.setup_asked.connect(self.setup_asked)
        menu.addAction(self.tr("Compare…")).triggered.connect(self.compare_asked)
        if self.menu() is not None:
            self.menu().deleteLater()
        self.setMenu(menu)

    @Slot()
    def _fill(self) -> None:
        menu = self.menu()
        if isinstance(menu, ModelMenu):
            menu.list.show_models(self._models, self.choice)
            self.opened.emit()

    @Slot(str)
    def _on_picked(self, model_id: str) -> None:
        self._beside = ()
        self.set_choice(model_id)
        self.picked.emit(model_id)


class AssistantSwitch(Pill):
    """Selects the default assistant or another one.

    Signals:
        picked: id of an assistant; empty for the default one.
        manage_asked: the user wants to see the assistants.
    """

    picked = Signal(str)
    manage_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("assistant", parent)
        self._assistants: tuple[Assistant, ...] = ()
        self.choice = GENERAL
        self.setMenu(add_access_keys(QMenu(self)))
        self.menu().aboutToShow.connect(self._fill)
        self.refresh()

    def set_assistants(self, assistants: tuple[Assistant, ...]) -> None:
        """Offer `assistants`."""
        self._assistants = assistants

    @Slot(object)
    def set_choice(self, assistant: Assistant) -> None:
        """Show `assistant` as selected."""
        self.choice = assistant
        self.refresh()

    def refresh(self) -> None:
        """Show the selected assistant."""
        is_general = self.choice == GENERAL
        text = assistant_name(self.choice) if is_general else with_badge(self.choice, self.font())
        self.show_state(text, self.tr("Assistant"), is_active=not is_general)

    @Slot()
    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        for assistant in (GENERAL, *self._assistants):
            pick = partial(self._on_picked, assistant.id)
            name = with_badge(assistant, menu.font())
            add_choice(menu, name, pick, is_chosen=assistant.id == self.choice.id)
            if assistant is GENERAL:
                menu.addSeparator()
        menu.addSeparator()
        menu.addAction(self.tr("Manage assistants…")).triggered.connect(self.manage_asked)

    def _on_picked(self, assistant_id: str, _checked: bool = False) -> None:
        self.picked.emit(assistant_id)


EFFORTS: tuple[Effort, ...] = ("", "low", "medium", "high")


def effort_name(effort: Effort) -> str:
    """Return the display name of an effort."""
    match effort:
        case "low":
            return QCoreApplication.translate("effort_switch", "Low")
        case "medium":
            return QCoreApplication.translate("effort_switch", "Medium")
        case "high":
            return QCoreApplication.translate("effort_switch", "High")
        case _:
            return QCoreApplication.translate("effort_switch", "Default")


class EffortSwitch(Pill):
    """Selects how much reasoning the model should use.

    Signals:
        picked: an Effort.
    """

    picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("think", parent)
        self.choice: Effort = ""
        self.setMenu(add_access_keys(QMenu(self)))
        self.menu().aboutToShow.connect(self._fill)
        self.refresh()

    def set_choice(self, effort: Effort) -> None:
        """Show `effort` as chosen."""
        self.choice = effort
        self.refresh()

    def refresh(self) -> None:
        """Show the choice."""
        name = effort_name(self.choice) if self.choice else ""
        self.show_state(name, self.tr("Reasoning effort"), is_active=bool(self.choice))

    @Slot()
    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        for effort in EFFORTS:
            pick = partial(self._on_picked, effort)
            add_choice(menu, effort_name(effort), pick, is_chosen=effort == self.choice)

    def _on_picked(self, effort: Effort, _checked: bool = False) -> None:
        self.set_choice(effort)
        self.picked.emit(effort)


class ModeSwitch(Pill):
    """Selects no research, a research depth, or a document task.

    A depth stays selected; a document task applies to one question.

    Signals:
        picked: a Depth, or None for ordinary answers.
        task_picked: a DocumentTask, or None.
        plan_picked: a Depth, and whether its plan is shown before the search.
    """

    picked = Signal(object)
    task_picked = Signal(object)
    plan_picked = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("research", parent)
        self.choice: Depth | None = None
        self.task: DocumentTask | None = None
        self._plans_shown: tuple[Depth, ...] = ()
        menu = add_access_keys(QMenu(self))
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        self.refresh()

    @property
    def mode(self) -> AnswerMode | None:
        """The procedure for the next question; None for an ordinary answer."""
        return self.task or self.choice

    @property
    def shows_plan(self) -> bool:
        """Whether the plan is shown before the search starts."""
        return self.choice in self._plans_shown

    def set_choice(self, depth: Depth | None, plans_shown: tuple[Depth, ...]) -> None:
        """Select `depth`. Research with a depth in `plans_shown` shows its plan first."""
        self.choice = depth
        self._plans_shown = plans_shown
        self.refresh()

    def set_task(self, task: DocumentTask | None) -> None:
        """Select a document task for the next question, or none."""
        if task is not self.task:
            self.task = task
            self.refresh()
            self.task_picked.emit(task)

    def refresh(self) -> None:
        """Show the choice."""
        name = self.tr("Research")
        if self.task is not None:
            self.show_state(task_name(self.task), task_hint(self.task), is_active=True)
            return
        if self.choice is None:
            self.show_state(name, self.tr("Research: off"), is_active=False)
            return
        shown = self.tr("{depth} research").format(depth=depth_name(self.choice))
        self.show_state(shown, f"{name}: {format_budget(self.choice)}", is_active=True)

    @Slot()
    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        group = QActionGroup(menu)
        self._add(menu, group, None, self.tr("Off"))
        for depth in Depth:
            self._add(menu, group, depth, f"{depth_name(depth)}\t{format_budget(depth)}")
        menu.addSeparator()
        words = self.tr("Review the plan before searching")
        plan = add_choice(menu, words, self._on_plan_picked, is_chosen=self.shows_plan)
        plan.setEnabled(self.choice is not None and self.task is None)
        menu.addSeparator()
        for task in DocumentTask:
            pick = partial(self._on_task_picked, task)
            words = f"{task_name(task)}\t{task_hint(task)}"
            add_choice(menu, words, pick, is_chosen=task is self.task).setActionGroup(group)

    def _add(self, menu: QMenu, group: QActionGroup, depth: Depth | None, text: str) -> None:
        pick = partial(self._on_picked, depth)
        add_choice(menu, text, pick, is_chosen=depth == self.mode).setActionGroup(group)

    def choose(self, depth: Depth) -> None:
        """Select a depth as the user does in the menu."""
        self._on_picked(depth)

    def _on_picked(self, depth: Depth | None, _checked: bool = False) -> None:
        self.set_task(None)
        self.set_choice(depth, self._plans_shown)
        self.picked.emit(depth)

    def _on_task_picked(self, task: DocumentTask, _checked: bool = False) -> None:
        self.set_task(task)

    @Slot(bool)
    def _on_plan_picked(self, is_shown: bool) -> None:
        if self.choice is not None:
            self.plan_picked.emit(self.choice, is_shown)
