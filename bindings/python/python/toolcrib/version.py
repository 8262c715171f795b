"""The version of the package, which is that of the engine in it."""

from __future__ import annotations

from . import _toolcrib

__all__ = ["__version__"]

__version__: str = _toolcrib.__version__
