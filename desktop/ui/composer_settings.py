"""Ties the switches of the composer to the settings: what was picked last is what the next start shows."""

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from desktop.domain.knowledge import BaseInfo
from desktop.domain.research import Depth
from desktop.settings.model import Settings, with_plan_shown
from desktop.ui.composer import Composer
from desktop.ui.settings_store import SettingsStore


class ComposerSettings(QObject):
    """Writes every pick into the settings and shows every change of the settings."""

    def __init__(self, composer: Composer, store: SettingsStore) -> None:
        super().__init__(composer)
        self._composer = composer
        self._store = store
        composer.web.picked.connect(self._on_web_picked)
        composer.bases.picked.connect(self._on_bases_picked)
        composer.research.picked.connect(self._on_depth_picked)
        composer.research.plan_picked.connect(self._on_plan_picked)
        composer.model.picked.connect(self._on_model_picked)
        store.changed.connect(self._show)
        self._show(store.settings)

    @Slot(object)
    def switch_base_on(self, base: BaseInfo) -> None:
        """Ask a base that was just made, too."""
        self._on_bases_picked((*self._store.settings.knowledge.base_ids, base.id))

    @Slot(object)
    def _show(self, settings: Settings) -> None:
        self._composer.set_sends_on_enter(settings.window.sends_on_enter)
        self._composer.web.set_choice(settings.search.choice)
        self._composer.bases.set_chosen(settings.knowledge.base_ids)
        self._composer.research.set_choice(settings.research.depth, settings.research.plans_shown)
        self._composer.model.set_choice(settings.chat.model)

    @Slot(str)
    def _on_web_picked(self, choice: str) -> None:
        settings = self._store.settings
        self._store.apply(replace(settings, search=replace(settings.search, choice=choice)))

    @Slot(object)
    def _on_bases_picked(self, ids: tuple[str, ...]) -> None:
        settings = self._store.settings
        self._store.apply(replace(settings, knowledge=replace(settings.knowledge, base_ids=ids)))

    @Slot(object)
    def _on_depth_picked(self, depth: Depth | None) -> None:
        settings = self._store.settings
        self._store.apply(replace(settings, research=replace(settings.research, depth=depth)))

    @Slot(object, bool)
    def _on_plan_picked(self, depth: Depth, is_shown: bool) -> None:
        self._store.apply(with_plan_shown(self._store.settings, depth, is_shown=is_shown))

    @Slot(str)
    def _on_model_picked(self, model_id: str) -> None:
        settings = self._store.settings
        self._store.apply(replace(settings, chat=replace(settings.chat, model=model_id)))
