"""A tool of your own beside the built-in ones: `python examples/own_tool.py`."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

from toolcrib import Call, Param, Toolbox, tool


@tool(effect="reads")
def count_words(
    text: Annotated[str, "The text whose words are counted"],
    call: Call,
    most: Annotated[int, Param("How many of the most frequent words to give", minimum=1, maximum=100)] = 3,
) -> dict[str, int]:
    """Counts the words of a text."""
    counts: Counter[str] = Counter()
    for word in text.split():
        call.checkpoint()  # ends the loop when the call times out or is cancelled
        counts[word.lower()] += 1
    return dict(counts.most_common(most))


box = Toolbox(".", journal=False)
box.register(count_words)
print(box["count_words"](text="the cat and the dog and the bird", most="2"))
print(box["count_words"](txt="hello"))
print(json.dumps(box["count_words"].schema("anthropic"), indent=2))
