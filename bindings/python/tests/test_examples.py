"""The examples run, without a key."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import langchain.agents
import pytest
from conftest import REPOSITORY
from langchain_core.messages import AIMessage
from scripted import ScriptedModel, calls, last_answer

EXAMPLES = REPOSITORY / "examples"


def run(name: str, folder: Path) -> str:
    """What an example prints, without keys in the environment."""
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    arguments = [sys.executable, EXAMPLES / name]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["anthropic_loop.py", "openai_loop.py"])
def test_a_tool_loop(name: str, workspace: Path) -> None:
    said = run(name, workspace)
    assert said.endswith("I corrected one word.\nThis is the end.\n")
    assert "     1\tThis is teh end." in said


@pytest.mark.parametrize("name", ["anthropic_editor.py", "openai_agents_editor.py"])
def test_a_tool_of_the_provider(name: str, workspace: Path) -> None:
    said = run(name, workspace)
    assert said.endswith("I corrected one word.\nThis is the end.\n")
    assert "str_replace" in said or "Updated notes.txt" in said


def test_a_tool_of_ones_own(workspace: Path) -> None:
    said = run("own_tool.py", workspace)
    assert '"the": 3' in said and "the name is 'text'" in said and '"input_schema"' in said


def test_the_agent_of_ten_lines(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """As it stands in the file; only the model is another."""
    (workspace / "README.md").write_text("A project.\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sys, "argv", ["langchain_agent.py", str(workspace), "What is this?"])
    end = lambda messages: AIMessage(f"It says: {last_answer(messages).content}")  # noqa: E731
    model = ScriptedModel(script=[calls("Read", file_path=str(workspace / "README.md")), end])
    create = langchain.agents.create_agent
    monkeypatch.setattr(langchain.agents, "create_agent", lambda _, tools: create(model, tools))
    runpy.run_path(str(EXAMPLES / "langchain_agent.py"), run_name="__main__")
    assert capsys.readouterr().out.startswith("It says:      1\tA project.\n1 calls")
    lines = (EXAMPLES / "langchain_agent.py").read_text().splitlines()
    assert sum(bool(line.strip()) and not line.startswith('"""') for line in lines) <= 10


def test_every_example_is_run_here() -> None:
    here = Path(__file__).read_text()
    assert all(f'"{example.name}"' in here for example in EXAMPLES.glob("*.py"))
