"""The tools in LangChain and LangGraph agents, with a scripted model in the place of a real one."""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.prebuilt import create_react_agent
from scripted import ScriptedModel, calls, last_answer

from toolcrib import Toolbox, ToolResult, tool


def script(workspace: Path) -> list[Any]:
    """Finds a line, reads the file, edits it, and looks whether the line is gone; each step needs the answer before."""

    def read(messages: list[Any]) -> AIMessage:
        found = str(last_answer(messages).content)
        assert found == str(workspace / "src/app.py")
        return calls("Read", file_path=found)

    def edit(messages: list[Any]) -> AIMessage:
        assert last_answer(messages).content == "     1\tdef main():\n     2\t    return 41  # wrong"
        return calls("Edit", file_path=str(workspace / "src/app.py"), old_string="41  # wrong", new_string="42")

    def look(messages: list[Any]) -> AIMessage:
        assert last_answer(messages).status == "success"
        return calls("Grep", pattern="# wrong")

    def end(messages: list[Any]) -> AIMessage:
        return AIMessage(f"Done: {last_answer(messages).content}")

    return [calls("Grep", pattern="# wrong"), read, edit, look, end]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("make", [create_react_agent, create_agent], ids=["langgraph prebuilt", "langchain"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_agent_greps_reads_edits_and_looks_again(open_box: Any, workspace: Path, make: Any, way: str) -> None:
    (workspace / "src").mkdir()
    file = workspace / "src/app.py"
    file.write_text("def main():\n    return 41  # wrong\n")
    box = open_box(session="agent")
    model = ScriptedModel(script=script(workspace))
    agent = make(model, box.langchain_tools())
    question = {"messages": [HumanMessage("Fix the line that is marked as wrong.")]}
    answer = agent.invoke(question) if way == "sync" else asyncio.run(agent.ainvoke(question))
    assert answer["messages"][-1].content == "Done: No matches found"
    assert file.read_text() == "def main():\n    return 42\n"
    assert [execution.tool_name for execution in box.executions()] == ["Grep", "Read", "Edit", "Grep"]
    assert {tool.name for tool in model.bound} == {tool.name for tool in box}
    box.undo()
    assert "# wrong" in file.read_text()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_agent_reads_an_error_and_goes_on(open_box: Any, workspace: Path) -> None:
    (workspace / "a.txt").write_text("x\n")

    def after(messages: list[Any]) -> AIMessage:
        answer = last_answer(messages)
        assert answer.status == "error" and str(answer.content).startswith("Error: File not found")
        return calls("Read", file_path=str(workspace / "a.txt"))

    def end(messages: list[Any]) -> AIMessage:
        return AIMessage(str(last_answer(messages).content))

    model = ScriptedModel(script=[calls("Read", file_path=str(workspace / "b.txt")), after, end])
    agent = create_react_agent(model, open_box().langchain_tools())
    answer = agent.invoke({"messages": [HumanMessage("Read it.")]})
    assert answer["messages"][-1].content == "     1\tx"


def call_of(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "name": name, "args": arguments, "id": "1"}


def test_a_tool_is_a_base_tool_with_the_schema(box: Toolbox) -> None:
    read = box["Read"].to_langchain_tool()
    assert isinstance(read, BaseTool)
    assert (read.name, read.description) == ("Read", box["Read"].description)
    assert set(read.args) == set(box["Read"].parameters["properties"])
    described = convert_to_openai_tool(read)["function"]
    assert described["parameters"]["properties"] == box["Read"].schema("langchain")["properties"]
    assert described["parameters"]["required"] == ["file_path"]
    grep = convert_to_openai_tool(box["Grep"].to_langchain_tool())["function"]
    assert "-i" in grep["parameters"]["properties"]


def test_the_message_has_the_result_beside_it(box: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    message = box["Read"].to_langchain_tool().invoke(call_of("Read", file_path=str(workspace / "a.txt")))
    assert isinstance(message, ToolMessage) and message.content == "     1\tone"
    assert isinstance(message.artifact, ToolResult) and message.artifact.metadata["lines_read"] == 1


def test_names_that_python_has_not_go_through(box: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("ONE\n")
    grep = box["Grep"].to_langchain_tool()
    assert grep.invoke({"pattern": "one", "-i": True}) == str(workspace / "a.txt")
    assert grep.invoke({"pattern": "one"}) == "No matches found"


def test_an_image_is_a_content_block(box: Toolbox, workspace: Path) -> None:
    (workspace / "dot.png").write_bytes(png())
    message = box["Read"].to_langchain_tool().invoke(call_of("Read", file_path=str(workspace / "dot.png")))
    text, image = message.content
    assert text["type"] == "text" and "image/png" in json.dumps(text) + json.dumps(message.artifact.metadata)
    assert (image["type"], image["mime_type"]) == ("image", "image/png")
    assert base64.b64decode(image["base64"]).startswith(b"\x89PNG")
    assert "base64_data" not in message.artifact.metadata, "the bytes are handed over once"
    assert [block["type"] for block in message.content_blocks] == ["text", "image"]
    (whole,) = box.call("Read", file_path=workspace / "dot.png").images
    assert whole.data == base64.b64decode(image["base64"]) and whole.mime_type == "image/png"


def test_errors_can_be_raised_instead(box: Toolbox, workspace: Path) -> None:
    read = box["Read"].to_langchain_tool()
    read.handle_tool_error = False
    with pytest.raises(ToolException, match="File not found"):
        read.invoke({"file_path": str(workspace / "b.txt")})
    with pytest.raises(ToolException, match="Missing required parameter"):
        asyncio.run(read.ainvoke({}))


def test_a_tool_of_ones_own_is_one_too(box: Toolbox) -> None:
    @tool(effect="reads")
    async def shout(text: str) -> str:
        """Says it loud."""
        await asyncio.sleep(0)
        return text.upper()

    langchain_tool = box.register(shout).to_langchain_tool()
    assert langchain_tool.invoke({"text": "hi"}) == "HI"
    assert asyncio.run(langchain_tool.ainvoke({"text": "hi"})) == "HI"
    assert langchain_tool.args == {"text": {"type": "string"}}


def test_cancelling_an_agents_tool_ends_the_work(slow_to_search: Path) -> None:
    box = Toolbox(slow_to_search, journal=False)
    grep = box["Grep"].to_langchain_tool()

    async def main() -> None:
        await asyncio.wait_for(grep.ainvoke({"pattern": "[a-z]{50,400}[0-9]"}), timeout=0.3)

    with pytest.raises((asyncio.TimeoutError, TimeoutError)):
        asyncio.run(main())
    assert box.executions()[0].state == "cancelled"


def png() -> bytes:
    """One red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\x00\xff\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
