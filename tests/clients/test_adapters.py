"""LangChain's adapters: every tool as a tool of LangChain, over stdio."""

import asyncio
import base64
import os

from langchain_mcp_adapters.client import MultiServerMCPClient

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)


def every_tool(root):
    patch = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-new\n+patched\n"
    file = str(root / "a.txt")
    return [
        ("Read", {"file_path": file}, "     1\tone"),
        ("Edit", {"file_path": file, "old_string": "one", "new_string": "eins"}, "+eins"),
        ("MultiEdit", {"file_path": file, "edits": [{"old_string": "two", "new_string": "zwei"}]}, "+zwei"),
        ("Write", {"file_path": str(root / "b.txt"), "content": "new\n"}, "Created"),
        ("ApplyPatch", {"patch_text": patch}, "b.txt"),
        ("LS", {"path": str(root)}, "b.txt"),
        ("Glob", {"pattern": "*.txt", "path": str(root)}, "a.txt"),
        ("Grep", {"pattern": "patched", "path": str(root)}, "b.txt"),
    ]


def connected(root, run):
    command = {"command": os.environ["TOOLCRIB_BIN"], "args": ["mcp", "--root", str(root)], "transport": "stdio"}
    client = MultiServerMCPClient({"toolcrib": command})

    async def within_a_session():
        async with client.session("toolcrib") as session:
            from langchain_mcp_adapters.tools import load_mcp_tools

            await run({tool.name: tool for tool in await load_mcp_tools(session)})

    asyncio.run(asyncio.wait_for(within_a_session(), 60))


def test_every_tool_runs(tmp_path):
    root = tmp_path.resolve()
    (root / "a.txt").write_text("one\ntwo\n")

    async def run(tools):
        assert set(tools) == {name for name, _, _ in every_tool(root)}
        for name, arguments, expected in every_tool(root):
            answer = await tools[name].ainvoke(arguments)
            assert expected in str(answer).replace("\\t", "\t"), (name, answer)

    connected(root, run)
    assert (root / "b.txt").read_text() == "patched\n"


def test_an_image_is_a_content_block_and_a_failure_is_raised_or_told(tmp_path):
    root = tmp_path.resolve()
    (root / "a.png").write_bytes(PIXEL)

    async def run(tools):
        answer = await tools["Read"].ainvoke({"file_path": str(root / "a.png")})
        assert base64.b64encode(PIXEL).decode() in str(answer)
        try:
            told = str(await tools["Read"].ainvoke({"file_path": str(root / "missing")}))
        except Exception as error:
            told = str(error)
        assert "File not found" in told

    connected(root, run)


def test_a_file_is_read_and_then_edited_with_a_process_for_each_call(tmp_path):
    """As the adapters' own example does it: each call starts the server anew."""
    root, state = tmp_path.resolve() / "project", tmp_path.resolve() / "state"
    root.mkdir()
    file = root / "a.txt"
    file.write_text("one\ntwo\n")
    variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_STATE_HOME": str(state)}
    command = {
        "command": os.environ["TOOLCRIB_BIN"],
        "args": ["mcp", "--root", str(root)],
        "env": variables,
        "transport": "stdio",
    }

    async def run():
        tools = {tool.name: tool for tool in await MultiServerMCPClient({"toolcrib": command}).get_tools()}
        edit = {"file_path": str(file), "old_string": "one", "new_string": "eins"}

        async def told(tool, arguments):
            try:
                return str(await tools[tool].ainvoke(arguments))
            except Exception as error:
                return str(error)

        assert "has not been read" in await told("Edit", edit), "the control"
        assert "one" in await told("Read", {"file_path": str(file)})
        assert "+eins" in await told("Edit", edit)
        file.write_text("changed by hand\n")
        assert "changed since" in await told("Write", {"file_path": str(file), "content": "mine\n"})

    asyncio.run(asyncio.wait_for(run(), 60))
    assert file.read_text() == "changed by hand\n"
