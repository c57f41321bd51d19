"""Calls as models write them: pieces put together, arguments read and checked."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry

from desktop.domain.models import ToolCall, ToolCallDelta
from desktop.text.halves import without_halves

_LEFT_TO_SERVERS = frozenset({"pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems"})
"""Parts of a schema that may take hours to compare with a few words."""

_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_MOST_REFERENCES = 1_000
"""References that are followed for one call; a dozen that name the next one twice each lead to thousands."""

_NAMED = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
"""Parts of a schema whose keys are names of somebody's own."""


class CallAssembler:
    """Puts the pieces of parallel calls together as they stream in."""

    def __init__(self) -> None:
        self._calls: dict[int, ToolCallDelta] = {}

    def add(self, piece: ToolCallDelta) -> None:
        """Take a piece; the id is the provider's, its first mention counts."""
        known = self._calls.get(piece.index)
        if known is None:
            self._calls[piece.index] = piece
            return
        self._calls[piece.index] = ToolCallDelta(
            piece.index,
            known.id or piece.id,
            known.name or piece.name,
            known.arguments + piece.arguments,
        )

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls in the order of their index."""
        return tuple(
            ToolCall(piece.id, piece.name, piece.arguments) for _, piece in sorted(self._calls.items())
        )


class ArgumentsRefused(ValueError):
    """The arguments are not what the tool takes; the words are for the model, which may try again."""


def read_arguments(call: ToolCall, schema: Mapping[str, Any], *, is_ours: bool = True) -> dict[str, Any]:
    """Return the arguments of a call as its tool's schema wants them.

    Patterns of a schema that is not ours are left to its server, and so is one whose references lead to
    too many others: it could take hours, and nothing else in this process would go on meanwhile.

    Raises:
        ArgumentsRefused: they are no JSON object, or do not fit the schema.
    """
    try:
        written = json.dumps(json.loads(call.arguments or "{}"), ensure_ascii=False)
        # Half a character, which small models write, can be sent to nobody.
        arguments = json.loads(without_halves(written))
    except (ValueError, RecursionError) as error:
        raise ArgumentsRefused(f"The arguments are not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise ArgumentsRefused("The arguments must be one JSON object.")
    if problem := _problem(arguments, schema if is_ours else _harmless(schema)):
        raise ArgumentsRefused(problem)
    return arguments


def canonical(call: ToolCall) -> str:
    """Return what makes two calls the same: name and arguments, whatever the spelling of the JSON."""
    try:
        arguments = json.dumps(json.loads(call.arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return f"{call.name}\n{arguments}"


def _problem(arguments: dict[str, Any], schema: Mapping[str, Any]) -> str:
    """Return the first thing that does not fit, empty when all does."""
    try:
        kind, rules = _checked(json.dumps(schema, sort_keys=True))
        validator = _patient(kind)(rules, registry=Registry())  # which fetches nothing from elsewhere
        found = best_match(validator.iter_errors(arguments))
    except _TooManyReferences:
        return ""
    except Exception as error:  # noqa: BLE001 - whatever a library makes of a stranger's schema
        return f"The tool itself is broken: its schema cannot be used ({type(error).__name__})."
    if found is None:
        return ""
    place = ".".join(str(part) for part in found.absolute_path)
    return f"{place or 'arguments'}: {found.message}"


def _harmless(schema: Any) -> Any:
    """Return a schema without what is left to its server; properties may be called as they like."""
    if isinstance(schema, list):
        return [_harmless(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        name: {key: _harmless(inner) for key, inner in value.items()}
        if name in _NAMED and isinstance(value, Mapping)
        else _harmless(value)
        for name, value in schema.items()
        if name not in _LEFT_TO_SERVERS
    }


@lru_cache(maxsize=256)
def _checked(schema: str) -> tuple[type[Validator], Any]:
    """Return the rules of a schema and what can compare with them."""
    rules = json.loads(schema)
    kind = validator_for(rules)
    kind.check_schema(rules)
    return kind, rules


class _TooManyReferences(Exception):
    """Comparing has taken enough."""


_Keyword = Callable[[Validator, Any, Any, Any], Iterator[Any]]
_extended: Callable[..., type[Validator]] = extend
"""With the types that it does not tell."""


def _patient(kind: type[Validator]) -> type[Validator]:
    """Return validators that give up, all together, after `_MOST_REFERENCES`."""
    followed = count(1)

    def bounded(follow: _Keyword) -> _Keyword:
        def keyword(validator: Validator, target: Any, instance: Any, schema: Any) -> Iterator[Any]:
            if next(followed) > _MOST_REFERENCES:
                raise _TooManyReferences
            yield from follow(validator, target, instance, schema)

        return keyword

    known = kind.VALIDATORS
    return _extended(kind, {name: bounded(known[name]) for name in _REFERENCES & known.keys()})
