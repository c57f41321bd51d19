"""The memories for the window: lists, adds, changes, deletes, restores, exports and imports them."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Memories
from desktop.domain.memory import Memory


class MemoryStore(QObject):
    """Loads and changes memories; every change ends with an updated list.

    Signals:
        listed: all memories (tuple of Memory), the oldest first.
        kept: a Memory that was added or already existed.
        deleted: a deleted Memory, which `restore` brings back.
        exported: number of memories written to a file.
        imported: number of new or newer memories in a file.
        wanted_changed: another memory should be shown.
        failed: the error of a failed operation.
    """

    listed = Signal(object)
    kept = Signal(object)
    deleted = Signal(object)
    exported = Signal(int)
    imported = Signal(int)
    wanted_changed = Signal()
    failed = Signal(object)

    def __init__(self, memories: Memories, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._memories = memories
        self._loop = loop
        self._newest = 0
        self.memories: tuple[Memory, ...] = ()
        self.wanted = ""

    def ask_to_show(self, memory_id: str) -> None:
        """Request showing a memory, now or as soon as a view for it is open."""
        self.wanted = memory_id
        self.wanted_changed.emit()

    @Slot()
    def refresh(self) -> None:
        """Reload the list."""
        self._newest += 1
        self._loop.run(self, self._memories.all, partial(self._on_listed, self._newest), self.failed)

    def add(self, text: str) -> None:
        """Add a memory in the user's words."""
        self._loop.run(self, partial(self._memories.add, text), self._on_kept, self._on_failed)

    def change(self, memory: Memory, text: str, assistant: str | None) -> None:
        """Change the text of a memory, or its assistant."""
        self._loop.run(
            self, partial(self._memories.change, memory.id, text, assistant), self._on_done, self._on_failed
        )

    def delete(self, memory: Memory) -> None:
        """Delete a memory."""
        self._loop.run(
            self,
            partial(self._memories.delete, memory.id),
            partial(self._on_deleted, memory),
            self._on_failed,
        )

    def restore(self, memory: Memory) -> None:
        """Undo `delete`."""
        self._loop.run(self, partial(self._memories.restore, memory.id), self._on_done, self._on_failed)

    def export_to(self, path: Path) -> None:
        """Write all memories to a file."""
        self._loop.run(self, partial(self._memories.export_to, path), self._on_exported, self._on_failed)

    def import_from(self, path: Path) -> None:
        """Import the memories of a file."""
        self._loop.run(self, partial(self._memories.import_from, path), self._on_imported, self._on_failed)

    def _on_listed(self, number: int, memories: tuple[Memory, ...]) -> None:
        if number == self._newest:  # an older response may arrive later
            self.memories = memories
            self.listed.emit(memories)

    @Slot(object)
    def _on_kept(self, memory: Memory) -> None:
        self.kept.emit(memory)
        self.refresh()

    def _on_deleted(self, memory: Memory, _nothing: object) -> None:
        self.deleted.emit(memory)
        self.refresh()

    @Slot(object)
    def _on_exported(self, count: int) -> None:
        self.exported.emit(count)

    @Slot(object)
    def _on_imported(self, count: int) -> None:
        self.imported.emit(count)
        self.refresh()

    @Slot(object)
    def _on_done(self, _result: object) -> None:
        self.refresh()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(error)
        self.refresh()
