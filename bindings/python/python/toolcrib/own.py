"""Tools that are written in Python."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, overload

from ._toolcrib import Running
from .caller import Caller
from .errors import CancelledError, TimedOutError, ToolError
from .hints import Parameters, described_in
from .results import ToolResult

__all__ = ["Call", "OwnTool", "tool"]

Effect = Literal["reads", "acts"]
Category = Literal["FILE", "EXECUTION", "WEB", "TASK", "NOTEBOOK", "MCP", "OTHER"]

_log = logging.getLogger("toolcrib")


class Call:
    """The current call. A parameter of this type receives it, and is not shown to the model."""

    __slots__ = ("_running", "notes")

    def __init__(self, running: Running) -> None:
        self._running = running
        self.notes: dict[str, Any] = {}
        """The notes so far."""

    def checkpoint(self) -> None:
        """Stops the call if it was cancelled or its deadline has passed. Call it in every loop of a tool."""
        if self._running.cancelled:
            raise CancelledError("The call was cancelled")
        if self._running.remaining == 0:
            raise TimedOutError("The time of the call is up")

    def note(self, key: str, value: Any) -> None:
        """Adds a value to the metadata of the answer, even if the call fails later."""
        self.notes[key] = value

    @property
    def cancelled(self) -> bool:
        """Whether the call was cancelled."""
        return self._running.cancelled

    @property
    def remaining(self) -> float:
        """The seconds until the deadline. A tool without a loop can use them as its own timeout."""
        left = self._running.remaining
        return float("inf") if left is None else left

    @property
    def tool(self) -> str:
        """The name of the called tool."""
        return self._running.tool

    @property
    def working_dir(self) -> str:
        """The directory that relative paths are relative to."""
        return self._running.working_dir

    @property
    def session(self) -> str | None:
        """The session of the call."""
        return self._running.session

    @property
    def agent(self) -> str | None:
        """The name of the caller."""
        return self._running.agent

    @property
    def dry_run(self) -> bool:
        """Whether this is a dry run."""
        return self._running.dry_run


class OwnTool(ABC):
    """A tool of your own: subclass it, write `run`, and `Toolbox.register` an instance.

    The type hints of `run` define the schema of the parameters, and the `Args:` of its docstring their descriptions. As for
    every tool, the engine validates a call against the schema, limits its time and output, and records it.

    `run` may be a coroutine. It gives back a text, anything JSON has, or a `ToolResult`; it fails by raising a `ToolError`.
    """

    name: str = ""
    """The name for the model; by default that of the class."""
    title: str = ""
    """The name for people; by default the same."""
    description: str = ""
    """What it does and when to use it, for the model; by default the docstring of the class."""
    category: Category = "OTHER"
    """The category."""
    effect: Effect = "acts"
    """Whether it only `reads`, or `acts`; a dry run does not execute a tool that acts."""

    @abstractmethod
    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Does the work, with arguments that match the type hints."""

    def about(self) -> dict[str, Any]:
        """The description of the tool."""
        name = self.name or type(self).__name__
        # The class's own docstring, and not one that it inherits.
        described = self.description or described_in(inspect.cleandoc(type(self).__doc__ or ""))
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise ValueError(f"providers take only names of letters, digits, _ and -, and not {name!r}")
        if not described:
            raise ValueError(f"{name} has no description: give it a docstring that tells a model when to use it")
        return {
            "name": name,
            "title": self.title or name,
            "description": described,
            "category": self.category,
            "effect": self.effect,
            "parameters": self._parameters.schema,
        }

    @cached_property
    def _parameters(self) -> Parameters:
        return Parameters.of(self.run, call=Call)

    def answer(
        self, arguments: dict[str, Any], running: Running
    ) -> tuple[bool, Any, str | None, float | None, dict[str, Any]]:
        """Runs it for the native half, and never raises."""
        call = Call(running)
        caller: Caller = running.attached or Caller()
        try:
            output = caller.run(running, self.run, **self._parameters.read(arguments, call))
            result = output if isinstance(output, ToolResult) else ToolResult(True, output)
        except ToolError as error:
            hint = {} if error.hint is None else {"hint": error.hint}
            result = ToolResult(False, None, error.message, None, {**error.metadata, **hint, "error_kind": error.kind})
        except asyncio.CancelledError:
            result = ToolResult(False, None, "The call was cancelled", None, {"error_kind": "cancelled"})
        except Exception as error:
            _log.exception("%s failed unexpectedly", running.tool)
            sentence = f"{running.tool} failed unexpectedly: {type(error).__name__}: {error}"
            way_on = "this is a bug in the tool, not in the call; other calls are not affected"
            result = ToolResult(False, None, sentence, None, {"error_kind": "internal", "hint": way_on})
        return (result.success, result.output, result.error, None, {**result.metadata, **call.notes})


class _FunctionTool(OwnTool):
    def __init__(self, function: Callable[..., Any]) -> None:
        self.run = function  # type: ignore[method-assign]

    def run(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


@overload
def tool(function: Callable[..., Any], /) -> OwnTool: ...


@overload
def tool(
    *,
    name: str = "",
    title: str = "",
    description: str = "",
    category: Category = "OTHER",
    effect: Effect = "acts",
) -> Callable[[Callable[..., Any]], OwnTool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    title: str = "",
    description: str = "",
    category: Category = "OTHER",
    effect: Effect = "acts",
) -> OwnTool | Callable[[Callable[..., Any]], OwnTool]:
    """Turns a function or coroutine into a tool; its name, docstring and type hints describe it to a model.

    >>> @tool(effect="reads")
    ... def count_words(text: str, most: Annotated[int, Param(minimum=1)] = 3) -> dict[str, int]:
    ...     "Counts the words of a text."
    """

    def make(function: Callable[..., Any]) -> OwnTool:
        made = _FunctionTool(function)
        made.name = name or function.__name__
        made.title = title
        made.description = description or described_in(inspect.getdoc(function))
        made.category = category
        made.effect = effect
        return made

    return make if function is None else make(function)
