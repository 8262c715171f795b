"""Asking a person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, Union

from ._toolcrib import Running
from .caller import Caller

__all__ = ["Answer", "ApprovalRequest", "Approver", "Deny", "Rule"]


@dataclass(frozen=True)
class Rule:
    """May paths like these be read or changed? The strictest rule that matches counts."""

    kind: Literal["read", "edit", "external_directory"]
    """What it is about: the content is shown; it is created, changed, moved or removed; it lies outside every root."""
    pattern: str
    """Which paths, as a glob."""
    action: Literal["allow", "ask", "deny"]
    """What it says."""
    except_: tuple[str, ...] = ()
    """Globs of what it does not cover."""


@dataclass(frozen=True)
class ApprovalRequest:
    """What a person is asked."""

    id: str
    """Distinguishes requests of one process."""
    access: Literal["read", "edit", "external_directory"]
    """What is to be done."""
    paths: list[str]
    """With which files: absolute paths."""
    tool: str
    """By which tool."""
    session_id: str | None
    """In which conversation."""
    agent_id: str | None
    """For whom."""
    diff: str | None
    """Exactly what would be changed, as a unified diff."""
    patterns: list[str]
    """What 'always' would cover from now on."""
    rule: str | None
    """The rule because of which the person is asked."""


@dataclass(frozen=True)
class Deny:
    """No, and the agent is told why."""

    reason: str | None = None


Answer: TypeAlias = Union[bool, Literal["once", "always"], Deny]
"""Yes this time (`True` or `"once"`), yes for the session's life (`"always"`), or no (`False` or `Deny`)."""

Approver: TypeAlias = Callable[[ApprovalRequest], Union[Answer, Awaitable[Answer]]]
"""A function or coroutine that decides. It may take as long as a person takes: the call's clock stands still meanwhile."""


def asking(approver: Approver, caller: Caller) -> Callable[[dict[str, Any], Running], tuple[bool, bool, str | None]]:
    """The approver in the form that the native half calls."""

    def ask(request: dict[str, Any], running: Running) -> tuple[bool, bool, str | None]:
        try:
            answer: object = caller.run(running, approver, ApprovalRequest(**request))
        except asyncio.CancelledError:
            return (False, False, None)
        if answer is True or answer == "once":
            return (True, False, None)
        if answer == "always":
            return (True, True, None)
        if answer is False:
            return (False, False, None)
        if isinstance(answer, Deny):
            return (False, False, answer.reason)
        # Whatever was meant, nobody said yes.
        raise TypeError(f"an approver answers with True, 'once', 'always', False or Deny, and not with {answer!r}")

    return ask
