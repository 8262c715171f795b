"""`apply-patch` beside `apply_diff` of the OpenAI Agents SDK: the same diffs, generated from a seed.

`apply_diff` takes a text and a diff without an envelope (V4A). Toolcrib gets the same diff in an envelope, over MCP. The texts must
be equal, but for the reasons that are named here. A reason that no diff needs any more fails too.
"""

import random
import re
from collections import Counter

import anyio
import pytest
from agents import apply_diff
from support import TOOLCRIB, environment, place, session

pytestmark = pytest.mark.anyio

UPDATES = 330
CREATIONS = 60
SEED = 11

WORDS = ["alpha", "beta", "gamma", "return x", "if done:", "    pass", "\treturn", "}", "", "  let y = 1;", "# end"]


def some_lines(rng: random.Random) -> list:
    # Numbers make most lines differ; some texts repeat themselves.
    if rng.random() < 0.25:
        return rng.choices(WORDS[:5], k=rng.randint(4, 24))
    return [f"{rng.choice(WORDS)} {number}" for number in range(rng.randint(4, 24))]


def added(rng: random.Random, least: int) -> list:
    return [f"+new {rng.randrange(1000)}" for _ in range(rng.randint(least, 3))]


def hunk(rng: random.Random, lines: list, low: int, high: int) -> list:
    """A change somewhere in `lines[low:high]`, as the diff writes it."""
    start = rng.randrange(low, high)
    end = rng.randint(start + 1, min(start + 6, high))
    at = rng.randint(start, end)
    gone = rng.randint(0, min(2, end - at))
    rows = [" " + line for line in lines[start:at]]
    rows += ["-" + line for line in lines[at:at + gone]]
    rows += added(rng, 0 if gone else 1)
    rows += [" " + line for line in lines[at + gone:end]]
    if rng.random() < (0.4 if end == len(lines) else 0.03):
        rows += ["*** End of File"]
    return [*heads(rng, lines, start), *rows]


def heads(rng: random.Random, lines: list, start: int) -> list:
    """The lines that say below which line a hunk stands."""
    above = lines[rng.randrange(start)] if start else ""
    kind = rng.random()
    if kind < 0.7 or not above.strip():
        return ["@@"]
    if kind < 0.85:
        return [f"@@ {above}"]
    if kind < 0.89:
        return [f"@@ {above.strip()}"]
    if kind < 0.92:
        return [f"@@ {above[:-1]}"]
    if kind < 0.96:
        return ["@@ nowhere in the file"]
    return [f"@@ {above}", f"@@ {lines[start]}"]


def update(rng: random.Random) -> tuple:
    """A text, and the hunks of a change of it."""
    lines = some_lines(rng)
    middle = len(lines) // 2
    newline = rng.choice(["\n"] * 5 + ["\r\n"])
    text = newline.join(lines) + rng.choice([newline] * 5 + [""])
    kind = rng.random()
    if kind < 0.6:
        return text, [hunk(rng, lines, 0, len(lines))]
    if kind < 0.78:
        return text, [hunk(rng, lines, 0, middle), hunk(rng, lines, middle, len(lines))]
    if kind < 0.84:
        return text, [hunk(rng, lines, middle, len(lines)), hunk(rng, lines, 0, middle)]
    if kind < 0.88:
        return text, [["@@", *added(rng, 1)]]
    if kind < 0.9:
        return text, [[f"@@ {lines[middle]}", *added(rng, 1)]]
    if kind < 0.94:
        return text, [["@@", f" {lines[0]}  ", f"-{lines[1]}", "+below blanks at the end of a line"]]
    if kind < 0.97:
        return text, [["@@", f"-  {lines[middle]}", "+  further to the right"]]
    return text, [["@@", "-nothing like this", "+x"]]


