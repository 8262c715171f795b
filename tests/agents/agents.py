"""How each agent is set up and run without a person: its own program from npm, configured by `toolcrib init`, with the scripted
model in place of the real one.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
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
    began: float


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


def structured(home: Home) -> None:
    """Has the agent start the server as it was before: with structured content."""
    for file in home.path.rglob("*"):
        if file.suffix in (".json", ".toml", ".yaml") and file.is_file() and "toolcrib" in (text := file.read_text()):
            file.write_text(re.sub(r'"mcp"(?!\s*:)', '"mcp", "--structured"', text))


def moment() -> float:
    """Now, in seconds, for differences."""
    return time.monotonic()


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
    trusts: bool = True
    """Whether its configuration can say that it need not ask."""
    images: bool = True
    """Whether it shows this model images."""
    search: Call | None = None
    """What the model calls to find the tools, where the agent does not offer them at once."""
    built_ins: tuple[str, ...] = ()
    """Its own file tools, where its settings can switch them off."""
    check: str = ""
    """What it says when it is asked whether it can start the server, where it can be asked."""
    nobody: str = "there is no user to ask"
    """What the model is told where a rule says ask and the agent runs without a person."""
    adds: int = 0
    """How many characters it puts before or after every answer, of any server."""
    wraps_errors: bool = False
    """Whether it gives the model a failure with the whole call and the answer as JSON."""
    many_projects: bool = True
    """Whether it starts the server in the project that it works on, so that one configuration serves all."""
    wraps: bool = False
    """Whether it gives the model the protocol's own form, with the text escaped in it, whatever the server answers."""

    def installed(self) -> bool:
        return (PROGRAMS / self.command[0]).exists()

    def version(self) -> str:
        modules = PROGRAMS.parent
        return json.loads((modules / self.package / "package.json").read_text())["version"]

    def init(self, home: Home, project: Path, *more: str) -> None:
        wishes = ["--trust"] if self.trusts else []
        if self.client == "continue":
            # It gets no configuration that has no models.
            file = home.path / ".continue/config.yaml"
            file.parent.mkdir(exist_ok=True)
            file.write_text(CONTINUE)
        done = home.toolcrib(project, "init", self.client, "--yes", *wishes, *more)
        assert done.returncode == 0, done.stderr

    def run(self, home: Home, project: Path, model: Model) -> Run:
        """One conversation in a project, to its end."""
        model.search = self.search
        with Serving(model) as serving:
            environment = home.environment() | self.prepare(home, serving.url)
            command = [str(PROGRAMS / self.command[0]), *self.command[1:]]
            began = moment()
            done = subprocess.run(
                command,
                cwd=project,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
            )
        return Run(done.returncode, done.stdout, done.stderr, began)


