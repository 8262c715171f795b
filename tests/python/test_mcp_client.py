"""The MCP server under a real client: what an agent is told and what it gets back."""

import json
import os
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import jsonschema
import pytest
from mcp import Client, ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp import types as mcp_types

pytestmark = pytest.mark.anyio

INVALID_PARAMS = -32602

FILES = {
    "plain": b"one\ntwo\n",
    "no_final_newline": b"one\ntwo",
    "empty": b"",
    "only_newlines": b"\n\n\n",
    "windows_endings": b"one\r\ntwo\r\n",
    "beyond_ascii": "Gr\u00fc\u00dfe \u2192 \U0001f980 e\u0301 \u202e\u00a0\ufeff\u2028x\n".encode(),
    "control_characters": b"tab\there\x1b[31mred\x07\x7f\x01\n",
    "looks_like_json": b'{"jsonrpc": "2.0", "id": 1}\n\\n \\u0041 "quoted"\n',
    "not_utf8": b"caf\xe9\nna\xefve\n",
    "a_long_line": b"x" * 5000 + b"\nend\n",
    "many_lines": b"".join(b"line %d of many\n" % n for n in range(1, 5001)),
}


def server(toolcrib, *options) -> StdioServerParameters:
    return StdioServerParameters(
        command=str(toolcrib.binary), args=["mcp", "--root", str(toolcrib.root), *options]
    )


@asynccontextmanager
async def connected(toolcrib, *options):
    """A session with a server of its own."""
    with anyio.fail_after(30):
        async with stdio_client(server(toolcrib, *options)) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                yield session


def text_of(result) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


async def test_the_server_says_who_it_is_and_what_it_serves(toolcrib):
    async with connected(toolcrib) as session:
        assert session.server_info.name == "toolcrib"
        assert session.server_capabilities.tools is not None
        assert str(toolcrib.root) in session.instructions


@pytest.mark.parametrize("dialect, name", [("standard", "Read"), ("ekacode", "read")])
async def test_the_tools_are_those_that_the_command_line_prints(toolcrib, dialect, name):
    async with connected(toolcrib, "--dialect", dialect) as session:
        plain = (await session.list_tools()).tools
    assert [tool.output_schema for tool in plain] == [None] * len(plain), "a schema promises structured content"
    async with connected(toolcrib, "--dialect", dialect, "--structured") as session:
        tools = (await session.list_tools()).tools
    assert name in [tool.name for tool in tools]
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    assert listed == toolcrib.schemas("mcp", dialect)


@pytest.mark.parametrize("name", FILES)
async def test_every_door_gives_the_same_text(toolcrib, name):
    file = toolcrib.root / name
    file.write_bytes(FILES[name])
    arguments = {"file_path": str(file)}

    # As much as the command line gives, and not what is known of the client.
    much = ["--max-characters", str(256 * 1024)]
    async with connected(toolcrib, *much) as session:
        plain = await session.call_tool("Read", arguments)
    async with connected(toolcrib, "--structured", *much) as session:
        answer = await session.call_tool("Read", arguments)
    assert plain.structured_content is None and text_of(plain) == text_of(answer)
    printed = toolcrib.call("Read", arguments)
    whole = json.loads(toolcrib.call("Read", arguments, "--json").stdout)

    assert not answer.is_error
    text = text_of(answer)
    assert text == whole["output"]
    # A text that does not end with a newline gets one on the way to a terminal; nothing else is different.
    assert printed.stdout == (text if text.endswith("\n") else text + "\n").encode()
    assert (printed.stderr, printed.returncode) == (b"", 0)
    assert answer.structured_content == {**whole["metadata"], "output": text}


