"""What recording adds to a call of an agent's own tool: the hook before it and the hook after it, as whole processes.

usage: record.py TOOLCRIB   (`cargo xtask bench record` builds it)

An agent runs its hooks through a shell and waits for them, so that is what is measured, with the event that Claude Code writes to
their standard input. A shell that starts an empty program (`true`) takes its turn in the same run: that is what a hook costs
that does nothing. Between the two hooks the file is edited, so every call is recorded. It ends with status 1 if the aim is missed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from client import aim

CALLS, WARM = 400, 20
AIM = 10.0
HOOKS = ("PreToolUse", "PostToolUse")


def timed(command, event, folder, env):
    started = time.perf_counter()
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"{command} || true"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=env
    )
    _, said = process.communicate(event)
    taken = (time.perf_counter() - started) * 1000
    assert (process.returncode, said) == (0, b""), (process.returncode, said)
    return taken


def event(name, number, file, folder):
    told = {"session_id": "bench", "transcript_path": "/t.jsonl", "cwd": folder, "permission_mode": "default"}
    told |= {"hook_event_name": name, "tool_name": "Edit", "tool_use_id": f"toolu_{number}"}
    told["tool_input"] = {"file_path": file, "old_string": f"line 7, {number}", "new_string": f"line 7, {number + 1}"}
    return json.dumps(told).encode()


def measure(toolcrib, folder):
    root = os.path.join(folder, "root")
    os.mkdir(root)
    file = os.path.join(root, "edited.txt")
    env = {"HOME": folder, "XDG_STATE_HOME": os.path.join(folder, "state"), "PATH": os.environ["PATH"]}
    times = {name: [] for name in ("empty", *HOOKS, "both")}
    for number in range(CALLS + WARM):
        empty = timed("true", b"", root, env)
        hooks = []
        for name in HOOKS:
            hooks.append(timed(f"{toolcrib} record-hook claude-code", event(name, number, file, root), root, env))
            with open(file, "w") as edited:
                edited.writelines(f"line {line}, {number}\n" for line in range(500))
        if number >= WARM:
            for name, taken in zip(times, (empty, *hooks, sum(hooks))):
                times[name].append(taken)
    log = subprocess.run([toolcrib, "log", "--json"], cwd=root, env=env, capture_output=True, check=True)
    latest = json.loads(log.stdout)["metadata"]["changes"][0]
    assert latest["id"] >= CALLS and latest["agent"] == "claude-code", latest
    return times


def percentile(times, percent):
    return sorted(times)[(len(times) - 1) * percent // 100]


def main():
    with tempfile.TemporaryDirectory() as folder:
        times = measure(sys.argv[1], os.path.realpath(folder))
    print(f"{CALLS} calls of Edit on a file of 500 lines, each announced and recorded, in turns with an empty program; in ms\n")
    print(f"  {'':28}{'least':>8}{'median':>8}{'p99':>8}")
    titles = {"empty": "an empty program", "both": "both hooks of a call"}
    for name, taken in times.items():
        figures = (min(taken), percentile(taken, 50), percentile(taken, 99))
        print(f"  {titles.get(name, name):28}" + "".join(f"{figure:8.2f}" for figure in figures))
    added = [both - 2 * empty for both, empty in zip(times["both"], times["empty"])]
    print(f"  {'beyond two empty programs':28}{min(added):8.2f}{percentile(added, 50):8.2f}{percentile(added, 99):8.2f}\n")
    both = percentile(times["both"], 50)
    met = aim(f"both hooks together add at most {AIM:.0f} ms to a call, at the median", f"{both:.2f} ms", both <= AIM)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
