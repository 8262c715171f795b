"""Records terminal sessions of the documentation as SVGs, for light and dark: `terminal.py TOOLCRIB PICTURE FILE`.

An agent (a client of the MCP server, with the name of one) changes a small project; then the commands of a picture run in a terminal,
and what they print is drawn with its colours. Nothing is made up: every character comes from the programs. Run by `cargo xtask picture`.
"""

from __future__ import annotations

import fcntl
import html
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import Any

AGENT = {"name": "claude-code", "version": "2.1.325"}
FILES = {
    "src/price.py": 'def total(items):\n    """The sum of all prices, in cents."""\n    return sum(item.price * item.count for item in items)\n',
    "src/config.py": "TIMEOUT = 30\nRETRIES = 3\n",
}
# What the agent does: two edits, of which the second is a mess.
CALLS = [
    ("Read", {"file_path": "$ROOT/src/config.py"}),
    ("Edit", {"file_path": "$ROOT/src/config.py", "old_string": "TIMEOUT = 30", "new_string": "TIMEOUT = 60"}),
    ("Read", {"file_path": "$ROOT/src/price.py"}),
    (
        "Write",
        {"file_path": "$ROOT/src/price.py", "content": "def total(items):\n    # ... existing code ...\n    pass\n"},
    ),
]
# What runs in each picture, and how wide its terminal is.
PICTURES = {
    "session": (92, ["cat src/price.py", "toolcrib log", "toolcrib undo"]),
    "help": (80, ["toolcrib undo --help"]),
    "files": (
        80,
        [
            "toolcrib ls -R",
            "toolcrib grep -i retries",
            "toolcrib read src/config.py",
            "toolcrib edit src/config.py 'RETRIES = 3' 'RETRIES = 5'",
        ],
    ),
    "history": (80, ["toolcrib log --stat", "toolcrib diff", "toolcrib undo 1 --dry-run"]),
    "errors": (
        80,
        [
            "toolcrib edit src/config.py ' = ' ': '",
            "toolcrib edit src/config.py 'RETRY = 3' 'RETRY = 5'",
            "toolcrib glob '*.py'",
            "toolcrib read src/prices.py",
            "toolcrib cat src/price.py",
        ],
    ),
}