# What is too rare to be left to chance.
BY_HAND = [
    ("it’s\nso\n", [["@@", "-it's", "+it is"]]),
    ("\ufefffirst\nlast\n", [["@@", "-first", "+zeroth"]]),
    ("done\nnext\n", [["@@", "-to do", "+done", " next"]]),
    ("one\r\ntwo\nthree\r\n", [["@@", "-two", "+2", " three"]]),
    ("first\nlast", [["@@", "-last"]]),
    ("x = 0\ndef f():\nx = 0\n", [["@@ def", "-x = 0", "+x = 1"]]),
]


def creation(rng: random.Random) -> list:
    rows = ["+" + line for line in some_lines(rng)]
    kind = rng.random()
    if kind < 0.3:
        return [*rows, "+"]
    if kind < 0.4:
        return [*rows, "without a mark"]
    return rows


def joined(hunks: list) -> str:
    return "\n".join(row for rows in hunks for row in rows)


def reordered(text: str, hunks: list) -> str:
    return apply_diff(text, joined(with_one_anchor(hunks[::-1])))


def with_one_anchor(hunks: list) -> list:
    return [[first, *(row for row in rows if not row.startswith("@@"))] for first, *rows in hunks]


def with_whole_anchors(text: str, hunks: list) -> str:
    def whole(row: str) -> str:
        return next((f"@@ {line}" for line in text.splitlines() if row.startswith("@@ ") and line.startswith(row[3:])), row)

    return apply_diff(text, joined([whole(row) for row in hunk] for hunk in hunks))


def appended(text: str, hunks: list) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return text.removesuffix(newline) + "".join(newline + row[1:] for row in hunks[0][1:]) + newline * text.endswith(newline)


def without_last_line(text: str, hunks: list) -> str:
    if not joined(hunks).removesuffix("\n*** End of File").rpartition("\n")[2].startswith("-"):
        raise ValueError("the last line stays")
    return apply_diff(text + ("\r\n" if "\r\n" in text else "\n"), joined(hunks))


def already_applied(text: str, hunks: list) -> str:
    """The text, if the lines that the diff would make stand in it."""
    return apply_diff(text, re.sub(r"(?m)^\+", " ", re.sub(r"(?m)^-.*\n", "", joined(hunks))))


# Why Toolcrib makes another text of a diff than the SDK, or a text where the SDK fails. Each comes with what the text has to be: in
# most cases what the SDK makes of the question when it is put otherwise.
OTHERWISE = {
    "lines without a place go to the end, as in Codex; the SDK puts them at the top": appended,
    "lines are indented as the file is; the SDK writes them as the diff has them":
        lambda text, hunks: apply_diff(text, re.sub(r"(?m)^([-+])  ", r"\1", joined(hunks))),
    "every line keeps its line ending; the SDK writes CRLF throughout":
        lambda text, hunks: apply_diff(text.replace("\r\n", "\t\n"), joined(hunks)).replace("\t\n", "\r\n"),
    "a last line without a newline goes alone; the SDK takes the newline before it too": without_last_line,
    "an anchor may be the beginning of a line; the SDK ignores it": with_whole_anchors,
    "the last of several anchors may be the first line of the hunk":
        lambda text, hunks: apply_diff(text, joined(with_one_anchor(hunks))),
    "hunks may stand in any order": reordered,
    "typographic quotes are found by plain ones": lambda text, hunks: apply_diff(text.replace("’", "'"), joined(hunks)),
    "a byte order mark is no part of the first line": lambda text, hunks: "\ufeff" + apply_diff(text[1:], joined(hunks)),
    "a diff that is already applied succeeds": already_applied,
}

# Why Toolcrib refuses a diff that the SDK applies, and how that is seen in the diff and the refusal.
REFUSED = {
    "the SDK changes the first of several places": lambda diff, refusal: "fit in more than one place" in refusal,
    "the SDK ignores an anchor that is nowhere": lambda diff, refusal: "there is no line" in refusal,
    "the SDK ignores the mark of the file's end elsewhere": lambda diff, refusal: "*** End of File" in diff,
}


