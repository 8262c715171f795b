"""Frameworks that reach the tools over MCP: the programs in frameworks/, each in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from agents import TOOLCRIB, Home, Run, moment
from model import Call, Model, Seen, Serving

PROGRAMS = Path(__file__).parent / "frameworks"
PYTHON_1 = os.environ.get("FRAMEWORKS_MCP1", "")
PYTHON_2 = os.environ.get("FRAMEWORKS_MCP2", "")
MODULES = os.environ.get("FRAMEWORKS_MODULES", "")


@dataclass
class Framework:
    """One framework."""

    name: str
    package: str
    program: str
    place: str
    """The interpreter of its environment, or its node_modules."""
    images: bool = True
    """Whether it hands images on."""
    starts_anew: bool = False
    """Whether it starts the server for every call."""
    wraps: bool = False
    """Whether it gives the model the protocol's own form, with the text escaped in it, whatever the server answers."""

    def installed(self) -> bool:
        return bool(self.place) and self.version() is not None

    def version(self) -> str | None:
        if self.program.endswith(".mjs"):
            package = Path(self.place) / self.package / "package.json"
            return json.loads(package.read_text())["version"] if package.exists() else None
        packages = Path(self.place).parent.parent.glob("lib/python*/site-packages")
        found = (found for folder in packages for found in distributions(path=[str(folder)]))
        return next((found.version for found in found if found.name.lower() == self.package), None)

    def command(self) -> list[str]:
        if not self.program.endswith(".mjs"):
            return [self.place, str(PROGRAMS / self.program)]
        # Packages are looked for from where a program lies.
        for program in PROGRAMS.glob("*.mjs"):
            shutil.copy(program, Path(self.place).parent)
        return ["node", str(Path(self.place).parent / self.program)]

    def run(self, home: Home, project: Path, model: Model, options: tuple[str, ...] = ()) -> Run:
        """All steps in a project, to the end. A framework without an agent tells what came back itself."""
        model.pick = lambda tool, offered: next((name for name in offered if name.split("_")[-1] == tool), None)
        with Serving(model) as serving:
            steps = [{"tool": step.tool, "arguments": step.arguments} for step in model.steps]
            args = ["mcp", "--root", str(project), *options]
            server = home.path / "server.sh"
            server.write_text(f"#!/bin/sh\necho started >> '{home.path}/starts'\nexec '{TOOLCRIB}' \"$@\"\n")
            server.chmod(0o755)
            told = {"command": str(server), "args": args, "steps": steps, "model": serving.url}
            began = moment()
            done = subprocess.run(
                [*self.command(), json.dumps(told)],
                cwd=project,
                env=home.environment() | {"PYTHONDONTWRITEBYTECODE": "1"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
            )
        if not model.requests and done.returncode == 0:
            said = json.loads(done.stdout.strip().split("\n")[-1])
            model.told(said["tools"], [Seen(**result) for result in said["results"]])
        return Run(done.returncode, done.stdout, done.stderr, began)


FRAMEWORKS = [
    Framework("MCP SDK for Python", "mcp", "mcp_sdk.py", PYTHON_2),
    Framework("FastMCP", "fastmcp", "fastmcp_client.py", PYTHON_2),
    Framework("LlamaIndex", "llama-index-tools-mcp", "llama_index_tools.py", PYTHON_2, starts_anew=True, images=False, wraps=True),
    Framework("Pydantic AI", "pydantic-ai-slim", "pydantic_ai_agent.py", PYTHON_2),
    Framework("OpenAI Agents SDK", "openai-agents", "openai_agents.py", PYTHON_2),
    Framework("Google ADK", "google-adk", "google_adk.py", PYTHON_2, images=False, wraps=True),
    Framework("LangChain", "langchain-mcp-adapters", "langchain_agent.py", PYTHON_1, starts_anew=True),
    Framework("smolagents", "smolagents", "smolagents_tools.py", PYTHON_1, images=False),
    Framework("MCP SDK for TypeScript", "@modelcontextprotocol/sdk", "sdk.mjs", MODULES),
    Framework("AI SDK", "ai", "ai.mjs", MODULES),
    Framework("Mastra", "@mastra/mcp", "mastra.mjs", MODULES, images=False, wraps=True),
    Framework("LangChain.js", "@langchain/mcp-adapters", "langchain.mjs", MODULES),
]

LEFT_OUT = {"crewai-tools": "it brings two vector databases and ONNX with it, some 140 packages"}
"""Frameworks that are not tried, and why."""
