"""The MCP server on the wire: every byte it writes, and when it ends."""

import json
import os
import pty
import select
import signal
import subprocess
import time

import pytest

INVALID_PARAMS = -32602
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Wire:
    """A server whose lines we write and read ourselves."""

    def __init__(self, toolcrib, *options, stdin=subprocess.PIPE, env=None):
        self.process = subprocess.Popen(
            [toolcrib.binary, "mcp", "--root", toolcrib.root, *options],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=toolcrib.root,
            env=env,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def write(self, data: bytes):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params=None, id=None):
        message = {"jsonrpc": "2.0", "method": method}
        if id is not None:
            message["id"] = id
        if params is not None:
            message["params"] = params
        self.write(json.dumps(message).encode() + b"\n")

    def receive(self, timeout: float = 10) -> dict:
        """The next line; the server writes one at a time, so a ready pipe holds a whole one."""
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        assert ready, f"no answer within {timeout} s"
        line = self.process.stdout.raw.readline()
        assert line, f"the server ended: {self.process.stderr.read().decode()}"
        return json.loads(line)

    def shake_hands(self):
        self.send("initialize", HANDSHAKE, id="hello")
        assert self.receive()["id"] == "hello"
        self.send("notifications/initialized")

    def call(self, id, **arguments):
        self.send("tools/call", {"name": "Read", "arguments": arguments}, id=id)

    def end(self, timeout: float = 1) -> tuple[int, bytes, bytes]:
        """Closes the input; the exit status and what was left on the two streams."""
        self.process.stdin.close()
        self.process.stdin = None
        stdout, stderr = self.process.communicate(timeout=timeout)
        return self.process.returncode, stdout, stderr


@pytest.fixture
def wire(toolcrib):
    with Wire(toolcrib) as wire:
        yield wire


@pytest.fixture
def endless(toolcrib) -> str:
    """A text that takes more than a moment to look through."""
    file = toolcrib.root / "endless.txt"
    block = b"text\n" * (8 << 20)
    with file.open("wb") as out:
        for _ in range(36):
            out.write(block)
    return str(file)


# Far past the end, so that all of the file is looked at.
FAR = 1 << 40


def test_the_server_ends_when_its_input_does(wire):
    wire.shake_hands()
    assert wire.end() == (0, b"", b"")


def test_the_server_ends_before_anything_was_said(wire):
    assert wire.end() == (0, b"", b"")


def test_the_server_ends_although_a_call_is_at_work(wire, endless):
    wire.shake_hands()
    wire.call(1, file_path=endless, offset=FAR)
    time.sleep(0.2)
    status, _, stderr = wire.end()
    assert (status, stderr) == (0, b"")


def test_what_was_asked_before_the_input_ended_is_answered(toolcrib, wire):
    (toolcrib.root / "a.txt").write_text("one\n")
    wire.shake_hands()
    wire.call(1, file_path=str(toolcrib.root / "a.txt"))
    status, stdout, stderr = wire.end()
    assert (status, stderr) == (0, b"")
    assert json.loads(stdout)["result"]["content"][0]["text"] == "     1\tone"


def test_a_slow_call_holds_up_no_other(toolcrib, wire, endless):
    (toolcrib.root / "a.txt").write_text("one\n")
    wire.shake_hands()
    wire.call("slow", file_path=endless, offset=FAR)
    wire.call("quick", file_path=str(toolcrib.root / "a.txt"))
    answer = wire.receive()
    assert answer["id"] == "quick"
    assert answer["result"]["content"][0]["text"] == "     1\tone"


def test_a_cancelled_call_stops_working(wire, endless):
    wire.shake_hands()
    wire.call("slow", file_path=endless, offset=FAR)
    time.sleep(0.03)
    wire.send("notifications/cancelled", {"requestId": "slow"})
    wire.send("ping", id="ping")
    assert wire.receive()["id"] == "ping"
    assert comes_to_rest(wire.process.pid)
    wire.send("ping", id="later")
    assert wire.receive()["id"] == "later", "a request that was cancelled gets no answer"


