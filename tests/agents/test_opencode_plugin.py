"""opencode with the plugin of bindings/opencode, which carries out its file tools: what reaches the model, what the user is asked
for, and what is on the disk afterwards.

`cargo xtask test agents` installs opencode and what the plugin needs, and runs this.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents import AGENTS, TOOLCRIB, Agent, Home, Run, update
from model import Call, Model, png

SOURCE = Path(__file__).parents[2] / "bindings/opencode"
MODULES = Path(os.environ.get("OPENCODE_PLUGIN_MODULES", ""))
"""What the plugin's package.json asks for."""
REPLACED = {"read", "glob", "grep", "edit", "write"}
FOR_GPT = ["--model", "s/gpt-scripted"]


@pytest.fixture
def opencode() -> Agent:
    agent = next(agent for agent in AGENTS if agent.client == "opencode")
    if not agent.installed():
        pytest.skip(f"{agent.package} is not installed")
    return agent


def packed(folder: Path) -> Path:
    """The plugin as it would be published, unpacked, with what it needs beside it."""
    folder.mkdir(parents=True)
    pack = ["npm", "pack", "--silent", "--pack-destination", folder, SOURCE]
    name = subprocess.run(pack, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    shutil.unpack_archive(folder / name, folder)
    for module in MODULES.iterdir():
        (folder / "node_modules").mkdir(exist_ok=True)
        (folder / "node_modules" / module.name).symlink_to(module)
    return (folder / "package").rename(folder / "node_modules/toolcrib-opencode")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A user who has the plugin in the configuration, and nothing that opencode would fetch from a registry."""
    home = Home(tmp_path.resolve(), {"TOOLCRIB_BIN": str(TOOLCRIB)})
    cache = home.path / ".cache/opencode/packages"
    packed(cache / "toolcrib-opencode@latest")
    # It has a second loader, which looks for the package under its bare name.
    (cache / "toolcrib-opencode").symlink_to("toolcrib-opencode@latest")
    config = home.path / ".config/opencode"
    update(config / "opencode.json", {"plugin": ["toolcrib-opencode"]})
    (config / "node_modules").mkdir()
    update(config / "package-lock.json", {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}})
    return home


def shown(run: Run) -> list[dict[str, Any]]:
    """What opencode keeps of each call for its views: the title, the metadata and the output."""
    events = [json.loads(line) for line in run.stdout.splitlines()]
    return [event["part"]["state"] for event in events if event["type"] == "tool_use"]


def converse(agent: Agent, home: Home, project: Path, steps: list[Call], *options: str, rejected: bool = False) -> tuple[Model, Run]:
    """One conversation: opencode offers the plugin's tools under the names of its own. It ends when a user, or the lack of one, has
    rejected a call."""
    model = Model(steps, pick=lambda tool, offered: tool if tool in offered else None)
    run = replace(agent, command=[*agent.command, "--format", "json", *options]).run(home, project, model)
    assert not model.unexpected, (model.unexpected, run)
    assert rejected or len(model.results()) == len(steps), (model.results(), run)
    return model, run


def texts(model: Model) -> list[str]:
    return [seen.text for seen in model.results()]


def offered(model: Model) -> dict[str, dict[str, Any]]:
    tools = [tool["function"] for tool in model.requests[0].body["tools"]]
    assert len({tool["name"] for tool in tools}) == len(tools), "a tool was offered twice"
    return {tool["name"]: tool for tool in tools}


def test_the_types_are_right(tmp_path: Path) -> None:
    plugin = packed(tmp_path / "unpacked")
    shutil.copy(SOURCE / "tsconfig.json", plugin)
    done = subprocess.run([MODULES / ".bin/tsc", "-p", plugin], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout


def test_the_file_tools_are_replaced(opencode: Agent, home: Home) -> None:
    project = home.project("project")
    source = "def main():\r\n    print('a$1')\r\n    print('b')\r\n"
    (project / "main.py").write_bytes(source.encode())
    (project / "photo.png").write_bytes(png(40, 30))
    saved = home.path / ".local/share/opencode/tool-output/tool_1"
    saved.parent.mkdir(parents=True)
    saved.write_text("long output of another tool\n")
    file = str(project / "main.py")
    steps = [
        Call("read", {"filePath": file}),
        Call("edit", {"filePath": "main.py", "oldString": "'b'", "newString": "'$&'"}),
        Call("edit", {"filePath": file, "oldString": "    print(", "newString": "x"}),
        Call("write", {"filePath": str(project / "new/notes.txt"), "content": "one\n"}),
        Call("glob", {"pattern": "**/*.txt"}),
        Call("grep", {"pattern": r"print\(", "include": "*.py"}),
        Call("read", {"filePath": str(project / "photo.png")}),
        Call("read", {"filePath": "/etc/hostname"}),
        Call("read", {"filePath": str(project), "limit": 1}),
        Call("read", {"filePath": str(saved)}),
    ]
    model, run = converse(opencode, home, project, steps)
    tools = offered(model)
    assert REPLACED <= set(tools) and not {"apply_patch", "undo"} & set(tools), list(tools)
    parameters = tools["read"]["parameters"]
    assert parameters["required"] == ["filePath"]
    # opencode adds bounds of its own to every whole number.
    bounds = {"minimum": 0, "maximum": 0}
    assert parameters["properties"]["offset"] | bounds == {"type": "integer", **bounds, "description": "First line (1-based)"}

    seen = texts(model)
    assert seen[0] == (
        f"<path>{file}</path>\n<type>file</type>\n<content>\n1: def main():\n2:     print('a$1')\n3:     print('b')\n\n"
        "(End of file - total 3 lines)\n</content>"
    )
    assert seen[1] == "Edit applied successfully."
    assert seen[2] == (
        "Found multiple matches for oldString. Provide more surrounding context to make the match unique. It is found 2 times, "
        "lines: [2, 3]"
    )
    assert seen[3] == "Wrote file successfully."
    assert seen[4] == str(project / "new/notes.txt")
    assert seen[5].startswith(f"Found 2 matches\n{file}:\n  Line 2:     print('a$1')"), seen[5]
    body = json.dumps(model.requests[-1].body)
    assert body.count("data:image/png") == 1 and "iVBOR" not in "".join(seen), seen[6]
    assert seen[7].startswith("Path outside workspace: /etc/hostname"), seen[7]
    assert "<type>directory</type>" in seen[8], seen[8]
    assert "1: long output of another tool" in seen[9], seen[9]
    # Outside of a repository opencode names files from the root of the file system.
    views, name = shown(run), os.path.relpath(file, "/")
    assert [view["title"] for view in views if "title" in view][:2] == [name, name], views
    assert views[1]["metadata"]["diff"].endswith("-    print('b')\n+    print('$&')\n"), views[1]

    assert (project / "main.py").read_bytes() == source.replace("'b'", "'$&'").encode()
    assert (project / "new/notes.txt").read_text() == "one\n"
    log = home.toolcrib(project, "log").stdout
    assert log.count("by opencode-plugin 0.1.0") == 2 and log.count("session opencode-plugin/ses_") == 2, log
    for _ in range(2):
        undone = home.toolcrib(project, "undo")
        assert undone.returncode == 0, undone.stderr
    assert (project / "main.py").read_bytes() == source.encode()
    assert not (project / "new/notes.txt").exists()


def test_gpt_models_get_apply_patch_instead_of_edit_and_write(opencode: Agent, home: Home) -> None:
    project = home.project("project")
    (project / "a.txt").write_text("one\ntwo\n")
    (project / "b.txt").write_text("three\n")

    def patch(*sections: str) -> Call:
        return Call("apply_patch", {"patchText": "\n".join(["*** Begin Patch", *sections, "*** End Patch"])})

    steps = [
        patch("*** Update File: a.txt", "@@", "-two", "+TWO", "*** Update File: b.txt", "*** Move to: c.txt", "@@", "-three", "+four"),
        patch("*** Add File: d.txt", "+new", "*** Update File: a.txt", "@@", "-no such line", "+x"),
    ]
    model, run = converse(opencode, home, project, steps, *FOR_GPT)
    tools = set(offered(model))
    assert {"apply_patch", "read", "glob", "grep"} <= tools and not {"edit", "write"} & tools, tools
    seen = texts(model)
    assert seen[0].startswith("Success. Updated the following files:\n"), seen[0]
    views = [(file["type"], Path(file["filePath"]).name, file["patch"][-12:]) for file in shown(run)[0]["metadata"]["files"]]
    assert views == [("update", "a.txt", " one\n-two\n+TWO\n"[-12:]), ("move", "b.txt", "-three\n+four\n"[-12:])], views
    assert "no such line" in seen[1] and "File not found" not in seen[1], seen[1]
    assert {file.name: file.read_text() for file in project.iterdir()} == {"a.txt": "one\nTWO\n", "c.txt": "four\n"}
    assert home.toolcrib(project, "undo").returncode == 0
    assert {file.name: file.read_text() for file in project.iterdir()} == {"a.txt": "one\ntwo\n", "b.txt": "three\n"}


def test_opencodes_permissions_hold(opencode: Agent, home: Home) -> None:
    """Those of the user's configuration, with the paths of the call. A run without a user refuses what it would have to ask."""
    project = home.project("project")
    subprocess.run(["git", "init", "--quiet", project], check=True)
    part = project / "part"
    part.mkdir()
    for file in (part / "free.txt", part / "closed.txt", project / "top.txt"):
        file.write_text("old\n")
    rules = {"edit": {"*": "allow", "*closed.txt": "deny"}, "read": {"*": "allow", "part/closed.txt": "deny"}}
    update(home.path / ".config/opencode/opencode.json", {"permission": rules})
    edit = lambda file: Call("edit", {"filePath": file, "oldString": "old", "newString": "new"})  # noqa: E731
    steps = [edit("free.txt"), edit("closed.txt"), Call("read", {"filePath": "closed.txt"}), edit(str(project / "top.txt"))]
    model, _ = converse(opencode, home, part, steps)
    seen = texts(model)
    assert seen[0] == seen[3] == "Edit applied successfully.", seen
    assert "prevents you from using this specific tool call" in seen[1] and "prevents you" in seen[2], seen
    assert (part / "closed.txt").read_text() == "old\n"

    moved = "*** Begin Patch\n*** Update File: closed.txt\n*** Move to: open.txt\n@@\n-old\n+new\n*** End Patch"
    unified = "--- a/closed.txt\n+++ b/closed.txt\n@@ -1 +1 @@\n-old\n+new\n"
    added = "".join(f"*** Add File: a folder with a long name, so that there is much to tell/{n}.txt\n+new\n" for n in range(2000))
    many = f"*** Begin Patch\n{added}*** Update File: closed.txt\n@@\n-old\n+new\n*** End Patch"
    steps = [Call("apply_patch", {"patchText": text}) for text in (moved, unified, many)]
    model, _ = converse(opencode, home, part, steps, *FOR_GPT)
    assert all("prevents you" in text for text in texts(model)), texts(model)
    assert {file.name for file in part.iterdir()} == {"closed.txt", "free.txt"} and (part / "closed.txt").read_text() == "old\n"

    update(home.path / ".config/opencode/opencode.json", {"permission": {"edit": "ask"}})
    steps = [Call("edit", {"filePath": "free.txt", "oldString": "new", "newString": "newer"})]
    _, run = converse(opencode, home, part, steps, rejected=True)
    assert "permission requested: edit (part/free.txt)" in run.stderr + run.stdout, run
    assert (part / "free.txt").read_text() == "new\n"


def test_each_session_has_its_own_reading(opencode: Agent, home: Home) -> None:
    project = home.project("project")
    file = project / "a.txt"
    file.write_text("one\n")
    reading = Call("read", {"filePath": str(file)})
    converse(opencode, home, project, [reading])
    file.write_text("changed by hand\n")
    writing = Call("write", {"filePath": str(file), "content": "mine\n"})
    # The session that has read the file is based on what it read.
    model, _ = converse(opencode, home, project, [reading, writing], "--continue")
    assert "has changed since" in texts(model)[1].lower(), texts(model)
    assert file.read_text() == "changed by hand\n"
    # Another one is based on nothing, and the journal has what it replaces.
    model, _ = converse(opencode, home, project, [writing])
    assert texts(model) == ["Wrote file successfully."], texts(model)


def recorded(home: Home, program: Path) -> Path:
    """Has the plugin start this program through a script that notes each process; the file with the notes."""
    notes, script = home.path / "processes", home.path / "toolcrib"
    script.write_text(f'#!/bin/sh\necho $$ "$@" >> {notes}\nexec {program} "$@"\n')
    script.chmod(0o755)
    home.variables["TOOLCRIB_BIN"] = str(script)
    return notes


def test_the_server_is_started_once_and_again_if_it_has_ended(opencode: Agent, home: Home) -> None:
    project = home.project("project")
    (project / "a.txt").write_text("one\n")
    notes = recorded(home, TOOLCRIB)
    reading = Call("read", {"filePath": "a.txt"})
    killing = Call("bash", {"command": f"kill -9 $(head -n 1 {notes} | cut -d ' ' -f 1)", "description": "Ends the server"})
    model, _ = converse(opencode, home, project, [reading, reading, killing, reading])
    seen = texts(model)
    assert "1: one" in seen[0] and seen[0] == seen[1] == seen[3], seen
    started = [line.split(" ", 1) for line in notes.read_text().splitlines()]
    saved = home.path / ".local/share/opencode/tool-output"
    assert [arguments for _, arguments in started] == 2 * [f"mcp --dialect opencode --root {project} --root {saved}"]
    # opencode has ended, and so has what it started.
    for process, _ in started:
        for _ in range(600):
            if not Path(f"/proc/{process}").exists():
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"the server {process} is still there")


