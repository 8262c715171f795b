"""Wrong uses of the package. A type checker must object to every line with a mark, and to no other. It is never run.

`test_types.py` compares what mypy says with the marks.
"""

from __future__ import annotations

from pathlib import Path

from toolcrib import Toolbox

box = Toolbox("/")
path = Path("/a")
name: str = input()

box.call("Read", file_path=path, offset=2)
box.call("Raed", file_path=path)  # WRONG: the tool is misspelt
box.call("Read", fil_path=path)  # WRONG: the parameter is misspelt
box.call("Read", file_path=path, offset="2")  # WRONG: a number as text
box.call("Read", limit=2)  # WRONG: the path is missing
box.call("Grep", pattern="x", output_mode="lines")  # WRONG: no such mode
box.call("Grep", pattern="x", output_mode="content")
box.call("Grep", {"pattern": "x", "-i": True})
box.call("Grep", {"-i": True}, pattern="x")
box.call(name, {"what": "a model wrote"})
box.call("read", filePath="a", limit=2)
box.call("read", file_path="a")  # WRONG: the other dialect's parameter
box.call("MultiEdit", file_path=path, edits=[{"old_string": "a", "new_string": "b"}])
box.call("MultiEdit", file_path=path, edits=[{"old": "a", "new": "b"}])  # WRONG: parameters of an edit
box["own"](anything="goes")
box.read("a", limit=2)
box.raed("a")  # WRONG: the method is misspelt
box.read("a", limt=2)  # WRONG: the parameter is misspelt
box.edit("a", "b")  # WRONG: the new text is missing
box.grep("x", output_mode="lines")  # WRONG: no such mode
box.multi_edit("a", [("x", "y")])
box.langchain_tools(names=["Read"], read_only=True)
box.langchain_tools(readonly=True)  # WRONG: the option is misspelt


async def later() -> None:
    await box.acall("Read", file_path=path)
    await box.acall("Raed", file_path=path)  # WRONG: the tool is misspelt
    await box.acall("Read", file=path)  # WRONG: the parameter is misspelt
