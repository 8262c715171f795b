"""The accuracy of every dialect beside the programs whose tools it speaks, on the same calls.

`cargo xtask bench accuracy -- --originals` installs the originals and runs this. It starts the benchmark with an adapter for each of them;
those that are Python functions are served by this file itself.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def serve(name: str, root: Path) -> None:
    """The messages that the benchmark sends, answered by one Python function."""
    change = {"apply_diff": apply_diff, "memory": memory}[name](root)
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "tools/call":
            try:
                change(**message["params"]["arguments"])
            except Exception:  # Whatever it raises, the disk counts.
                pass
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)


def apply_diff(root: Path):
    """openai-agents, with the file read and written around it as its own editors do."""
    from agents import apply_diff as apply

    def change(file: str, patch: str) -> None:
        lines = patch.split("\n")
        marks = [number for number, line in enumerate(lines) if line.startswith(("*** Update File:", "*** End Patch"))]
        text = Path(file).read_bytes().decode()
        after = apply(text, "\n".join(lines[marks[0] + 1 : marks[1]]))
        Path(file).write_bytes(after.encode())

    return change


def memory(root: Path):
    """Anthropic's helper, whose files are in a directory `memories` below its root."""
    from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

    if not (root / "memories").exists():
        (root / "memories").symlink_to(root)
    tool = BetaLocalFilesystemMemoryTool(base_path=str(root))

    def change(name: str, old: str, new: str) -> None:
        answer = tool.call({"command": "str_replace", "path": f"/memories/{name}", "old_str": old, "new_str": new})
        if asyncio.iscoroutine(answer):
            asyncio.run(answer)

    return change


def main(extra: list[str]) -> int:
    modules = Path(os.environ["ORIGINALS_MODULES"])
    codex = next(path for path in (modules / "@openai").rglob("codex") if path.is_file() and "vendor" in path.parts)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        program = home / "apply_patch of Codex"
        program.write_text(f'#!/bin/bash\nCODEX_HOME="{home}" exec -a apply_patch "{codex}"\n')
        program.chmod(0o755)
        here = [sys.executable, __file__, "serve"]
        adapters = [
            {
                "name": "reference MCP server",
                "command": [str(modules / ".bin/mcp-server-filesystem"), "$ROOT"],
                "edit": {"tool": "edit_file", "arguments": {"path": "$FILE", "edits": [{"oldText": "$OLD", "newText": "$NEW"}]}},
            },
            {
                "name": "apply_diff of the OpenAI Agents SDK",
                "command": [*here, "apply_diff", "$ROOT"],
                "envelope": {"tool": "apply_diff", "arguments": {"file": "$FILE", "patch": "$PATCH"}},
            },
            {
                "name": "memory helper of Anthropic's SDK",
                "command": [*here, "memory", "$ROOT"],
                "edit": {"tool": "memory", "arguments": {"name": "file.txt", "old": "$OLD", "new": "$NEW"}},
            },
        ]
        arguments = ["--dialects", "--program", str(program)]
        for number, adapter in enumerate(adapters):
            file = home / f"{number}.json"
            file.write_text(json.dumps(adapter))
            arguments += ["--adapter", str(file)]
        command = ["cargo", "bench", "-p", "toolcrib", "--bench", "accuracy", "--profile", "dev", "--"]
        return subprocess.run([*command, *arguments, *extra]).returncode


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2], Path(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1:]))
