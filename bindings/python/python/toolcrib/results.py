"""The result of a call."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from typing import Any

from . import _toolcrib
from .errors import ToolError

__all__ = ["Image", "ToolResult"]


@dataclass(frozen=True)
class Image:
    """An image that belongs to an answer."""

    mime_type: str
    """The type, such as `image/png`."""
    base64_data: str = field(repr=False)
    """Its bytes, in base64."""

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return base64.b64decode(self.base64_data)


@dataclass(slots=True)
class ToolResult:
    """The result of a call, successful or not. A failure is falsy: `if box.read("a.txt"): ...`.

    `str(result)` is the text for the model: the output, or the error and what to do next.
    """

    success: bool
    """Whether the call succeeded."""
    output: Any = None
    """The output: a text, or an object in the ekacode dialect; None after a failure."""
    error: str | None = None
    """What went wrong, in one sentence."""
    duration_ms: float | None = None
    """How long the call took."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """Facts for programs; after a failure at least `error_kind`."""
    plain_errors: bool = field(default=False, repr=False, compare=False)
    """Whether the text of a failure is the sentence alone, as some dialects have it."""

    def __bool__(self) -> bool:
        return self.success

    def __str__(self) -> str:
        return _toolcrib.display(self._fields(), self.plain_errors)

    @property
    def error_kind(self) -> str | None:
        """The reason for a failure, as a stable name: `not_found`, `not_unique`, ..."""
        return self.metadata.get("error_kind")

    @property
    def hint(self) -> str | None:
        """What to do after a failure."""
        return self.metadata.get("hint")

    @property
    def images(self) -> list[Image]:
        """The images of the answer: an image that was read, the plots of a notebook."""
        return [Image(*image) for image in _toolcrib.take_images(self._fields())[0]]

    def without_images(self) -> ToolResult:
        """The same result without the bytes of the images, for when they are passed on separately."""
        metadata = _toolcrib.take_images(self._fields())[1]
        return replace(self, metadata=metadata)

    def check(self) -> ToolResult:
        """Returns itself if the call succeeded, and raises a `ToolError` otherwise."""
        if not self.success:
            raise ToolError.of(self.error or "", self.metadata)
        return self

    def _fields(self) -> tuple[bool, Any, str | None, float | None, dict[str, Any]]:
        return (self.success, self.output, self.error, self.duration_ms, self.metadata)
