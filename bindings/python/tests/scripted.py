"""A chat model that says what it was told to say, and remembers what it heard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

Step = Callable[[list[BaseMessage]], AIMessage]


class ScriptedModel(BaseChatModel):
    """Each turn it takes the next step of the script, which sees the conversation so far."""

    script: list[Any]
    heard: list[list[BaseMessage]] = Field(default_factory=list)
    bound: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        self.bound[:] = tools
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        step = self.script[len(self.heard)]
        self.heard.append(messages)
        message = step(messages) if callable(step) else step
        return ChatResult(generations=[ChatGeneration(message=message)])


def calls(name: str, **arguments: Any) -> AIMessage:
    """The model calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}-{len(arguments)}"}])


def last_answer(messages: list[BaseMessage]) -> ToolMessage:
    """What the tool that was called last has answered."""
    answer = messages[-1]
    assert isinstance(answer, ToolMessage)
    return answer
