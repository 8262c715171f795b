"""Real agents, driven to the end by a model that follows a script: what reaches the model, and what is on the disk afterwards.

`cargo xtask test agents` installs the agents and runs this. An agent that could not be installed is skipped and named.
"""

from __future__ import annotations

import json
import struct
import time
import zlib
from pathlib import Path

import pytest

from agents import AGENTS, Agent, Home
from model import Call, Model, Seen

REPORT: dict[str, dict[str, object]] = {}


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.client)
def agent(request: pytest.FixtureRequest) -> Agent:
    if not request.param.installed():
        pytest.skip(f"{request.param.package} is not installed")
    return request.param


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path.resolve(), {})


@pytest.fixture(scope="session", autouse=True)
def report() -> object:
    """What was measured, as a table at the end of the run."""
    yield None
    for client, facts in REPORT.items():
        print(f"\n{client}: {json.dumps(facts)}")


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\x20\x80\xc0" * width for _ in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def finished(model: Model, agent: Agent, run: object) -> list[Seen]:
    """What the model was shown, after it has made all its calls."""
    results = model.results()
    assert not model.unexpected and len(results) == len(model.steps), (model.unexpected, len(results), run)
    return results


def plain(home: Home, project: Path, tool: str, arguments: dict) -> str:
    """The answer as it is."""
    done = home.toolcrib(project, "call", tool, json.dumps(arguments), "--json")
    return json.loads(done.stdout)["output"]


def test_the_model_reads_answers_as_they_are(agent: Agent, home: Home) -> None:
    project = home.project("project")
    source = 'def main():\n    print("hello\\tworld")\n\n\nmain()\n'
    (project / "main.py").write_text(source)
    (project / "notes.txt").write_text("one\ntwo\nthree\n")
    (project / "photo.png").write_bytes(png(40, 30))
    (project / "large.txt").write_text("".join(f"line {n} of a large file\n" for n in range(5000)))
    path = lambda name: str(project / name)  # noqa: E731
    patch = "--- a/notes.txt\n+++ b/notes.txt\n@@ -2 +2 @@\n-two\n+TWO\n"
    envelope = "*** Begin Patch\n*** Add File: new.txt\n+made\n*** Update File: notes.txt\n@@\n-three\n+THREE\n*** End Patch\n"
    steps = [
        Call("Read", {"file_path": path("main.py")}),
        Call("Edit", {"file_path": path("main.py"), "old_string": "hello", "new_string": "goodbye"}),
        Call("Edit", {"file_path": path("main.py"), "old_string": "no such text", "new_string": "x"}),
        Call("Grep", {"pattern": "goodbye", "path": str(project), "output_mode": "content"}),
        Call("Read", {"file_path": path("notes.txt")}),
        Call("ApplyPatch", {"patch_text": patch}),
        Call("ApplyPatch", {"patch_text": envelope}),
        Call("Glob", {"pattern": "**/*.txt", "path": str(project)}),
        Call("LS", {"path": str(project)}),
        Call("Read", {"file_path": path("photo.png")}),
        Call("Read", {"file_path": path("large.txt")}),
        Call("Grep", {"pattern": "line", "path": path("large.txt"), "output_mode": "content", "head_limit": 5000}),
    ]
    agent.init(home, project)
    model = Model(steps)
    began = time.monotonic()
    run = agent.run(home, project, model)
    took = time.monotonic() - began
    seen = finished(model, agent, run)

    # Code is code, not an escaped string between facts.
    assert '    print("hello\\tworld")' in seen[0].text, seen[0].text
    succeeded = [result for at, result in enumerate(seen) if at != 2]
    assert not any("structuredContent" in result.text or '"file_path"' in result.text for result in succeeded)
    assert '-    print("hello\\tworld")\n+    print("goodbye\\tworld")' in seen[1].text, seen[1].text
    assert "old_string not found" in seen[2].text and "Hint: " in seen[2].text, seen[2].text
    assert "goodbye" in seen[3].text
    assert "-two\n+TWO" in seen[5].text and "+THREE" in seen[6].text, seen[6].text
    assert "new.txt" in seen[7].text and "photo.png" in seen[8].text
    # Some give the model the image in the result, some beside it.
    shown = seen[9].images == 1 or "data:image/png" in json.dumps(model.requests[-1].body)
    assert shown == agent.images, seen[9].text[:500]
    # What does not fit is cut by us, with the way to go on, and not by the agent.
    assert "read it from offset " in seen[10].text[-400:], seen[10].text[-400:]
    assert "go on with offset " in seen[11].text[-400:], seen[11].text[-400:]
    assert all(len(result.text) <= agent.takes for result in seen), [len(result.text) for result in seen]
    assert all("truncated" not in result.text.lower() for result in seen)
    for result in seen[10:]:
        numbers = [int(line.split(" of a large file")[0].rsplit(" ", 1)[1]) for line in result.text.split("\n") if " of a large file" in line]
        assert numbers == list(range(len(numbers))) and len(numbers) > 100, "nothing is missing in the middle"

    assert (project / "main.py").read_text() == source.replace("hello", "goodbye")
    assert (project / "notes.txt").read_text() == "one\nTWO\nTHREE\n"
    assert (project / "new.txt").read_text() == "made\n"

    small = [seen[at] for at in (0, 3, 4, 7, 8)]
    calls = [steps[at] for at in (0, 3, 4, 7, 8)]
    for result, step in zip(small[3:], calls[3:]):
        given = plain(home, project, step.tool, step.arguments)
        assert len(result.text) <= 1.1 * len(given) + 120, (step.tool, result.text, given)
    REPORT[agent.client] = {
        "version": agent.version(),
        "seconds": round(took, 1),
        "characters": [len(result.text) for result in seen],
    }

    log = home.toolcrib(project, "log")
    assert f"by {agent.speaks_as}" in log.stdout, log.stdout
    undone = home.toolcrib(project, "undo")
    assert undone.returncode == 0, undone.stderr
    assert not (project / "new.txt").exists() and (project / "notes.txt").read_text() == "one\nTWO\nthree\n"


