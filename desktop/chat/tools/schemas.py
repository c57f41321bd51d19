"""Validates the arguments of a call against the schema of its tool."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry

_LEFT_TO_SERVERS = frozenset({"pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems"})
"""Keywords that can take hours to validate even for short arguments; they are left to the server."""

_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_MOST_REFERENCES = 1_000
"""Maximum number of references followed for one call; a dozen that each refer twice to the next give thousands."""

_NAMED = frozenset({"properties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose keys are names chosen by the author of the schema."""


def validation_error(arguments: dict[str, Any], schema: Mapping[str, Any], *, is_ours: bool) -> str:
    """Return the first validation error; empty if the arguments are valid.

    Patterns of a schema that is not ours are left to its server, and so is a schema whose references lead to
    too many others: validating it could take hours and block this process.
    """
    try:
        kind, rules = _parse_schema(json.dumps(schema if is_ours else _harmless(schema), sort_keys=True))
        validator = _limit_references(kind)(rules, registry=Registry())  # the empty registry fetches nothing
        found = best_match(validator.iter_errors(arguments))
    except _TooManyReferences:
        return ""
    except Exception as error:  # noqa: BLE001 - a library can raise anything for a foreign schema
        return f"The tool itself is broken: its schema cannot be used ({type(error).__name__})."
    if found is None:
        return ""
    place = ".".join(str(part) for part in found.absolute_path)
    return f"{place or 'arguments'}: {found.message}"


def _harmless(schema: Any) -> Any:
    """Return a schema without the keywords that are left to the server; properties can have any name."""
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
def _parse_schema(schema: str) -> tuple[type[Validator], Any]:
    """Return the parsed schema and the validator class for it."""
    rules = json.loads(schema)
    kind = validator_for(rules)
    kind.check_schema(rules)
    return kind, rules


class _TooManyReferences(Exception):
    """Validation has followed too many references."""


_Keyword = Callable[[Validator, Any, Any, Any], Iterator[Any]]
_extended: Callable[..., type[Validator]] = extend
"""`extend` with the types that the library does not declare."""


def _limit_references(kind: type[Validator]) -> type[Validator]:
    """Return a validator class that gives up after `_MOST_REFERENCES` references in total."""
    followed = count(1)

    def limit_references(follow: _Keyword) -> _Keyword:
        def keyword(validator: Validator, target: Any, instance: Any, schema: Any) -> Iterator[Any]:
            if next(followed) > _MOST_REFERENCES:
                raise _TooManyReferences
            yield from follow(validator, target, instance, schema)

        return keyword

    known = kind.VALIDATORS
    return _extended(kind, {name: limit_references(known[name]) for name in _REFERENCES & known.keys()})
