"""The patch tool of OpenAI's Responses API, for a loop of your own. It needs no other package.

>>> from toolcrib.openai import ApplyPatch
>>> patches = ApplyPatch("/path/to/project")
>>> response = client.responses.create(model=..., tools=[patches.to_dict()], input=...)
>>> answers = [patches.answer(item) for item in response.output if item.type == "apply_patch_call"]

`toolcrib.openai_agents` has the same for OpenAI's Agents SDK.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, cast

from .results import ToolResult
from .toolbox import Toolbox

__all__ = ["ApplyPatch"]

_OPERATIONS = ("create_file", "update_file", "delete_file")


class ApplyPatch:
    """Carries out the patches of a model on the files of a workspace.

    Containment, rules, approval, dry run, the journal and undo are those of the toolbox.
    """

    def __init__(self, root: str | os.PathLike[str] | Toolbox, **options: Any) -> None:
        """Opens a directory with the options of `Toolbox`, or uses a toolbox of the apply-patch-v4a dialect."""
        box = root if isinstance(root, Toolbox) else Toolbox(root, dialect="apply-patch-v4a", **options)
        if box.dialect != "apply-patch-v4a":
            raise ValueError(f"the toolbox speaks {box.dialect}: open it with dialect='apply-patch-v4a'")
        if box is root and options:
            raise TypeError(f"the toolbox is open, its options cannot be given here: {', '.join(options)}")
        self.box = box
        """The toolbox of the patches, for its log, its changes and `undo`."""

    def to_dict(self) -> dict[str, Any]:
        """The definition of the tool, for the `tools` of a request."""
        return {"type": "apply_patch"}

    def answer(self, item: object) -> dict[str, Any]:
        """Carries out an `apply_patch_call` and returns the `apply_patch_call_output` to send back.

        Args:
            item: An output item of a response, as an object of the client or as a mapping. Its operation may have a
                `move_to`, as in the Agents SDK.

        Raises:
            ValueError: It is not an `apply_patch_call`, or its operation is not known.
        """
        return self._output(item, self.box.call(*self._call(item)))

    async def aanswer(self, item: object) -> dict[str, Any]:
        """The same for asyncio."""
        return self._output(item, await self.box.acall(*self._call(item)))

    def _call(self, item: object) -> tuple[str, dict[str, Any]]:
        """The tool that carries an item out, and its parameters."""
        if _field(item, "type") != "apply_patch_call":
            raise ValueError(f"an apply_patch_call is needed, not {_field(item, 'type') or type(item).__name__}")
        operation = _field(item, "operation")
        tool = _field(operation, "type")
        if tool not in _OPERATIONS:
            # The box may have tools of its user, which the model was not given.
            raise ValueError(f"the operation is one of {', '.join(_OPERATIONS)}, not {tool}")
        return tool, self._parameters(operation)

    def _parameters(self, operation: object) -> dict[str, Any]:
        given = {name: _field(operation, name) for name in ("path", "diff", "move_to")}
        return {name: value for name, value in given.items() if value is not None}

    def _output(self, item: object, result: ToolResult) -> dict[str, Any]:
        output: dict[str, Any] = {
            "type": "apply_patch_call_output",
            "call_id": _field(item, "call_id"),
            "status": "completed" if result.success else "failed",
            "output": str(result),
        }
        if (caller := _field(item, "caller")) is not None:
            # A program that the model runs gets its answer by this.
            is_plain = isinstance(caller, Mapping)
            output["caller"] = caller if is_plain else caller.model_dump(exclude_none=True)
        return output


def _field(value: object, name: str) -> Any:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else getattr(value, name, None)
