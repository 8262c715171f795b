"""The tools of `toolcrib.anthropic` under the tool runner of Anthropic's own client, with a scripted model."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic.lib.tools import ToolError
from conftest import REPOSITORY

from toolcrib import Rule, Toolbox
from toolcrib.anthropic import AsyncMemory, AsyncTextEditor, Memory, TextEditor

PHOTO = REPOSITORY / "scenarios/read/060_image/input/photo.png"


class Script:
    """In the place of Anthropic's servers: a model that makes one call after the other, and hears the answers."""

    def __init__(self, name: str, *inputs: dict[str, Any]) -> None:
        self.name, self.inputs = name, inputs
        self.requests: list[dict[str, Any]] = []

    def reply(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        turn = len(self.requests) - 1
        if turn < len(self.inputs):
            block = {"type": "tool_use", "id": f"toolu_{turn}", "name": self.name, "input": self.inputs[turn]}
            reason = "tool_use"
        else:
            block, reason = {"type": "text", "text": "Done."}, "end_turn"
        message = {
            "id": f"msg_{turn}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [block],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)

    async def areply(self, request: httpx2.Request) -> httpx2.Response:
        return self.reply(request)

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The answers of the tool, as the model got them."""
        return [request["messages"][-1]["content"][0] for request in self.requests[1:]]


ASKED: Any = {"model": "scripted", "max_tokens": 1024, "messages": [{"role": "user", "content": "Go on."}]}


def run(tool: Any, *inputs: dict[str, Any]) -> Script:
    """Has the runner of the client carry out these calls."""
    script = Script(tool.name, *inputs)
    http = httpx2.Client(transport=httpx2.MockTransport(script.reply))
    with anthropic.Anthropic(api_key="none", base_url="http://scripted", http_client=http) as client:
        last = client.beta.messages.tool_runner(tools=[tool], **ASKED).until_done()
    assert last.content[0].type == "text" and len(script.answers) == len(inputs)
    return script


async def arun(tool: Any, *inputs: dict[str, Any]) -> Script:
    script = Script(tool.name, *inputs)
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(script.areply))
    async with anthropic.AsyncAnthropic(api_key="none", base_url="http://scripted", http_client=http) as client:
        await client.beta.messages.tool_runner(tools=[tool], **ASKED).until_done()
    assert len(script.answers) == len(inputs)
    return script


def said(answer: dict[str, Any]) -> str:
    """The text of an answer that is no error."""
    assert not answer.get("is_error"), answer
    return text_of(answer)


def refused(answer: dict[str, Any]) -> str:
    """The text of an answer that is an error."""
    assert answer.get("is_error"), answer
    return text_of(answer)


def text_of(answer: dict[str, Any]) -> str:
    content = answer["content"]
    return content if isinstance(content, str) else content[0]["text"]


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    return {"journal": tmp_path / "state"}


EDITS: tuple[dict[str, Any], ...] = (
    {"command": "view", "path": "."},
    {"command": "view", "path": "a.py"},
    {"command": "create", "path": "src/b.py", "file_text": "b = 1\n"},
    {"command": "create", "path": "src/b.py", "file_text": "b = 2\n"},
    {"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 2"},
    {"command": "str_replace", "path": "a.py", "old_str": "same"},
    {"command": "str_replace", "path": "a.py", "old_str": "nowhere to be seen"},
    {"command": "insert", "path": "a.py", "insert_line": 0, "insert_text": "# top"},
    {"command": "view", "path": "../outside"},
    {"command": "dance"},
)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_model_edits_files(workspace: Path, options: dict[str, Any], way: str) -> None:
    (workspace / "a.py").write_bytes(b"x = 1\r\n\tsame\r\n\tsame\r\n")
    if way == "sync":
        editor: Any = TextEditor(workspace, **options)
        script = run(editor, *EDITS)
    else:
        editor = AsyncTextEditor(workspace, **options)
        script = asyncio.run(arun(editor, *EDITS))
    assert script.requests[0]["tools"] == [{"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}]
    listed, viewed, created, again, replaced, twice, nowhere, inserted, outside, unknown = script.answers
    assert said(listed).endswith("\n.\n./a.py")
    assert said(viewed).startswith("Here's the result of running `cat -n` on a.py:\n     1\tx = 1\n     2\t\tsame")
    assert said(created) == "File created successfully at: src/b.py"
    assert "File already exists at: src/b.py" in refused(again)
    assert "     1\tx = 2\n" in said(replaced)
    assert "Multiple occurrences of old_str `same` in lines [2, 3]" in refused(twice)
    assert "old_str `nowhere to be seen` did not appear verbatim in a.py" in refused(nowhere)
    assert said(inserted).startswith("The file a.py has been edited.")
    assert "Path outside workspace" in refused(outside)
    assert "allowed: view, create, str_replace, insert" in refused(unknown)
    assert (workspace / "a.py").read_bytes() == b"# top\r\nx = 2\r\n\tsame\r\n\tsame\r\n"
    assert (workspace / "src/b.py").read_text() == "b = 1\n"
    assert len(editor.box.changes()) == 3
    editor.box.undo()
    assert (workspace / "a.py").read_bytes() == b"x = 2\r\n\tsame\r\n\tsame\r\n"


def test_the_older_version_undoes_edits(workspace: Path, options: dict[str, Any]) -> None:
    (workspace / "a.txt").write_text("one\n")
    editor = TextEditor(workspace, version="20250124", **options)
    script = run(
        editor,
        {"command": "insert", "path": "a.txt", "insert_line": 1, "new_str": "two"},
        {"command": "undo_edit", "path": "a.txt"},
        {"command": "undo_edit", "path": "a.txt"},
    )
    assert script.requests[0]["tools"] == [{"type": "text_editor_20250124", "name": "str_replace_editor"}]
    inserted, undone, nothing = script.answers
    assert "     2\ttwo" in said(inserted)
    assert said(undone).startswith("Last edit to a.txt undone successfully.")
    assert "No edit history found for a.txt." in refused(nothing)
    assert (workspace / "a.txt").read_text() == "one\n"


MEMORIES: tuple[dict[str, Any], ...] = (
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/people/ada.md", "file_text": "Ada\nlikes tea\n"},
    {"command": "create", "path": "/memories/people/ada.md", "file_text": "Ada\n"},
    {"command": "view", "path": "/memories/people/ada.md"},
    {"command": "str_replace", "path": "/memories/people/ada.md", "old_str": "tea", "new_str": "coffee"},
    {"command": "insert", "path": "/memories/people/ada.md", "insert_line": 2, "insert_text": "and engines"},
    {"command": "rename", "old_path": "/memories/people", "new_path": "/memories/users"},
    {"command": "view", "path": "/memories"},
    {"command": "delete", "path": "/memories/users"},
    {"command": "delete", "path": "/memories"},
    {"command": "view", "path": "/memories/../../etc/passwd"},
    {"command": "view", "path": "/etc/passwd"},
)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_model_remembers(tmp_path: Path, options: dict[str, Any], way: str) -> None:
    store = tmp_path / "not/there/yet"
    if way == "sync":
        memory: Any = Memory(store, **options)
        script = run(memory, *MEMORIES)
    else:
        memory = AsyncMemory(store, **options)
        script = asyncio.run(arun(memory, *MEMORIES))
    assert store.stat().st_mode & 0o777 == 0o700
    assert script.requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    empty, created, again, viewed, replaced, inserted, renamed, listed, deleted, everything, climbed, elsewhere = (
        script.answers
    )
    assert said(empty).endswith(":\n4K\t/memories")
    assert said(created) == "File created successfully at: /memories/people/ada.md"
    assert refused(again).startswith("Error: File /memories/people/ada.md already exists")
    heading = "Here's the content of /memories/people/ada.md with line numbers:"
    assert said(viewed) == f"{heading}\n     1\tAda\n     2\tlikes tea"
    assert said(replaced).startswith("The memory file has been edited.")
    assert said(inserted) == "The file /memories/people/ada.md has been edited."
    assert said(renamed) == "Successfully renamed /memories/people to /memories/users"
    assert said(listed).endswith("4K\t/memories/users/\n29B\t/memories/users/ada.md")
    assert said(deleted) == "Successfully deleted /memories/users"
    assert "Cannot delete the /memories directory itself" in refused(everything)
    assert "would escape /memories directory" in refused(climbed)
    assert "Path must start with /memories" in refused(elsewhere)
    assert not list(store.iterdir())
    memory.box.undo()
    assert (store / "users/ada.md").read_text() == "Ada\nlikes coffee\nand engines\n"


@pytest.mark.parametrize("make, path", [(TextEditor, "photo.png"), (Memory, "/memories/photo.png")])
def test_an_image_is_shown(workspace: Path, make: Callable[..., Any], path: str) -> None:
    (workspace / "photo.png").write_bytes(PHOTO.read_bytes())
    text, image = run(make(workspace, journal=False), {"command": "view", "path": path}).answers[0]["content"]
    assert text["type"] == "text" and text["text"].startswith("PNG image")
    assert image["type"] == "image" and image["source"]["media_type"] == "image/png"
    assert base64.b64decode(image["source"]["data"]) == PHOTO.read_bytes()


def test_a_long_answer_is_cut_and_says_how_to_go_on(workspace: Path) -> None:
    (workspace / "long.txt").write_text("".join(f"{number} ääää\n" for number in range(2000)))
    editor = TextEditor(workspace, max_characters=4000, journal=False)
    script = run(editor, {"command": "view", "path": "long.txt"})
    assert script.requests[0]["tools"][0]["max_characters"] == 4000
    answer = said(script.answers[0])
    assert 1000 < len(answer) <= 4000
    assert "(the file goes on to line 2000: view it with view_range [" in answer
    with pytest.raises(ValueError, match="no max_characters"):
        TextEditor(workspace, version="20250124", max_characters=4000, journal=False)


def test_a_loop_of_ones_own(workspace: Path) -> None:
    editor = TextEditor(workspace, journal=False, cache_control={"type": "ephemeral"})
    assert editor.to_dict().get("cache_control") == {"type": "ephemeral"}
    assert editor.call({"command": "create", "path": "a.txt", "file_text": "a\n"})
    with pytest.raises(ToolError) as failed:
        editor.call({"command": "create", "path": "a.txt", "file_text": "b\n"})
    assert "File already exists" in str(failed.value.content)
    for nonsense in ("view", None, 7, ["view"]):
        with pytest.raises(ToolError, match="Parameters must be a JSON object|Missing required parameter"):
            editor.call(nonsense)


def test_rules_and_dry_run_are_those_of_the_toolbox(workspace: Path) -> None:
    create = {"command": "create", "path": "a.txt", "file_text": "a\n"}
    guarded = TextEditor(workspace, journal=False, rules=[Rule("edit", "**", "ask")])
    with pytest.raises(ToolError, match="Permission denied"):
        guarded.call(create)
    rehearsal = TextEditor(workspace, journal=False, dry_run=True)
    assert rehearsal.call(create)
    assert not (workspace / "a.txt").exists()


def test_a_box_can_be_given(workspace: Path) -> None:
    def box(dialect: Any) -> Toolbox:
        return Toolbox(workspace, dialect=dialect, journal=False)

    assert TextEditor(box("text-editor-20250124")).name == "str_replace_editor"
    assert Memory(box("memory")).name == "memory"
    with pytest.raises(ValueError, match="dialect='text-editor' or dialect='text-editor-20250124'"):
        TextEditor(box("memory"))
    with pytest.raises(ValueError, match="dialect='memory'"):
        Memory(box("standard"))
    with pytest.raises(ValueError, match="has version 20250728"):
        TextEditor(box("text-editor"), version="20250124")
    with pytest.raises(TypeError, match="journal"):
        TextEditor(box("text-editor"), journal=False)
