"""How good the text of PDFs is, beside pypdf's: word-order similarity with the text that was put in.

    python -m venv target/pdf && target/pdf/bin/pip install reportlab pypdf cryptography
    cargo build --release -p toolcrib-formats --example pdf_text
    target/pdf/bin/python crates/formats/tests/compare/compare_pdf.py target/release/examples/pdf_text

Without arguments after the program it makes PDFs and compares with the words that are in them; the exit status is 1 if
any case is worse than pypdf's. With a directory it takes the first pages of every PDF below it and compares both with
what pdftotext (poppler) reads, as there nobody knows the words.
"""

import difflib
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import pypdf
from makers import CASES

WORD = re.compile(r"[^\W_]+", re.UNICODE)
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def words(text):
    """Words; of scripts without spaces, characters."""
    found = []
    for word in WORD.findall(text):
        if WIDE.search(word):
            found.extend(word)
        else:
            found.append(word)
    return found


def similarity(ours, expected):
    """1 if these are the same words in the same order."""
    return difflib.SequenceMatcher(None, words(ours), words(expected), autojunk=False).ratio()


def recall(ours, expected):
    """How many of the expected words are there at all, in percent of both: F1 of the bags of words."""
    from collections import Counter

    a, b = Counter(words(ours)), Counter(words(expected))
    common = sum((a & b).values())
    return 2 * common / max(1, sum(a.values()) + sum(b.values()))


def with_toolcrib(program, path, pages=None):
    command = [program, str(path)] + ([pages] if pages else [])
    done = subprocess.run(command, capture_output=True, timeout=120)
    text = done.stdout.decode(errors="replace")
    return re.sub(r"^--- Page \d+ ---\n", "", text, flags=re.M), done.returncode, done.stderr.decode(errors="replace")


def with_pypdf(path, pages=None):
    reader = pypdf.PdfReader(path)
    chosen = reader.pages if pages is None else reader.pages[:pages]
    return "\n".join(page.extract_text() for page in chosen)


def made(program):
    worse = 0
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'case':32} {'toolcrib':>9} {'pypdf':>7}   seconds: toolcrib, pypdf")
        for name, make in CASES.items():
            path = pathlib.Path(folder) / f"{name}.pdf"
            expected = make(str(path))
            start = time.monotonic()
            text, status, error = with_toolcrib(program, path)
            middle = time.monotonic()
            try:
                theirs = with_pypdf(path)
            except Exception as problem:  # whatever it trips over counts as no text
                theirs = f""
                print(f"  pypdf: {type(problem).__name__}")
            end = time.monotonic()
            a, b = similarity(text, expected), similarity(theirs, expected)
            mark = "" if a >= b - 0.005 else "  <-- worse"
            worse += bool(mark)
            print(f"{name:32} {a:9.3f} {b:7.3f}   {middle - start:.2f} {end - middle:.2f}{mark}{error and '  ' + error.strip()}")
    return worse


def corpus(program, folder, limit):
    import logging

    logging.disable(logging.CRITICAL)
    paths = sorted(pathlib.Path(folder).rglob("*.pdf"))
    random.Random(1).shuffle(paths)
    scores, failures, times = [], [], [0.0, 0.0, 0.0]
    for path in paths[:limit]:
        start = time.monotonic()
        base = subprocess.run(["pdftotext", "-l", "5", str(path), "-"], capture_output=True).stdout.decode(errors="replace")
        times[0] += time.monotonic() - start
        if len(words(base)) < 20:
            continue
        start = time.monotonic()
        ours, status, error = with_toolcrib(program, path, "1-5")
        if status and "past the end" in error:
            ours, status, error = with_toolcrib(program, path)
        times[1] += time.monotonic() - start
        start = time.monotonic()
        try:
            theirs = with_pypdf(path, 5)
        except Exception:
            theirs = ""
        times[2] += time.monotonic() - start
        if status:
            failures.append((path, error.strip()))
        scores.append((similarity(ours, base), similarity(theirs, base), recall(ours, base), recall(theirs, base), path))
    print(f"{len(scores)} documents, their first 5 pages, against pdftotext")
    for at, name in enumerate(["order, toolcrib", "order, pypdf", "words, toolcrib", "words, pypdf"]):
        column = [score[at] for score in scores]
        print(f"{name:18} mean {statistics.mean(column):.3f}  median {statistics.median(column):.3f}  below .8: {sum(c < .8 for c in column)}")
    print("seconds: pdftotext %.1f, toolcrib %.1f, pypdf %.1f" % tuple(times))
    for path, error in failures:
        print("failed:", path, error)
    print("most behind pypdf:")
    for score in sorted(scores, key=lambda score: score[0] - score[1])[:15]:
        print("  %.2f %.2f  words %.2f %.2f  %s" % score)


if __name__ == "__main__":
    program = sys.argv[1]
    if len(sys.argv) > 2:
        corpus(program, sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10_000)
    else:
        sys.exit(1 if made(program) else 0)
