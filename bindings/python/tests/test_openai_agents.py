"""OpenAI's patch tool: under the runner of its Agents SDK with a scripted model, and in a loop of one's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, ApplyPatchTool, Runner, apply_diff, set_tracing_disabled
from agents.editor import ApplyPatchEditor
from agents.testing import ScriptedModel, assistant_message
from openai.types.responses import ResponseApplyPatchToolCall

from toolcrib import Rule, Toolbox
from toolcrib.openai import ApplyPatch
from toolcrib.openai_agents import Editor

set_tracing_disabled(True)


@pytest.fixture
def editor(workspace: Path, tmp_path: Path) -> Editor:
    return Editor(workspace, journal=tmp_path / "state")


def call(type: str, path: str, **more: Any) -> dict[str, Any]:
    """An item of a response."""
    operation = {"type": type, "path": path, **more}
    call_id = f"call_{type}_{path}_{len(str(more))}"
    return {"type": "apply_patch_call", "id": "apc_1", "call_id": call_id, "status": "completed", "operation": operation}


def run(editor: Editor, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    """Has the SDK's runner carry out these calls, one each turn, and returns the answers that the model gets."""
    model = ScriptedModel([*([each] for each in calls), [assistant_message("Done.")]])
    agent = Agent(name="coder", model=model, tools=[ApplyPatchTool(editor=editor)])
    assert asyncio.run(Runner.run(agent, "Go on.", max_turns=len(calls) + 1)).final_output == "Done."
    model.assert_complete()
    last = model.last_call
    assert last is not None
    return [item for item in last.input if item.get("type") == "apply_patch_call_output"]


def test_a_model_creates_updates_moves_and_deletes(editor: Editor, workspace: Path) -> None:
    (workspace / "old.py").write_bytes(b"def total():\r\n\treturn 1\r\n")
    (workspace / "gone.txt").write_text("x\n")
    answers = run(
        editor,
        call("create_file", "src/new.py", diff="+a = 1\n+b = 2\n+"),
        call("update_file", "old.py", diff="@@ def total():\n-\treturn 1\n+\treturn 2\n"),
        call("update_file", "old.py", diff="@@\n-nowhere\n+somewhere\n"),
        call("create_file", "old.py", diff="+a = 1\n"),
        call("update_file", "old.py", diff="@@\n-\treturn 2\n+\treturn 3\n", move_to="src/moved.py"),
        call("delete_file", "gone.txt"),
        call("delete_file", "../outside.txt"),
    )
    assert [answer["status"] for answer in answers] == [
        "completed",
        "completed",
        "failed",
        "failed",
        "completed",
        "completed",
        "failed",
    ]
    created, updated, nowhere, exists, moved, deleted, outside = (answer["output"] for answer in answers)
    assert (created, updated, deleted) == ("Created src/new.py", "Updated old.py", "Deleted gone.txt")
    assert moved == "Updated old.py\nMoved old.py to src/moved.py"
    assert "its lines were not found" in nowhere
    assert "old.py: the file already exists" in exists and "overwrite" not in exists
    assert "climbs out" in outside
    assert (workspace / "src/new.py").read_bytes() == b"a = 1\nb = 2\n"
    assert (workspace / "src/moved.py").read_bytes() == b"def total():\r\n\treturn 3\r\n"
    assert sorted(path.name for path in workspace.iterdir()) == ["src"]
    assert len(editor.box.changes()) == 4
    editor.box.undo()
    assert (workspace / "gone.txt").read_text() == "x\n"


def test_it_is_an_editor_of_the_sdk(editor: Editor) -> None:
    assert isinstance(editor, ApplyPatchEditor)


