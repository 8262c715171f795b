"""The toolbox: all tools on one or more directories."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from . import _toolcrib
from .approval import Approver, Rule, asking
from .caller import Caller
from .errors import UnknownToolError, raised
from .methods import FileMethods
from .own import OwnTool, tool
from .records import Change, Execution, change, execution
from .results import ToolResult

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from typing_extensions import Unpack

__all__ = ["Tool", "Toolbox"]

Dialect = Literal[
    "standard",
    "ekacode",
    "filesystem",
    "apply-patch",
    "apply-patch-v4a",
    "text-editor",
    "text-editor-20250124",
    "memory",
    "claude-code",
    "opencode",
    "gemini",
]
"""The names and formats of a family of agents."""

Format = Literal["openai", "openai-strict", "anthropic", "mcp", "langchain"]
"""A provider's format of a tool description."""


class CallContext(TypedDict, total=False):
    """The options of a call that the caller decides, not the model."""

    session: str | None
    agent: str | None
    dry_run: bool
    timeout: float | None
    max_output_size: int | None
    approver: Approver | None


class Toolbox(FileMethods):
    """File tools for an agent: they never lose a byte, never leave the workspace, and answer before you notice.

    >>> box = Toolbox("/path/to/project", session="s1")
    >>> box.read("README.md").output
    >>> box.call("Read", file_path="/path/to/project/README.md").output
    >>> box.schemas("anthropic")

    Calls can be made from many threads and event loops at once; the interpreter lock is released while a tool works.
    """

    def __init__(
        self,
        *roots: str | os.PathLike[str],
        dialect: Dialect = "standard",
        session: str | None = None,
        agent: str | None = None,
        dry_run: bool = False,
        timeout: float | None = None,
        max_output_size: int | None = None,
        rules: Iterable[Rule] = (),
        approver: Approver | None = None,
        config: str | os.PathLike[str] | None = None,
        journal: bool | str | os.PathLike[str] = True,
    ) -> None:
        """Opens the directories.

        Args:
            roots: The directories that the tools may access. Relative paths start at the first.
            dialect: The names and formats of the tools: `standard` (`Read`, `file_path`, absolute paths, answers as text),
                `ekacode` (`read`, `filePath`, relative paths, answers as objects), or those of another agent.
            session: The session of the calls. In a session, a file must be read before it is changed.
            agent: The name of the caller, for the log.
            dry_run: Show what would change, without changing anything.
            timeout: The time limit of a call in seconds; by default 120.
            max_output_size: The limit of an output in bytes; by default 262144.
            rules: Rules in addition to the default ones.
            approver: A function or coroutine that decides where a rule says ask. Without one, the answer is no.
            config: A configuration file in TOML. Without one, the defaults apply, not the user's own configuration.
            journal: Whether changes are recorded, so that they can be undone; or the folder to record them in, instead of
                the user's state folder.

        Raises:
            ToolError: A root is not a readable directory, or a rule or the configuration is invalid.
        """
        plain_rules = [(rule.kind, rule.pattern, rule.action, list(rule.except_)) for rule in rules]
        place = journal if isinstance(journal, bool) else Path(journal).absolute()
        with raised():
            self._native = _toolcrib.NativeToolbox(
                [Path(root).absolute() for root in roots],
                dialect,
                Path(config).absolute() if config is not None else None,
                plain_rules,
                place,
            )
        self._set(session, agent, dry_run, timeout, max_output_size, approver)

    def _set(
        self,
        session: str | None,
        agent: str | None,
        dry_run: bool,
        timeout: float | None,
        max_output_size: int | None,
        approver: Approver | None,
    ) -> None:
        self._given: CallContext = {
            "session": session,
            "agent": agent,
            "dry_run": dry_run,
            "timeout": timeout,
            "max_output_size": max_output_size,
            "approver": approver,
        }
        self._session, self._agent, self._approver = session, agent, approver
        self._by_operation: dict[str, Tool] | None = None
        self._context = self._native.context(session, agent, dry_run, timeout, max_output_size)

    def using(self, **context: Unpack[CallContext]) -> Toolbox:
        """The same tools with other options: `box.using(session="s2", dry_run=True)`.

        Both toolboxes share everything else: the log, the rules, what sessions have read, tools that are registered later.
        """
        other = object.__new__(type(self))
        other._native = self._native
        other._set(**cast(Any, {**self._given, **context}))
        return other

    @property
    def roots(self) -> list[Path]:
        """The directories that the tools may access."""
        return self._native.roots

    @property
    def dialect(self) -> str:
        """The dialect of the tools."""
        return self._native.dialect

    @property
    def session(self) -> str | None:
        """The session of the calls."""
        return self._session

    def _call(
        self, tool: str, arguments: Mapping[str, Any] | None, check: bool, more: dict[str, Any]
    ) -> ToolResult:
        caller = Caller()
        # Python handles signals on this thread alone.
        signals = threading.get_ident() == threading.main_thread().ident
        fields = self._native.call(
            tool, _merged(arguments, more), self._context, self._asking(caller), caller, signals
        )
        result = self._result(tool, fields)
        return result.check() if check else result

    async def _acall(
        self, tool: str, arguments: Mapping[str, Any] | None, check: bool, more: dict[str, Any]
    ) -> ToolResult:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[ToolResult] = loop.create_future()

        def settle(result: ToolResult) -> None:
            if not done.done():
                done.set_result(result)

        def deliver(fields: tuple[bool, Any, str | None, float | None, dict[str, Any]]) -> None:
            # A closed loop has no caller left that waits.
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, self._result(tool, fields))

        caller = Caller(loop)
        work = self._native.start(
            tool, _merged(arguments, more), self._context, self._asking(caller), caller, deliver
        )
        try:
            result = await asyncio.shield(done)
        except asyncio.CancelledError:
            work.cancel()
            # It ends at its next checkpoint, or is given up on within half a second.
            await asyncio.wait({done})
            raise
        return result.check() if check else result

    def _result(self, tool: str, fields: tuple[bool, Any, str | None, float | None, dict[str, Any]]) -> ToolResult:
        # Only the text of a failure depends on the tool.
        success = fields[0]
        return ToolResult(*fields, plain_errors=not success and self._native.has_plain_errors(tool))

    def _asking(self, caller: Caller) -> Any:
        return asking(self._approver, caller) if self._approver is not None else None

    def tools(self) -> list[Tool]:
        """Every tool."""
        return [Tool(self, **about) for about in self._native.tools()]

    def _tools_by_operation(self) -> dict[str, Tool]:
        # Describing all tools takes longer than a call; those of the dialect do not change.
        if self._by_operation is None:
            self._by_operation = {each.name.replace("_", "").lower(): each for each in self.tools()}
        return self._by_operation

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools())

    def __getitem__(self, name: str) -> Tool:
        """The tool with that name."""
        found = next((each for each in self.tools() if each.name == name), None)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return any(each.name == name for each in self.tools())

    def schemas(self, format: Format = "openai") -> list[dict[str, Any]]:
        """Every tool in the format of a model provider."""
        with raised():
            return self._native.schemas(format)

    def register(self, own: OwnTool | Callable[..., Any]) -> Tool:
        """Adds your own tool: an `OwnTool`, or a function, as with `@tool`. Works as a decorator.

        Raises:
            AlreadyExistsError: A tool with that name already exists.
            TypeError: The parameters cannot be described to a model.
        """
        added = own if isinstance(own, OwnTool) else tool(own)
        about = added.about()
        with raised():
            self._native.register(about, added.answer)
        return self[about["name"]]

    def deregister(self, name: str) -> bool:
        """Removes a tool; returns whether it existed."""
        return self._native.deregister(name)

    def executions(self) -> list[Execution]:
        """The latest calls, oldest first."""
        return [execution(plain) for plain in self._native.executions()]

    def clear_executions(self) -> None:
        """Clears the list of calls."""
        self._native.clear_executions()

    def changes(self, limit: int = 20) -> list[Change]:
        """The latest recorded changes of the workspace, by any agent, newest first."""
        with raised():
            return [change(plain) for plain in self._native.changes(limit)]

    def undo(self, id: int | None = None) -> Change:
        """Undoes a change exactly: this one, or the latest of the session, or without a session the latest of all.

        Returns the change that reverted it.

        Raises:
            ToolError: There is no such change, or the same lines have been changed since. Then nothing is undone.
        """
        with raised():
            return change(self._native.reverse(False, id, self._session, self._agent or "python"))

    def redo(self, id: int | None = None) -> Change:
        """Redoes a change that was undone."""
        with raised():
            return change(self._native.reverse(True, id, self._session, self._agent or "python"))

    def read_bytes(self, path: str | os.PathLike[str], limit: int = 64 * 1024 * 1024) -> bytes:
        """The bytes of a file of at most `limit` bytes. The rules of the Read tool apply."""
        with raised():
            return self._native.read_bytes(Path(path), limit, self._context)

    def langchain_tools(self, names: Iterable[str] | None = None, *, read_only: bool = False) -> list[BaseTool]:
        """The tools as LangChain tools, for any LangChain or LangGraph agent. Needs `toolcrib[langchain]`.

        Args:
            names: Only these, in this order; by default all.
            read_only: Only those that change nothing.

        Raises:
            UnknownToolError: There is no tool with one of the names.
        """
        chosen = self.tools()
        if names is not None:
            known = {each.name: each for each in chosen}
            wanted = [names] if isinstance(names, str) else list(names)
            for name in wanted:
                if name not in known:
                    raise UnknownToolError(f"There is no tool '{name}'", hint=f"the tools are {', '.join(known)}")
            chosen = [known[name] for name in wanted]
        return [each.to_langchain_tool() for each in chosen if each.effect == "reads" or not read_only]

    def __repr__(self) -> str:
        roots = ", ".join(repr(str(root)) for root in self.roots)
        return f"Toolbox({roots}, dialect={self.dialect!r}, session={self._session!r})"


