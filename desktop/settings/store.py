"""Settings on disk: JSON that the user may edit, and of which nothing is ever lost.

The file holds what differs from the defaults. Saving is a three-way merge of the settings as loaded, the
current settings, and the current file: keys and items that this program does not know, values it cannot use,
and changes by another process are preserved.
"""

import json
from collections.abc import Container
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from desktop.errors import SettingRejected, SettingsError, SettingsNotSaved, SettingsUnreadable, plain_reason
from desktop.phrases import TranslatableMessage, translatable
from desktop.settings.atomic_files import write_whole
from desktop.settings.model import Settings

_T = TypeVar("_T")

_Json = dict[str, Any]


@dataclass(frozen=True)
class LoadedSettings:
    """Settings, and what could not be read of them, in words for the user."""

    settings: Settings
    problems: tuple[SettingsError, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether the file was a valid settings file; otherwise these are the defaults."""
        return not any(isinstance(problem, SettingsUnreadable) for problem in self.problems)


class SettingsFile:
    """Reads and writes settings. Its methods block on disk access."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded = Settings()
        self._stamp = self._current_stamp()

    def load_changed(self) -> LoadedSettings | None:
        """Return the settings if the file was changed since it was read or written here; else None."""
        return None if self._current_stamp() == self._stamp else self.load()

    def load(self) -> LoadedSettings:
        """Return the settings; unreadable values are replaced by defaults and reported.

        A file that is not a settings file is renamed.
        """
        self._stamp = self._current_stamp()
        try:
            found = self._read()
        except SettingsUnreadable as error:
            self._loaded = Settings()
            return LoadedSettings(self._loaded, (error,))
        reader = _Reader()
        self._loaded = reader.read(Settings, found, "")
        return LoadedSettings(self._loaded, tuple(reader.problems))

    def save(self, settings: Settings) -> None:
        """Write `settings` to the disk.

        Raises:
            SettingsNotSaved: the file is unchanged.
        """
        try:
            found = self._read()
        except SettingsUnreadable as error:
            if self._path.exists():
                raise SettingsNotSaved(detail=error) from error
            found = {}
        # If the file is missing, everything that differs from the defaults is written, not only new changes.
        before = self._loaded if found else Settings()
        merged = _merge(_builtins(before), _builtins(settings), found)
        text = json.dumps(merged, ensure_ascii=False, indent=2) + "\n"
        try:
            # A lone surrogate, as in some file names, becomes a JSON escape.
            write_whole(self._path, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise SettingsNotSaved(detail=plain_reason(error)) from error
        self._loaded = settings
        self._stamp = self._current_stamp()

    def _current_stamp(self) -> tuple[int, int, int] | None:
        """Return what tells one state of the file from another; None if there is none."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _read(self) -> _Json:
        try:
            found = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise SettingsUnreadable(detail=plain_reason(error), kept_as=self._path.name) from error
        except (ValueError, RecursionError) as error:
            raise self._set_aside(plain_reason(error)) from error
        if not isinstance(found, dict):
            raise self._set_aside(translatable("not an object"))
        return found

    def _set_aside(self, detail: str) -> SettingsUnreadable:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        aside = self._path.with_name(f"{self._path.name}.broken-{stamp}")
        try:
            self._path.rename(aside)
        except OSError as error:
            reason = plain_reason(error)
            detail = TranslatableMessage("{detail}; {reason}", {"detail": detail, "reason": reason})
            aside = self._path
        return SettingsUnreadable(detail=detail, kept_as=aside.name)


@dataclass
class _Reader:
    """Builds dataclasses from JSON, field by field; an invalid field does not affect the others."""

    problems: list[SettingsError] = field(default_factory=list)

    def read(self, kind: type[_T], found: _Json, where: str) -> _T:
        """Return an instance of `kind`.

        Raises:
            msgspec.ValidationError: a field that has no default is missing or invalid.
        """
        hints = get_type_hints(kind, include_extras=True)
        values = {}
        assert is_dataclass(kind)
        for each in fields(kind):
            if each.name in found:
                try:
                    values[each.name] = self._value(hints[each.name], found[each.name], f"{where}{each.name}")
                except msgspec.ValidationError as error:
                    if each.default is MISSING and each.default_factory is MISSING:
                        raise
                    self._reject(f"{where}{each.name}", error)
            elif each.default is MISSING and each.default_factory is MISSING:
                message = f"`{each.name}` is missing"
                raise msgspec.ValidationError(message)
        try:
            return kind(**values)
        except ValueError as error:  # a dataclass that rejects its arguments
            raise msgspec.ValidationError(plain_reason(error)) from error

    def _value(self, kind: Any, found: object, where: str) -> object:
        if is_dataclass(kind) and isinstance(kind, type) and isinstance(found, dict):
            return self.read(kind, found, f"{where}.")
        if get_origin(kind) is tuple and is_dataclass(get_args(kind)[0]) and isinstance(found, list):
            return self._items(get_args(kind)[0], found, where)
        return msgspec.convert(found, kind)

    def _items(self, kind: type[_T], found: list[object], where: str) -> tuple[_T, ...]:
        assert is_dataclass(kind)
        has_id = any(each.name == "id" for each in fields(kind))
        items: dict[object, _T] = {}
        for index, item in enumerate(found):
            try:
                identity = _new_id(item, items) if has_id else index
                items[identity] = self.read(kind, _object(item), f"{where}.{index}.")
            except msgspec.ValidationError as error:
                self._reject(f"{where}.{index}", error)
        return tuple(items.values())

    def _reject(self, where: str, error: msgspec.ValidationError) -> None:
        self.problems.append(SettingRejected(name=where, detail=error))


def _new_id(item: object, taken: Container[object]) -> str:
    identity = _object(item).get("id")
    if not isinstance(identity, str):
        message = "it has no id"
        raise msgspec.ValidationError(message)
    if identity in taken:
        message = f"there is a “{identity}” already"
        raise msgspec.ValidationError(message)
    return identity


def _builtins(settings: Settings) -> _Json:
    made: _Json = msgspec.to_builtins(settings)
    return made


def _merge(before: _Json, now: _Json, found: _Json) -> _Json:
    """Return `found` with the changes between `before` and `now` applied."""
    result = dict(found)
    for key, value in now.items():
        old, there = before.get(key), found.get(key)
        if isinstance(value, dict):
            inner = _merge(_object(old), value, _object(there))
            if inner:
                result[key] = inner
        elif value != old:
            result[key] = _merge_items(old, value, there) if _are_items(value) or _are_items(old) else value
    return result


def _merge_items(before: object, now: object, found: object) -> list[object]:
    """Return the items of `now`, each with extra keys from `found`, then the items that were never read."""
    known, wanted, there = _by_id(before), _by_id(now), _by_id(found)
    items: list[object] = []
    for key, item in wanted.items():
        # Compared with nothing, all of an item is new: one that the file lacks is written in full.
        old = known.get(key, {}) if key in there else {}
        items.append(_merge(old, item, there.get(key, {})))
    first = {id(item) for item in there.values()}
    for item in found if isinstance(found, list) else ():
        is_known = id(item) in first and (item["id"] in known or item["id"] in wanted)
        if not is_known:
            items.append(item)
    return items


def _object(value: object) -> _Json:
    return value if isinstance(value, dict) else {}


def _are_items(value: object) -> bool:
    """Say whether a value is a list of items with ids; any other value is written whole."""
    return isinstance(value, list | tuple) and bool(value) and len(_by_id(value)) == len(value)


def _by_id(items: object) -> dict[str, _Json]:
    """Return the items by id; of two items with the same id the first."""
    found: dict[str, _Json] = {}
    for item in items if isinstance(items, list | tuple) else ():
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            found.setdefault(item["id"], item)
    return found
