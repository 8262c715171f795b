"""The server over HTTP: real clients of both eras of the protocol, and requests that must not get in."""

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult
from test_mcp_wire import comes_to_rest

MODES = ["legacy", "auto"]


class Running:
    """A server process, its address and its token."""

    def __init__(self, process, address, token):
        self.process = process
        self.address = address
        self.token = token
        parts = urlsplit(address)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def request(self, method="POST", body=None, path=None, **headers):
        """One request with exactly these headers, and the answer's status."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        connection.putrequest(method, path or self.path, skip_host=True, skip_accept_encoding=True)
        for name, values in headers.items():
            for value in values if isinstance(values, list) else [values]:
                connection.putheader(name.replace("_", "-"), value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        answer.close()
        connection.close()
        return answer.status

    def good_headers(self):
        return {
            "Host": f"{self.host}:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content_Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }


@contextmanager
def serving(toolcrib, *options, token=None):
    environment = dict(os.environ)
    if token:
        environment["TOOLCRIB_TOKEN"] = token
    process = subprocess.Popen(
        [toolcrib.binary, "mcp", "--root", toolcrib.root, "--http", "127.0.0.1:0", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        said = {}
        for line in process.stderr:
            name, _, value = line.strip().partition(": ")
            said[name] = value
            if line.startswith("Clients "):
                break
        yield Running(process, said["Address"], token or said["Token"])
    finally:
        process.terminate()
        try:
            process.wait(5)
        finally:
            process.kill()
            process.stdout.close()
            process.stderr.close()


@pytest.fixture
def running(toolcrib):
    with serving(toolcrib) as server:
        yield server


@asynccontextmanager
async def connected(server, mode, **options):
    headers = {"Authorization": f"Bearer {server.token}"}
    with anyio.fail_after(60):
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http_client:
            transport = streamable_http_client(server.address, http_client=http_client)
            async with Client(transport, mode=mode, **options) as client:
                yield client


def text_of(result) -> str:
    (block,) = result.content
    return block.text


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_lists_and_calls(toolcrib, running, mode):
    (toolcrib.root / "a.txt").write_text("one\n")
    async with connected(running, mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == [tool["name"] for tool in toolcrib.schemas("mcp")]
        result = await client.call_tool("Read", {"file_path": str(toolcrib.root / "a.txt")})
        assert text_of(result) == "     1\tone"
        missing = await client.call_tool("Read", {"file_path": str(toolcrib.root / "b.txt")})
        assert missing.is_error and "File not found" in text_of(missing)


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("decision", ["once", "no"])
async def test_a_person_is_asked_with_the_diff(toolcrib, tmp_path, mode, decision):
    file = toolcrib.root / "a.conf"
    file.write_text("old\n")
    config = tmp_path / "config.toml"
    config.write_text('[[rules]]\nkind = "edit"\npattern = "*.conf"\naction = "ask"\n')
    asked = []

    async def answer(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"decision": decision, "reason": "not today"})

    with serving(toolcrib, "--config", config) as server:
        async with connected(server, mode, elicitation_callback=answer) as client:
            await client.call_tool("Read", {"file_path": str(file)})
            change = {"file_path": str(file), "old_string": "old", "new_string": "new"}
            result = await client.call_tool("Edit", change)
    assert len(asked) == 1 and "-old\n+new" in asked[0]
    if decision == "once":
        assert not result.is_error and file.read_text() == "new\n"
    else:
        assert result.is_error and "not today" in text_of(result)
        assert file.read_text() == "old\n"


@pytest.mark.anyio
async def test_each_session_of_the_protocol_has_read_for_itself(toolcrib, running):
    file = toolcrib.root / "a.txt"
    file.write_text("old\n")
    change = {"file_path": str(file), "old_string": "old", "new_string": "new"}
    async with connected(running, "legacy") as one, connected(running, "legacy") as other:
        await one.call_tool("Read", {"file_path": str(file)})
        refused = await other.call_tool("Edit", change)
        assert refused.is_error and "has not been read" in text_of(refused)
        assert not (await one.call_tool("Edit", change)).is_error


@pytest.mark.anyio
async def test_without_sessions_a_key_tells_conversations_apart(toolcrib, running):
    file = toolcrib.root / "a.txt"
    file.write_text("old\n")
    change = {"file_path": str(file), "old_string": "old", "new_string": "new"}
    one, other = {"toolcrib/session": "one"}, {"toolcrib/session": "other"}
    async with connected(running, "2026-07-28") as client:
        await client.call_tool("Read", {"file_path": str(file)}, meta=one)
        for meta in [other, None]:
            refused = await client.call_tool("Edit", change, meta=meta)
            assert refused.is_error and "has not been read" in text_of(refused)
        assert not (await client.call_tool("Edit", change, meta=one)).is_error


def test_sessions_are_bounded_and_end_when_they_are_told(running):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).encode()
    headers = {name.replace("_", "-"): value for name, value in running.good_headers().items()}
    connection = http.client.HTTPConnection(running.host, running.port, timeout=20)

    def begin():
        connection.request("POST", running.path, body=body, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers.get("Mcp-Session-Id")

    sessions = [begin() for _ in range(1000)]
    assert {status for status, _ in sessions} == {200} and len({name for _, name in sessions}) == 1000
    assert begin() == (503, None)
    assert running.request(body=write_call("/missing"), **stateless(running.good_headers())) == 200
    ending = {**headers, "Mcp-Session-Id": sessions[0][1], "Mcp-Protocol-Version": "2025-11-25"}
    connection.request("DELETE", running.path, headers=ending)
    ended = connection.getresponse()
    ended.read()
    assert ended.status == 204
    assert begin()[0] == 200
    connection.close()


def test_what_is_offered_can_be_less(toolcrib):
    def tools(*options):
        with serving(toolcrib, *options) as server:

            async def names():
                async with connected(server, "auto") as client:
                    return {tool.name for tool in (await client.list_tools()).tools}

            return anyio.run(names)

    assert tools("--read-only") == {"Read", "LS", "Glob", "Grep"}
    assert tools("--tools", "Read,Edit") == {"Read", "Edit"}
    assert tools("--tools", "Read,Move") == {"Read", "Move"}, "also those that are off by default"
    assert toolcrib.run("mcp", "--tools", "Reed").returncode == 2


def test_nothing_but_the_loopback_interface_is_listened_on(toolcrib):
    for address in ["0.0.0.0:0", "[::]:0", "8.8.8.8:80"]:
        done = toolcrib.run("mcp", "--http", address)
        assert done.returncode == 1 and b"other machines" in done.stderr


def test_a_token_of_ones_own_is_taken_and_not_printed(toolcrib):
    token = "t" * 40
    with serving(toolcrib, token=token) as server:
        assert server.request(body=b"{}", **server.good_headers()) not in (401, 403)
        os.kill(server.process.pid, signal.SIGTERM)
        assert token not in server.process.stderr.read()


def call(tool, arguments):
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    return json.dumps(call).encode()


def write_call(path):
    return call("Write", {"file_path": str(path), "content": "x"})


def stateless(headers):
    more = {"Mcp_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": "Write"}
    return {**headers, **more}


def test_no_tool_runs_for_a_foreign_host_or_origin(toolcrib, running):
    """Each header alone and both; a good request at the end shows that the call itself would have worked."""
    port = running.port
    good_hosts = [f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"]
    bad_hosts = [
        "evil.example", f"evil.example:{port}", "127.0.0.1", "localhost", f"0.0.0.0:{port}",
        f"127.0.0.1:{port}.evil.example", f"localhost.evil.example:{port}", f"127.0.0.1:{port + 1}",
        f"user@127.0.0.1:{port}", f"127.0.0.2:{port}", f"localhost.:{port}", "",
    ]  # fmt: skip
    good_origins = [f"http://{host}" for host in good_hosts]
    bad_origins = [
        "null", "http://evil.example", f"https://127.0.0.1:{port}", "http://127.0.0.1", "file://",
        f"http://localhost:{port + 1}", f"http://127.0.0.1:{port}.evil.example", f"http://evil.example:{port}",
        "chrome-extension://abc", f"http://localhost:{port}/", "http://[::1]", "",
    ]  # fmt: skip
    target = toolcrib.root / "canary"
    body = write_call(target)
    base = stateless(running.good_headers())
    del base["Host"]
    cases = [{"Host": host} for host in bad_hosts]
    cases += [{"Origin": origin} for origin in bad_origins + good_origins]
    cases += [{"Host": host, "Origin": o} for host in bad_hosts for o in bad_origins + good_origins]
    cases += [{"Host": host, "Origin": origin} for host in good_hosts for origin in bad_origins]
    cases += [{"Host": [good_hosts[0], bad]} for bad in bad_hosts[:3]]
    cases += [{"Host": good_hosts[0], "Origin": [good_origins[0], bad]} for bad in bad_origins[:3]]
    statuses = [running.request(body=body, **base, **case) for case in cases]
    print(f"{len(cases)} requests with a foreign Host or Origin, {statuses.count(403)} times 403")
    assert len(cases) > 200
    assert all(status in (400, 403) for status in statuses)
    assert not target.exists()
    for host in good_hosts[:2]:
        assert running.request(body=body, **base, Host=host) == 200
    assert target.exists()


def test_no_tool_runs_without_the_token(toolcrib, running):
    target = toolcrib.root / "canary"
    body, headers = write_call(target), stateless(running.good_headers())
    del headers["Authorization"]
    wrong = [None, "", "Bearer", "Bearer ", f"Bearer {running.token[:-1]}", f"Bearer {running.token}x",
             f"Basic {running.token}", running.token]  # fmt: skip
    for value in wrong:
        more = {} if value is None else {"Authorization": value}
        assert running.request(body=body, **headers, **more) == 401
    assert not target.exists()


def test_what_is_not_json_or_too_large_or_elsewhere_is_refused(toolcrib, running):
    headers = running.good_headers()
    assert running.request(body=b"x", **{**headers, "Content_Type": "text/plain"}) == 415
    assert running.request(body=b"{}", path="/", **headers) == 404
    assert running.request("PUT", body=b"{}", **headers) == 405
    assert running.request(body=b"{", **headers) in (400, 415, 422)
    assert running.request(body=b"[" * 100_000, **headers) in (400, 415, 422)
    large = b'"' + b"x" * (17 * 1024 * 1024) + b'"'
    try:
        assert running.request(body=large, **headers) == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # It did not wait for the rest, which is as good.
    assert running.request(body=write_call(toolcrib.root / "b"), **stateless(headers)) == 200


@pytest.mark.parametrize("said", [b"", b"POST /mcp HTTP/1.1\r\nHost: "], ids=["nothing", "half a head"])
def test_who_is_silent_or_sends_the_head_slowly_is_dropped(running, said):
    with socket.create_connection((running.host, running.port), timeout=20) as slow:
        started = time.monotonic()
        slow.sendall(said)
        assert slow.recv(1000) == b"" or b"408" in slow.recv(1000)
        assert time.monotonic() - started < 10


@pytest.mark.skipif("TOOLCRIB_SOAK" not in os.environ, reason="waits for half a minute")
def test_who_sends_no_body_or_reads_no_answer_is_dropped(toolcrib, running):
    (toolcrib.root / "large.txt").write_text(("x" * 99 + "\n") * 20_000)
    headers = {**stateless(running.good_headers()), "Mcp_Name": "Grep"}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    arguments = {"pattern": "x", "path": str(toolcrib.root), "output_mode": "content", "head_limit": 10_000}
    body = call("Grep", arguments)
    started = time.monotonic()
    with (
        socket.create_connection((running.host, running.port), timeout=60) as silent,
        socket.create_connection((running.host, running.port), timeout=60) as deaf,
    ):
        silent.sendall(f"POST /mcp HTTP/1.1\r\n{head}Content-Length: 1000\r\n\r\n".encode())
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = f"POST /mcp HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        # More answers than the buffers between the two hold.
        deaf.sendall(request * 100)
        assert b"408" in silent.recv(1000)
        print(f"no body: refused after {time.monotonic() - started:.0f} s")
        while time.monotonic() - started < 60 and established(deaf):
            time.sleep(0.5)
        print(f"no answer read: dropped after {time.monotonic() - started:.0f} s")
        assert not established(deaf)


def established(client) -> bool:
    """Whether the server has kept its side of a connection, as the kernel tells it."""
    port = f"{client.getsockname()[1]:04X}"
    with open("/proc/net/tcp") as connections:
        return any(line.split()[2].endswith(f":{port}") and line.split()[3] == "01" for line in connections)


def test_it_ends_within_a_second_of_being_told(running):
    started = time.monotonic()
    os.kill(running.process.pid, signal.SIGTERM)
    assert running.process.wait(5) == 0
    assert time.monotonic() - started < 1
    assert running.process.stdout.read() == "", "nothing but protocol goes to standard output"


@pytest.mark.anyio
async def test_files_are_resources_and_changes_are_told(toolcrib, running):
    file = toolcrib.root / "a b.txt"
    file.write_text("one\n")
    (toolcrib.root / "data.bin").write_bytes(b"\x00\xff")
    (toolcrib.root / ".env").write_text("SECRET=1\n")
    outside = toolcrib.root.parent / "outside.txt"
    outside.write_text("outside\n")
    told = anyio.Event()

    async def handle(message):
        if getattr(message, "method", None) == "notifications/resources/updated":
            assert message.params.uri == file.as_uri()
            told.set()

    async with connected(running, "legacy", message_handler=handle) as client:
        listed = {str(resource.uri) for resource in (await client.list_resources()).resources}
        assert listed == {file.as_uri(), (toolcrib.root / "data.bin").as_uri()}
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "file://{+path}"
        (text,) = (await client.read_resource(file.as_uri())).contents
        assert text.text == "one\n"
        (data,) = (await client.read_resource((toolcrib.root / "data.bin").as_uri())).contents
        assert data.blob == "AP8="
        for refused in [toolcrib.root / ".env", outside, toolcrib.root / "missing"]:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(refused.as_uri())
            assert caught.value.error.data == {"uri": refused.as_uri()}
        await client.subscribe_resource(file.as_uri())
        file.write_text("two\n")
        with anyio.fail_after(10):
            await told.wait()
        await client.unsubscribe_resource(file.as_uri())


@asynccontextmanager
async def connected_by(transport, toolcrib):
    """A client of the stateless protocol."""
    if transport == "stdio":
        server = StdioServerParameters(command=str(toolcrib.binary), args=["mcp", "--root", str(toolcrib.root)])
        with anyio.fail_after(60):
            async with Client(stdio_client(server), mode="2026-07-28") as client:
                yield client
    else:
        with serving(toolcrib) as server:
            async with connected(server, "2026-07-28") as client:
                yield client


@pytest.mark.anyio
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_client_of_the_stateless_protocol_listens_for_changes(toolcrib, transport):
    one, other, unwatched = (toolcrib.root / name for name in ["a b.txt", "other.txt", "unwatched.txt"])
    for file in [one, other, unwatched]:
        file.write_text("one\n")
    (toolcrib.root / ".env").write_text("SECRET=1\n")
    outside = toolcrib.root.parent / "outside.txt"
    outside.write_text("outside\n")
    wanted = [file.as_uri() for file in [one, other, toolcrib.root / "missing", toolcrib.root / ".env", outside]] + ["test://x"]
    async with connected_by(transport, toolcrib) as client:
        async with client.listen(resource_subscriptions=wanted, tools_list_changed=True) as changes:
            assert set(changes.honored.resource_subscriptions) == {one.as_uri(), other.as_uri()}
            assert not changes.honored.tools_list_changed
            told = aiter(changes)
            for file in [one, other, one]:
                # At once: what happens right after the server has agreed is told too.
                unwatched.write_text(f"{file}\n")
                with file.open("a") as out:
                    out.write("two\n")
                with anyio.fail_after(10):
                    assert (await anext(told)).uri == file.as_uri()
        answer = await client.call_tool("Read", {"file_path": str(one)})
        assert text_of(answer) == "     1\tone\n     2\ttwo\n     3\ttwo"


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_call_that_is_taken_back_stops_working(toolcrib, running, slow_search, mode):
    """By a notification where there are sessions, by closing the stream where there are none."""
    async with connected(running, mode) as client:
        with anyio.move_on_after(0.2) as scope:
            await client.call_tool("Grep", slow_search)
        assert scope.cancelled_caught
        await anyio.sleep(0.1)
        assert comes_to_rest(running.process.pid)
        (toolcrib.root / "a.txt").write_text("one\n")
        answer = await client.call_tool("Read", {"file_path": str(toolcrib.root / "a.txt")})
        assert text_of(answer) == "     1\tone"


@pytest.mark.parametrize(
    "body, status, id, code",
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/list",}', 400, 7, -32700),
        (b'{"jsonrpc":"2.0","id":8,"params":' + b"[" * 500 + b"]" * 500 + b"}", 400, 8, -32700),
        (b'{"id":9}', None, 9, -32600),
        (b'{"jsonrpc":"2.0","id":10,"params":"' + b"x" * (17 << 20) + b'"}', 413, None, -32600),
    ],
    ids=["no JSON", "too deep", "no message", "too long"],
)
def test_what_cannot_be_understood_is_answered_in_json(toolcrib, body, status, id, code):
    with serving(toolcrib) as server:
        connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
        headers = {name.replace("_", "-"): value for name, value in server.good_headers().items()}
        connection.request("POST", server.path, body=body, headers=headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())
        assert answer.status == status or (status is None and 400 <= answer.status < 500), answer.status
        assert answer.headers["content-type"] == "application/json"
        assert (told["id"], told["error"]["code"]) == (id, code), told
        connection.close()
