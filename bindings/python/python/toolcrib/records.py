"""The records of calls and changes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timezone
from typing import Any, Literal

from .results import ToolResult

__all__ = ["Change", "Execution", "FileChange"]


@dataclass(frozen=True)
class Execution:
    """The record of one call."""

    tool_name: str
    """The called name, whether such a tool exists or not."""
    parameters: Any
    """The arguments as given."""
    context: dict[str, Any]
    """The context of the call."""
    result: ToolResult
    """The result."""
    states: list[str]
    """The states of the call, in order; the last one is final."""
    started_at: datetime
    """The start time."""
    completed_at: datetime
    """The end time."""
    duration_ms: float
    """The duration."""

    @property
    def state(self) -> str:
        """The final state: completed, failed, timed_out or cancelled."""
        return self.states[-1]


@dataclass(frozen=True)
class FileChange:
    """What a change did to a file."""

    action: Literal["add", "update", "delete", "move"]
    """The kind of change."""
    kind: Literal["file", "directory", "link"]
    """What it is that changed."""
    path: str
    """The file."""
    moved_from: str | None
    """For a move, the path before."""
    before: str | None
    """The version before."""
    after: str | None
    """The version after."""
    diff: str | None
    """The diff, limited in size; None if the contents were not stored."""


@dataclass(frozen=True)
class Change:
    """A recorded change."""

    id: int
    """Its number."""
    time: datetime
    """The time."""
    tool: str
    """The tool that made it."""
    agent: str | None
    """The agent that called it."""
    session: str | None
    """The session in which it was called."""
    state: Literal["done", "undone", "rolled back", "under way", "unknown"]
    """Whether the change is in effect: `done` as long as a part of it is, `rolled back` if it failed, `under way` while it is being
    made, `unknown` if that part of the journal is damaged."""
    undone_by: int | None
    """The change that undid it."""
    takes_back: int | None
    """The change that this one reverted."""
    files: list[FileChange]
    """The changes of each file."""


def execution(plain: dict[str, Any]) -> Execution:
    """The record that the native half gives as plain values."""
    for key in ("started_at", "completed_at"):
        plain[key] = datetime.fromisoformat(plain[key].replace("Z", "+00:00"))
    plain["result"] = ToolResult(**plain["result"])
    return Execution(**plain)


def change(plain: dict[str, Any]) -> Change:
    """The change that the native half gives as plain values."""
    plain["time"] = datetime.fromtimestamp(plain["time"], timezone.utc)
    plain["files"] = [FileChange(moved_from=file.pop("from"), **_known(FileChange, file)) for file in plain["files"]]
    return Change(**_known(Change, plain))


def _known(record: type[Change | FileChange], plain: dict[str, Any]) -> dict[str, Any]:
    """The values that the record has; the native half may know more."""
    names = {field.name for field in fields(record)}
    return {name: value for name, value in plain.items() if name in names}