def of_the_sdk(text: str, diff: str, mode: str = "default"):
    """The new text, or None where the SDK fails."""
    try:
        return apply_diff(text, diff, mode)
    except ValueError:
        return None


def reason(text: str, hunks: list, ours: str) -> str | None:
    """Why Toolcrib arrives at this text, and the SDK does not."""
    for name, expected in OTHERWISE.items():
        try:
            if expected(text, hunks) == ours:
                return name
        except ValueError:
            continue
    return None


async def applied(root, state, patches: list) -> list:
    """The sentence with which Toolcrib refuses a patch, or None."""
    server = ["mcp", "--dialect", "apply-patch", "--root", root]
    with anyio.fail_after(300):
        async with session(TOOLCRIB, server, environment(state)) as toolcrib:
            answers = [await toolcrib.call_tool("apply_patch", {"input": patch}) for patch in patches]
    return [answer.content[0].text if answer.is_error else None for answer in answers]


def enveloped(action: str, name: str, diff: str) -> str:
    return f"*** Begin Patch\n*** {action} File: {name}\n{diff}\n*** End Patch"


async def test_updates_do_what_they_do_in_the_agents_sdk(tmp_path):
    rng = random.Random(SEED)
    cases = [*BY_HAND, *(update(rng) for _ in range(UPDATES))]
    # The first hunk may stand without its head.
    diffs = [joined(hunks).removeprefix("@@\n" if rng.random() < 0.1 else "") for _, hunks in cases]
    place(tmp_path / "files", {f"{number}.txt": text for number, (text, _) in enumerate(cases)})
    patches = [enveloped("Update", f"{number}.txt", diff) for number, diff in enumerate(diffs)]
    refusals = await applied(tmp_path / "files", tmp_path / "state", patches)
    counts = Counter()
    for number, ((text, hunks), diff, refusal) in enumerate(zip(cases, diffs, refusals)):
        theirs, ours = of_the_sdk(text, diff), (tmp_path / f"files/{number}.txt").read_bytes().decode()
        case = f"update {number}\n{text!r}\n{diff}\nSDK:      {theirs!r}\nToolcrib: {ours!r}\n{refusal}"
        if refusal is None:
            why = "equal" if ours == theirs else reason(text, hunks, ours)
        else:
            assert ours == text, f"half a diff: {case}"
            why = "refused by both" if theirs is None else next((why for why, holds in REFUSED.items() if holds(diff, refusal)), None)
        assert why, case
        counts[why] += 1
    reasons = [*OTHERWISE, *REFUSED]
    print(f"\n{len(cases)} updates of the Agents SDK, {len(reasons)} named reasons to differ: {dict(counts)}")
    assert [name for name in reasons if not counts[name]] == [], "no longer different"
    assert counts["equal"] > UPDATES // 2


async def test_new_files_are_those_of_the_agents_sdk_with_a_newline_at_the_end(tmp_path):
    rng = random.Random(SEED)
    diffs = ["\n".join(creation(rng)) for _ in range(CREATIONS)]
    place(tmp_path / "files", {})
    patches = [enveloped("Add", f"{number}.txt", diff) for number, diff in enumerate(diffs)]
    refusals = await applied(tmp_path / "files", tmp_path / "state", patches)
    for number, (diff, refusal) in enumerate(zip(diffs, refusals)):
        file, theirs = tmp_path / f"files/{number}.txt", of_the_sdk("", diff, "create")
        case = f"creation {number}\n{diff}\nSDK: {theirs!r}\n{refusal}"
        assert (refusal is None) == file.exists() == (theirs is not None), case
        # In an envelope every line has its newline; the SDK only puts newlines between the lines of a new file.
        assert theirs is None or file.read_bytes().decode() == theirs + "\n", case
    refused = sum(refusal is not None for refusal in refusals)
    print(f"\n{CREATIONS} creations of the Agents SDK: {CREATIONS - refused} equal but for that newline, {refused} refused by both")
