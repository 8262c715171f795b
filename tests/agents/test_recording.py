"""What agents change with their own tools is in the journal, by the hook that `toolcrib init AGENT --record` installs: under the agent's
name and the tool's, and undone to the byte.

`cargo xtask test agents` installs the agents from npm and runs this.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agents import AGENTS, Agent, Home
from model import Call, Model

OLD = b"one\r\ntwo\n\xe2\x82\xac and no newline at the end"
NEW = OLD.replace(b"two", b"2")


def steps(client: str, project: Path) -> list[Call]:
    """The agent reads a file, edits it and writes another, in the terms of its own tools."""
    file, other = str(project / "notes.txt"), str(project / "new/deep/other.txt")
    if client == "opencode":
        edit = {"filePath": file, "oldString": "two", "newString": "2"}
        return [Call("read", {"filePath": file}), Call("edit", edit), Call("write", {"filePath": other, "content": "x\n"})]
    edit = {"file_path": file, "old_string": "two", "new_string": "2"}
    write = {"file_path": other, "content": "x\n"}
    if client == "claude-code":
        return [Call("Read", {"file_path": file}), Call("Edit", edit), Call("Write", write)]
    if client == "gemini":
        return [Call("read_file", {"file_path": file}), Call("replace", {**edit, "instruction": "2"}), Call("write_file", write)]
    return [Call("read_file", {"file_path": file}), Call("edit", edit), Call("write_file", write)]


NAMES = {
    "claude-code": ["Edit", "Write"],
    "gemini": ["replace", "write_file"],
    "qwen": ["edit", "write_file"],
    "opencode": ["edit", "write"],
}
OPTIONS = {"claude-code": ["--permission-mode", "acceptEdits"]}


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if agent.client in NAMES], ids=lambda agent: agent.client)
def test_the_agents_own_edits_are_recorded_and_undone(agent: Agent, tmp_path: Path) -> None:
    if not agent.installed():
        pytest.skip(f"{agent.package} is not installed")
    home = Home(tmp_path.resolve(), {})
    project = home.project("project")
    (project / "notes.txt").write_bytes(OLD)
    (project / "notes.txt").chmod(0o640)
    done = home.toolcrib(project, "init", agent.client, "--record", "--yes")
    assert done.returncode == 0, done.stderr
    script = steps(agent.client, project)
    model = Model(script, pick=lambda tool, offered: tool if tool in offered else None)
    command = [*agent.command, *OPTIONS.get(agent.client, [])]
    run = replace(agent, command=command, search=None).run(home, project, model)
    assert not model.unexpected, (model.unexpected, run)
    assert len(model.results()) == len(script), (model.results(), run)
    edited = (project / "notes.txt").read_bytes()
    assert edited == NEW or edited.replace(b"\r\n", b"\n") == NEW.replace(b"\r\n", b"\n"), (edited, model.results())
    assert (project / "new/deep/other.txt").exists(), model.results()

    log = home.toolcrib(project, "log", "--json")
    changes = json.loads(log.stdout)["metadata"]["changes"]
    doctor = home.toolcrib(project, "doctor")
    assert [change["tool"] for change in reversed(changes)] == NAMES[agent.client], (changes, doctor.stdout, run)
    assert {change["agent"] for change in changes} == {agent.client}
    assert len({change["session"] for change in changes}) == 1 and changes[0]["session"]
    for change in changes:
        undone = home.toolcrib(project, "undo", str(change["id"]))
        assert undone.returncode == 0, undone.stderr
    assert (project / "notes.txt").read_bytes() == OLD
    assert (project / "notes.txt").stat().st_mode & 0o777 == 0o640
    assert not (project / "new").exists()
