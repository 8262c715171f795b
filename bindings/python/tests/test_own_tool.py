"""Tools that are written in Python: schema, validation, timeout, record."""

from __future__ import annotations

import contextvars
import enum
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import pydantic
import pytest

from toolcrib import AlreadyExistsError, Call, ConflictError, OwnTool, Param, Toolbox, ToolResult, tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


class Options(TypedDict, total=False):
    deep: bool


class Model(pydantic.BaseModel):
    inner: Optional["Inner"] = None


class Inner(pydantic.BaseModel):
    size: int


Model.model_rebuild()


def everything(
    text: str,
    count: Annotated[int, Param("How many", minimum=1, maximum=9)],
    ratio: float,
    flag: bool,
    mode: Literal["a", "b"],
    colour: Colour,
    point: Point,
    options: Options,
    model: Model,
    path: Path,
    names: Annotated[list[str], Param(min_length=1)],
    points: tuple[Point, ...],
    anything: Any,
    either: Union[int, str],
    table: dict[str, int],
    call: Call,
    maybe: Optional[int] = None,
    several: int = 3,
) -> dict[str, Any]:
    """Takes one of each.

    It is for tests.

    Args:
        text: Some text
            over two lines.
        flag (bool): Yes or no.

    Returns:
        What it got.
    """
    return {key: repr(value) for key, value in locals().items() if key != "call"}


GIVEN: dict[str, Any] = {
    "text": "t",
    "count": 2,
    "ratio": 0.5,
    "flag": True,
    "mode": "a",
    "colour": "blue",
    "point": {"x": 1},
    "options": {"deep": True},
    "model": {"inner": {"size": 4}},
    "path": "/a/b",
    "names": ["n"],
    "points": [{"x": 1, "y": 2}],
    "anything": [None],
    "either": "e",
    "table": {"k": 1},
}


def test_type_hints_are_the_schema(box: Toolbox) -> None:
    registered = box.register(everything)
    assert registered.description == "Takes one of each.\n\nIt is for tests."
    schema = registered.parameters
    assert schema["required"] == list(GIVEN)
    properties = schema["properties"]
    assert properties["text"] == {"type": "string", "description": "Some text over two lines."}
    # A least value of 1 goes without saying in MCP's form, which this is; the engine checks it all the same.
    assert properties["count"] == {"type": "integer", "description": "How many", "maximum": 9}
    assert properties["ratio"] == {"type": "number"}
    assert properties["flag"] == {"type": "boolean", "description": "Yes or no."}
    assert properties["mode"] == {"type": "string", "enum": ["a", "b"]}
    assert properties["colour"] == {"type": "string", "enum": ["red", "blue"]}
    point = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x"]}
    assert properties["point"] == point
    assert properties["options"]["required"] == []
    inner = properties["model"]["properties"]["inner"]
    assert (inner["type"], inner["properties"]["size"]["type"]) == ("object", "integer")
    assert properties["names"] == {"type": "array", "items": {"type": "string"}}
    assert properties["points"] == {"type": "array", "items": point}
    assert properties["anything"] == {} == properties["either"]
    assert properties["maybe"] == {"type": "integer"}
    assert properties["several"] == {"type": "integer", "default": 3}
    assert "call" not in properties
    whole = box["everything"].schema("anthropic")["input_schema"]
    assert whole["properties"]["count"] == {**properties["count"], "minimum": 1}
    assert (set(whole["properties"]), whole["required"]) == (set(properties), schema["required"])


def test_arguments_become_what_the_hints_promise(box: Toolbox) -> None:
    box.register(everything)
    result = box.call("everything", GIVEN, check=True)
    assert result.output == {
        **{key: repr(value) for key, value in GIVEN.items()},
        "colour": repr(Colour.BLUE),
        "point": "Point(x=1, y=0)",
        "model": "Model(inner=Inner(size=4))",
        "path": "PosixPath('/a/b')",
        "points": "(Point(x=1, y=2),)",
        "maybe": "None",
        "several": "3",
    }


