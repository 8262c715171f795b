"""What the tests share: a workspace, a box on it, and large trees that take a while to search.

`cargo xtask test wheel` builds the wheel, installs it into a fresh environment and runs these there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from toolcrib import Toolbox

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty directory; what lies beside it is outside."""
    root = tmp_path.resolve() / "workspace"
    root.mkdir()
    return root


@pytest.fixture
def open_box(workspace: Path, tmp_path: Path) -> Callable[..., Toolbox]:
    """Opens a box on the workspace, with a journal that is the test's own."""

    def open_box(**options: object) -> Toolbox:
        return Toolbox(workspace, **{"journal": tmp_path / "state", **options})  # type: ignore[arg-type]

    return open_box


@pytest.fixture
def box(open_box: Callable[..., Toolbox]) -> Toolbox:
    return open_box()


@pytest.fixture(scope="session")
def slow_to_search(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which a search for `SLOW` takes far longer than any test waits: one large file under many names."""
    root = tmp_path_factory.mktemp("slow").resolve()
    first = root / "0.txt"
    first.write_text(("ab" * 2000 + "\n") * 2000)
    for number in range(1, 4000):
        (root / f"{number}.txt").hardlink_to(first)
    return root


SLOW = r"[a-z]{50,400}[0-9]"
