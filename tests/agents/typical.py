"""Twelve typical answers, and how many characters and tokens of each reach the model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import TOOLCRIB, Home
from model import Call, Seen

PLACES = 3000
"""How many places the last of the calls changes."""
REFUSED = "Edit, refused"


def prepare(project: Path) -> None:
    """A small project, as it is before the calls."""
    shutil.rmtree(project, ignore_errors=True)
    (project / "src").mkdir(parents=True)
    functions = "".join(f'\n\ndef step_{n}(value: str) -> str:\n    """Does step {n}."""\n    return value + "\\t{n}"\n' for n in range(12))
    (project / "src/steps.py").write_text(f'"""Steps."""\n\nimport os\n{functions}')
    (project / "src/main.py").write_text('from steps import step_1\n\n\ndef main():\n    print("hello\\tworld")\n\n\nmain()\n')
    (project / "notes.txt").write_text("one\ntwo\nthree\n")
    (project / "words.txt").write_text("".join(f"old word {n}\n" for n in range(PLACES)))
    for at, file in enumerate(sorted(project.rglob("*"))):
        os.utime(file, (1_700_000_000 + at, 1_700_000_000 + at))


def calls(project: Path) -> dict[str, Call]:
    """What is called, by what the table calls it."""
    path = lambda name: str(project / name)  # noqa: E731
    file = path("src/steps.py")
    edits = [
        {"old_string": "def step_3(", "new_string": "def third("},
        {"old_string": "def step_4(", "new_string": "def fourth("},
    ]
    patch = "--- a/src/steps.py\n+++ b/src/steps.py\n@@ -1,3 +1,4 @@\n \"\"\"Steps.\"\"\"\n \n import os\n+import sys\n"
    return {
        "Read": Call("Read", {"file_path": file}),
        "Read, a part": Call("Read", {"file_path": path("words.txt"), "offset": 100, "limit": 20}),
        "Write": Call("Write", {"file_path": path("src/new.py"), "content": "import main\n"}),
        "Edit": Call("Edit", {"file_path": file, "old_string": "Does step 7", "new_string": "Takes step 7"}),
        REFUSED: Call("Edit", {"file_path": file, "old_string": "Does step 70", "new_string": "x"}),
        "MultiEdit": Call("MultiEdit", {"file_path": file, "edits": edits}),
        "ApplyPatch": Call("ApplyPatch", {"patch_text": patch}),
        "LS": Call("LS", {"path": str(project)}),
        "Glob": Call("Glob", {"pattern": "**/*.py", "path": str(project)}),
        "Grep, content": Call("Grep", {"pattern": "return value", "path": str(project), "output_mode": "content"}),
        "Grep, files": Call("Grep", {"pattern": "step_1", "path": str(project), "output_mode": "files_with_matches"}),
        "Edit of 3,000 places": Call("Edit", {"file_path": path("words.txt"), "old_string": "old", "new_string": "new", "replace_all": True}),
    }


def plain(home: Home, project: Path, client: str) -> list[str]:
    """The answers as the server gives them to this client, without anybody between."""
    prepare(project)
    own = Home(home.path / "nobody", {})
    own.path.mkdir(exist_ok=True)
    server = subprocess.Popen(
        [TOOLCRIB, "mcp", "--root", str(project)],
        cwd=project,
        env=own.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None and server.stdout is not None

    def send(message: dict[str, Any]) -> None:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()

    def asked(number: int, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        send({"id": number, "method": method, "params": parameters})
        while (answer := json.loads(server.stdout.readline())).get("id") != number:
            pass
        return answer["result"]

    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": client, "version": "0"}}
    asked(0, "initialize", info)
    send({"method": "notifications/initialized"})
    texts = []
    for number, call in enumerate(calls(project).values()):
        result = asked(number + 1, "tools/call", {"name": call.tool, "arguments": call.arguments})
        texts.append("".join(block["text"] for block in result["content"]))
    server.stdin.close()
    server.wait(timeout=10)
    return texts


def tokens(texts: list[str]) -> list[int]:
    """How many tokens of o200k they are."""
    modules = os.environ["AGENTS_MODULES"]
    program = (
        f"const {{ countTokens }} = require({json.dumps(modules + '/gpt-tokenizer/cjs/encoding/o200k_base.js')});"
        "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(texts.map((text) => countTokens(text))));"
    )
    done = subprocess.run(["node", "-e", program], input=json.dumps(texts), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@dataclass
class Cost:
    """What twelve answers cost one client's model, one number for each."""

    client: str
    characters: dict[str, list[int]]
    """`plain`, `before` and `after`."""
    tokens: dict[str, list[int]]

    @classmethod
    def of(cls, client: str, plain: list[str], before: list[Seen], after: list[Seen]) -> Cost:
        texts = {"plain": plain, "before": [seen.text for seen in before], "after": [seen.text for seen in after]}
        characters = {when: [len(text) for text in given] for when, given in texts.items()}
        return cls(client, characters, {when: tokens(given) for when, given in texts.items()})

    def share(self, when: str, without: str = "") -> float:
        """How much of all answers together reaches the model, in characters or in tokens, as a part of what they have."""
        counted = [at for at, name in enumerate(calls(Path("/"))) if name != without]
        total = lambda numbers: sum(numbers[at] for at in counted)  # noqa: E731
        return max(total(numbers[when]) / total(numbers["plain"]) for numbers in (self.characters, self.tokens))

    def worst(self, when: str) -> float:
        """By how much more of one of the answers reaches the model than it has, in characters or in tokens."""
        return max(
            given / max(plain, 1)
            for numbers in (self.characters, self.tokens)
            for given, plain in zip(numbers[when], numbers["plain"])
        )


def show(costs: list[Cost]) -> str:
    """Two tables: all answers together for each client, and each answer for each client in tokens."""
    lines = ["| | characters: plain | before | after | tokens: plain | before | after | the worst of the twelve, before | after |"]
    lines.append("| --- |" + " ---: |" * 8)
    for cost in costs:
        sums = [f"{sum(numbers[when]):,}" for numbers in (cost.characters, cost.tokens) for when in ("plain", "before", "after")]
        lines.append(f"| {cost.client} | {' | '.join(sums)} | × {cost.worst('before'):.2f} | × {cost.worst('after'):.2f} |")
    lines += ["", f"| tokens, before → after | plain | {' | '.join(cost.client for cost in costs)} |"]
    lines.append("| --- | ---: |" + " ---: |" * len(costs))
    for at, name in enumerate(calls(Path("/"))):
        row = [f"{cost.tokens['before'][at]} → {cost.tokens['after'][at]}" for cost in costs]
        lines.append(f"| {name} | {costs[0].tokens['plain'][at]} | {' | '.join(row)} |")
    return "\n".join(lines)
