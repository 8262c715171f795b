"""Another program that changes files: one JSON list per line on standard input, `ok` or `no` for each on standard output.

What it keeps open between two lines (files, mappings) has a number, which the caller chooses.
"""

import ctypes
import json
import mmap
import os
import platform
import shutil
import struct
import subprocess
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


# The numbers of io_setup, io_destroy, io_submit and io_getevents: the C library has no functions for them.
AIO = {"x86_64": (206, 207, 209, 208), "aarch64": (0, 1, 2, 4)}
LIBC = ctypes.CDLL(None, use_errno=True)


def kernel(number, *arguments):
    result = LIBC.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "system call failed")
    return result


def write_held_natively(number, text):
    """Native asynchronous input and output: the kernel tells of no such write."""
    setup, destroy, submit, events = AIO[platform.machine()]
    context, done = ctypes.c_ulong(0), ctypes.create_string_buffer(32)
    kernel(setup, 1, ctypes.byref(context))
    try:
        bytes = ctypes.create_string_buffer(text.encode())
        # data, key, flags, opcode (1 writes), priority, file, buffer, length, offset, and what is reserved
        length = len(text.encode())
        block = struct.pack(
            "QIiHhIQQqQII", 0, 0, 0, 1, 0, kept[number], ctypes.addressof(bytes), length, 0, 0, 0, 0
        )
        block = ctypes.create_string_buffer(block, len(block))
        blocks = (ctypes.c_void_p * 1)(ctypes.addressof(block))
        kernel(submit, context, ctypes.c_long(1), blocks)
        kernel(events, context, ctypes.c_long(1), ctypes.c_long(1), done, None)
        if struct.unpack("QQqq", done.raw)[2] != length:
            raise OSError("nothing was written")
    finally:
        kernel(destroy, context)


def write_held_by_ring(number, text):
    """One write through io_uring: set up, mapped, submitted and waited for."""
    setup, enter = 425, 426
    text = ctypes.create_string_buffer(text.encode(), len(text.encode()))
    parameters = ctypes.create_string_buffer(120)
    ring = kernel(setup, 1, parameters)
    try:
        words = struct.unpack("30I", parameters.raw)
        entries, completions, submit, complete = words[0], words[1], words[10:20], words[20:30]
        size = max(submit[6] + entries * 4, complete[5] + completions * 16)
        with mmap.mmap(ring, size) as queue, mmap.mmap(ring, entries * 64, offset=0x10000000) as requests:
            # opcode (23 writes), flags, priority, file, offset, buffer, length, and what is not used
            requests[:64] = struct.pack(
                "BBHiQQIIQ24x", 23, 0, 0, kept[number], 0, ctypes.addressof(text), len(text), 0, 0
            )
            queue[submit[6] : submit[6] + 4] = struct.pack("I", 0)
            queue[submit[1] : submit[1] + 4] = struct.pack("I", 1)
            wait = 1
            kernel(enter, ring, 1, 1, wait, None, ctypes.c_long(0))
            written = struct.unpack_from("i", queue, complete[5] + 8)[0]
        if written != len(text):
            raise OSError("nothing was written")
    finally:
        os.close(ring)


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


def away_and_back(root, outside, name, text):
    """A file is written while the root has another name."""
    away = Path(outside) / "root"
    os.rename(root, away)
    try:
        (away / name).write_text(text)
    finally:
        os.rename(away, root)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def mount(source, path):
    run("mount", "--bind", source, path)


def unmount(path):
    run("umount", path)


def branches(root, count, one, other):
    """A repository whose two branches have other contents in so many files. The first one is checked out."""
    git = ["git", "-C", root, "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "gc.auto=0"]
    run(*git, "init", "-q", "-b", "one")
    for branch, word in (("one", one), ("other", other)):
        if branch == "other":
            run(*git, "checkout", "-q", "-b", branch)
        for number in range(count):
            folder = Path(root) / f"part-{number % 50}"
            folder.mkdir(exist_ok=True)
            (folder / f"{number}").write_text(f"{word} {number}\n")
        run(*git, "add", "-A")
        run(*git, "commit", "-q", "-m", branch)
    run(*git, "checkout", "-q", "one")


def checkout(root, branch):
    run("git", "-C", root, "checkout", "-q", branch)


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
    except (OSError, KeyError, ValueError, TypeError, subprocess.CalledProcessError) as error:
        answer = f"no {error}".replace("\n", " ")
    print(answer, flush=True)
