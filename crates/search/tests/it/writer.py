"""Another program that changes files: one JSON list per line on standard input, `ok` or `no` for each on standard output.

What it keeps open between two lines (files, mappings) has a number, which the caller chooses.
"""

import json
import mmap
import os
import shutil
import sys
from pathlib import Path

kept = {}


def fixed(text: str, size: int) -> bytes:
    """The text with spaces around it, in exactly so many bytes."""
    return text.encode().ljust(size)[:size]


def write(path, text):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def append(path, text):
    with open(path, "a") as file:
        file.write(text)


def in_place(path, text):
    handle = os.open(path, os.O_WRONLY)
    os.pwrite(handle, text.encode(), 0)
    os.close(handle)


def truncate(path, size):
    os.truncate(path, size)


def replace(path, text, outside):
    """As editors save: a new file takes the place of the old one."""
    new = Path(outside) / "new"
    new.write_text(text)
    os.replace(new, path)


def by_outside_link(path, text, outside):
    """A second name outside, which is written through and removed again."""
    link = Path(outside) / "link"
    os.link(path, link)
    in_place(link, text)
    link.unlink()


def link_outside(path, outside, number):
    link = Path(outside) / f"kept-{number}"
    os.link(path, link)


def write_outside(outside, number, text):
    in_place(Path(outside) / f"kept-{number}", text)


def map_file(path, number):
    handle = os.open(path, os.O_RDWR)
    size = os.fstat(handle).st_size
    kept[number] = mmap.mmap(handle, size)
    os.close(handle)


def store(number, text, flush):
    mapping = kept[number]
    mapping[:] = fixed(text, len(mapping))
    if flush:
        mapping.flush()


def unmap(number):
    kept.pop(number).close()


def hold(path, number):
    kept[number] = os.open(path, os.O_WRONLY)


def write_held(number, text):
    os.pwrite(kept[number], text.encode(), 0)


def release(number):
    os.close(kept.pop(number))


def rename(old, new):
    Path(new).parent.mkdir(parents=True, exist_ok=True)
    os.rename(old, new)


def make_tree(path, text):
    """A directory with directories and a file in the last, faster than any watch can be added."""
    deep = Path(path) / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").write_text(text)


def remove(path):
    if Path(path).is_dir() and not Path(path).is_symlink():
        shutil.rmtree(path)
    else:
        os.unlink(path)


def chmod(path, mode):
    os.chmod(path, mode)


def retarget(path, target):
    Path(path).unlink(missing_ok=True)
    Path(path).symlink_to(target)


def touch(path):
    os.utime(path, (1, 1))


def many(path, count, text):
    """So many files at once that the kernel's queue overflows."""
    folder = Path(path)
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"{number}").write_text(f"{text} {number}\n")


for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        globals()[name](*arguments)
        answer = "ok"
    except (OSError, KeyError, ValueError, TypeError) as error:
        answer = f"no {error}".replace("\n", " ")
    print(answer, flush=True)
