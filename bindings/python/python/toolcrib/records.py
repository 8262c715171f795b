"""What was called, and what was changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

from .results import ToolResult

__all__ = ["Change", "Execution", "FileChange"]


@dataclass(frozen=True)
class Execution:
    """One call from beginning to end."""

    tool_name: str
    """The name that was called, whether such a tool exists or not."""
    parameters: Any
    """The arguments as they were given."""
    context: dict[str, Any]
    """Under which circumstances."""
    result: ToolResult
    """What came back."""
    states: list[str]
    """The states it went through, the last being the final one."""
    started_at: datetime
    """When it began."""
    completed_at: datetime
    """When it ended."""
    duration_ms: float
    """How long it took."""

    @property
    def state(self) -> str:
        """How it ended: completed, failed, timed_out or cancelled."""
        return self.states[-1]


@dataclass(frozen=True)
class FileChange:
    """What a change did to a file."""

    action: Literal["add", "update", "delete", "move"]
    """What was done."""
    path: str
    """The file."""
    moved_from: str | None
    """Of a move, where it was before."""
    before: str | None
    """The version before."""
    after: str | None
    """The version after."""
    diff: str | None
    """What changed in it, bounded; None if that is not kept."""


@dataclass(frozen=True)
class Change:
    """A change that was made."""

    id: int
    """Its number."""
    time: datetime
    """When."""
    tool: str
    """The tool that made it."""
    agent: str | None
    """The agent that called it."""
    session: str | None
    """The session in which it was called."""
    state: Literal["done", "undone", "taken back", "under way"]
    """Whether it stands."""
    undone_by: int | None
    """The change that undid it."""
    takes_back: int | None
    """The change that this one took back."""
    files: list[FileChange]
    """What became of each file."""


def execution(plain: dict[str, Any]) -> Execution:
    """The record that the native half gives as plain values."""
    for key in ("started_at", "completed_at"):
        plain[key] = datetime.fromisoformat(plain[key].replace("Z", "+00:00"))
    plain["result"] = ToolResult(**plain["result"])
    return Execution(**plain)


def change(plain: dict[str, Any]) -> Change:
    """The change that the native half gives as plain values."""
    plain["time"] = datetime.fromtimestamp(plain["time"], timezone.utc)
    plain["files"] = [FileChange(moved_from=file.pop("from"), **file) for file in plain["files"]]
    return Change(**plain)
