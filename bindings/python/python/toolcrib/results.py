"""What a call gives back."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from . import _toolcrib
from .errors import ToolError

__all__ = ["Image", "ToolResult"]


@dataclass(frozen=True)
class Image:
    """An image that goes with an answer."""

    mime_type: str
    """What it is, such as `image/png`."""
    base64_data: str = field(repr=False)
    """Its bytes, in base64."""

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return base64.b64decode(self.base64_data)


@dataclass(slots=True)
class ToolResult:
    """The answer to a call, whether it went well or not.

    `str(result)` is what a model should read: the output, or the error and what to do next.
    """

    success: bool
    """Whether the call did what was asked."""
    output: Any = None
    """What the model reads: a text, or an object in the ekacode dialect; None after a failure."""
    error: str | None = None
    """The sentence that says what went wrong."""
    duration_ms: float | None = None
    """How long the call took."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """Facts for programs; after a failure at least `error_kind`."""

    def __str__(self) -> str:
        return _toolcrib.display(self._fields())

    @property
    def error_kind(self) -> str | None:
        """The reason of a failure, by a name that stays: `not_found`, `not_unique`, ..."""
        return self.metadata.get("error_kind")

    @property
    def hint(self) -> str | None:
        """What to do after a failure."""
        return self.metadata.get("hint")

    @property
    def images(self) -> list[Image]:
        """The images that go with the answer: a picture that was read, the plots of a notebook."""
        return [Image(*image) for image in _toolcrib.take_images(self._fields())[0]]

    def without_images(self) -> ToolResult:
        """The same without the images' bytes, for where they are handed over in another way."""
        metadata = _toolcrib.take_images(self._fields())[1]
        return ToolResult(self.success, self.output, self.error, self.duration_ms, metadata)

    def check(self) -> ToolResult:
        """Gives itself back if the call went well, and raises a `ToolError` otherwise."""
        if not self.success:
            raise ToolError.of(self.error or "", self.metadata)
        return self

    def _fields(self) -> tuple[bool, Any, str | None, float | None, dict[str, Any]]:
        return (self.success, self.output, self.error, self.duration_ms, self.metadata)