def comes_to_rest(pid: int, seconds: float = 5) -> bool:
    """Whether a process stops working within some seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        before = time_at_work(pid)
        time.sleep(0.5)
        if time_at_work(pid) - before < 0.05:
            return True
    return False


def time_at_work(pid: int) -> float:
    """The processor time of all threads of a process, in seconds."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_nothing_but_protocol_goes_to_standard_output(toolcrib, wire):
    (toolcrib.root / "a.txt").write_text("one\u2028two\n")
    wire.send("initialize", HANDSHAKE, id=1)
    wire.send("notifications/initialized")
    wire.send("tools/list", id=2)
    wire.call(3, file_path=str(toolcrib.root / "a.txt"))
    wire.call(4, file_path="/etc/passwd")
    wire.call(5, limit=[])
    wire.send("tools/call", {"name": "Nope"}, id=6)
    wire.send("no/such/method", id=7)
    wire.write(b'garbage\n\n[]\n{}\n"text"\n{"jsonrpc": "2.0"\n\xff\xfe\n')
    wire.send("ping", id=8)
    status, stdout, stderr = wire.end()

    assert (status, stderr) == (0, b"")
    assert stdout.endswith(b"\n")
    messages = [json.loads(line) for line in stdout[:-1].split(b"\n")]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    answers = {message["id"]: message for message in messages if message.get("id") is not None}
    assert sorted(answers) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(("result" in message) != ("error" in message) for message in messages)
    assert [id for id, answer in answers.items() if "error" in answer] == [6, 7]


@pytest.mark.parametrize("arguments", [[], ["/a"], "/a", 5], ids=repr)
def test_arguments_that_are_no_object_are_refused_with_a_sentence(wire, arguments):
    wire.shake_hands()
    wire.send("tools/call", {"name": "Read", "arguments": arguments}, id=1)
    error = wire.receive()["error"]
    assert error["code"] == INVALID_PARAMS
    assert "object" in error["message"]


def test_large_answers_are_whole_lines(toolcrib, wire):
    """More than a pipe holds, while nobody reads."""
    file = toolcrib.root / "large.txt"
    file.write_bytes(b"".join(b"%05d %s\n" % (n, b"x" * 60) for n in range(2000)))
    wire.shake_hands()
    for id in range(20):
        wire.call(id, file_path=str(file))
    time.sleep(0.5)
    status, stdout, stderr = wire.end(timeout=10)
    assert (status, stderr) == (0, b"")
    answers = [json.loads(line) for line in stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(20))
    assert len({answer["result"]["content"][0]["text"] for answer in answers}) == 1


def test_a_client_that_is_gone_ends_the_server(wire):
    wire.shake_hands()
    wire.process.stdout.close()
    wire.send("ping", id=1)
    wire.process.stdin.close()
    assert wire.process.wait(timeout=1) >= 0, "ended by a signal"
    assert b"panicked" not in wire.process.stderr.read()
    wire.process.stdin = wire.process.stdout = None


def test_where_nothing_is_recorded_the_client_is_told(toolcrib):
    nowhere = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_STATE_HOME")}
    with Wire(toolcrib, env=nowhere) as wire:
        wire.send("initialize", HANDSHAKE, id="hello")
        assert "Changes are not recorded" in wire.receive()["result"]["instructions"]
        wire.send("notifications/initialized")
        told = wire.receive()
        assert told["method"] == "notifications/message" and told["params"]["level"] == "warning"
        assert "Changes are not recorded" in told["params"]["data"]
        status, stdout, stderr = wire.end()
    assert (status, stdout) == (0, b"") and stderr.startswith(b"note: Changes are not recorded")
    with Wire(toolcrib, "--read-only", env=nowhere) as wire:
        wire.shake_hands()
        assert wire.end() == (0, b"", b""), "who changes nothing need not know"


@pytest.mark.parametrize("options", [[], ["--tools", "Read,Edit", "--read-only", "--ignore-client-roots"]])
def test_on_a_terminal_it_says_what_it_serves_and_waits(toolcrib, options):
    ours, theirs = pty.openpty()
    with Wire(toolcrib, *options, stdin=theirs) as wire:
        os.close(theirs)
        time.sleep(0.5)
        assert wire.process.poll() is None, "it waits"
        wire.process.send_signal(signal.SIGTERM)
        stdout, stderr = wire.process.communicate(timeout=1)
    os.close(ours)
    assert stdout == b""
    said = stderr.decode()
    assert str(toolcrib.root) in said
    assert "Read" in said
    snippet = json.loads(said[said.index("{") : said.rindex("}") + 1])
    configured = snippet["mcpServers"]["toolcrib"]
    assert configured == {"command": str(toolcrib.binary), "args": ["mcp", "--root", str(toolcrib.root), *options]}


PATCHED = 50