def test_calls_are_validated_before_they_run(box: Toolbox) -> None:
    ran: list[int] = []

    @box.register
    def once(count: Annotated[int, Param(maximum=3)]) -> None:
        """Counts."""
        ran.append(count)

    assert str(box.call("once")).startswith("Error: Missing required parameter 'count' (integer)")
    assert box.call("once", count=4).error == "Parameter 'count' is out of range: got 4, wants at most 3"
    assert "did you mean 'count'?" in str(box.call("once", count=1, cuont=1))
    assert box.call("once", count="x").error_kind == "invalid_parameter"
    assert ran == []
    assert box.call("once", count="2").metadata["coerced"]
    assert ran == [2]
    assert once(count=1).success and ran == [2, 1]


class Reverse(OwnTool):
    """Turns a text around."""

    effect = "reads"
    title = "Turn around"

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def run(self, text: str) -> str:
        """
        Args:
            text: What to turn around
        """
        return text[::-1] + self.mark


def test_a_subclass_is_a_tool(box: Toolbox) -> None:
    reverse = box.register(Reverse("!"))
    assert (reverse.name, reverse.title, reverse.effect) == ("Reverse", "Turn around", "reads")
    assert reverse.parameters["properties"]["text"]["description"] == "What to turn around"
    assert box.call("Reverse", text="abc").output == "cba!"


def test_a_decorated_function_is_a_tool(box: Toolbox) -> None:
    @tool(name="Sum", title="Adds", description="Adds numbers.", category="TASK", effect="reads")
    def add(numbers: list[int]) -> int:
        return sum(numbers)

    added = box.register(add)
    assert (added.name, added.title, added.description, added.category) == ("Sum", "Adds", "Adds numbers.", "TASK")
    assert box.call("Sum", numbers=[1, 2]).output == 3
    with pytest.raises(AlreadyExistsError):
        box.register(add)
    assert box.deregister("Sum") and not box.deregister("Sum")
    assert box.call("Sum", numbers=[]).error_kind == "unknown_tool"


def test_what_a_tool_gives_back(box: Toolbox) -> None:
    @box.register
    def give(what: str, call: Call) -> Any:
        """Gives something."""
        call.note("noted", what)
        if what == "result":
            return ToolResult(True, "text", metadata={"fact": 1})
        if what == "failed result":
            return ToolResult(False, None, "it went wrong", metadata={"error_kind": "conflict", "hint": "try again"})
        if what == "error":
            raise ConflictError("somebody was faster", hint="look again", metadata={"by": "ada"})
        if what == "fault":
            raise ZeroDivisionError("oh")
        if what == "no json":
            return object()
        return None

    good = box.call("give", what="result")
    assert (good.output, good.metadata) == ("text", {"fact": 1, "noted": "result"})
    assert box.call("give", what="nothing").output is None
    failed = box.call("give", what="failed result")
    assert (failed.error, failed.error_kind, failed.hint) == ("it went wrong", "conflict", "try again")
    error = box.call("give", what="error")
    assert (error.error, error.error_kind, error.hint) == ("somebody was faster", "conflict", "look again")
    assert error.metadata["by"] == "ada" and error.metadata["noted"] == "error"
    odd = box.call("give", what="no json")
    assert odd.error_kind == "internal" and "of the type object, which JSON has not" in str(odd)


def test_a_fault_is_a_failed_call_and_is_logged(box: Toolbox, caplog: pytest.LogCaptureFixture) -> None:
    @box.register
    def fault() -> None:
        """Fails."""
        raise ZeroDivisionError("oh")

    with caplog.at_level(logging.ERROR, "toolcrib"):
        result = box.call("fault")
    assert (result.error, result.error_kind) == ("fault failed unexpectedly: ZeroDivisionError: oh", "internal")
    assert caplog.records[0].exc_info and caplog.records[0].exc_info[0] is ZeroDivisionError


