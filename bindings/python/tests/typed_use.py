"""The package as a type checker sees it from outside. It is only checked, never run."""

from __future__ import annotations

from typing import Any

from agents import Agent, ApplyPatchTool
from anthropic import Anthropic, AsyncAnthropic
from anthropic.types.beta import BetaMessageParam
from langchain_core.tools import BaseTool
from typing_extensions import assert_type

import toolcrib
from toolcrib import ApprovalRequest, Call, Change, Execution, OwnTool, Rule, Tool, Toolbox, ToolResult, tool
from toolcrib.anthropic import AsyncMemory, AsyncTextEditor, Memory, TextEditor
from toolcrib.openai import ApplyPatch
from toolcrib.openai_agents import Editor


async def ask(request: ApprovalRequest) -> bool:
    return request.diff is not None


class Count(OwnTool):
    """Counts."""

    def run(self, text: str, call: Call) -> int:
        call.checkpoint()
        return len(text)


@tool
def shout(text: str) -> str:
    """Says it loud."""
    return text.upper()


async def use() -> None:
    box = Toolbox("/", session="s", rules=[Rule("edit", "**", "ask")], approver=ask, journal=False)
    assert_type(box.call("Read", file_path="/a"), ToolResult)
    assert_type(await box.acall("Read", {"file_path": "/a"}, check=True), ToolResult)
    assert_type(box.using(dry_run=True), Toolbox)
    assert_type(box.tools(), list[Tool])
    assert_type(box.schemas("openai"), list[dict[str, Any]])
    assert_type(box.executions(), list[Execution])
    assert_type(box.undo(), Change)
    assert_type(box.langchain_tools(names=["Read"], read_only=True), list[BaseTool])
    assert_type(box.read("a", limit=2, check=True), ToolResult)
    assert_type(toolcrib.__version__, str)
    assert_type(shout, OwnTool)
    assert_type(box.register(Count()), Tool)
    assert_type(box.call("Read", {}).error, "str | None")
    Toolbox("/", approver=lambda request: "always")
    Toolbox("/", dialect="klingon")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    box.using(sesion="s")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Rule("edit", "**", "maybe")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def use_adapters(client: Anthropic, async_client: AsyncAnthropic) -> None:
    messages: list[BetaMessageParam] = [{"role": "user", "content": "Go on."}]
    client.beta.messages.tool_runner(
        model="m", max_tokens=1, messages=messages, tools=[TextEditor("/", version="20250124"), Memory("/", journal=False)]
    )
    async_client.beta.messages.tool_runner(
        model="m", max_tokens=1, messages=messages, tools=[AsyncTextEditor("/", max_characters=9), AsyncMemory("/")]
    )
    Agent(name="a", tools=[ApplyPatchTool(editor=Editor("/"))])
    assert_type(ApplyPatch("/").answer({}), dict[str, Any])
    TextEditor("/", version="20250101")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
