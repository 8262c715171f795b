"""The Python package beside what agents use today: deepagents' FilesystemBackend and LangChain's FileManagementToolkit.

usage: python.py   (`cargo xtask bench python` builds the wheel and runs it in an environment with all of them)

Everybody does the same work on the same tree of 10,000 files in turns, and is checked to have done it; figures are the best of
the rounds, and what counts are the ratios. deepagents searches with `rg` where that is installed, in a process of its own.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, Callable

from deepagents.backends.filesystem import FilesystemBackend

from toolcrib import Toolbox, ToolResult
from toolcrib.deepagents import Backend

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_community.agent_toolkits import FileManagementToolkit

ROUNDS = 15
SMALL_CALLS = 2000
RARE = "needle_in_the_tree"


def make_tree(root: Path) -> None:
    """100 directories of 100 files, 60 lines each; every twentieth is a test, and 20 files hold the rare word."""
    text = "".join(f"def function_{line}(argument):\n    return argument + {line}\n\n" for line in range(20))
    for number in range(10_000):
        folder = root / f"package_{number // 100:02}"
        folder.mkdir(exist_ok=True)
        name = f"test_{number}.py" if number % 20 == 0 else f"module_{number}.py"
        (folder / name).write_text(text + (f"{RARE} = {number}\n" if number % 500 == 7 else f"value = {number}\n"))


def contestants(root: Path, state: Path) -> dict[str, dict[str, Callable[[], Any]]]:
    """For each of them the four works; one that cannot do a work has none. Each gives back what can be checked."""
    file = root / "package_50/module_5001.py"
    virtual = "/package_50/module_5001.py"
    box = Toolbox(root, journal=state)
    unrecorded = Toolbox(root, journal=False)
    fast = state / "fast.toml"
    fast.parent.mkdir(exist_ok=True)
    fast.write_text('[journal]\ndurability = "fast"\n')
    quick = Toolbox(root, journal=state / "quick", config=fast)
    kit = {tool.name: tool for tool in FileManagementToolkit(root_dir=str(root)).get_tools()}
    langchain = {tool.name: tool for tool in box.langchain_tools()}
    words = ["value = 5001", "value = 1005"]

    def edit_with(edit: Callable[[str, str], Any]) -> Callable[[], Any]:
        def work() -> int:
            edit(words[0], words[1])
            words.reverse()
            return file.read_text().count(words[0])

        return work

    def their_edit(old: str, new: str) -> None:
        text = kit["read_file"].invoke({"file_path": str(file)})
        assert text.count(old) == 1
        kit["write_file"].invoke({"file_path": str(file), "text": text.replace(old, new)})

    def box_edit(which: Toolbox) -> Callable[[str, str], Any]:
        return lambda old, new: which.call("Edit", file_path=file, old_string=old, new_string=new, check=True)

    def of_backend(backend: Any) -> dict[str, Callable[[], Any]]:
        return {
            "read": lambda: "function_19" in backend.read(virtual).file_data["content"],
            "edit": edit_with(lambda old, new: backend.edit(virtual, old, new)),
            "glob": lambda: len(backend.glob("**/test_*.py").matches),
            "grep": lambda: len(backend.grep(RARE).matches),
        }

    return {
        "Toolbox.call": {
            "read": lambda: "function_19" in box.call("Read", file_path=file, check=True).output,
            "edit": edit_with(box_edit(box)),
            "glob": lambda: box.call("Glob", pattern="**/test_*.py", check=True).metadata["count"],
            "grep": lambda: box.call("Grep", pattern=RARE, literal=True, output_mode="content", check=True).metadata[
                "total_matches"
            ],
        },
        "Toolbox.call, no wait for the disk": {"edit": edit_with(box_edit(quick))},
        "Toolbox.call, no journal": {"edit": edit_with(box_edit(unrecorded))},
        "LangChain tool of Toolbox": {
            "read": lambda: "function_19" in langchain["Read"].invoke({"file_path": str(file)}),
            "edit": edit_with(
                lambda old, new: langchain["Edit"].invoke({"file_path": str(file), "old_string": old, "new_string": new})
            ),
            "glob": lambda: langchain["Glob"].invoke({"pattern": "**/test_*.py"}).count("\n") + 1,
            "grep": lambda: langchain["Grep"].invoke({"pattern": RARE, "literal": True}).count("\n") + 1,
        },
        "FileManagementToolkit": {
            "read": lambda: "function_19" in kit["read_file"].invoke({"file_path": str(file)}),
            "edit": edit_with(their_edit),
            "glob": lambda: kit["file_search"].invoke({"dir_path": str(root), "pattern": "test_*.py"}).count("\n") + 1,
        },
        "toolcrib.deepagents.Backend": of_backend(Backend(root, journal=state / "backend")),
        "FilesystemBackend": of_backend(FilesystemBackend(root_dir=root, virtual_mode=True)),
    }


EXPECTED = {"read": True, "edit": 1, "glob": 500, "grep": 20}


def compare(all_of_them: dict[str, dict[str, Callable[[], Any]]]) -> None:
    times: dict[tuple[str, str], list[float]] = {}
    for turn in range(ROUNDS + 1):
        for name, works in all_of_them.items():
            for work, do in works.items():
                began = time.perf_counter()
                answer = do()
                took = time.perf_counter() - began
                assert answer == EXPECTED[work], (name, work, answer)
                if turn > 0:
                    times.setdefault((name, work), []).append(took * 1000)
    print(f"| best of {ROUNDS} rounds, ms | " + " | ".join(EXPECTED) + " |")
    print("| --- |" + " ---: |" * len(EXPECTED))
    for name in all_of_them:
        cells = [f"{min(times[name, work]):.2f}" if (name, work) in times else "" for work in EXPECTED]
        print(f"| {name} | " + " | ".join(cells) + " |")


def overhead(root: Path) -> None:
    """What the binding adds to a small call: the whole of it, without what the engine's own clock has counted."""
    file = root / "small.txt"
    file.write_text("small\n")
    box = Toolbox(root, journal=False)
    rounds = [small_calls(lambda: box.call("Read", file_path=file)) for _ in range(ROUNDS)]
    added, whole = min(rounds)
    print(f"Read of a small file: {whole:.1f} µs, of which the binding adds {added:.1f} (best of {ROUNDS} rounds)")

    async def awaited() -> list[float]:
        times = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            for _ in range(SMALL_CALLS // 5):
                await box.acall("Read", file_path=file)
            times.append((time.perf_counter() - began) / (SMALL_CALLS // 5) * 1e6)
        return times

    print(f"The same, awaited: {min(asyncio.run(awaited())):.1f} µs")


def small_calls(call: Callable[[], ToolResult]) -> tuple[float, float]:
    inside = 0.0
    began = time.perf_counter()
    for _ in range(SMALL_CALLS):
        inside += call().duration_ms or 0
    whole = (time.perf_counter() - began) / SMALL_CALLS * 1e6
    return whole - inside / SMALL_CALLS * 1e3, whole


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="toolcrib-bench-")).resolve()
    try:
        root = folder / "tree"
        root.mkdir()
        make_tree(root)
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, rg {'is' if shutil.which('rg') else 'is not'} there\n")
        compare(contestants(root, folder / "state"))
        print()
        overhead(root)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
