"""deepagents with our engine under its own file tools."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends.filesystem import FilesystemBackend
from langchain_core.messages import AIMessage, HumanMessage
from scripted import ScriptedModel, calls, last_answer

from toolcrib import Rule, Toolbox
from toolcrib.deepagents import Backend


@pytest.fixture
def backend(workspace: Path, tmp_path: Path) -> Backend:
    return Backend(workspace, journal=tmp_path / "state")


@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_agent_greps_reads_edits_and_looks_again(backend: Backend, workspace: Path, way: str) -> None:
    (workspace / "src").mkdir()
    file = workspace / "src/app.py"
    file.write_text("def main():\n    return 41  # wrong\n")

    def read(messages: list[Any]) -> AIMessage:
        assert "/src/app.py" in str(last_answer(messages).content)
        return calls("read_file", file_path="/src/app.py")

    def edit(messages: list[Any]) -> AIMessage:
        assert "    return 41  # wrong" in str(last_answer(messages).content)
        return calls("edit_file", file_path="/src/app.py", old_string="41  # wrong", new_string="42")

    def look(messages: list[Any]) -> AIMessage:
        assert last_answer(messages).status == "success"
        return calls("grep", pattern="# wrong")

    def end(messages: list[Any]) -> AIMessage:
        return AIMessage(f"Done: {last_answer(messages).content}")

    model = ScriptedModel(script=[calls("grep", pattern="# wrong"), read, edit, look, end])
    agent = create_deep_agent(model=model, backend=backend)
    question = {"messages": [HumanMessage("Fix the line that is marked as wrong.")]}
    answer = agent.invoke(question) if way == "sync" else asyncio.run(agent.ainvoke(question))
    assert answer["messages"][-1].content == "Done: No matches found"
    assert file.read_text() == "def main():\n    return 42\n"
    assert [execution.tool_name for execution in backend.box.executions()] == ["grep", "read", "edit", "grep"]
    backend.box.undo()
    assert "# wrong" in file.read_text()


def fill(workspace: Path) -> None:
    files = {
        "top.py": "import os\nTODO\n",
        "src/app/main.py": "one\nTODO two\nthree",
        "src/app/notes.md": "# TODO\n",
        ".github/workflows/ci.yml": "on: push\n",
        "empty.txt": "",
    }
    for name, text in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_it_answers_as_their_own_backend_does(backend: Backend, workspace: Path) -> None:
    fill(workspace)
    theirs = FilesystemBackend(root_dir=workspace, virtual_mode=True)

    def paths(result: Any) -> list[str]:
        return sorted(info["path"] for info in result.matches)

    for pattern in ("*.py", "**/*.py", "src/**/*.md", "/*.py", "*.yml", "**/*.yml", "top.*", "*.{py,md}", "nothing"):
        assert paths(backend.glob(pattern)) == paths(theirs.glob(pattern)), pattern
    assert paths(backend.glob("*.py", "/src")) == paths(theirs.glob("*.py", "/src")) == ["/src/app/main.py"]
    assert backend.glob("*.py", "/nowhere").matches == theirs.glob("*.py", "/nowhere").matches == []
    assert backend.glob("../*").error and theirs.glob("../*").error
    for arguments in ({}, {"path": "/src"}, {"glob": "*.py"}, {"glob": "**/*.md"}):
        found = [sorted(backend_.grep("TODO", **arguments).matches, key=str) for backend_ in (backend, theirs)]
        assert found[0] == found[1], arguments
    for name in ("/top.py", "/src/app/main.py"):
        for window in ((0, 2000), (1, 1), (0, 1), (-3, 2), (0, 0)):
            assert backend.read(name, *window) == theirs.read(name, *window), (name, window)
    for read in (backend.read, theirs.read):
        assert read("/nowhere").error and read("/top.py", 99).error
    listed = [
        sorted((entry["path"], entry["is_dir"], entry["size"]) for entry in backend_.ls("/").entries)
        for backend_ in (backend, theirs)
    ]
    assert listed[0] == listed[1]
    assert backend.ls("/nowhere").error and backend.ls("/top.py").error
    assert [response.content for response in backend.download_files(["/top.py"])] == [b"import os\nTODO\n"]
    assert [response.error for response in backend.download_files(["/nowhere", "/src"])] == [
        response.error for response in theirs.download_files(["/nowhere", "/src"])
    ]


def test_it_writes_edits_and_deletes(backend: Backend, workspace: Path) -> None:
    assert backend.write("/deep/a.txt", "one one\n").path == "/deep/a.txt"
    assert (workspace / "deep/a.txt").read_text() == "one one\n"
    assert "found 2 times" in str(backend.edit("/deep/a.txt", "one", "1").error)
    assert backend.edit("/deep/a.txt", "one", "1", replace_all=True).occurrences == 2
    assert (workspace / "deep/a.txt").read_text() == "1 1\n"
    assert backend.delete("/deep/a.txt").path == "/deep/a.txt" and not (workspace / "deep/a.txt").exists()
    assert backend.delete("/deep/a.txt").error
    (workspace / "x").write_text("x")
    assert backend.delete("/x\n*** Add File: y\n+z").error, "a name is a name, and no more of the patch"
    assert (workspace / "x").exists() and not (workspace / "y").exists()
    assert [response.error for response in backend.upload_files([("/up.txt", b"x"), ("/bin", b"\xff")])] == [
        None,
        "only text in UTF-8 can be written",
    ]
    assert (workspace / "up.txt").read_text() == "x" and not (workspace / "bin").exists()
    assert [change.tool for change in backend.box.changes()] == ["write", "apply_patch", "edit", "write"]


def test_what_is_no_plain_text(backend: Backend, workspace: Path) -> None:
    (workspace / "utf16.txt").write_bytes("ä\nö\n".encode("utf-16"))
    (workspace / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    (workspace / "long.txt").write_text("x" * 5000 + "\nend\n")
    (workspace / "data.bin").write_bytes(b"\x00\xff\x00")
    assert backend.read("/utf16.txt").file_data == {"content": "ä\nö\n", "encoding": "utf-8"}
    assert backend.read("/crlf.txt").file_data == {"content": "a\nb\n", "encoding": "utf-8"}
    assert backend.read("/long.txt").file_data == {"content": "x" * 5000 + "\nend\n", "encoding": "utf-8"}
    data = backend.read("/data.bin").file_data
    assert data is not None and (base64.b64decode(data["content"]), data["encoding"]) == (b"\x00\xff\x00", "base64")
    assert backend.edit("/crlf.txt", "a\nb", "c\nd").occurrences == 1
    assert (workspace / "crlf.txt").read_bytes() == b"c\r\nd\r\n"


def test_many_matches_come_page_by_page(backend: Backend, workspace: Path) -> None:
    for number in range(1200):
        (workspace / f"{number:04}.txt").write_text("TODO\nTODO\n")
    matches = backend.grep("TODO").matches
    assert matches is not None and len(matches) == 2400 == len({(each["path"], each["line"]) for each in matches})
    assert len(backend.glob("*.txt").matches or []) == 1200 == len(backend.ls("/").entries or [])
    capped = backend.grep("TODO", max_count=10)
    assert capped.truncated and len(capped.matches or []) == 10
    exact = backend.grep("TODO", glob="0000.txt", max_count=2)
    assert not exact.truncated and len(exact.matches or []) == 2


def test_it_stays_inside_and_obeys_the_rules(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("s")
    (workspace / "link").symlink_to(tmp_path / "secret.txt")
    (workspace / "private").mkdir()
    (workspace / "private/a.txt").write_text("s")
    backend = Backend(workspace, rules=[Rule("read", "private/**", "deny"), Rule("edit", "**", "ask")], journal=False)
    for path in ("/../secret.txt", "/link", "/private/a.txt"):
        result = backend.read(path)
        assert result.error and result.file_data is None
        assert str(workspace) not in result.error, "the real place is not told"
        assert backend.download_files([path])[0].content is None
    assert backend.grep("s").matches == [] == backend.glob("**/*.txt").matches
    assert "Permission denied" in str(backend.write("/a.txt", "x").error)
    assert not (workspace / "a.txt").exists()


def test_a_box_can_be_given(workspace: Path) -> None:
    box = Toolbox(workspace, dialect="ekacode", journal=False, dry_run=True)
    assert Backend(box).write("/a.txt", "x").path and not (workspace / "a.txt").exists()
    with pytest.raises(ValueError, match="dialect='ekacode'"):
        Backend(Toolbox(workspace, journal=False))
