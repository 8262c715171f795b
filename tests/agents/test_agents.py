"""Real agents, driven to the end by a model that follows a script: what reaches the model, and what is on the disk afterwards.

`cargo xtask test agents` installs the agents and runs this. An agent that could not be installed is skipped and named.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import typical
from agents import AGENTS, PROGRAMS, Agent, Home, Terminal, structured, update
from model import Call, Model, Seen, Serving, png, unwrapped

REPORT: dict[str, dict[str, object]] = {}
COSTS: list[typical.Cost] = []
TIMES: dict[str, tuple[float, float]] = {}
"""In seconds, as the model sees them: until the first request with the tools, and from a call to the next request."""


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
    if COSTS:
        print(f"\n{typical.show(COSTS)}")
    if TIMES:
        print("\n| | start to ready | a call, the median of twelve |\n| --- | ---: | ---: |")
        for client, (ready, call) in TIMES.items():
            print(f"| {client} | {ready:.1f} s | {call * 1000:.0f} ms |")


def finished(model: Model, agent: Agent, run: object) -> list[Seen]:
    """What the model was shown, after it has made all its calls."""
    results = model.results()
    assert not model.unexpected and len(results) == len(model.steps), (model.unexpected, len(results), run)
    return [Seen(unwrapped(seen.text), seen.images) for seen in results] if agent.wraps else results


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
    assert set(agent.built_ins) <= set(model.requests[0].tools), model.requests[0].tools

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
    assert "iVBOR" not in "".join(result.text for result in model.results()), "an image is no text"
    # What does not fit is cut by us, with the way to go on, and not by the agent.
    assert "read it from offset " in seen[10].text[-400:], seen[10].text[-400:]
    assert "go on with offset " in seen[11].text[-400:], seen[11].text[-400:]
    given = model.results()
    assert all(len(result.text) <= agent.takes for result in given), [len(result.text) for result in given]
    assert all("truncated" not in result.text.lower() for result in seen)
    for result in seen[10:]:
        numbers = [int(line.split(" of a large file")[0].rsplit(" ", 1)[1]) for line in result.text.split("\n") if " of a large file" in line]
        assert numbers == list(range(len(numbers))) and len(numbers) > 20, "nothing is missing in the middle"

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


def test_the_model_gets_the_text_and_little_more(agent: Agent, home: Home) -> None:
    project = home.project("project")
    given = typical.plain(home, project, agent.speaks_as)
    seen = {}
    agent.init(home, project)
    for when in ("after", "before"):
        typical.prepare(project)
        if when == "before":
            structured(home)
        # What was read in an earlier run does not count in the next.
        home.variables["XDG_STATE_HOME"] = str(home.path / f"state-{when}")
        model = Model(list(typical.calls(project).values()))
        run = agent.run(home, project, model)
        finished(model, agent, run)
        seen[when] = model.results()
        if when == "after":
            TIMES[agent.client] = (model.requests[0].arrived - run.began, statistics.median(model.waits()))
    cost = typical.Cost.of(f"{agent.client} {agent.version()}", given, seen["before"], seen["after"])
    COSTS.append(cost)
    names = list(typical.calls(project))
    for name, text, result in zip(names, given, seen["after"]):
        if agent.wraps or (agent.wraps_errors and name == typical.REFUSED):
            # The text is as it is, in what the agent puts around it.
            assert text in unwrapped(result.text) or json.dumps(text)[1:-1] in result.text.replace('\\\\', '\\'), (text, result)
        else:
            assert text in result.text and len(result.text) - len(text) <= agent.adds, (text, result)
    if not agent.wraps:
        assert cost.share("after", typical.REFUSED if agent.wraps_errors else "") <= 1.1, cost
    assert cost.tokens["plain"][names.index("Edit")] <= 150
    many = names.index("Edit of 3,000 places")
    assert cost.tokens["plain"][many] <= 1500 and given[many].endswith("read the file to see them"), given[many][-200:]


def test_the_agent_itself_says_whether_it_can_start_the_server(agent: Agent, home: Home) -> None:
    if not agent.check:
        pytest.skip(f"{agent.client} has no command that says it")
    project = home.project("project")
    home.variables["PATH"] = f"{PROGRAMS}:{os.environ['PATH']}"
    home.variables["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    done = home.toolcrib(project, "init", agent.client, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    check = json.loads(done.stdout)["metadata"]["check"]
    assert check["verdict"] == agent.check and "toolcrib" in check["said"], check


@dataclass(frozen=True)
class Spoken:
    """The names in a dialect, and what it answers."""

    read: str = "Read"
    write: str = "Write"
    edit: str = "Edit"
    path: str = "file_path"
    old: str = "old_string"
    new: str = "new_string"
    edited: str = "Replaced 1 occurrence"
    stale: str = "File has changed since"


STANDARD = Spoken()
GEMINI = Spoken(read="read_file", write="write_file", edit="replace", edited="Successfully modified file")
SPOKEN = {
    "claude-code": Spoken(stale="File has been unexpectedly modified"),
    "gemini": GEMINI,
    "opencode": Spoken("read", "write", "edit", "filePath", "oldString", "newString", "Edit applied successfully"),
}


def test_another_project_is_served_too(agent: Agent, home: Home) -> None:
    """What was set up in one project works in the next, and what was read in one process counts in the next. The agent's own
    file tools are switched off, where it has settings for that."""
    replaces = ["--replace-built-ins"]
    if not agent.built_ins:
        refused = home.toolcrib(home.project("first"), "init", agent.client, "--yes", *replaces)
        assert refused.returncode == 2 and "has no setting for --replace-built-ins" in refused.stderr, refused
        replaces = []
    agent.init(home, home.project("first"), *replaces)
    # In place of its own tools, the agent is given those that its model knows.
    speaks = SPOKEN.get(agent.client, STANDARD) if replaces else STANDARD
    other = home.project("second")
    (other / "a.txt").write_text("in the other project\n")
    reading = Model([Call(speaks.read, {speaks.path: str(other / "a.txt")})])
    run = agent.run(home, other, reading)
    if not agent.many_projects:
        told = finished(reading, agent, run)[0].text
        assert "Path outside workspace" in told and "Hint: use a path inside" in told, told
        return
    assert "in the other project" in finished(reading, agent, run)[0].text
    assert not set(agent.built_ins) & set(reading.requests[0].tools), reading.requests[0].tools
    edit = {speaks.path: str(other / "a.txt"), speaks.old: "other", speaks.new: "second"}
    editing = Model([Call(speaks.edit, edit)])
    run = agent.run(home, other, editing)
    assert speaks.edited in finished(editing, agent, run)[0].text
    assert (other / "a.txt").read_text() == "in the second project\n"
    # What another program has changed since has to be read again.
    (other / "a.txt").write_text("changed by hand, in the second project\n")
    stale = Model([Call(speaks.write, {speaks.path: str(other / "a.txt"), "content": "mine\n"})])
    run = agent.run(home, other, stale)
    assert speaks.stale in finished(stale, agent, run)[0].text, stale.results()
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
    assert agent.nobody in seen[2].text, seen[2].text


def ask_about(home: Home, project: Path) -> list[Call]:
    """A file that nobody changes unasked, and who wants to."""
    config = home.path / ".config/toolcrib/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[rules]]\nkind = "edit"\npattern = "ci.yml"\naction = "ask"\n')
    file = project / "ci.yml"
    file.write_text("a: 1\n")
    edit = {"file_path": str(file), "old_string": "a: 1", "new_string": "a: 2"}
    return [Call("Read", {"file_path": str(file)}), Call("Edit", edit)]


def installed(client: str) -> Agent:
    agent = next(agent for agent in AGENTS if agent.client == client)
    if not agent.installed():
        pytest.skip(f"{agent.package} is not installed")
    return agent


def answered(model: Model, project: Path, says: str) -> None:
    result = model.results()[1].text
    assert ("Replaced 1 occurrence" in result) == (says == "yes"), result
    assert ("the user said no" in result) == (says == "no"), result
    assert (project / "ci.yml").read_text() == ("a: 2\n" if says == "yes" else "a: 1\n")


UP, DOWN, RIGHT = "\x1b[A", "\x1b[B", "\x1b[C"


@pytest.mark.parametrize("says", ["yes", "no"])
def test_goose_asks_somebody_who_is_there(home: Home, says: str) -> None:
    goose, project = installed("goose"), home.project("project")
    model = Model(ask_about(home, project))
    goose.init(home, project)
    with Serving(model) as serving:
        environment = home.environment() | goose.prepare(home, serving.url) | {"TERM": "xterm"}
        with Terminal([str(PROGRAMS / goose.command[0]), "session"], project, environment) as terminal:
            terminal.wait_for("Enter to send")
            terminal.type("do it\r")
            terminal.wait_for("+a: 2")
            terminal.wait_for("always")
            # The choices are once, always and no, and no is chosen.
            terminal.type(f"{UP}{UP}\r" if says == "yes" else "\r")
            terminal.wait_for("All done.")
    answered(model, project, says)


@pytest.mark.parametrize("says", ["yes", "no"])
def test_claude_code_asks_somebody_who_is_there(home: Home, says: str) -> None:
    claude, project = installed("claude-code"), home.project("project")
    model = Model(ask_about(home, project))
    claude.init(home, project)
    known = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    keys = {"approved": ["none"], "rejected": []}
    begun = {"hasCompletedOnboarding": True, "theme": "dark", "customApiKeyResponses": keys, "projects": {str(project): known}}
    update(home.path / ".claude.json", begun)
    with Serving(model) as serving:
        environment = home.environment() | claude.prepare(home, serving.url) | {"TERM": "xterm-256color"}
        with Terminal([str(PROGRAMS / claude.command[0])], project, environment) as terminal:
            terminal.wait_for("for agents")
            # Before the server is there it has no tools, and the model nothing to call.
            for _ in range(20):
                terminal.type("do it")
                terminal.read(1)
                terminal.type("\r")
                for _ in range(10):
                    terminal.read(0.3)
                if model.requests:
                    break
            terminal.wait_for("Allow it?")
            # The choices are folded, and no is chosen; below them are Accept and Decline.
            if says == "yes":
                terminal.type(RIGHT)
                terminal.wait_for("Space to select")
                terminal.type(UP)
                terminal.wait_for("❯always")
                terminal.type(UP)
                terminal.wait_for("❯once")
                terminal.type("\r")
                terminal.wait_for("❯Accept")
            else:
                terminal.type(DOWN)
                terminal.wait_for("❯Accept")
                terminal.type(DOWN)
                terminal.wait_for("❯Decline")
            # What is typed while it draws is lost.
            for _ in range(20):
                terminal.type("\r")
                for _ in range(5):
                    terminal.read(0.3)
                if len(model.results()) == 2:
                    break
            terminal.wait_for("All done.")
    answered(model, project, says)


@pytest.mark.parametrize("says", ["yes", "no"])
def test_codex_asks_somebody_who_is_there(home: Home, says: str) -> None:
    codex, project = installed("codex"), home.project("project")
    model = Model(ask_about(home, project))
    codex.init(home, project)
    with Serving(model) as serving:
        environment = home.environment() | codex.prepare(home, serving.url) | {"TERM": "xterm-256color"}
        config = home.path / ".codex/config.toml"
        config.write_text(f'{config.read_text()}\n[projects."{project}"]\ntrust_level = "trusted"\n')
        with Terminal([str(PROGRAMS / codex.command[0])], project, environment) as terminal:
            terminal.wait_for("for shortcuts")
            # What is typed while it starts is lost, and a return that comes right after other keys is taken for pasted text.
            for attempt in range(20):
                if attempt % 3 == 0:
                    terminal.type("do it")
                terminal.rest(2)
                terminal.type("\r")
                terminal.rest(3)
                if model.requests:
                    break
            # The whole change is shown. The choices are once, always and no, and no is chosen.
            terminal.wait_for("+a: 2")
            terminal.wait_for("Allow it?")
            terminal.wait_for("› 3. no")
            if says == "yes":
                terminal.type(UP)
                terminal.wait_for("› 2. always")
                terminal.type(UP)
                terminal.wait_for("› 1. once")
            terminal.type("\r")
            terminal.wait_for("All done.")
    answered(model, project, says)


def test_goose_run_on_a_terminal_does_not_end(home: Home) -> None:
    """It asks nobody there either, so it is not made to."""
    goose, project = installed("goose"), home.project("project")
    model = Model(ask_about(home, project))
    goose.init(home, project)
    with Serving(model) as serving:
        environment = home.environment() | goose.prepare(home, serving.url) | {"TERM": "xterm"}
        command = [str(PROGRAMS / goose.command[0]), *goose.command[1:]]
        with Terminal(command, project, environment) as terminal:
            terminal.wait_for("All done.")
    assert "there is no user to ask" in model.results()[1].text, model.results()