class Terminal:
    """A program on a terminal of its own, with somebody who types."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]):
        self.shown = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)

    def read(self, most: float) -> None:
        """Takes what is shown, if something is within so many seconds. Where on the screen it stands is left out, and blanks with it."""
        if select.select([self.terminal], [], [], most)[0]:
            shown = os.read(self.terminal, 65536).decode(errors="replace")
            self.shown += re.sub(r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07|\s", "", shown)

    def rest(self, seconds: float) -> None:
        """Types nothing for so long, and takes what is shown meanwhile."""
        end = moment() + seconds
        while moment() < end:
            self.read(0.2)

    def wait_for(self, text: str, most: float = 60) -> None:
        """Waits until this is shown, after what was waited for before."""
        wanted, end = re.sub(r"\s", "", text), moment() + most
        while wanted not in self.shown:
            assert moment() < end, f"{text} was not shown: {self.shown}"
            self.read(0.2)
        self.shown = self.shown.split(wanted, 1)[1]

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())


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
    # The name decides which tools it offers: `gpt-` gets apply_patch instead of edit and write.
    models = {"scripted": model, "gpt-scripted": {**model, "name": "gpt-scripted"}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "s", "options": options, "models": models}
    update(home.path / ".config/opencode/opencode.json", {"model": "s/scripted", "provider": {"s": provider}})
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}


def gemini(home: Home, url: str) -> dict[str, str]:
    update(home.path / ".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def qwen(home: Home, url: str) -> dict[str, str]:
    update(home.path / ".qwen/settings.json", {"security": {"auth": {"selectedType": "openai"}}})
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted"}


def goose(home: Home, url: str) -> dict[str, str]:
    return {
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": "gpt-4o",
        "OPENAI_HOST": url,
        "OPENAI_API_KEY": "none",
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_MODE": "auto",
        "GOOSE_TELEMETRY_ENABLED": "false",
    }


def cline(home: Home, url: str) -> dict[str, str]:
    settings = {"provider": "openai-compatible", "apiKey": "none", "model": "scripted", "baseUrl": f"{url}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    providers = {"version": 1, "lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": provider}}
    update(home.path / ".cline/data/settings/providers.json", providers)
    # Else it leaves a process behind that serves the next run.
    return {"CLINE_SESSION_BACKEND_MODE": "local", "CLINE_NO_AUTO_UPDATE": "1"}


CONTINUE = """\
name: mine
version: 1.0.0
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted
    apiKey: none
    apiBase: http://127.0.0.1/v1
    roles: [chat]
    capabilities: [tool_use, image_input]
"""


def continue_(home: Home, url: str) -> dict[str, str]:
    file = home.path / ".continue/config.yaml"
    file.write_text(re.sub("apiBase: .*", f"apiBase: {url}/v1", file.read_text()))
    return {"CONTINUE_TELEMETRY_ENABLED": "0"}


AGENTS = [
    Agent(
        "claude-code",
        "@anthropic-ai/claude-code",
        "claude-code",
        50_000,
        claude_code,
        ["claude", "-p", "do it"],
        built_ins=("Read", "Edit", "Write"),
        check="connected",
        nobody="the user closed the question without an answer",
    ),
    Agent(
        "codex",
        "@openai/codex",
        "codex-mcp-client",
        40_000,
        codex,
        ["codex", "exec", "--skip-git-repo-check", "do it"],
        check="listed",
        nobody="the user said no",
        adds=60,
    ),
    Agent(
        "opencode",
        "opencode-ai",
        "opencode",
        50_000,
        opencode,
        ["opencode", "run", "do it"],
        trusts=False,
        built_ins=("read", "edit", "write", "glob", "grep"),
        check="connected",
    ),
    Agent(
        "gemini",
        "@google/gemini-cli",
        "gemini-cli-mcp-client",
        40_000,
        gemini,
        ["gemini", "-m", "gemini-2.5-pro", "-p", "do it", "--yolo"],
        built_ins=("read_file", "write_file", "replace", "list_directory", "glob", "grep_search"),
        check="connected",
        adds=60,
        wraps_errors=True,
    ),
    Agent(
        "qwen",
        "@qwen-code/qwen-code",
        "qwen-cli-mcp-client",
        25_000,
        qwen,
        ["qwen", "-p", "do it", "--yolo"],
        images=False,
        built_ins=("read_file", "write_file", "edit", "list_directory", "glob", "grep_search"),
        check="connected",
        wraps_errors=True,
        search=Call("tool_search", {"query": f"select:{','.join(f'mcp__toolcrib__{tool}' for tool in TOOLS)}", "max_results": 20}),
    ),
    Agent(
        "goose",
        "@aaif/goose-binary-linux-x64",
        "goose",
        30_000,
        goose,
        ["goose-binary-linux-x64", "run", "-t", "do it"],
        trusts=False,
    ),
    Agent(
        "cline",
        "cline",
        "@cline/core",
        8_000,
        cline,
        ["cline", "do it"],
        trusts=False,
        images=False,
        many_projects=False,
        wraps=True,
    ),
    Agent(
        "continue",
        "@continuedev/cli",
        "continue-cli-client",
        30_000,
        continue_,
        ["cn", "-p", "do it"],
        trusts=False,
        images=False,
        wraps=True,
    ),
]
