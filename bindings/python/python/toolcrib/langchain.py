"""Tools for LangChain and LangGraph agents. Needs `toolcrib[langchain]`."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool, ToolException
from pydantic import PrivateAttr

from .results import ToolResult
from .toolbox import Tool

__all__ = ["ToolcribTool"]


class ToolcribTool(BaseTool):
    """A tool of a toolbox as a LangChain tool. Create one with `Tool.to_langchain_tool`.

    Its answer is the text for the model, with images as content blocks; the `ToolResult` is the message's artifact. A
    failure is a `ToolException`, which the model reads as a message with the status `error`. Set `handle_tool_error` to
    False to have it raised.
    """

    handle_tool_error: Any = True
    _tool: Tool = PrivateAttr()

    @classmethod
    def of(cls, tool: Tool) -> ToolcribTool:
        """The LangChain tool of a tool."""
        made = cls(
            name=tool.name,
            description=tool.description,
            args_schema=tool.schema("langchain"),
            response_format="content_and_artifact",
            metadata={"effect": tool.effect, "category": tool.category},
        )
        made._tool = tool
        return made

    def _run(self, **arguments: Any) -> tuple[Any, ToolResult]:
        return _answer(self._tool(arguments))

    async def _arun(self, **arguments: Any) -> tuple[Any, ToolResult]:
        return _answer(await self._tool.acall(arguments))


def _answer(result: ToolResult) -> tuple[Any, ToolResult]:
    if not result.success:
        raise ToolException(str(result))
    images = [
        {"type": "image", "base64": image.base64_data, "mime_type": image.mime_type} for image in result.images
    ]
    text = str(result)
    return ([{"type": "text", "text": text}, *images] if images else text), result.without_images()
