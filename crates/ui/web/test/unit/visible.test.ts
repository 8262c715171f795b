import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces, plain } from "../../src/visible";

test("characters that hide or turn text around are named", () => {
  assert.equal(plain("user\u202Etxt.exe"), "user‹RLO›txt.exe");
  assert.equal(plain("a\u200Bb\uFEFF"), "a‹ZWSP›b‹BOM›");
  assert.equal(plain("\u001b[31mred"), "‹ESC›[31mred");
  assert.equal(plain("tag\u{E0041}"), "tag‹U+E0041›");
  assert.equal(plain("half\uD800"), "half‹U+D800›");
  assert.equal(plain("two\nlines\t"), "two‹LF›lines‹TAB›");
});

test("ordinary text of any language stays as it is", () => {
  for (const text of ["fn main() {}", "Ünïcödé", "日本語", "العربية", "a < b && c > d", "😀"]) {
    assert.deepEqual(pieces(text), [{ text, hidden: false }]);
  }
});

test("in code, tabs stay and a carriage return shows", () => {
  assert.deepEqual(pieces("\tx\r"), [
    { text: "\tx", hidden: false },
    { text: "CR", hidden: true },
  ]);
});