@pytest.mark.parametrize("moment", [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2, "answered"])
def test_a_change_is_whole_or_nothing_when_the_input_ends(toolcrib, tmp_path, moment):
    """A patch of many files, and the end of the input in its midst."""
    config = tmp_path / "config.toml"
    config.write_text("read_before_write = false\n")
    parts = ["*** Begin Patch\n"]
    for n in range(PATCHED):
        (toolcrib.root / f"{n}.txt").write_text("old\n")
        parts.append(f"*** Update File: {n}.txt\n@@\n-old\n+new\n")
    with Wire(toolcrib, "--config", config) as wire:
        wire.shake_hands()
        patch = {"name": "ApplyPatch", "arguments": {"patch_text": "".join(parts) + "*** End Patch\n"}}
        wire.send("tools/call", patch, id="patch")
        if moment == "answered":
            wire.receive()
        else:
            time.sleep(moment)
        started = time.monotonic()
        status, _, stderr = wire.end(timeout=5)
        took = time.monotonic() - started
    assert (status, stderr) == (0, b"")
    assert sorted(os.listdir(toolcrib.root)) == sorted(f"{n}.txt" for n in range(PATCHED)), "nothing is left over"
    texts = [(toolcrib.root / f"{n}.txt").read_text() for n in range(PATCHED)]
    new = texts.count("new\n")
    print(f"ended: {moment}, took {took:.2f} s: {new} of {PATCHED} files are new")
    assert new in ((PATCHED,) if moment == "answered" else (0, PATCHED))
    assert took < 1


@pytest.mark.parametrize("options", [["--root", "absent"], ["--dialect", "nope"], ["surplus"]])
def test_a_server_that_cannot_start_says_why(toolcrib, options):
    done = toolcrib.run("mcp", *options)
    assert done.returncode in (1, 2)
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: ")


@pytest.mark.parametrize(
    "frame, id, code, said",
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/list",}', 7, -32700, "not valid JSON"),
        (b'{"jsonrpc":"2.0","method":"tools/list","id":"last"', "last", -32700, "not valid JSON"),
        (b'{"jsonrpc":"2.0","id":8,"params":' + b"[" * 500 + b"]" * 500 + b"}", 8, -32700, "128 levels"),
        (b'{"jsonrpc":"2.0","params":{"x":"' + b"x" * (17 << 20) + b'","id":1},"id":9}', 9, -32600, "16 MiB"),
        (b'{"jsonrpc":"2.0","id":10}', 10, -32600, "Invalid request"),
    ],
    ids=["no JSON", "cut off", "too deep", "too long", "no message"],
)
def test_a_message_with_an_id_is_answered_whatever_is_wrong_with_it(wire, frame, id, code, said):
    wire.shake_hands()
    wire.write(frame + b"\n")
    answer = wire.receive()
    assert (answer["id"], answer["error"]["code"]) == (id, code) and said in answer["error"]["message"], answer
    wire.send("ping", id="next")
    assert wire.receive()["id"] == "next"


def test_a_message_without_an_id_gets_no_answer(wire):
    wire.shake_hands()
    wire.write(b'GET / HTTP/1.1\n{"params":{"id":1}\n[1,\n')
    wire.send("ping", id="next")
    assert wire.receive()["id"] == "next"


def threads(pid: int) -> int:
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads"))


def test_there_are_no_more_threads_than_promised(toolcrib, tmp_path):
    """While 128 questions wait for a person, more calls wait for their turn, and resources can still be read."""
    config = tmp_path / "config.toml"
    config.write_text('[[rules]]\nkind = "edit"\npattern = "*.txt"\naction = "ask"\n')
    (toolcrib.root / "a.txt").write_text("one\n")
    with Wire(toolcrib, "--config", config, "--ignore-client-roots") as wire:
        wire.send("initialize", {**HANDSHAKE, "capabilities": {"elicitation": {}}}, id="hello")
        assert wire.receive()["id"] == "hello"
        wire.send("notifications/initialized")
        for number in range(400):
            arguments = {"file_path": str(toolcrib.root / f"{number}.txt"), "content": "x"}
            wire.send("tools/call", {"name": "Write", "arguments": arguments}, id=f"call-{number}")
        asked = [wire.receive(60) for _ in range(128)]
        assert all(message["method"] == "elicitation/create" for message in asked)
        for number in range(400):
            wire.send("resources/read", {"uri": f"file://{toolcrib.root}/a.txt"}, id=f"resource-{number}")
        for _ in range(400):
            assert wire.receive(60)["id"].startswith("resource-")
        # Beside them, that of the runtime and the one that reads.
        assert threads(wire.process.pid) <= 128 + 16 + 2
        # Calls that are cancelled while they wait get no thread either.
        for number in range(400):
            wire.send("notifications/cancelled", {"requestId": f"call-{number}"})
        wire.send("ping", id="next")
        while wire.receive(60).get("id") != "next":
            assert threads(wire.process.pid) <= 128 + 16 + 2
