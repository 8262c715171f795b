"""Rules and approvals."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, Union

from ._toolcrib import Review, Running
from .caller import Caller

__all__ = ["Answer", "ApprovalRequest", "Approver", "Deny", "Edited", "Hunk", "ProposedChange", "Rule"]


@dataclass(frozen=True)
class Rule:
    """Allows, asks or denies access to paths. The strictest rule that matches wins."""

    kind: Literal["read", "edit", "external_directory"]
    """The access: showing the content; creating, changing, moving or deleting; anything outside every root."""
    pattern: str
    """The paths, as a glob."""
    action: Literal["allow", "ask", "deny"]
    """The verdict."""
    except_: tuple[str, ...] = ()
    """Globs of paths that the rule does not cover."""


@dataclass(frozen=True)
class ProposedChange:
    """The change of one file."""

    path: str
    """The file; for a move, its target."""
    from_: str | None
    """For a move, its source."""
    before: bytes | None
    """The content now; `None` if the file is created."""
    after: bytes | None
    """The content afterwards; `None` if the file is deleted."""


@dataclass(frozen=True)
class Hunk:
    """Lines of a file that are changed together."""

    id: str
    """Names the hunk in an `Edited`."""
    text: str
    """The lines with up to three around them, as in a unified diff. Like a diff, it may contain invisible characters."""


@dataclass(frozen=True)
class ApprovalRequest:
    """A request for approval."""

    id: str
    """Identifies the request within the process."""
    access: Literal["read", "edit", "external_directory"]
    """The access to approve."""
    paths: list[str]
    """The files, as absolute paths."""
    tool: str
    """The tool."""
    session_id: str | None
    """The session."""
    agent_id: str | None
    """The agent."""
    patterns: list[str]
    """The patterns that `"always"` would cover."""
    rule: str | None
    """The rule that asks, or another reason."""
    digest: str
    """The hash of what is approved: the access, the paths, the versions before and every byte written."""
    _review: Review = field(repr=False, compare=False)

    @cached_property
    def diff(self) -> str | None:
        """The whole change as a unified diff, for programs; `None` if nothing is changed.

        Show people `pages` instead: a diff may contain invisible characters.
        """
        return self._review.diff()

    @cached_property
    def changes(self) -> list[ProposedChange]:
        """The bytes of each file before and after."""
        return [ProposedChange(*change) for change in self._review.changes()]

    @property
    def editable(self) -> bool:
        """Whether the answer may be `Edited`."""
        return self._review.editable()

    def hunks(self, path: str) -> list[Hunk]:
        """The hunks of the change of a file, of which an `Edited` can keep some."""
        return [Hunk(*hunk) for hunk in self._review.hunks(_number(self, path))]

    def pages(self) -> Iterator[str]:
        """The whole change, for people to read.

        Long lines are shown around the difference, and invisible or lookalike characters are made visible. If there is more
        than one page, each page starts by saying so.
        """
        number = of = 1
        while number <= of:
            text, of = self._review.page(number)
            yield text if of == 1 else f"This change does not fit on one page: page {number} of {of}.\n{text}"
            number += 1


@dataclass(frozen=True)
class Deny:
    """Denies the request; the agent is told the reason."""

    reason: str | None = None


@dataclass(frozen=True)
class Edited:
    """Approves this call with another change; files that are not named are changed as proposed.

    The agent is told what was made and what was not.
    """

    text: Mapping[str, str] = field(default_factory=dict[str, str])
    """By path: the whole text that the file gets instead."""
    keep: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """By path: the `id` of each hunk that is made. With none, the file is left as it is."""


Answer: TypeAlias = Union[bool, Literal["once", "always"], Edited, Deny]
"""Approve this call (`True` or `"once"`), approve for the session (`"always"`), approve with another change (`Edited`), or
deny (`False` or `Deny`)."""

Approver: TypeAlias = Callable[[ApprovalRequest], Union[Answer, Awaitable[Answer]]]
"""A function or coroutine that decides. It may take its time: the call's deadline is paused meanwhile."""


_Edits: TypeAlias = tuple[dict[int, list[str]], dict[int, str]]
_Answer: TypeAlias = tuple[bool, bool, Union[str, None], Union[_Edits, None]]


def _number(request: ApprovalRequest, path: str) -> int:
    """The place of a file among the changes."""
    for number, change in enumerate(request.changes):
        if change.path == path:
            return number
    raise ValueError(f"the change has no file {path}; `changes` lists its files")


def _edits(request: ApprovalRequest, edited: Edited) -> _Edits:
    keep = {_number(request, path): list(hunks) for path, hunks in edited.keep.items()}
    text = {_number(request, path): text for path, text in edited.text.items()}
    return (keep, text)


def asking(approver: Approver, caller: Caller) -> Callable[[dict[str, Any], Review, Running], _Answer]:
    """The approver in the form that the native half calls."""

    def ask(request: dict[str, Any], review: Review, running: Running) -> _Answer:
        question = ApprovalRequest(**request, _review=review)
        try:
            answer: object = caller.run(running, approver, question)
        except asyncio.CancelledError:
            return (False, False, None, None)
        if answer is True or answer == "once":
            return (True, False, None, None)
        if answer == "always":
            return (True, True, None, None)
        if answer is False:
            return (False, False, None, None)
        if isinstance(answer, Edited):
            return (True, False, None, _edits(question, answer))
        if isinstance(answer, Deny):
            return (False, False, answer.reason, None)
        # Whatever was meant, it was not a yes.
        said = f"an approver answers with True, 'once', 'always', False, Edited or Deny, and not with {answer!r}"
        raise TypeError(said)

    return ask
