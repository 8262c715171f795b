"""Type hints as the schema of parameters, and arguments as the values that the hints promise."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import os
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union

__all__ = ["Param", "Parameters", "described_in"]

Read = Callable[[Any], Any]
"""Makes the promised value of one that fits the schema."""


@dataclass(frozen=True)
class Param:
    """What a type cannot say of a parameter: `Annotated[int, Param("How many", minimum=1)]`."""

    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None


@dataclass(frozen=True)
class Parameters:
    """The parameters of a function."""

    schema: dict[str, Any]
    """Their JSON schema."""
    _readers: dict[str, Read]
    _call: str | None

    @staticmethod
    def of(function: Callable[..., Any], *, call: type) -> Parameters:
        """Reads the hints of a function; a parameter of the type `call` is not one of a model's.

        Raises:
            TypeError: A parameter has no hint, or one that cannot be described to a model.
        """
        hints = typing.get_type_hints(function, include_extras=True)
        described = _descriptions(inspect.getdoc(function))
        properties: dict[str, Any] = {}
        required: list[str] = []
        readers: dict[str, Read] = {}
        call_name: str | None = None
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise TypeError(f"{function.__name__}: a model gives arguments by name, so '{name}' cannot be one")
            if name not in hints:
                raise TypeError(f"{function.__name__}: the parameter '{name}' has no type hint")
            if hints[name] is call:
                call_name = name
                continue
            try:
                schema, readers[name] = _kind(hints[name])
            except TypeError as error:
                raise TypeError(f"{function.__name__}: the parameter '{name}': {error}") from None
            schema.setdefault("description", described.get(name, ""))
            if parameter.default is parameter.empty:
                required.append(name)
            elif parameter.default is not None and _is_plain(parameter.default):
                schema["default"] = parameter.default
            properties[name] = schema
        return Parameters({"type": "object", "properties": properties, "required": required}, readers, call_name)

    def read(self, arguments: dict[str, Any], call: object) -> dict[str, Any]:
        """The arguments as the function wants them."""
        read = {name: value if value is None else self._readers[name](value) for name, value in arguments.items()}
        return read if self._call is None else {**read, self._call: call}


def described_in(doc: str | None) -> str:
    """What a docstring says, without its sections."""
    return re.split(r"^(?:Args|Returns|Raises|Yields|Example|Examples):\s*$", doc or "", flags=re.MULTILINE)[0].strip()


def _descriptions(doc: str | None) -> dict[str, str]:
    """What stands under `Args:`."""
    section = re.search(r"^Args:\s*\n((?:[ \t]+.*\n?|\n)+)", doc or "", flags=re.MULTILINE)
    if section is None:
        return {}
    found = re.findall(
        r"^    (\w+)(?: \([^)]*\))?: *(.*(?:\n(?:        .*|[ \t]*$))*)", section.group(1), flags=re.MULTILINE
    )
    return {name: " ".join(text.split()) for name, text in found}


def _is_plain(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in typing.cast("list[object]", value))
    return type(value) in (str, int, float, bool)


def _same(value: Any) -> Any:
    return value


_PLAIN: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _kind(hint: Any) -> tuple[dict[str, Any], Read]:
    """The schema of a hint, and the way from what fits it to what is promised."""
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}, _same
    if hint is Any or hint is object:
        return {}, _same
    if hint is Path or hint is os.PathLike or origin is os.PathLike:
        return {"type": "string"}, Path
    if origin is typing.Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin is Literal:
        return {"enum": list(arguments), **_type_of(arguments)}, _same
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if hint in (list, tuple, set, frozenset) or origin in (list, tuple, set, frozenset, collections.abc.Sequence):
        return _list(origin or hint, arguments)
    if hint is dict or origin in (dict, collections.abc.Mapping):
        return {"type": "object"}, _same
    if isinstance(hint, type):
        return _class(hint)
    raise TypeError(f"{hint!r} cannot be described to a model")


def _annotated(hint: Any, extras: tuple[Any, ...]) -> tuple[dict[str, Any], Read]:
    schema, read = _kind(hint)
    for extra in extras:
        if isinstance(extra, str):
            schema["description"] = extra
        elif isinstance(extra, Param):
            least, most = ("minItems", "maxItems") if schema.get("type") == "array" else ("minLength", "maxLength")
            said = {
                "description": extra.description or None,
                "minimum": extra.minimum,
                "maximum": extra.maximum,
                least: extra.min_length,
                most: extra.max_length,
            }
            schema.update({key: value for key, value in said.items() if value is not None})
    return schema, read


def _union(options: tuple[Any, ...]) -> tuple[dict[str, Any], Read]:
    others = [option for option in options if option is not types.NoneType]
    if len(others) == 1:
        return _kind(others[0])
    # Providers disagree about choices between types, so the model is told of none and the function gets what came.
    for other in others:
        if other not in _PLAIN:
            raise TypeError("a choice between types can only be one between str, int, float, bool and None")
    return {}, _same


def _list(origin: Any, arguments: tuple[Any, ...]) -> tuple[dict[str, Any], Read]:
    make: Any = origin if origin in (tuple, set, frozenset) else list
    if origin is tuple and (len(arguments) != 2 or arguments[1] is not ...):
        if arguments:
            raise TypeError("a tuple can only be one of any length, such as tuple[int, ...]")
    if not arguments:
        return {"type": "array"}, make
    items, read = _kind(arguments[0])

    def read_all(value: Any) -> Any:
        return make(read(item) for item in value)

    return {"type": "array", "items": items}, read_all


def _class(hint: Any) -> tuple[dict[str, Any], Read]:
    if issubclass(hint, enum.Enum):
        values = [member.value for member in hint]
        return {"enum": values, **_type_of(values)}, hint
    if hasattr(hint, "model_json_schema"):
        model: Any = hint
        return _inlined(model.model_json_schema()), model.model_validate
    if dataclasses.is_dataclass(hint) or typing.is_typeddict(hint):
        return _fields(hint)
    raise TypeError(f"{hint.__name__} cannot be described to a model; use str, int, a dataclass, a TypedDict, ...")


def _fields(hint: Any) -> tuple[dict[str, Any], Read]:
    make: Callable[..., Any] = hint
    hints = typing.get_type_hints(hint, include_extras=True)
    kinds = {name: _kind(_without_marker(kind)) for name, kind in hints.items()}
    if dataclasses.is_dataclass(hint):
        missing = dataclasses.MISSING
        fields = dataclasses.fields(hint)
        required = [field.name for field in fields if field.default is missing and field.default_factory is missing]
        kinds = {field.name: kinds[field.name] for field in fields if field.init}
    else:
        required = sorted(hint.__required_keys__, key=list(kinds).index)
    schema = {"type": "object", "properties": {name: kind[0] for name, kind in kinds.items()}, "required": required}
    return schema, lambda value: make(**{name: kinds[name][1](item) for name, item in value.items()})


def _without_marker(hint: Any) -> Any:
    marked = typing.get_origin(hint)
    return typing.get_args(hint)[0] if str(marked).endswith(("NotRequired", "Required", "ReadOnly")) else hint


def _type_of(values: Any) -> dict[str, str]:
    kinds = {_PLAIN.get(type(value)) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    return {} if kind is None else {"type": kind}


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of pydantic with its definitions in place."""
    definitions = schema.pop("$defs", {})

    def inline(part: Any, depth: int) -> Any:
        within: Any = part
        if depth > 32:
            raise TypeError("a model that holds itself cannot be described")
        if isinstance(part, list):
            return [inline(item, depth + 1) for item in within]
        if not isinstance(part, dict):
            return within
        if isinstance(reference := within.get("$ref"), str):
            beside = {key: value for key, value in within.items() if key != "$ref"}
            return inline({**definitions[reference.rsplit("/", 1)[-1]], **beside}, depth + 1)
        return {key: inline(value, depth + 1) for key, value in within.items()}

    whole: dict[str, Any] = inline(schema, 0)
    return whole
