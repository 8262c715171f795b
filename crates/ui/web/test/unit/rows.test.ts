import assert from "node:assert/strict";
import { test } from "node:test";
import { hunkOf, paged } from "../../mock/world";
import { languageOf, lines } from "../../src/grammars";
import { merged } from "../../src/merged";
import { columns, joined, LONGEST, pairs, segments } from "../../src/rows";
import type { Change, FileDiff } from "../../src/types";

test("removed and added lines stand beside each other, the rest below", () => {
  const { rows } = hunkOf("h", 1, [" a", "-b", "-c", "+d", " e", "+f"]);
  assert.deepEqual(pairs(rows), [
    { old: 0, new: 0 },
    { old: 1, new: 3 },
    { old: 2, new: null },
    { old: 4, new: 4 },
    { old: null, new: 5 },
  ]);
});

test("a line that was added before one was removed keeps its place", () => {
  assert.deepEqual(pairs(hunkOf("h", 1, ["+a", "-b"]).rows), [
    { old: null, new: 0 },
    { old: 1, new: null },
  ]);
});

test("segments give back the whole text, cut where colours and marks meet", () => {
  const row = { t: "+" as const, s: "let path = 1;", marks: [[2, 8]] as [number, number][] };
  const tokens = [{ text: "let", kind: "keyword" }, { text: " path = ", kind: "" }, { text: "1", kind: "number" }, { text: ";", kind: "" }];
  const found = segments(row, tokens);
  assert.equal(found.map((segment) => segment.text).join(""), row.s);
  assert.equal(found.filter((segment) => segment.marked).map((segment) => segment.text).join(""), "t path");
});

test("marks beyond the end, or one over the other, lose no text and do not loop", () => {
  const row = { t: "+" as const, s: "abc", marks: [[1, 99], [0, 2], [5, 5]] as [number, number][] };
  assert.equal(segments(row, undefined).map((segment) => segment.text).join(""), "abc");
});

test("a very long line is cut", () => {
  const row = { t: "+" as const, s: "x".repeat(1_000_000) };
  assert.equal(segments(row, undefined)[0]?.text.length, LONGEST);
  assert.equal(columns({ hunks: [{ ...hunkOf("h", 1, []), rows: [row] }] }), LONGEST);
});

test("tabs count for the width", () => {
  assert.equal(columns({ hunks: [hunkOf("h", 1, ["+\t\tab"])] }), 10);
});

test("the parts of a large diff join to the whole", () => {
  const whole: FileDiff = { hunks: [hunkOf("a", 1, Array.from({ length: 5 }, (_, at) => `+${at}`)), hunkOf("b", 9, ["-x", "+y"])] };
  let diff = paged(whole, 0, 3);
  while (diff.more) diff = joined(diff, paged(whole, diff.more.next, 3));
  assert.deepEqual(diff.hunks.map((hunk) => hunk.rows), whole.hunks.map((hunk) => hunk.rows));
});

test("lists of changes are put together by number, and the later word counts", () => {
  const change = (id: number, state: Change["state"] = "done") => ({ id, state }) as Change;
  const list = merged([change(5), change(4), change(2)], [change(4, "undone"), change(3), change(6)]);
  assert.deepEqual(list.map(({ id, state }) => [id, state]), [[6, "done"], [5, "done"], [4, "undone"], [3, "done"], [2, "done"]]);
  assert.deepEqual(merged([change(1)], [change(2), change(3)]).map(({ id }) => id), [3, 2, 1]);
});

test("a file may be called as anything is called", () => {
  for (const name of ["__proto__", "constructor", "toString", "a.constructor", ""]) assert.equal(languageOf(name), undefined);
  assert.equal(languageOf("src/Main.RS"), "rust");
});

test("colours are tokens that give back the text, line by line", () => {
  const text = 'fn main() {\n    // <b>no</b>\n    let s = "a\nb";\n}';
  const found = lines(text, "rust");
  assert.deepEqual(found.map((line) => line.map((token) => token.text).join("")), text.split("\n"));
  assert.equal(found[1]?.find((token) => token.text.includes("<b>"))?.kind, "comment");
  const html = lines("<script>\nlet a = 1;\n</script>", "xml");
  assert.deepEqual(html.map((line) => line.map((token) => token.text).join("")), ["<script>", "let a = 1;", "</script>"]);
});
