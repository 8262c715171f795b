"""What these tests share: equal files for both programs, what is on the disk afterwards, and a client of an MCP server."""

import os
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import ClientSession, StdioServerParameters, stdio_client

MODULES = Path(os.environ["ORIGINALS_MODULES"])
TOOLCRIB = Path(os.environ["TOOLCRIB_BIN"])


def place(root: Path, files: dict):
    """Writes files, text or bytes, below a directory. A name that ends with a slash is a directory, a path is what a link says."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        file = root / name
        if name.endswith("/"):
            file.mkdir(parents=True)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            file.symlink_to(content)
            continue
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def on_disk(root: Path) -> dict:
    """The bytes of every file below a directory, what every link says, and None for every directory."""

    def content(path: Path):
        if path.is_symlink():
            return path.readlink()
        return path.read_bytes() if path.is_file() else None

    return {str(path.relative_to(root)): content(path) for path in sorted(root.rglob("*"))}


def environment(state: Path) -> dict:
    """Variables for a program that writes its own files below `state`."""
    return dict(os.environ, XDG_STATE_HOME=str(state), CODEX_HOME=str(state), HOME=str(state), TZ="UTC")


@asynccontextmanager
async def session(command, args, env):
    """A client of an MCP server on standard input and output."""
    server = StdioServerParameters(command=str(command), args=[str(arg) for arg in args], env=env)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as client:
            await client.initialize()
            yield client