@pytest.mark.parametrize("shape", ["mapping", "object"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_loop_of_ones_own(workspace: Path, shape: str, way: str) -> None:
    patches = ApplyPatch(workspace, journal=False)
    assert patches.to_dict() == {"type": "apply_patch"}

    def answer(item: dict[str, Any]) -> dict[str, Any]:
        given = item if shape == "mapping" else ResponseApplyPatchToolCall.model_validate(item)
        return patches.answer(given) if way == "sync" else asyncio.run(patches.aanswer(given))

    created = call("create_file", "a.txt", diff="+one")
    assert answer(created) == {
        "type": "apply_patch_call_output",
        "call_id": created["call_id"],
        "status": "completed",
        "output": "Created a.txt",
    }
    again = answer({**call("create_file", "a.txt", diff="+two"), "caller": {"type": "program", "caller_id": "p1"}})
    assert again["status"] == "failed" and again["caller"] == {"type": "program", "caller_id": "p1"}
    assert answer(call("update_file", "a.txt", diff="-one\n+two"))["output"] == "Updated a.txt"
    assert answer(call("delete_file", "a.txt"))["output"] == "Deleted a.txt"
    assert not list(workspace.iterdir())


def test_what_is_no_patch_of_a_file(workspace: Path) -> None:
    patches = ApplyPatch(workspace, journal=False)
    with pytest.raises(ValueError, match="an apply_patch_call is needed, not message"):
        patches.answer({"type": "message"})
    with pytest.raises(ValueError, match="an apply_patch_call is needed, not str"):
        patches.answer("apply_patch_call")

    @patches.box.register
    def rename_file(path: str) -> str:  # pyright: ignore[reportUnusedFunction]
        """A tool that the model was not given, and that no operation may reach.

        Args:
            path: The file.
        """
        raise AssertionError(path)

    with pytest.raises(ValueError, match="not rename_file"):
        patches.answer(call("rename_file", "a.txt"))
    incomplete = patches.answer({"type": "apply_patch_call", "call_id": "c", "operation": {"type": "update_file"}})
    assert incomplete["status"] == "failed" and "'path'" in incomplete["output"]


CREATED = ("+one\n+two", "+one\n+two\n", "+one\n+two\n+", "+one\n+\n+\n", "+", "++\n+ a", "+a\r\n+b\r\n+", "+a\r\n+b\n+c", "+a\r")


@pytest.mark.parametrize("diff", CREATED)
def test_a_new_file_is_what_the_sdk_makes_of_the_diff(workspace: Path, diff: str) -> None:
    assert ApplyPatch(workspace, journal=False).answer(call("create_file", "a", diff=diff))["status"] == "completed"
    assert (workspace / "a").read_bytes() == apply_diff("", diff, mode="create").encode()


UPDATED = (
    ("a\nb\nc\n", "@@\n-b\n+B"),
    ("a\nb\nc\n", " a\n-b\n+B\n c\n"),
    ("a\nb\nc", "@@ b\n-c\n+C"),
    ("a\r\nb\r\n", "@@\n a\n-b\n+B\n+C"),
    ("a\nb\nc\nd\ne\n", "@@\n-a\n@@ c\n d\n+D\n e\n"),
    ("class A:\n    def f(self):\n        pass\nclass B:\n    def f(self):\n        pass\n",
     "@@ class B:\n@@     def f(self):\n-        pass\n+        return 1\n"),
    ("a\nb\n", "@@\n+c\n*** End of File"),
    ("a\nb\n", "@@ a\n+c"),
    ("a\nb\n", "@@\n a\n+\n b\n"),
)


@pytest.mark.parametrize("text, diff", UPDATED)
def test_a_certain_update_is_what_the_sdk_makes_of_it(workspace: Path, text: str, diff: str) -> None:
    (workspace / "a").write_bytes(text.encode())
    answer = ApplyPatch(workspace, journal=False).answer(call("update_file", "a", diff=diff))
    assert answer["status"] == "completed", answer
    assert (workspace / "a").read_bytes() == apply_diff(text, diff).encode()


@pytest.mark.parametrize(
    "text, diff, reason",
    [
        ("a\n", "@@\n+b", "only adds lines and says nothing about where"),
        ("a\nb\na\n", "@@\n-a\n+A", "more than one place, lines: [1, 3]"),
        ("a\n", "@@ nowhere\n-a\n+A", "there is no line \"nowhere\""),
        ("a\n", "@@\n-a\n+A\n*** Add File: b\n+b", "expected"),
        ("a\n", "a\n", "starts with neither space, + nor -"),
    ],
)
def test_what_is_not_certain_is_refused(workspace: Path, text: str, diff: str, reason: str) -> None:
    (workspace / "a").write_text(text)
    answer = ApplyPatch(workspace, journal=False).answer(call("update_file", "a", diff=diff))
    assert answer["status"] == "failed" and reason in answer["output"], answer
    assert (workspace / "a").read_text() == text and [path.name for path in workspace.iterdir()] == ["a"]


def test_an_empty_file_has_one_place_for_lines(workspace: Path) -> None:
    (workspace / "a").touch()
    assert ApplyPatch(workspace, journal=False).answer(call("update_file", "a", diff="+b\n"))["status"] == "completed"
    assert (workspace / "a").read_text() == "b\n"


def test_rules_and_dry_run_are_those_of_the_toolbox(workspace: Path) -> None:
    created = call("create_file", "a.txt", diff="+one")
    assert "Permission denied" in run(Editor(workspace, journal=False, rules=[Rule("edit", "**", "ask")]), created)[0]["output"]
    assert run(Editor(workspace, journal=False, dry_run=True), created)[0]["status"] == "completed"
    assert not list(workspace.iterdir())


def test_a_box_can_be_given(workspace: Path) -> None:
    box = Toolbox(workspace, dialect="apply-patch-v4a", journal=False)
    assert Editor(box).box is box
    with pytest.raises(ValueError, match="dialect='apply-patch-v4a'"):
        Editor(Toolbox(workspace, dialect="apply-patch", journal=False))
    with pytest.raises(TypeError, match="dry_run"):
        Editor(box, dry_run=True)
