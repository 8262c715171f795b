// Memory does not grow with the calls, and nothing is left behind by a toolbox that was dropped.
//
// LEAK_CALLS says how many calls are made; the ordinary run makes few.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { Toolbox } from "toolcrib";

import { PIXEL, workspace } from "./support.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const CALLS = Number(process.env.LEAK_CALLS ?? 6000);
/** What is held may grow by this, for code that the compiler has made meanwhile. */
const HELD = 1024 * 1024;
/** What the process takes may grow by this: freed memory that no allocator has given back yet. */
const TAKEN = 24 * 1024 * 1024;

async function settledSize() {
  for (let round = 0; round < 3; round += 1) {
    collect();
    await new Promise((done) => setTimeout(done, 20));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, held: heapUsed + external };
}

test(`${CALLS} calls need no more memory than half as many`, { timeout: 900_000 }, async () => {
  const root = workspace({ "a.txt": "one\ntwo\n".repeat(100), "a.png": PIXEL });
  const rules = [{ kind: "edit", pattern: "**", action: "ask" }];
  const approver = async ({ changes }) => changes.length === 0;
  const box = new Toolbox(root, { journal: false, rules, approver });
  const own = box.register({ name: "own", description: "x", parameters: { type: "object" }, run: async () => "x".repeat(1000) });
  const controller = new AbortController();
  const calls = [
    () => box.call("Read", { file_path: join(root, "a.txt") }),
    () => box.call("Read", { file_path: join(root, "a.png") }),
    () => box.call("Write", { file_path: join(root, "a.txt"), content: "denied" }),
    () => box.call("Grep", { pattern: "two", path: root }, { signal: controller.signal }),
    () => box.using({ session: "s" }).call("LS", { path: root }),
    () => own.call({}),
  ];
  const make = async (count) => {
    for (let done = 0; done < count; done += 60) {
      await Promise.all(Array.from({ length: 60 }, (_, n) => calls[n % calls.length]()));
    }
  };
  await make(CALLS / 2);
  const half = await settledSize();
  await make(CALLS / 2);
  const whole = await settledSize();
  const shown = ({ rss, held }) => `${Math.round(rss / 1024)} KiB taken, ${Math.round(held / 1024)} held by JavaScript`;
  console.log(`${CALLS} calls: after half of them ${shown(half)}, after all ${shown(whole)}`);
  assert.ok(whole.held - half.held < HELD, `${whole.held - half.held} bytes more are held`);
  assert.ok(whole.rss - half.rss < TAKEN, `${whole.rss - half.rss} bytes more are taken`);
});

test("a toolbox that nobody holds is freed, with its tools", async () => {
  const root = workspace({ "a.txt": "one\n" });
  const freed = [];
  const registry = new FinalizationRegistry((name) => freed.push(name));
  await (async () => {
    const box = new Toolbox(root, { journal: false });
    // The tool holds its toolbox, and the toolbox its tool.
    box.register({ name: "own", description: "x", parameters: { type: "object" }, run: () => box.roots[0] });
    box.on("change", () => box.roots);
    assert.equal((await box.run("own", {})).output, root);
    registry.register(box, "box");
  })();
  for (let round = 0; round < 50 && freed.length === 0; round += 1) await settledSize();
  assert.deepEqual(freed, ["box"]);
});

test("a program ends when its work is done, and not before", () => {
  const root = workspace({ "a.txt": "one\n" });
  const run = (source) => execFileSync(process.execPath, ["--unhandled-rejections=strict", "-e", source], { encoding: "utf8", cwd: process.cwd() });
  const open = `const { Toolbox } = require("toolcrib"); let box = new Toolbox(${JSON.stringify(root)}, { journal: false });`;
  // The promise is all that is left, and it is waited for.
  assert.match(run(`${open} box.run("LS", {}).then(String).then(console.log); box = undefined;`), /a\.txt/);
  // Nobody waits for these, and one of them never ends by itself; the process may still end when it says so.
  const never = `box.register({ name: "never", description: "x", parameters: { type: "object" }, run: () => new Promise(() => {}) });`;
  assert.equal(run(`${open} ${never} box.run("never", {}); box.run("LS", {}).then(() => { box = undefined; process.exit(0); });`), "");
  // A toolbox alone keeps nothing alive.
  assert.equal(run(`${open} box.on("change", () => {});`), "");
});