def test_another_project_is_served_too(agent: Agent, home: Home) -> None:
    """What was set up in one project works in the next, and what was read in one process counts in the next."""
    agent.init(home, home.project("first"))
    other = home.project("second")
    (other / "a.txt").write_text("in the other project\n")
    reading = Model([Call("Read", {"file_path": str(other / "a.txt")})])
    run = agent.run(home, other, reading)
    assert "in the other project" in finished(reading, agent, run)[0].text
    edit = {"file_path": str(other / "a.txt"), "old_string": "other", "new_string": "second"}
    editing = Model([Call("Edit", edit)])
    run = agent.run(home, other, editing)
    assert "Replaced 1 occurrence" in finished(editing, agent, run)[0].text
    assert (other / "a.txt").read_text() == "in the second project\n"
    # What somebody else has changed since has to be read again.
    (other / "a.txt").write_text("changed by hand, in the second project\n")
    stale = Model([Call("Write", {"file_path": str(other / "a.txt"), "content": "mine\n"})])
    run = agent.run(home, other, stale)
    assert "has changed since" in finished(stale, agent, run)[0].text.lower(), stale.results()
    assert "by hand" in (other / "a.txt").read_text()


def test_the_users_rules_hold_wherever_they_are_kept(agent: Agent, home: Home) -> None:
    project = home.project("project")
    (project / "private.txt").write_text("canary\n")
    (project / "ci.yml").write_text("a: 1\n")
    config = home.path / "settings/toolcrib/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        '[[rules]]\nkind = "read"\npattern = "private.txt"\naction = "deny"\n'
        '[[rules]]\nkind = "edit"\npattern = "ci.yml"\naction = "ask"\n'
    )
    home.variables["XDG_CONFIG_HOME"] = str(home.path / "settings")
    home.variables["XDG_STATE_HOME"] = str(home.path / "state")
    if agent.client == "opencode":
        # It keeps its own configuration there.
        (home.path / ".config").mkdir(exist_ok=True)
        (home.path / ".config/opencode").mkdir(exist_ok=True)
        (home.path / "settings/opencode").symlink_to(home.path / ".config/opencode")
    agent.init(home, project)
    steps = [
        Call("Read", {"file_path": str(project / "private.txt")}),
        Call("Read", {"file_path": str(project / "ci.yml")}),
        Call("Edit", {"file_path": str(project / "ci.yml"), "old_string": "a: 1", "new_string": "a: 2"}),
    ]
    model = Model(steps)
    run = agent.run(home, project, model)
    seen = finished(model, agent, run)
    assert "canary" not in seen[0].text and "Permission denied" in seen[0].text, seen[0].text
    # Nobody is there to be asked, and the model is told so.
    assert "Permission denied" in seen[2].text and (project / "ci.yml").read_text() == "a: 1\n", seen[2].text
    REPORT.setdefault(agent.client, {})["refused"] = seen[2].text
