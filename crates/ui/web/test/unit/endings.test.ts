import assert from "node:assert/strict";
import { test } from "node:test";
import { endings, plainLines, restored } from "../../src/endings";

test("a text keeps its line endings through the editor", () => {
  for (const text of ["", "one", "a\nb\n", "a\r\nb\r\n", "a\r\nb"]) {
    assert.notEqual(endings(text), "mixed", JSON.stringify(text));
    assert.equal(restored(plainLines(text), text), text);
  }
  for (const text of ["a\r\nb\n", "a\rb", "a\r\r\nb\r\n"]) assert.equal(endings(text), "mixed", JSON.stringify(text));
});
