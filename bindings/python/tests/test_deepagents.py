"""deepagents with our engine under its own file tools."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends.filesystem import FilesystemBackend
from deepagents.backends.protocol import BackendProtocol
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


TREE: dict[str, str | bytes] = {
    "top.py": "import os\nTODO\n",
    "src/app/main.py": "one\nTODO two\nthree",
    "src/app/notes.md": "# TODO\n",
    ".github/workflows/ci.yml": "on: push\n",
    "empty.txt": "",
}


def one(content: str | bytes) -> dict[str, str | bytes]:
    return {"f.txt": content}


# Name, files, method, arguments. What their search answers only if `rg` is installed, or only if it is not, is left out.
CASES: list[tuple[str, dict[str, str | bytes], str, tuple[Any, ...]]] = [
    ("ls", TREE, "ls", ("/",)),
    ("ls below", TREE, "ls", ("/src/app",)),
    ("ls with a slash", TREE, "ls", ("/src/",)),
    ("ls an empty directory", {}, "ls", ("/",)),
    ("ls what is not there", TREE, "ls", ("/nowhere",)),
    ("ls a file", TREE, "ls", ("/top.py",)),
    ("ls outside", TREE, "ls", ("/../",)),
    ("read", TREE, "read", ("/top.py",)),
    ("read without a slash", TREE, "read", ("top.py",)),
    ("read without a final newline", TREE, "read", ("/src/app/main.py",)),
    ("read a window", TREE, "read", ("/src/app/main.py", 1, 1)),
    ("read the beginning", TREE, "read", ("/src/app/main.py", 0, 2)),
    ("read to the end", TREE, "read", ("/src/app/main.py", 2, 100)),
    ("read from before the beginning", TREE, "read", ("/src/app/main.py", -3, 2)),
    ("read no lines", TREE, "read", ("/src/app/main.py", 0, 0)),
    ("read behind the end", TREE, "read", ("/src/app/main.py", 99)),
    ("read blank lines", one("a\n\n\nb\n\n"), "read", ("/f.txt",)),
    ("read a long line", one("x" * 5000 + "\nend\n"), "read", ("/f.txt",)),
    ("read beyond ascii", one("Grüße → 🦀\n"), "read", ("/f.txt",)),
    ("read an image", {"i.png": b"\x89PNG\r\n\x1a\nno image"}, "read", ("/i.png",)),
    ("read crlf", one(b"a\r\nb\r\n"), "read", ("/f.txt",)),
    ("read an empty file", TREE, "read", ("/empty.txt",)),
    ("read nothing but blanks", one(" \n\n"), "read", ("/f.txt",)),
    ("read latin-1", one(b"caf\xe9\n"), "read", ("/f.txt",)),
    ("read a byte order mark", one(b"\xef\xbb\xbfa\n"), "read", ("/f.txt",)),
    ("read what is not there", TREE, "read", ("/nowhere",)),
    ("read a directory", TREE, "read", ("/src",)),
    ("read outside", TREE, "read", ("/../secret.txt",)),
    ("write", {}, "write", ("/a.txt", "one\n")),
    ("write into new directories", {}, "write", ("/deep/er/a.txt", "one\n")),
    ("write over", one("old\n"), "write", ("/f.txt", "new\n")),
    ("write nothing", {}, "write", ("/a.txt", "")),
    ("write crlf", {}, "write", ("/a.txt", "a\r\nb\r\n")),
    ("write lf over crlf", one(b"a\r\nb\r\n"), "write", ("/f.txt", "a\nc\n")),
    ("write over a directory", TREE, "write", ("/src", "x")),
    ("write below a file", TREE, "write", ("/top.py/x", "x")),
    ("write outside", TREE, "write", ("/../x", "x")),
    ("edit", one("a\nb\nc\n"), "edit", ("/f.txt", "b", "B")),
    ("edit lines", one("a\nb\nc\n"), "edit", ("/f.txt", "a\nb", "A\nB\nB2")),
    ("edit by deleting", one("a\nb\nc\n"), "edit", ("/f.txt", "b\n", "")),
    ("edit all", one("x x\nx\n"), "edit", ("/f.txt", "x", "y", True)),
    ("edit one of several", one("x x\nx\n"), "edit", ("/f.txt", "x", "y")),
    ("edit what is not in it", one("a\n"), "edit", ("/f.txt", "z", "y")),
    ("edit an empty text", one("a\n"), "edit", ("/f.txt", "", "y")),
    ("edit to the same", one("a\n"), "edit", ("/f.txt", "a", "a")),
    ("edit crlf", one(b"a\r\nb\r\nc\r\n"), "edit", ("/f.txt", "a\nb", "A\nB")),
    ("edit latin-1", one(b"caf\xe9\nb\n"), "edit", ("/f.txt", "b", "B")),
    ("edit with a newline that is not there", one("a\nb"), "edit", ("/f.txt", "b\n", "c\n")),
    ("edit what is not there", TREE, "edit", ("/nowhere", "a", "b")),
    ("edit a directory", TREE, "edit", ("/src", "a", "b")),
    ("delete", TREE, "delete", ("/top.py",)),
    ("delete without a slash", TREE, "delete", ("top.py",)),
    ("delete a directory", TREE, "delete", ("/src",)),
    ("delete what is not there", TREE, "delete", ("/nowhere",)),
    ("delete outside", TREE, "delete", ("/../secret.txt",)),
    ("glob a name", TREE, "glob", ("*.py",)),
    ("glob a whole name", TREE, "glob", ("top.*",)),
    ("glob everywhere", TREE, "glob", ("**/*.py",)),
    ("glob below", TREE, "glob", ("src/**/*.md",)),
    ("glob at the top", TREE, "glob", ("/*.py",)),
    ("glob a name in a hidden directory", TREE, "glob", ("*.yml",)),
    ("glob everywhere but in hidden directories", TREE, "glob", ("**/*.yml",)),
    ("glob alternatives", TREE, "glob", ("*.{py,md}",)),
    ("glob nothing", TREE, "glob", ("*.rs",)),
    ("glob in a directory", TREE, "glob", ("*.py", "/src")),
    ("glob in what is not there", TREE, "glob", ("*.py", "/nowhere")),
    ("glob outside", TREE, "glob", ("../*",)),
    ("glob what git ignores", {**TREE, ".gitignore": "*.md\n"}, "glob", ("**/*.md",)),
    ("grep", TREE, "grep", ("TODO",)),
    ("grep below", TREE, "grep", ("TODO", "/src")),
    ("grep names", TREE, "grep", ("TODO", None, "*.py")),
    ("grep paths", TREE, "grep", ("TODO", None, "**/*.md")),
    ("grep nothing", TREE, "grep", ("nothing like this",)),
    ("grep what looks like a pattern", one("a.b\naxb\n"), "grep", ("a.b",)),
    ("grep in what is not there", TREE, "grep", ("TODO", "/nowhere")),
    ("upload", {}, "upload_files", ([("/a.txt", b"one\n"), ("/d/b.txt", b"two\r\n")],)),
    ("upload over", one("old\n"), "upload_files", ([("/f.txt", b"new\n")],)),
    ("upload bytes", {}, "upload_files", ([("/a.bin", b"\x00\xff")],)),
    ("upload over a directory", TREE, "upload_files", ([("/src", b"x")],)),
    ("download", TREE, "download_files", (["/top.py", "/empty.txt"],)),
    ("download bytes", {"a.bin": b"\x00\xff"}, "download_files", (["/a.bin"],)),
    ("download what is not there", TREE, "download_files", (["/nowhere", "/top.py"],)),
    ("download a directory", TREE, "download_files", (["/src"],)),
    ("download outside", TREE, "download_files", (["/../secret.txt"],)),
]

EXCEPTIONS = {
    "read an empty file": "deepagents' tool puts its reminder in place of an empty text itself",
    "read nothing but blanks": "the text is given, and deepagents' tool puts its reminder in its place itself",
    "read latin-1": "the text is given; theirs fails",
    "read a byte order mark": "the mark is no part of the text",
    "write lf over crlf": "a file whose lines all end with CRLF keeps that",
    "edit to the same": "refused: an edit that changes nothing is a slip",
    "edit crlf": "the line endings stay; theirs writes LF",
    "edit latin-1": "the bytes stay; theirs fails",
    "edit with a newline that is not there": "the last line is found without its newline, and stays so; theirs fails",
    "delete a directory": "refused: files are deleted one by one",
    "glob what git ignores": "searches respect ignore files",
    "grep in what is not there": "an error, so that the agent corrects the path; theirs finds nothing",
    "upload bytes": "only text is written",
    "download outside": "permission_denied and not invalid_path",
}


def fill(workspace: Path, files: dict[str, str | bytes] = TREE) -> None:
    workspace.mkdir(exist_ok=True)
    for name, content in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def on_disk(workspace: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(workspace)): path.read_bytes() if path.is_file() else None for path in workspace.rglob("*")
    }


def answered(backend: BackendProtocol, method: str, arguments: tuple[Any, ...]) -> object:
    """The answer, without the sentence of an error and without what is optional: times, and the sizes of files that were found."""
    try:
        answer = getattr(backend, method)(*arguments)
    except ValueError:  # FilesystemBackend raises it for a path with `..`.
        return "error"
    if isinstance(answer, list):
        return [asdict(each) for each in answer]
    fields = asdict(answer)
    if fields["error"] is not None:
        return "error"
    for key, optional in (("entries", {"modified_at"}), ("matches", {"modified_at", "size"})):
        if key in fields:
            rows = [{name: row[name] for name in sorted(row.keys() - optional)} for row in fields[key]]
            fields[key] = sorted(rows, key=str)
    return fields


def test_it_answers_as_their_own_backend_does(tmp_path: Path) -> None:
    assert len(CASES) >= 40 and len({name for name, *_ in CASES}) == len(CASES)
    different: dict[str, str] = {}
    for number, (name, files, method, arguments) in enumerate(CASES):
        roots = [tmp_path / f"{number}-{side}" for side in ("theirs", "ours")]
        for root in roots:
            fill(root, files)
        backends = [FilesystemBackend(root_dir=roots[0], virtual_mode=True), Backend(roots[1], journal=tmp_path / "state")]
        answers = [answered(backend, method, arguments) for backend in backends]
        disks = [on_disk(root) for root in roots]
        if answers[0] != answers[1] or disks[0] != disks[1]:
            different[name] = f"{name}\n  theirs: {answers[0]} {disks[0]}\n  ours:   {answers[1]} {disks[1]}"
    print(f"\n{len(CASES)} calls of deepagents' own backend: {len(CASES) - len(different)} equal, {len(EXCEPTIONS)} exceptions")
    surprising = [text for name, text in different.items() if name not in EXCEPTIONS]
    assert not surprising, "\n".join(surprising)
    assert set(EXCEPTIONS) <= set(different), f"no longer different: {set(EXCEPTIONS) - set(different)}"


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