async def test_offset_and_limit_go_through(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\ntwo\nthree\nfour\n")
    arguments = {"file_path": str(toolcrib.root / "a.txt"), "offset": 2, "limit": 2}
    async with connected(toolcrib, "--structured") as session:
        answer = await session.call_tool("Read", arguments)
    assert text_of(answer).startswith("     2\ttwo\n     3\tthree")
    assert "one" not in text_of(answer) and "four" not in text_of(answer)
    assert text_of(answer).endswith("(there is more: go on with offset 4)")
    assert answer.structured_content["next_offset"] == 4
    assert text_of(answer).startswith(json.loads(toolcrib.call("Read", arguments, "--json").stdout)["output"])


@pytest.mark.parametrize("dialect, name, key", [("standard", "Read", "file_path"), ("ekacode", "read", "filePath")])
@pytest.mark.parametrize("file", ["plain", "empty", "many_lines"])
async def test_structured_content_fits_the_output_schema(toolcrib, dialect, name, key, file):
    (toolcrib.root / "a.txt").write_bytes(FILES[file])
    async with connected(toolcrib, "--dialect", dialect, "--structured") as session:
        (schema,) = [tool.output_schema for tool in (await session.list_tools()).tools if tool.name == name]
        answer = await session.call_tool(name, {key: str(toolcrib.root / "a.txt")})
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(answer.structured_content, schema, jsonschema.Draft202012Validator)
    unknown = set(answer.structured_content) - set(schema["properties"])
    assert not unknown, "facts that the schema does not name"


FAILURES = {
    "not_found": ({"file_path": "{root}/absent.txt"}, "File not found: {root}/absent.txt"),
    "is_directory": ({"file_path": "{root}"}, "Cannot read directory: {root}"),
    "unsupported": ({"file_path": "{root}/binary"}, "Cannot read binary file: {root}/binary (unknown type, 3 bytes)"),
    "outside_workspace": ({"file_path": "/etc/passwd"}, "Path outside workspace: /etc/passwd"),
    "invalid_parameter": (
        {"file_path": "{root}/a.txt", "limit": 0},
        "Parameter 'limit' is out of range: got 0, wants 1 to 10000",
    ),
}


@pytest.mark.parametrize("kind", FAILURES)
async def test_a_failed_call_is_an_answer_that_the_model_reads(toolcrib, kind):
    (toolcrib.root / "a.txt").write_text("text\n")
    (toolcrib.root / "binary").write_bytes(b"\0\1\2")
    arguments, sentence = json.loads(json.dumps(FAILURES[kind]).replace("{root}", str(toolcrib.root)))

    async with connected(toolcrib) as session:
        answer = await session.call_tool("Read", arguments)
    whole = json.loads(toolcrib.call("Read", arguments, "--json").stdout)

    assert answer.is_error
    assert answer.structured_content is None
    assert whole["error"] == sentence
    hint = whole["metadata"].get("hint")
    assert text_of(answer) == f"Error: {sentence}" + (f"\nHint: {hint}" if hint else "")
    assert answer.meta["toolcrib/error_kind"] == whole["metadata"]["error_kind"] == kind
    assert "toolcrib/hint" not in answer.meta, "it is in the text"


async def test_the_server_goes_on_after_a_failure(toolcrib):
    (toolcrib.root / "a.txt").write_text("still here\n")
    async with connected(toolcrib) as session:
        assert (await session.call_tool("Read", {})).is_error
        with pytest.raises(MCPError):
            await session.call_tool("Nope", {})
        answer = await session.call_tool("Read", {"file_path": str(toolcrib.root / "a.txt")})
    assert text_of(answer) == "     1\tstill here"


async def test_an_unknown_tool_is_an_error_of_the_protocol(toolcrib):
    async with connected(toolcrib) as session:
        with pytest.raises(MCPError) as caught:
            await session.call_tool("Raed", {})
    assert caught.value.error.code == INVALID_PARAMS
    assert caught.value.error.message.startswith("Unknown tool 'Raed', did you mean 'Read'?")


async def test_calls_at_once_get_their_own_answers(toolcrib):
    for n in range(20):
        (toolcrib.root / f"{n}.txt").write_text(f"file {n}\n")
    answers = {}

    async def read(session, n):
        answers[n] = text_of(await session.call_tool("Read", {"file_path": str(toolcrib.root / f"{n}.txt")}))

    async with connected(toolcrib) as session:
        async with anyio.create_task_group() as group:
            for n in range(20):
                group.start_soon(read, session, n)
    assert answers == {n: f"     1\tfile {n}" for n in range(20)}


OUTSIDE = [
    "{beside}",
    "{root}/../beside.txt",
    "{root}/link",
    "{root}/folder/../../beside.txt",
    "{root}/linked_folder/beside.txt",
]


@pytest.mark.parametrize("dialect, name, key", [("standard", "Read", "file_path"), ("ekacode", "read", "filePath")])
@pytest.mark.parametrize("path", [*OUTSIDE, "../beside.txt", "link", "folder/../../beside.txt"])
async def test_no_path_leaves_the_workspace(toolcrib, dialect, name, key, path):
    beside = toolcrib.root.parent / "beside.txt"
    beside.write_text("secret\n")
    (toolcrib.root / "folder").mkdir()
    (toolcrib.root / "link").symlink_to(beside)
    (toolcrib.root / "linked_folder").symlink_to(toolcrib.root.parent)

    path = path.format(root=toolcrib.root, beside=beside)
    async with connected(toolcrib, "--dialect", dialect) as session:
        answer = await session.call_tool(name, {key: path})
    assert answer.is_error
    assert "secret" not in answer.model_dump_json()
    relative_to_standard = dialect == "standard" and not path.startswith("/")
    expected = "invalid_parameter" if relative_to_standard else "outside_workspace"
    assert answer.meta["toolcrib/error_kind"] == expected


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
async def test_both_ways_to_connect_lead_to_the_same_tools(toolcrib, mode):
    """Since 2026 a client may skip the handshake."""
    (toolcrib.root / "a.txt").write_text("one\n")
    with anyio.fail_after(30):
        async with Client(stdio_client(server(toolcrib)), mode=mode) as client:
            tools = (await client.list_tools()).tools
            answer = await client.call_tool("Read", {"file_path": str(toolcrib.root / "a.txt")})
    assert [tool.name for tool in tools] == [schema["name"] for schema in toolcrib.schemas("mcp")]
    assert text_of(answer) == "     1\tone"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_long_call_tells_that_it_goes_on(toolcrib, slow_search, mode):
    told = []

    async with Client(stdio_client(server(toolcrib)), mode=mode) as client:
        with anyio.fail_after(30), anyio.CancelScope() as enough:

            async def tell(progress, total, message):
                told.append((progress, total, message))
                if len(told) == 2:
                    enough.cancel()

            await client.call_tool("Grep", slow_search, progress_callback=tell)
    (first, _, words), (second, total, _) = told
    assert 1 <= first < second and total is None
    assert words == "at work for 1 s"


async def test_without_sessions_each_request_says_which_log_messages_it_wants(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\n")
    told = []

    async def tell(message):
        told.append((message.level, message.data["tool"], bool(message.data["error"])))

    connection = stdio_client(server(toolcrib))
    async with Client(connection, mode="2026-07-28", logging_callback=tell, log_level="warning") as client:
        for name in ["a.txt", "missing.txt"]:
            await client.call_tool("Read", {"file_path": str(toolcrib.root / name)})
    assert told == [("warning", "Read", True)]


async def test_a_client_that_wants_log_messages_gets_those_from_its_level_on(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\n")
    told = []

    async def tell(message):
        told.append((message.level, message.data["tool"], bool(message.data["error"])))

    async with Client(stdio_client(server(toolcrib)), mode="legacy", logging_callback=tell) as client:

        async def read_both():
            for name in ["a.txt", "missing.txt"]:
                await client.call_tool("Read", {"file_path": str(toolcrib.root / name)})

        await read_both()
        await client.set_logging_level("warning")
        await read_both()
        assert told == [("warning", "Read", True)]
        await client.set_logging_level("debug")
        await read_both()
    assert told[1:] == [("info", "Read", False), ("warning", "Read", True)]


@pytest.mark.parametrize("inside", [False, True])
async def test_a_server_without_a_root_serves_what_the_client_works_on(toolcrib, tmp_path, inside):
    """Its own directory counts only if the client's roots have something in common with it."""
    started = toolcrib.root
    wanted = started / "sub" if inside else tmp_path.resolve() / "elsewhere"
    wanted.mkdir()
    for folder in (started, wanted):
        (folder / "a.txt").write_text(f"in {folder.name}\n")

    async def roots(_context):
        return mcp_types.ListRootsResult(roots=[mcp_types.Root(uri=wanted.as_uri())])

    parameters = StdioServerParameters(command=str(toolcrib.binary), args=["mcp"], cwd=str(started))
    with anyio.fail_after(30):
        async with stdio_client(parameters) as (read, write):
            async with ClientSession(read, write, list_roots_callback=roots) as session:
                await session.initialize()
                answer = await session.call_tool("Read", {"file_path": str(wanted / "a.txt")})
                assert text_of(answer) == f"     1\tin {wanted.name}"
                refused = await session.call_tool("Read", {"file_path": str(started / "a.txt")})
                assert refused.is_error and "Path outside workspace" in text_of(refused)
                listed = (await session.list_resources()).resources
                assert [resource.name for resource in listed] == ["a.txt"]
                servers = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_server(int(pid), started)]
                (server_pid,) = servers
                for task in os.listdir(f"/proc/{server_pid}/task"):
                    status = Path(f"/proc/{server_pid}/task/{task}/status").read_text()
                    assert "NoNewPrivs:\t1" in status or task != str(server_pid), "it is locked in by now"


def is_server(pid, started):
    try:
        return os.readlink(f"/proc/{pid}/cwd") == str(started) and "toolcrib" in os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