class Tool:
    """A tool of a toolbox. Call it like a function: `box["Read"](file_path="/path/to/file")`."""

    __slots__ = ("_box", "category", "description", "effect", "name", "parameters", "title")

    def __init__(
        self,
        box: Toolbox,
        *,
        name: str,
        title: str,
        description: str,
        category: str,
        effect: str,
        parameters: dict[str, Any],
    ) -> None:
        self._box = box
        self.name = name
        """The name for the model."""
        self.title = title
        """The name for people."""
        self.description = description
        """What it does and when to use it, for the model."""
        self.category = category
        """The category: FILE, EXECUTION, WEB, TASK, NOTEBOOK, MCP or OTHER."""
        self.effect = effect
        """Whether a call only `reads`, `proposes` changes to files, or `acts` by itself."""
        self.parameters = parameters
        """The JSON schema of its parameters."""

    def __call__(self, arguments: Mapping[str, Any] | None = None, /, *, check: bool = False, **more: Any) -> ToolResult:
        """Calls the tool, as `Toolbox.call` does."""
        return self._box.call(self.name, _merged(arguments, more), check=check)

    async def acall(
        self, arguments: Mapping[str, Any] | None = None, /, *, check: bool = False, **more: Any
    ) -> ToolResult:
        """The same for asyncio."""
        return await self._box.acall(self.name, _merged(arguments, more), check=check)

    def schema(self, format: Format = "openai") -> dict[str, Any]:
        """The tool in the format of a model provider."""
        names = [each.name for each in self._box.tools()]
        return self._box.schemas(format)[names.index(self.name)]

    def to_langchain_tool(self) -> BaseTool:
        """The tool as a LangChain tool that runs in this process. Needs `toolcrib[langchain]`."""
        from .langchain import ToolcribTool

        return ToolcribTool.of(self)

    def __repr__(self) -> str:
        return f"<Tool {self.name} of {self._box!r}>"


def _merged(arguments: Mapping[str, Any] | None, more: dict[str, Any]) -> Any:
    if arguments is None:
        return more
    if not isinstance(arguments, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        # What a model wrote instead of an object; the engine says what is wrong with it.
        return arguments
    return {**arguments, **more}