CHAR, LINE, LEFT, TOP = 8.4, 19, 18, 52
# Light and dark, each with enough contrast on its background.
LIGHT = {"fg": "#24292f", "dim": "#57606a", "red": "#b42318", "green": "#116329", "yellow": "#7d4e00", "blue": "#0550ae", "magenta": "#6639ba", "cyan": "#1b7c83", "bg": "#ffffff", "bar": "#eaeef2", "edge": "#d0d7de"}
DARK = {"fg": "#e6edf3", "dim": "#9198a1", "red": "#ff7b72", "green": "#7ee787", "yellow": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76e3ea", "bg": "#0d1117", "bar": "#161b22", "edge": "#30363d"}
COLOURS = ["fg", "red", "green", "yellow", "blue", "magenta", "cyan", "fg"]


def main() -> None:
    """Records and draws."""
    program, (columns, commands), target = Path(sys.argv[1]).resolve(), PICTURES[sys.argv[2]], Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        project = home / "shop"
        for name, text in FILES.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        (home / "bin").mkdir()
        (home / "bin/toolcrib").symlink_to(program)
        environment = {
            "HOME": str(home),
            "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": str(columns),
            "PAGER": "cat",
        }
        change(program, project, environment)
        lines: list[list[tuple[str, str]]] = []
        for command in commands:
            lines.append([("dim", "$ "), ("fg bold", command)])
            printed = run(command, project, environment, columns).replace(str(home), "~")
            lines += spans(printed, columns)
            lines.append([])
        target.write_text(svg(lines[:-1], columns, commands), encoding="utf-8")


def change(program: Path, project: Path, environment: dict[str, str]) -> None:
    """The calls of the agent, over MCP."""
    server = subprocess.Popen(
        [program, "mcp", "--root", project], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    assert server.stdin and server.stdout

    def send(method: str, params: dict[str, Any], number: int | None = None) -> Any:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        print(json.dumps(message), file=server.stdin, flush=True)
        while number is not None:
            answer = json.loads(server.stdout.readline())
            if answer.get("id") == number:
                return answer["result"]

    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": AGENT}
    send("initialize", about, 0)
    send("notifications/initialized", {})
    for number, (tool, arguments) in enumerate(CALLS, 1):
        arguments = json.loads(json.dumps(arguments).replace("$ROOT", str(project)))
        result = send("tools/call", {"name": tool, "arguments": arguments}, number)
        assert not result.get("isError"), result
    server.stdin.close()
    server.wait()


def run(command: str, folder: Path, environment: dict[str, str], columns: int) -> str:
    """What a command prints on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    child = subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    )
    os.close(theirs)
    printed = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the terminal is gone with the command
            break
        if not part:
            break
        printed += part
    os.close(ours)
    # 1 and 2 are for what a command refuses, which some pictures are of.
    assert child.wait() in (0, 1, 2) and printed, (command, printed.decode())
    return printed.decode().replace("\r\n", "\n").rstrip("\n")


def spans(printed: str, columns: int) -> list[list[tuple[str, str]]]:
    """The lines, as texts with the names of their styles."""
    lines: list[list[tuple[str, str]]] = []
    colour, bold, dim = "fg", False, False
    for line in printed.split("\n"):
        parts: list[tuple[str, str]] = []
        for piece in re.split(r"(\x1b\[[0-9;?]*[A-Za-z])", line):
            if not piece.startswith("\x1b["):
                if piece:
                    parts.append((("dim" if dim and colour == "fg" else colour) + (" bold" if bold else ""), piece))
                continue
            if not piece.endswith("m"):
                continue
            for code in [int(each or 0) for each in piece[2:-1].split(";")]:
                if code == 0:
                    colour, bold, dim = "fg", False, False
                elif code == 1:
                    bold = True
                elif code == 2:
                    dim = True
                elif code == 22:
                    bold = dim = False
                elif code == 39:
                    colour = "fg"
                elif 30 <= code <= 37:
                    colour = COLOURS[code - 30]
                elif 90 <= code <= 97:
                    colour = "dim" if code == 90 else COLOURS[code - 90]
        lines += wrapped(parts, columns)
    return lines


def wrapped(parts: list[tuple[str, str]], columns: int) -> list[list[tuple[str, str]]]:
    """A line as a terminal of this width shows it."""
    rows: list[list[tuple[str, str]]] = [[]]
    free = columns
    for style, text in parts:
        # A tab goes to the next column that eight divides.
        used = columns - free
        text = (" " * used + text).expandtabs(8)[used:]
        while text:
            if free == 0:
                rows.append([])
                free = columns
            rows[-1].append((style, text[:free]))
            text, free = text[free:], max(free - len(text), 0)
    return rows


def svg(lines: list[list[tuple[str, str]]], columns: int, commands: list[str]) -> str:
    """The drawing of a window with the lines in it."""
    width, height = int(2 * LEFT + columns * CHAR), TOP + len(lines) * LINE + 8
    rules = "".join(f".{name}{{fill:{value}}}" for name, value in LIGHT.items())
    dark = "".join(f".{name}{{fill:{value}}}" for name, value in DARK.items())
    described = html.escape("; ".join(commands))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>A terminal session: {described}</title>",
        f"<style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}}.bold{{font-weight:700}}{rules}@media(prefers-color-scheme:dark){{{dark}}}</style>",
        f'<rect class="edge" width="{width}" height="{height}" rx="9"/>',
        f'<rect class="bg" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="8"/>',
        f'<path class="bar" d="M1 34V9a8 8 0 0 1 8-8H{width - 9}a8 8 0 0 1 8 8V34z"/>',
        "".join(f'<circle class="edge" cx="{x}" cy="18" r="6"/>' for x in (20, 40, 60)),
        f'<text class="dim" x="{width / 2:.0f}" y="23" text-anchor="middle">~/shop</text>',
    ]
    for number, parts in enumerate(lines):
        column = 0
        for style, text in parts:
            if text.strip():
                # Whatever font there is, a column is a column.
                start, length = len(text) - len(text.lstrip()), len(text.strip())
                x, y = LEFT + (column + start) * CHAR, TOP + number * LINE + 8
                out.append(
                    f'<text class="{style}" x="{x:.1f}" y="{y}" textLength="{length * CHAR:.1f}" lengthAdjust="spacingAndGlyphs">{html.escape(text.strip())}</text>'
                )
            column += len(text)
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    main()
