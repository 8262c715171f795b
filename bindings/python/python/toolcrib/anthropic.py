"""Anthropic's text editor and memory tools for the tool runner of its client. Needs `toolcrib[anthropic]`.

>>> import anthropic
>>> from toolcrib.anthropic import Memory, TextEditor
>>> tools = [TextEditor("/path/to/project"), Memory("~/.memories")]
>>> runner = anthropic.Anthropic().beta.messages.tool_runner(model=..., max_tokens=4096, messages=..., tools=tools)

In a loop of your own, send `tool.to_dict()` with the tools and answer a `tool_use` block with `tool.call(block.input)`.
For `AsyncAnthropic` there are `AsyncTextEditor` and `AsyncMemory`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from anthropic.lib.tools import (
    BetaAsyncBuiltinFunctionTool,
    BetaBuiltinFunctionTool,
    BetaFunctionToolResultType,
    ToolError,
)
from anthropic.types.beta import BetaCacheControlEphemeralParam, BetaToolUnionParam

from .results import ToolResult
from .toolbox import Dialect, Tool, Toolbox

__all__ = ["AsyncMemory", "AsyncTextEditor", "Memory", "TextEditor"]

Version = Literal["20250728", "20250124"]
"""The version of the text editor: that of all current models, or the one of January 2025, which has `undo_edit`."""

_EDITORS: dict[Dialect, tuple[Version, str]] = {
    "text-editor": ("20250728", "str_replace_based_edit_tool"),
    "text-editor-20250124": ("20250124", "str_replace_editor"),
}
"""The dialects of the text editor: the version of each, and the name of its tool."""


class _Adapter:
    """A tool of a toolbox under the definition that the provider has for it."""

    def __init__(self, box: Toolbox, name: str, definition: Mapping[str, object]) -> None:
        self.box = box
        """The toolbox of the tool, for its log, its changes and `undo`."""
        self._tool: Tool = box[name]
        given = {key: value for key, value in definition.items() if value is not None}
        self._definition = {**self._tool.schema("anthropic"), **given}

    def to_dict(self) -> BetaToolUnionParam:
        """The definition of the tool, for the `tools` of a request."""
        return cast(BetaToolUnionParam, dict(self._definition))


class _Editor(_Adapter):
    def __init__(
        self,
        root: str | os.PathLike[str] | Toolbox,
        *,
        version: Version | None = None,
        max_characters: int | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        **options: Any,
    ) -> None:
        """Opens a directory with the options of `Toolbox`, or uses a toolbox of a text editor's dialect.

        Args:
            root: The directory, or the toolbox.
            version: The version of the tool: `20250728`, or `20250124` for older models.
            max_characters: How much an answer may have, as the definition tells the model.
            cache_control: A breakpoint for the prompt cache, in the definition.
            options: The options of `Toolbox`, if a directory is given.
        """
        if isinstance(root, Toolbox):
            box = _of_dialect(root, options, "text-editor", "text-editor-20250124")
        else:
            dialects: dict[str, Dialect] = {known: dialect for dialect, (known, _) in _EDITORS.items()}
            box = Toolbox(root, dialect=dialects[version or "20250728"], **options)
        known, name = _EDITORS[cast(Dialect, box.dialect)]
        if version not in (None, known):
            raise ValueError(f"the toolbox has version {known} of the text editor, not {version}")
        if max_characters is not None:
            if known != "20250728":
                raise ValueError(f"version {known} of the text editor has no max_characters")
            # The limit is one of bytes, of which a character has one at least.
            box = box.using(max_output_size=max_characters)
        super().__init__(box, name, {"max_characters": max_characters, "cache_control": cache_control})


class _Memory(_Adapter):
    def __init__(
        self,
        root: str | os.PathLike[str] | Toolbox,
        *,
        cache_control: BetaCacheControlEphemeralParam | None = None,
        **options: Any,
    ) -> None:
        """Opens a directory with the options of `Toolbox`, or uses a toolbox of the memory dialect.

        Args:
            root: The directory, which is created if it is missing, or the toolbox. The model sees it as `/memories`.
            cache_control: A breakpoint for the prompt cache, in the definition.
            options: The options of `Toolbox`, if a directory is given.
        """
        if isinstance(root, Toolbox):
            box = _of_dialect(root, options, "memory")
        else:
            directory = Path(root).expanduser()
            # What an agent remembers about its user is nothing for other users.
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            box = Toolbox(directory, dialect="memory", **options)
        super().__init__(box, "memory", {"cache_control": cache_control})


class TextEditor(_Editor, BetaBuiltinFunctionTool):
    """The text editor of Anthropic's models, on the files of a workspace.

    Containment, rules, approval, dry run, the journal and undo are those of the toolbox.
    """

    def call(self, input: object) -> BetaFunctionToolResultType:
        """Carries out the input of a `tool_use` block and returns the content of its `tool_result`.

        Raises:
            anthropic.lib.tools.ToolError: The command failed; its `content` is for a `tool_result` with `is_error`.
        """
        return _content(self._tool(cast(Any, input)))


class AsyncTextEditor(_Editor, BetaAsyncBuiltinFunctionTool):
    """The same for `AsyncAnthropic`."""

    async def call(self, input: object) -> BetaFunctionToolResultType:
        """As `TextEditor.call`."""
        return _content(await self._tool.acall(cast(Any, input)))


class Memory(_Memory, BetaBuiltinFunctionTool):
    """The memory of Anthropic's models, in the files of a directory.

    Containment, rules, approval, dry run, the journal and undo are those of the toolbox.
    """

    def call(self, input: object) -> BetaFunctionToolResultType:
        """Carries out the input of a `tool_use` block and returns the content of its `tool_result`.

        Raises:
            anthropic.lib.tools.ToolError: The command failed; its `content` is for a `tool_result` with `is_error`.
        """
        return _content(self._tool(cast(Any, input)))


class AsyncMemory(_Memory, BetaAsyncBuiltinFunctionTool):
    """The same for `AsyncAnthropic`."""

    async def call(self, input: object) -> BetaFunctionToolResultType:
        """As `Memory.call`."""
        return _content(await self._tool.acall(cast(Any, input)))


def _of_dialect(box: Toolbox, options: Mapping[str, Any], *dialects: Dialect) -> Toolbox:
    if options:
        raise TypeError(f"the toolbox is open, its options cannot be given here: {', '.join(options)}")
    if box.dialect not in dialects:
        wanted = " or ".join(f"dialect={dialect!r}" for dialect in dialects)
        raise ValueError(f"the toolbox speaks {box.dialect}: open it with {wanted}")
    return box


def _content(result: ToolResult) -> BetaFunctionToolResultType:
    if not result.success:
        raise ToolError(str(result))
    images: list[Any] = [
        {"type": "image", "source": {"type": "base64", "media_type": image.mime_type, "data": image.base64_data}}
        for image in result.images
    ]
    text = str(result)
    return [{"type": "text", "text": text}, *images] if images else text
