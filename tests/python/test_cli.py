"""Wrong calls from the command line: one clear sentence, an exit status, and never a stack trace."""

import json
import os
import pty
import subprocess

import pytest
from conftest import DIALECTS

FAILED = 1
WRONG_USAGE = 2


def sentence_of(done: subprocess.CompletedProcess) -> str:
    """What a failed command said, after checking that it said it as all commands do."""
    said = done.stderr.decode()
    assert done.returncode in (FAILED, WRONG_USAGE), said
    assert done.stdout == b""
    assert "panicked" not in said and "stack backtrace" not in said
    first, *rest = said.removesuffix("\n").split("\n")
    assert first.startswith("error: ")
    assert len(rest) <= 1 and all(line.startswith("hint: ") for line in rest), said
    return first.removeprefix("error: ")


# What is wrong, the parameters, the sentence.
REFUSED = [
    ("missing", {}, "Missing required parameter 'file_path' (string)"),
    ("missing", None, "Missing required parameter 'file_path' (string)"),
    ("missing", {"file_path": None}, "Missing required parameter 'file_path' (string)"),
    ("type", {"file_path": 5}, "Invalid type for parameter 'file_path': got number 5, wants a string"),
    ("type", {"file_path": ["a"]}, "Invalid type for parameter 'file_path': got an array of 1 items, wants a string"),
    ("type", {"file_path": "/a", "limit": "many"}, "Invalid type for parameter 'limit': got string \"many\", wants an integer"),
    ("type", {"file_path": "/a", "limit": 1.5}, "Invalid type for parameter 'limit': got number 1.5, wants an integer"),
    ("type", {"file_path": "/a", "limit": 1e30}, "Invalid type for parameter 'limit': got number 1e+30, wants an integer"),
    ("range", {"file_path": "/a", "limit": 0}, "Parameter 'limit' is out of range: got 0, wants 1 to 10000"),
    ("range", {"file_path": "/a", "limit": 10001}, "Parameter 'limit' is out of range: got 10001, wants 1 to 10000"),
    ("range", {"file_path": "/a", "limit": 2**64 - 1}, "Parameter 'limit' is out of range: got 18446744073709551615, wants 1 to 10000"),
    ("range", {"file_path": "/a", "offset": -1}, "Parameter 'offset' is out of range: got -1, wants at least 1"),
    ("length", {"file_path": ""}, "Parameter 'file_path' is too short: got 0 characters, wants at least 1"),
    ("unknown", {"file_path": "/a", "limits": 3}, "Unknown parameter 'limits', did you mean 'limit'?"),
    ("unknown", {"file_path": "/a", "zzz": 3}, "Unknown parameter 'zzz'"),
    ("not an object", [], "Parameters must be a JSON object, got an array of 0 items"),
    ("not an object", ["/a"], "Parameters must be a JSON object, got an array of 1 items"),
    ("not an object", "/a", "Parameters must be a JSON object, got string \"/a\""),
    ("not an object", 5, "Parameters must be a JSON object, got number 5"),
    ("not absolute", {"file_path": "a.txt"}, "file_path must be an absolute path"),
    ("outside", {"file_path": "/etc/passwd"}, "Path outside workspace: /etc/passwd"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, sentence", [case[1:] for case in REFUSED])
def test_a_wrong_call_is_refused_with_one_sentence(toolcrib, arguments, sentence):
    assert sentence_of(toolcrib.call("Read", arguments)) == sentence


@pytest.mark.parametrize("arguments, sentence", [case[1:] for case in REFUSED])
def test_json_says_the_same_as_an_object(toolcrib, arguments, sentence):
    whole = failed_object(toolcrib.call("Read", arguments, "--json"))
    assert whole["error"] == sentence


def failed_object(done: subprocess.CompletedProcess) -> dict:
    """The result of a failed call, after checking its form."""
    assert done.returncode in (FAILED, WRONG_USAGE)
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1 and done.stdout.endswith(b"\n"), "one line"
    whole = json.loads(done.stdout)
    assert list(whole) == ["success", "output", "error", "duration_ms", "metadata"]
    assert whole["success"] is False and whole["output"] is None
    assert whole["metadata"]["error_kind"]
    return whole


def test_the_object_of_a_call_that_went_well(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\n")
    done = toolcrib.call("Read", {"file_path": str(toolcrib.root / "a.txt")}, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    whole = json.loads(done.stdout)
    assert list(whole) == ["success", "output", "error", "duration_ms", "metadata"]
    assert (whole["success"], whole["output"], whole["error"]) == (True, "     1\tone", None)
    assert 0 < whole["duration_ms"] < 10_000


MALFORMED = ["", " ", "{", "{]", "nonsense", "{'file_path': '/a'}", '{"file_path": "/a",}', "{} {}", "[" * 100_000]


@pytest.mark.parametrize("text", MALFORMED, ids=lambda text: text[:20])
def test_malformed_json_is_wrong_usage(toolcrib, text):
    done = toolcrib.run("call", "Read", text)
    assert sentence_of(done).startswith("The parameters are not valid JSON: ")
    assert done.returncode == WRONG_USAGE
    assert failed_object(toolcrib.run("call", "Read", text, "--json"))["metadata"]["error_kind"] == "invalid_parameter"


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"\0"], ids=lambda text: repr(text[:5]))
def test_malformed_json_on_standard_input_too(toolcrib, text):
    done = toolcrib.run("call", "Read", "-", stdin=text)
    sentence_of(done)
    assert done.returncode == WRONG_USAGE


def test_json_on_standard_input(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\n")
    arguments = json.dumps({"file_path": str(toolcrib.root / "a.txt")}, indent=2).encode()
    done = toolcrib.run("call", "Read", "-", stdin=arguments + b"\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"     1\tone\n", b"")


@pytest.mark.parametrize("name", ["Raed", "read", "Read ", "", "zzz", "R\u00e9ad"])
def test_an_unknown_tool(toolcrib, name):
    done = toolcrib.call(name, {})
    assert sentence_of(done).startswith(f"Unknown tool '{name}'")
    assert b"\nhint: known tools: Read" in done.stderr
    assert failed_object(toolcrib.call(name, {}, "--json"))["metadata"]["error_kind"] == "unknown_tool"


@pytest.mark.parametrize("mark", ["\n", "\r", "\x1b[2J"], ids=repr)
@pytest.mark.parametrize("place", ["tool", "parameter", "value", "path"])
def test_what_the_caller_wrote_cannot_break_the_sentence(toolcrib, place, mark):
    """A name with a line break or a terminal's command in it stays one harmless line."""
    odd = f"a{mark}error: b"
    done = {
        "tool": lambda: toolcrib.call(odd, {}),
        "parameter": lambda: toolcrib.call("Read", {"file_path": "/a", odd: 1}),
        "value": lambda: toolcrib.call("Read", {"file_path": "/a", "limit": odd}),
        "path": lambda: toolcrib.call("Read", {"file_path": f"{toolcrib.root}/{odd}"}),
    }[place]()
    sentence_of(done)
    assert mark not in done.stderr.decode().removesuffix("\n").replace("\nhint: ", "")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["call"],
        ["cal", "Read"],
        ["call", "Read", "{}", "surplus"],
        ["call", "Read", "{}", "--nope"],
        ["call", "Read", "{}", "--dialect", "nope"],
        ["schemas", "--format", "nope"],
        ["schemas", "--format"],
        ["mcp", "surplus"],
        ["call", b"\xff", "{}"],
        ["call", "Read", b"\xff"],
    ],
    ids=repr,
)
def test_wrong_usage_has_its_own_status_and_says_so_on_standard_error(toolcrib, arguments):
    done = toolcrib.run(*arguments)
    assert done.returncode == WRONG_USAGE
    assert done.stdout == b""
    assert done.stderr
    assert b"panicked" not in done.stderr


@pytest.mark.parametrize(
    "option, known",
    [("--dialect", DIALECTS), ("--format", ["openai", "openai-strict", "anthropic", "mcp", "langchain"])],
)
def test_an_unknown_choice_names_the_known_ones(toolcrib, option, known):
    done = toolcrib.run("schemas", option, "nope")
    assert done.returncode == WRONG_USAGE
    for name in known:
        assert name in done.stderr.decode()


@pytest.mark.parametrize("root", ["absent", "file.txt", "/proc/self/mem"])
def test_a_root_that_is_no_directory(toolcrib, root):
    (toolcrib.root / "file.txt").write_text("text\n")
    sentence_of(toolcrib.call("Read", {}, "--root", root))


def test_a_given_root_needs_no_current_directory(toolcrib, tmp_path):
    (toolcrib.root / "a.txt").write_text("one\n")
    gone = tmp_path / "gone"
    gone.mkdir()
    arguments = json.dumps({"file_path": str(toolcrib.root / "a.txt")})
    script = 'rmdir "$PWD" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", toolcrib.binary, "--root", toolcrib.root, "call", "Read", arguments],
        capture_output=True,
        cwd=gone,
        timeout=10,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"     1\tone\n", b"")


def test_a_reader_that_goes_away_early_is_no_error(toolcrib):
    (toolcrib.root / "a.txt").write_bytes(b"a line of text\n" * 2000)
    arguments = json.dumps({"file_path": str(toolcrib.root / "a.txt")})
    process = subprocess.Popen(
        [toolcrib.binary, "call", "Read", arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=toolcrib.root,
    )
    process.stdout.close()
    _, stderr = process.communicate(timeout=10)
    assert (process.returncode, stderr) == (0, b"")


def test_an_answer_that_cannot_be_written_is_a_failure(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\n")
    arguments = json.dumps({"file_path": str(toolcrib.root / "a.txt")})
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [toolcrib.binary, "call", "Read", arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=toolcrib.root,
            timeout=10,
        )
    assert done.returncode == FAILED
    assert done.stderr.startswith(b"error: ")


def test_without_json_on_a_terminal_it_shows_the_parameters(toolcrib):
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [toolcrib.binary, "call", "Read"],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
        cwd=toolcrib.root,
        timeout=10,
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    for word in ["file_path", "offset", "limit", "required", "default: 2000"]:
        assert word in shown
