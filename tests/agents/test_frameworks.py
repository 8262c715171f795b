"""Frameworks with their ordinary example code: they list the tools, read a file and edit it, and hand the text on as it is.

`cargo xtask test frameworks` installs them and runs this. One that could not be installed is skipped and named.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import typical
from agents import TOOLS, Home
from frameworks import FRAMEWORKS, LEFT_OUT, Framework
from model import Call, Model, png, unwrapped


@pytest.fixture(params=FRAMEWORKS, ids=lambda framework: framework.program)
def framework(request: pytest.FixtureRequest) -> Framework:
    if not request.param.installed():
        pytest.skip(f"{request.param.package} is not installed")
    return request.param


COSTS: list[typical.Cost] = []


@pytest.fixture(scope="session", autouse=True)
def report() -> object:
    """What was measured, as a table at the end of the run."""
    yield None
    if COSTS:
        print(f"\n{typical.show(COSTS)}")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path.resolve(), {})


def test_a_file_is_read_and_edited(framework: Framework, home: Home) -> None:
    project = home.project("project")
    (project / "main.py").write_text('def main():\n    print("hello\\tworld")\n')
    (project / "photo.png").write_bytes(png(40, 30))
    file = str(project / "main.py")
    steps = [
        Call("Read", {"file_path": file}),
        Call("Edit", {"file_path": file, "old_string": "hello", "new_string": "goodbye"}),
        Call("Edit", {"file_path": file, "old_string": "no such text", "new_string": "x"}),
        Call("Read", {"file_path": str(project / "photo.png")}),
    ]
    model = Model(steps)
    run = framework.run(home, project, model)
    seen = model.results()
    assert not model.unexpected and len(seen) == len(steps), (model.unexpected, seen, run)
    offered = {name.split("_")[-1] for name in model.requests[0].tools}
    assert offered == set(TOOLS), model.requests[0].tools
    text = [unwrapped(result.text) if framework.wraps else result.text for result in seen]
    assert '    print("hello\\tworld")' in text[0], seen[0]
    assert '-    print("hello\\tworld")\n+    print("goodbye\\tworld")' in text[1], seen[1]
    assert "old_string not found" in text[2] and "Hint: " in text[2], seen[2]
    shown = seen[3].images == 1 or "data:image/png" in json.dumps(model.requests[-1].body)
    assert shown == framework.images, seen[3].text[:500]
    assert ("iVBOR" in seen[3].text) == framework.wraps, "an image as text"
    starts = len((home.path / "starts").read_text().split())
    assert (starts > 2) == framework.starts_anew, starts
    assert (project / "main.py").read_text() == 'def main():\n    print("goodbye\\tworld")\n'


def test_the_model_gets_the_text_and_little_more(framework: Framework, home: Home) -> None:
    project = home.project("project")
    given = typical.plain(home, project, "test")
    seen = {}
    for when, options in (("after", ()), ("before", ("--structured",))):
        typical.prepare(project)
        # What was read in an earlier run does not count in the next.
        home.variables["XDG_STATE_HOME"] = str(home.path / f"state-{when}")
        model = Model(list(typical.calls(project).values()))
        run = framework.run(home, project, model, options)
        seen[when] = model.results()
        assert not model.unexpected and len(seen[when]) == len(given), (model.unexpected, len(seen[when]), run)
    cost = typical.Cost.of(f"{framework.name} {framework.version()}", given, seen["before"], seen["after"])
    COSTS.append(cost)
    names = list(typical.calls(project))
    for name, text, result in zip(names, given, seen["after"]):
        shown = unwrapped(result.text) if framework.wraps else result.text
        if name == typical.REFUSED:
            # Some say in their own words that a call failed, or in JSON.
            assert text in shown or json.dumps(text)[1:-1] in shown, (text, result)
        else:
            assert text == shown, (name, text, result)
    if not framework.wraps:
        assert cost.share("after") <= 1.1, cost


@pytest.mark.parametrize("package", LEFT_OUT)
def test_what_is_left_out_is_named(package: str) -> None:
    pytest.skip(f"{package}: {LEFT_OUT[package]}")