@pytest.mark.parametrize("variable", [None, "/no/such/program"])
def test_without_toolcrib_the_model_is_told_so(opencode: Agent, home: Home, variable: str | None) -> None:
    """opencode's own tools do not take their place."""
    project = home.project("project")
    (project / "a.txt").write_text("canary\n")
    home.variables["TOOLCRIB_BIN"] = variable or ""
    home.variables["PATH"] = "/usr/bin:/bin"
    assert shutil.which("toolcrib", path=home.variables["PATH"]) is None
    update(home.path / ".config/opencode/opencode.json", {"plugin": [packed(home.path / "unpacked").as_uri()]})
    model, _ = converse(opencode, home, project, [Call("read", {"filePath": "a.txt"})])
    [told] = texts(model)
    assert "canary" not in told
    assert told == (
        "The program `toolcrib` is not on the PATH. Install Toolcrib, or set TOOLCRIB_BIN to the program, and restart opencode."
        if variable is None
        else "TOOLCRIB_BIN is /no/such/program, and there is no such program. Correct it, and restart opencode."
    )


HANGING = """\
#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    with open(NOTES, "a") as notes:
        notes.write(line)
    schema = {"type": "object", "properties": {"pattern": {"type": "string"}}}
    results = {
        "initialize": lambda: {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                               "serverInfo": {"name": "hanging", "version": "0"}},
        "tools/list": lambda: {"tools": [{"name": "grep", "inputSchema": schema}]},
    }
    if message["method"] in results:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]()}
        print(json.dumps(answer), flush=True)
"""

