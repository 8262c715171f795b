"""Asking a person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, Union

from ._toolcrib import Review, Running
from .caller import Caller

__all__ = ["Answer", "ApprovalRequest", "Approver", "Deny", "ProposedChange", "Rule"]


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
class ProposedChange:
    """What would become of one file."""

    path: str
    """The file; of a move, where it goes."""
    from_: str | None
    """Of a move, where it comes from."""
    before: bytes | None
    """What it holds now; `None` if it is created."""
    after: bytes | None
    """What it would hold; `None` if it is deleted."""


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
    patterns: list[str]
    """What 'always' would cover from now on."""
    rule: str | None
    """Why the person is asked: a rule, or another reason."""
    digest: str
    """Names the question by what it would allow: access, paths, and every byte that would be written over which version."""
    _review: Review = field(repr=False, compare=False)

    @cached_property
    def diff(self) -> str | None:
        """All that would be changed, as a unified diff for programs; `None` where nothing would be.

        Show a person `pages` instead: a diff may hold characters that nobody sees.
        """
        return self._review.diff()

    @cached_property
    def changes(self) -> list[ProposedChange]:
        """What each file holds before and after, to the byte."""
        return [ProposedChange(*change) for change in self._review.changes()]

    def pages(self) -> Iterator[str]:
        """All that would be changed, for a person to look at.

        Long lines are shown around what differs, and hidden or confusable characters are made visible. If there is more
        than one page, each begins by saying so.
        """
        number = of = 1
        while number <= of:
            text, of = self._review.page(number)
            yield text if of == 1 else f"This change is too large for one page: page {number} of {of}.\n{text}"
            number += 1


@dataclass(frozen=True)
class Deny:
    """No, and the agent is told why."""

    reason: str | None = None


Answer: TypeAlias = Union[bool, Literal["once", "always"], Deny]
"""Yes this time (`True` or `"once"`), yes for the session's life (`"always"`), or no (`False` or `Deny`)."""

Approver: TypeAlias = Callable[[ApprovalRequest], Union[Answer, Awaitable[Answer]]]
"""A function or coroutine that decides. It may take as long as a person takes: the call's clock stands still meanwhile."""


def asking(
    approver: Approver, caller: Caller
) -> Callable[[dict[str, Any], Review, Running], tuple[bool, bool, str | None]]:
    """The approver in the form that the native half calls."""

    def ask(request: dict[str, Any], review: Review, running: Running) -> tuple[bool, bool, str | None]:
        try:
            answer: object = caller.run(running, approver, ApprovalRequest(**request, _review=review))
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
