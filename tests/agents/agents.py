"""How each agent is set up and run without a person: its own program from npm, configured by `toolcrib init`, with the scripted
model in place of the real one.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from model import Call, Model, Serving

PROGRAMS = Path(os.environ.get("AGENTS_MODULES", "")) / ".bin"
TOOLCRIB = Path(os.environ.get("TOOLCRIB_BIN", "toolcrib")).resolve()


TOOLS = ["Read", "Write", "Edit", "MultiEdit", "ApplyPatch", "LS", "Glob", "Grep"]


@dataclass
class Run:
    """What an agent did."""

    status: int
    stdout: str
    stderr: str


@dataclass
class Home:
    """A user's home with projects in it."""

    path: Path
    variables: dict[str, str]

    def project(self, name: str) -> Path:
        project = self.path / name
        project.mkdir(exist_ok=True)
        return project

    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.path), "TERM": "dumb", **self.variables}

    def toolcrib(self, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TOOLCRIB, *arguments], cwd=project, env=self.environment(), capture_output=True, text=True, timeout=60
        )


def update(file: Path, values: dict) -> None:
    """Puts values into a JSON file beside what it has."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps({**text, **values}))


@dataclass
class Agent:
    """One agent."""

    client: str
    """As `toolcrib init` knows it."""
    package: str
    speaks_as: str
    """With which name it introduces itself to the server."""
    takes: int
    """How many characters of an answer it passes on."""
    prepare: Callable[[Home, str], dict[str, str]]
    """Points it at the model; what it wants in its environment."""
    command: list[str]
    images: bool = True
    """Whether it shows this model images."""
    search: Call | None = None
    """What the model calls to find the tools, where the agent does not offer them at once."""

    def installed(self) -> bool:
        return (PROGRAMS / self.command[0]).exists()

    def version(self) -> str:
        modules = PROGRAMS.parent
        return json.loads((modules / self.package / "package.json").read_text())["version"]

    def init(self, home: Home, project: Path) -> None:
        wishes = [] if self.client == "opencode" else ["--trust"]
        done = home.toolcrib(project, "init", self.client, "--yes", *wishes)
        assert done.returncode == 0, done.stderr

    def run(self, home: Home, project: Path, model: Model) -> Run:
        """One conversation in a project, to its end."""
        model.search = self.search
        with Serving(model) as serving:
            environment = home.environment() | self.prepare(home, serving.url)
            command = [str(PROGRAMS / self.command[0]), *self.command[1:]]
            done = subprocess.run(
                command,
                cwd=project,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
            )
        return Run(done.returncode, done.stdout, done.stderr)


def claude_code(home: Home, url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def codex(home: Home, url: str) -> dict[str, str]:
    file = home.path / ".codex/config.toml"
    text = file.read_text()
    if "model_provider" not in text:
        provider = f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
        # It asks its own provider what a model takes; this is what it says of its models.
        takes = "tool_output_token_limit = 10000"
        text = f'model = "gpt-5.1-codex"\nmodel_provider = "scripted"\n{takes}\n{text}\n{provider}'
    else:
        text = "\n".join(f'base_url = "{url}/v1"' if line.startswith("base_url") else line for line in text.split("\n"))
    file.write_text(text)
    return {}


def opencode(home: Home, url: str) -> dict[str, str]:
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    model = {
        "name": "scripted",
        "tool_call": True,
        "attachment": True,
        "modalities": {"input": ["text", "image"], "output": ["text"]},
    }
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "s", "options": options, "models": {"scripted": model}}
    update(home.path / ".config/opencode/opencode.json", {"model": "s/scripted", "provider": {"s": provider}})
    return {}


def gemini(home: Home, url: str) -> dict[str, str]:
    update(home.path / ".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def qwen(home: Home, url: str) -> dict[str, str]:
    update(home.path / ".qwen/settings.json", {"security": {"auth": {"selectedType": "openai"}}})
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted"}


AGENTS = [
    Agent(
        "claude-code",
        "@anthropic-ai/claude-code",
        "claude-code",
        50_000,
        claude_code,
        ["claude", "-p", "do it"],
    ),
    Agent(
        "codex",
        "@openai/codex",
        "codex-mcp-client",
        40_000,
        codex,
        ["codex", "exec", "--skip-git-repo-check", "do it"],
    ),
    Agent("opencode", "opencode-ai", "opencode", 50_000, opencode, ["opencode", "run", "do it"]),
    Agent(
        "gemini",
        "@google/gemini-cli",
        "gemini-cli-mcp-client",
        40_000,
        gemini,
        ["gemini", "-m", "gemini-2.5-pro", "-p", "do it", "--yolo"],
    ),
    Agent(
        "qwen",
        "@qwen-code/qwen-code",
        "qwen-cli-mcp-client",
        25_000,
        qwen,
        ["qwen", "-p", "do it", "--yolo"],
        False,
        Call("tool_search", {"query": f"select:{','.join(f'mcp__toolcrib__{tool}' for tool in TOOLS)}", "max_results": 20}),
    ),
]