def test_a_tool_that_does_not_stop_is_given_up_on(box: Toolbox) -> None:
    @box.register
    def sleep(seconds: float) -> None:
        """Sleeps."""
        time.sleep(seconds)

    began = time.monotonic()
    result = box.using(timeout=0.2).call("sleep", seconds=3)
    assert time.monotonic() - began < 2
    assert result.error_kind == "timed_out" and result.metadata["still_running"] is True
    assert box.executions()[0].state == "timed_out"


def test_a_tool_that_asks_stops_in_time(box: Toolbox) -> None:
    @box.register
    def spin(call: Call) -> None:
        """Spins."""
        while True:
            call.checkpoint()
            assert call.remaining <= 0.2
            time.sleep(0.001)

    result = box.using(timeout=0.2).call("spin")
    assert result.error_kind == "timed_out" and "still_running" not in result.metadata


def test_a_tool_knows_its_circumstances(box: Toolbox, workspace: Path) -> None:
    @tool(effect="reads")
    def tell(call: Call) -> list[Any]:
        """Tells."""
        return [call.tool, call.session, call.agent, call.dry_run, call.working_dir, call.cancelled]

    box.register(tell)
    told = box.using(session="s", agent="a", dry_run=True).call("tell").output
    assert told == ["tell", "s", "a", True, str(workspace), False]


def test_a_dry_run_does_not_run_what_acts(box: Toolbox) -> None:
    ran: list[bool] = []

    @box.register
    def act() -> None:
        """Acts."""
        ran.append(True)

    assert box.using(dry_run=True).call("act").output == "[Dry Run] Would execute act"
    assert ran == []


def test_the_callers_context_variables_are_seen(box: Toolbox) -> None:
    who = contextvars.ContextVar("who", default="nobody")

    @box.register
    def ask() -> str:
        """Asks."""
        return who.get()

    who.set("ada")
    assert box.call("ask").output == "ada"


def test_tools_can_call_tools(box: Toolbox, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")

    @box.register
    def first_line(name: str) -> str:
        """Gives the first line."""
        return str(box.call("Read", file_path=workspace / name, limit=1, check=True))

    @box.register
    def twice(name: str) -> str:
        """Gives it twice."""
        return str(first_line(name=name)) * 2

    assert box.call("twice", name="a.txt").output == "     1\tone" * 2
    missing = box.call("first_line", name="b.txt")
    assert missing.error_kind == "not_found", "what a tool raises keeps its kind"


def no_hint(x):  # type: ignore[no-untyped-def]
    """No hint."""


def odd_hint(x: object.__class__) -> None:  # type: ignore[name-defined]
    """Odd hint."""


def any_arguments(*x: int) -> None:
    """Any."""


def some_choice(x: Union[int, list[int]]) -> None:
    """Choice."""


class Tree(pydantic.BaseModel):
    branches: list["Tree"]


def endless(x: Tree) -> None:
    """Endless."""


def pair(x: tuple[int, str]) -> None:
    """Pair."""


@pytest.mark.parametrize(
    "function, sentence",
    [
        (no_hint, "no_hint: the parameter 'x' has no type hint"),
        (odd_hint, "odd_hint: the parameter 'x': type cannot be described"),
        (any_arguments, "any_arguments: a model gives arguments by name"),
        (some_choice, "some_choice: the parameter 'x': a choice between types"),
        (endless, "endless: the parameter 'x': a model that holds itself"),
        (pair, "pair: the parameter 'x': a tuple can only be one of any length"),
    ],
)
def test_what_cannot_be_described_is_refused(box: Toolbox, function: Any, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        box.register(function)


def test_a_tool_needs_a_name_and_a_description(box: Toolbox) -> None:
    def silent() -> None: ...

    class Silent(OwnTool):
        def run(self) -> None: ...

    with pytest.raises(ValueError, match="Silent has no description"):
        box.register(Silent())

    with pytest.raises(ValueError, match="silent has no description"):
        box.register(silent)
    with pytest.raises(ValueError, match="not 'two words'"):
        box.register(tool(name="two words", description="x")(silent))