ABORTING = """\
import plugin from "toolcrib-opencode";
import { existsSync, readFileSync } from "node:fs";
const hooks = await plugin.server({ directory: process.cwd(), worktree: "/" });
const abort = new AbortController();
const context = { sessionID: "s", abort: abort.signal, ask: async () => {} };
const call = hooks.tool.grep.execute({ pattern: "x" }, context).catch((error) => console.log("ended:", error.name));
const sent = () => existsSync(process.env.NOTES) && readFileSync(process.env.NOTES, "utf8").includes("tools/call");
while (!sent()) await new Promise((resolve) => setTimeout(resolve, 20));
abort.abort();
await call;
await hooks.dispose();
"""


def test_an_aborted_call_is_cancelled_at_the_server(tmp_path: Path) -> None:
    """The server here never answers a call."""
    packed(tmp_path / "unpacked")
    notes, server, client = tmp_path / "notes", tmp_path / "hanging", tmp_path / "unpacked/abort.mjs"
    server.write_text(HANGING.replace("NOTES", repr(str(notes))))
    server.chmod(0o755)
    client.write_text(ABORTING)
    environment = os.environ | {"TOOLCRIB_BIN": str(server), "NOTES": str(notes)}
    done = subprocess.run(["node", client], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("ended: "), done
    messages = [json.loads(line) for line in notes.read_text().splitlines()]
    [called] = [message for message in messages if message["method"] == "tools/call"]
    [cancelled] = [message for message in messages if message["method"] == "notifications/cancelled"]
    assert cancelled["params"]["requestId"] == called["id"]
    assert called["params"]["_meta"]["toolcrib/session"] == "s"
