// The toolbox itself: results, errors, approvals, tools of its user, events, cancellation.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

import { Toolbox, ToolcribError, version } from "toolcrib";
import { z } from "zod";

import { PIXEL, journal, workspace } from "./support.mjs";

const files = { "a.txt": "one\ntwo\n", "src/b.js": "let x = 1;\n" };

test("a tool is called and answers with text and facts", async () => {
  const root = workspace(files);
  const box = new Toolbox(pathToFileURL(root), { journal: false });
  assert.deepEqual(box.roots, [root]);
  const result = await box.call("Read", { file_path: join(root, "a.txt") });
  assert.equal(result.success, true);
  assert.equal(result.output, "     1\tone\n     2\ttwo");
  assert.equal(`${result}`, result.output);
  assert.equal(result.metadata.lines_read, 2);
  assert.ok(result.durationMs > 0);
  assert.equal(result.check(), result);
});

test("a failure is a result with its kind and hint, and check throws it", async () => {
  const box = new Toolbox(workspace(files), { journal: false });
  const result = await box.call("Read", { file_path: join(box.roots[0], "a.tx") });
  assert.equal(result.success, false);
  assert.equal(result.errorKind, "not_found");
  assert.match(result.hint, /a\.txt/);
  assert.throws(
    () => result.check(),
    (error) =>
      error instanceof ToolcribError &&
      error.kind === "not_found" &&
      error.hint === result.hint &&
      error.text === result.toString() &&
      !("error_kind" in error.metadata),
  );
});

test("what no model could have written is an answer too", async () => {
  const box = new Toolbox(workspace(files), { journal: false });
  const circular = {};
  circular.self = circular;
  for (const parameters of [circular, { file_path: 1n }, { file_path: "\ud800" }, () => {}]) {
    assert.equal((await box.run("Read", parameters)).errorKind, "invalid_parameter");
  }
  assert.equal((await box.run("Raed", {})).errorKind, "unknown_tool");
  assert.equal((await box.run("Read", "a text")).errorKind, "invalid_parameter");
  assert.equal((await box.run("LS", undefined)).success, true);
});

test("what cannot be opened is thrown", () => {
  const kind = (kind, pattern) => (error) =>
    error instanceof ToolcribError && error.kind === kind && pattern.test(error.message);
  assert.throws(() => new Toolbox("/no/such/place"), kind("not_found", /no\/such\/place/));
  assert.throws(() => new Toolbox([]), kind("invalid_parameter", /at least one root/));
  const root = workspace();
  assert.throws(() => new Toolbox(root, { dialect: "standart" }), kind("invalid_parameter", /did you mean 'standard'/));
  const config = { rules: [{ kind: "read", pattern: "a", action: "maybe" }] };
  assert.throws(() => new Toolbox(root, { config }), kind("invalid_parameter", /rules\[0\]: unknown variant `maybe`/));
  assert.throws(() => new Toolbox(root, { rules: [{ kind: "look" }] }), kind("invalid_parameter", /No such rule/));
  assert.throws(() => new Toolbox(root, { timeoutMs: -1 }), kind("invalid_parameter", /timeout/));
  assert.throws(() => new Toolbox(root).schemas("openia"), kind("invalid_parameter", /did you mean/));
});

test("the configuration is an object or a file", async () => {
  const root = workspace(files);
  const config = { more_tools: true, rules: [{ kind: "read", pattern: "src/**", action: "deny" }] };
  const box = new Toolbox(root, { config, journal: false });
  assert.equal((await box.call("Stat", { path: join(root, "a.txt") })).success, true);
  assert.equal((await box.call("Read", { file_path: join(root, "src/b.js") })).errorKind, "permission_denied");
  const file = join(workspace(), "config.toml");
  writeFileSync(file, "more_tools = true\n");
  const names = new Toolbox(root, { config: pathToFileURL(file) }).tools().map(({ name }) => name);
  assert.ok(names.includes("Stat"));
});

test("images are bytes", async () => {
  const root = workspace({ "a.png": PIXEL });
  const box = new Toolbox(root, { journal: false });
  const { images, metadata } = (await box.call("Read", { file_path: join(root, "a.png") })).check();
  assert.equal(images[0].mimeType, "image/png");
  assert.ok(images[0].data instanceof Uint8Array);
  assert.deepEqual(Buffer.from(images[0].data), PIXEL);
  assert.ok(!("base64_data" in metadata));
  assert.deepEqual(Buffer.from(await box.readBytes(join(root, "a.png"))), PIXEL);
});

test("bytes are written as they are, under the same rules", async () => {
  const root = workspace({ "a.bin": PIXEL });
  const rules = [{ kind: "edit", pattern: "locked/**", action: "deny" }];
  const box = new Toolbox(root, { rules, journal: journal() });
  const path = join(root, "a.bin");
  const { modified, size, type } = await box.stat(path);
  assert.deepEqual([size, type], [PIXEL.length, "file"]);
  await box.writeBytes(path, Buffer.from([0, 255]), { expectedModified: modified });
  await box.writeBytes(path, Buffer.from([7]), { append: true });
  assert.deepEqual([...readFileSync(path)], [0, 255, 7]);
  const stale = box.writeBytes(path, Buffer.from([1]), { expectedModified: new Date(0) });
  await assert.rejects(stale, { kind: "conflict" });
  await assert.rejects(box.writeBytes(path, Buffer.from([1]), { overwrite: false }), { kind: "already_exists" });
  await assert.rejects(box.writeBytes(join(root, "locked/a"), Buffer.from([1])), { kind: "permission_denied" });
  await assert.rejects(box.writeBytes("/tmp/outside", Buffer.from([1])), { kind: "outside_workspace" });
  await box.undo();
  await box.undo();
  assert.deepEqual(readFileSync(path), PIXEL);
});

test("changes are logged, announced in their order, undone and redone", async () => {
  const root = workspace(files);
  const box = new Toolbox(root, { journal: journal(), session: "s1", agent: "tester" });
  const seen = [];
  box.on("change", (change) => seen.push(change));
  const path = join(root, "new.txt");
  (await box.call("Write", { file_path: path, content: "1\n" })).check();
  (await box.call("Edit", { file_path: path, old_string: "1", new_string: "2" })).check();
  const undone = await box.undo();
  assert.equal(readFileSync(path, "utf8"), "1\n");
  await box.redo();
  assert.equal(readFileSync(path, "utf8"), "2\n");
  const changes = await box.log();
  assert.deepEqual(changes.map(({ tool }) => tool).slice(-2), ["Edit", "Write"]);
  assert.equal(changes[0].agent, "tester");
  assert.ok(changes[0].time instanceof Date);
  assert.match(changes.at(-1).files[0].diff, /\+1/);
  assert.equal(undone.undoes, changes.at(-2).id);
  while (seen.length < 4) await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(seen.map(({ id }) => id), changes.map(({ id }) => id).reverse());
  // A dry run changes nothing, and so does a failure.
  (await box.using({ dryRun: true }).call("Write", { file_path: path, content: "3\n" })).check();
  assert.equal((await box.call("Write", { file_path: "/etc/x", content: "" })).success, false);
  assert.equal((await box.log()).length, 4);
  await assert.rejects(box.undo(999), { kind: "not_found" });
  const executions = box.executions();
  assert.deepEqual(executions[0].states, ["received", "validating", "validated", "executing", "completed"]);
  assert.match(`${executions.at(-2).result}`, /^Error: |outside/);
  box.clearExecutions();
  assert.deepEqual(box.executions(), []);
});

test("a session must read before it writes", async () => {
  const root = workspace(files);
  const box = new Toolbox(root, { session: "s1", journal: false });
  const write = () => box.call("Write", { file_path: join(root, "a.txt"), content: "x" });
  assert.equal((await write()).errorKind, "not_read");
  await box.using({ session: "s2" }).call("Read", { file_path: join(root, "a.txt") });
  assert.equal((await write()).errorKind, "not_read");
  await box.call("Read", { file_path: join(root, "a.txt") });
  assert.equal((await write()).success, true);
});

test("an approver gets the exact change, and its answer counts", async () => {
  const root = workspace(files);
  const rules = [{ kind: "edit", pattern: "**", action: "ask" }];
  const requests = [];
  let answer = true;
  const approver = async (request, signal) => {
    await new Promise((done) => setTimeout(done, 1));
    assert.equal(signal.aborted, false);
    requests.push(request);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const box = new Toolbox(root, { rules, approver, journal: false });
  const path = join(root, "a.txt");
  const edit = (from, to) => box.call("Edit", { file_path: path, old_string: from, new_string: to });
  assert.equal((await edit("one", "eins")).success, true);
  const [request] = requests;
  assert.equal(request.access, "edit");
  assert.equal(request.tool, "Edit");
  assert.deepEqual(request.paths, [path]);
  assert.match(request.diff, /-one\n\+eins/);
  assert.match([...request.pages()].join(""), /eins/);
  assert.equal(Buffer.from(request.changes[0].after).toString(), "eins\ntwo\n");
  assert.equal(readFileSync(path, "utf8"), "eins\ntwo\n");
  for (const [denial, message] of [
    [false, /denied/i],
    [{ deny: "not on Fridays" }, /not on Fridays/],
    [new Error("no terminal"), /the approver failed: no terminal/],
    ["yes", /the approver answered with something else/],
    [undefined, /the approver answered with something else/],
  ]) {
    answer = denial;
    const result = await edit("two", "zwei");
    assert.equal(result.errorKind, "permission_denied");
    assert.match(`${result}`, message);
  }
  assert.equal(readFileSync(path, "utf8"), "eins\ntwo\n");
  const alone = box.using({ approver: undefined });
  assert.equal((await alone.call("Write", { file_path: path, content: "" })).errorKind, "permission_denied");
});

test("an approver can answer with another change", async () => {
  const root = workspace({ "a.txt": Array.from({ length: 30 }, (_, line) => `line ${line}\r\n`).join(""), "b.txt": "b\n" });
  const path = join(root, "a.txt");
  const rules = [{ kind: "edit", pattern: "**", action: "ask" }];
  let answer;
  const approver = (request) => answer(request);
  const box = new Toolbox(root, { rules, approver, journal: false });
  const edits = [
    { old_string: "line 3\n", new_string: "three\n" },
    { old_string: "line 25\n", new_string: "twenty-five\n" },
  ];
  const edit = () => box.call("MultiEdit", { file_path: path, edits });

  // Some of the hunks.
  answer = ({ editable, changes: [change] }) => {
    assert.deepEqual([editable, change.editable, change.hunks.length], [true, true, 2]);
    const { id, oldStart, oldLines, newStart, newLines, diff } = change.hunks[1];
    assert.deepEqual([oldStart, oldLines, newStart, newLines], [26, 1, 26, 1]);
    assert.match(diff, /^ line 24\r\n-line 25\r\n\+twenty-five\r\n line 26\r\n/m);
    return { edit: { [path]: { keep: [id] } } };
  };
  const kept = (await edit()).check();
  assert.match(readFileSync(path, "utf8"), /line 3\r\n[^]*twenty-five\r\n/);
  assert.match(`${kept}`, /1 of 2 hunks were made/);
  assert.deepEqual(kept.metadata.edited_by_user, [{ path: "a.txt", kept_hunks: 1, hunks: 2 }]);

  // Another text, in the form that the file has.
  answer = () => ({ edit: { [path]: { text: "mine\nalone\n" } } });
  const write = (file_path, content) => box.call("Write", { file_path, content });
  assert.match(`${(await write(path, "x\r\n")).check()}`, /the user wrote another text/);
  assert.equal(readFileSync(path, "utf8"), "mine\r\nalone\r\n");

  // Nothing of it, or all of it.
  answer = () => ({ edit: { [path]: { keep: [] } } });
  assert.match(`${await write(path, "y\r\n")}`, /nothing of this change was kept/);
  answer = () => ({ edit: {} });
  assert.equal((await write(path, "z\r\n")).check().metadata.edited_by_user, undefined);
  assert.equal(readFileSync(path, "utf8"), "z\r\n");
});

test("an edit that cannot be made is a no, and says why", async () => {
  const root = workspace({ "a.txt": "one\n", "a.bin": PIXEL });
  const path = join(root, "a.txt");
  const rules = [{ kind: "edit", pattern: "**", action: "ask" }];
  let answer = true;
  const box = new Toolbox(root, { rules, approver: () => answer, journal: false });
  (await box.call("Write", { file_path: path, content: "two\n" })).check();
  const refused = [
    [{ edit: { [join(root, "b.txt")]: { text: "" } } }, /edited .*b\.txt, which this change does not contain/],
    [{ edit: { [path]: { keep: ["none"] } } }, /cannot be made: .*none/],
    [{ edit: { [path]: { keep: [], text: "" } } }, /both kept hunks and a text/],
    [{ edit: { [path]: {} } }, /something else/],
    [{ edit: { [path]: { keep: "all" } } }, /something else/],
    [{ edit: { [path]: { text: 1 } } }, /something else/],
    [{ edit: { [path]: null } }, /something else/],
    [{ edit: null }, /something else/],
  ];
  for (const [edit, reason] of refused) {
    answer = edit;
    const result = await box.call("Write", { file_path: path, content: "three\n" });
    assert.equal(result.errorKind, "permission_denied");
    assert.match(`${result}`, reason);
  }
  assert.equal(readFileSync(path, "utf8"), "two\n");
});

test("a dry run tells what will need approval", async () => {
  const root = workspace(files);
  const rules = [{ kind: "edit", pattern: "src/**", action: "ask" }];
  const box = new Toolbox(root, { rules, journal: false });
  const write = (name) => box.using({ dryRun: true }).call("Write", { file_path: join(root, name), content: "x" });
  assert.match((await write("src/b.js")).metadata.approval.digest, /^[0-9a-f]+$/);
  assert.equal((await write("a.txt")).metadata.approval, undefined);
});

test("an approver is told when nobody waits for its answer any more", async () => {
  const root = workspace(files);
  const rules = [{ kind: "edit", pattern: "**", action: "ask" }];
  const controller = new AbortController();
  let told;
  const approver = (_request, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve((told = true)));
      controller.abort(new Error("enough"));
    });
  const box = new Toolbox(root, { rules, approver, journal: false });
  const call = box.call("Write", { file_path: join(root, "a.txt"), content: "" }, { signal: controller.signal });
  await assert.rejects(call, /enough/);
  assert.equal(told, true);
  assert.equal(readFileSync(join(root, "a.txt"), "utf8"), files["a.txt"]);
});

test("a tool of one's own is validated, run and recorded", async () => {
  const root = workspace(files);
  const box = new Toolbox(root, { journal: false, session: "s1" });
  const calls = [];
  const count = box.register({
    name: "count_words",
    description: "Counts the words of a text",
    effect: "reads",
    parameters: z.object({ text: z.string().describe("The text"), most: z.number().int().min(1).default(3) }),
    async run({ text, most }, call) {
      calls.push([most, call.session, call.tool, call.dryRun]);
      call.note("seen", true);
      // A tool can call tools.
      const { output } = (await box.call("Read", { file_path: join(root, "a.txt") })).check();
      return { words: text.split(" ").length, output };
    },
  });
  const schema = box.schemas("anthropic").find(({ name }) => name === "count_words").input_schema;
  assert.equal(schema.properties.text.description, "The text");
  const result = (await count.call({ text: "a b c" })).check();
  assert.deepEqual(result.output, { words: 3, output: "     1\tone\n     2\ttwo" });
  assert.equal(result.metadata.seen, true);
  assert.deepEqual(calls, [[3, "s1", "count_words", false]]);
  assert.equal((await box.run("count_words", { text: 1 })).errorKind, "invalid_parameter");
  assert.equal(calls.length, 1);
  assert.equal(box.executions().at(-1).tool, "count_words");
  assert.throws(() => box.register({ name: "Read", description: "x", parameters: {}, run() {} }), { kind: "already_exists" });
  assert.throws(() => box.register({ name: "a b", description: "x", parameters: {}, run() {} }), TypeError);
  assert.equal(count.deregister(), true);
  assert.equal((await box.run("count_words", { text: "" })).errorKind, "unknown_tool");
});

test("a tool of one's own fails with its kind, and a bug is a bug", async () => {
  const box = new Toolbox(workspace(files), { journal: false });
  const parameters = { type: "object", properties: { bug: { type: "boolean" } }, required: ["bug"] };
  const failing = box.register({
    name: "failing",
    description: "Fails",
    parameters,
    run({ bug }) {
      if (bug) throw new RangeError("oops");
      throw new ToolcribError("no_space", "It is full", { hint: "make room", metadata: { free: 0 } });
    },
  });
  const full = await failing.call({ bug: false });
  assert.deepEqual([full.errorKind, full.error, full.hint, full.metadata.free], ["no_space", "It is full", "make room", 0]);
  const bug = await failing.call({ bug: true });
  assert.equal(bug.errorKind, "internal");
  assert.match(bug.error, /failing failed unexpectedly: RangeError: oops/);
  const dry = await box.using({ dryRun: true }).run("failing", { bug: true });
  assert.match(`${dry}`, /Would execute failing/);
});

test("what a schema checks beyond its JSON form is checked too", async () => {
  const box = new Toolbox(workspace(), { journal: false });
  const parameters = z.object({ day: z.string().refine((day) => day !== "Friday", "not on Fridays") });
  const plan = box.register({ name: "plan", description: "Plans", parameters, run: ({ day }) => day });
  const result = await plan.call({ day: "Friday" });
  assert.equal(result.errorKind, "invalid_parameter");
  assert.match(result.error, /day: not on Fridays/);
  const bare = { "~standard": { version: 1, vendor: "bare", validate: (value) => ({ value }) } };
  assert.throws(() => box.register({ name: "bare", description: "x", parameters: bare, run() {} }), /jsonSchema/);
  box.register({ name: "bare", description: "x", parameters: bare, jsonSchema: { type: "object" }, run: () => 1 });
  assert.equal((await box.run("bare", {})).output, 1);
});

test("a call that was aborted ends, and so does its tool", async () => {
  const box = new Toolbox(workspace(), { journal: false });
  const controller = new AbortController();
  let ended = false;
  const slow = box.register({
    name: "slow",
    description: "Waits",
    parameters: { type: "object" },
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error(`ended ${(ended = true)}`)));
        controller.abort();
      }),
  });
  await assert.rejects(slow.call({}, { signal: AbortSignal.abort(new Error("before")) }), /before/);
  const call = slow.call({}, { signal: controller.signal });
  await assert.rejects(call, { name: "AbortError" });
  assert.equal(ended, true);
  const late = await box.using({ timeoutMs: 20 }).run("slow", {});
  assert.equal(late.errorKind, "timed_out");
});

test("cancelling ends a search that would take minutes", async () => {
  const root = workspace();
  const lines = `${"word ".repeat(2000)}\n`.repeat(100);
  for (let file = 0; file < 200; file += 1) writeFileSync(join(root, `${file}.txt`), lines);
  const box = new Toolbox(root, { journal: false, config: { search: { index: "off" } } });
  const controller = new AbortController();
  const call = box.call("Grep", { pattern: "(w.*o.*r.*d.*){3}x", path: root }, { signal: controller.signal });
  setTimeout(() => controller.abort(), 30);
  await assert.rejects(call, { name: "AbortError" });
  const { states, result } = box.executions().at(-1);
  assert.equal(states.at(-1), "cancelled");
  assert.equal(result.metadata.still_running, undefined);
});

test("one signal cancels many calls, and Node has nothing to warn of", async () => {
  const warnings = [];
  const warned = (warning) => warnings.push(warning.name);
  process.on("warning", warned);
  const box = new Toolbox(workspace(files), { journal: false });
  const wait = (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve));
  box.register({ name: "wait", description: "Waits", parameters: { type: "object" }, run: wait });
  const controller = new AbortController();
  const { signal } = controller;
  await Promise.all(Array.from({ length: 30 }, () => box.run("LS", {}, { signal })));
  const calls = Array.from({ length: 30 }, () => box.run("wait", {}, { signal }));
  setTimeout(() => controller.abort(), 10);
  const ends = await Promise.allSettled(calls);
  assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set(["rejected"]));
  await new Promise((done) => setTimeout(done, 10));
  process.off("warning", warned);
  assert.deepEqual(warnings, []);
});

test("64 calls at once change one file 64 times", async () => {
  const root = workspace({ "count.txt": Array.from({ length: 64 }, (_, n) => `line ${n}.\n`).join("") });
  const box = new Toolbox(root, { journal: journal() });
  const path = join(root, "count.txt");
  const edit = (n) => box.call("Edit", { file_path: path, old_string: `line ${n}.`, new_string: `done ${n}.` });
  const results = await Promise.all(Array.from({ length: 64 }, (_, n) => edit(n)));
  assert.deepEqual(results.filter(({ success }) => !success).map(String), []);
  assert.equal(readFileSync(path, "utf8"), Array.from({ length: 64 }, (_, n) => `done ${n}.\n`).join(""));
  assert.equal((await box.log({ limit: 100 })).length, 64);
});

test("the event loop goes on while tools work", async () => {
  const root = workspace(files);
  const box = new Toolbox(root, { journal: false });
  let turns = 0;
  let waiting = true;
  const turn = () => void (waiting && ((turns += 1), setImmediate(turn)));
  turn();
  const rules = { name: "wait", description: "Waits", parameters: { type: "object" }, effect: "reads" };
  box.register({ ...rules, run: () => new Promise((done) => setTimeout(done, 50, "done")) });
  await box.run("wait", {});
  waiting = false;
  assert.ok(turns > 2, `${turns}`);
});

test("many small calls in a row let the event loop go on", async () => {
  const root = workspace(files);
  const box = new Toolbox(root, { journal: false });
  let [without, longest, waiting] = [0, 0, true];
  const turn = () => void (waiting && ((without = 0), setImmediate(turn)));
  setImmediate(turn);
  for (let call = 0; call < 1000; call += 1) {
    if (call % 2 === 0) (await box.call("Read", { file_path: join(root, "a.txt") })).check();
    else assert.equal((await box.stat(join(root, "a.txt"))).size, 8);
    longest = Math.max(longest, (without += 1));
  }
  waiting = false;
  assert.ok(longest <= 100, `${longest} calls without a turn`);
});

test("a call that hangs holds neither the event loop nor other calls", async () => {
  const root = workspace(files);
  const lines = `${"word ".repeat(2000)}\n`.repeat(100);
  for (let file = 0; file < 200; file += 1) writeFileSync(join(root, `${file}.txt`), lines);
  const box = new Toolbox(root, { journal: false, config: { search: { index: "off" } } });
  const controller = new AbortController();
  let ended = false;
  // It would take minutes.
  const slow = box.call("Grep", { pattern: "(w.*o.*r.*d.*){3}x", path: root }, { signal: controller.signal });
  const end = slow.catch((error) => error).finally(() => (ended = true));
  for (let call = 0; call < 100; call += 1) {
    await new Promise((done) => setImmediate(done));
    (await box.call("Read", { file_path: join(root, "a.txt") })).check();
  }
  assert.equal(ended, false);
  controller.abort();
  assert.equal((await end).name, "AbortError");
});

test("what is no ordinary file does not hold the event loop", async () => {
  const root = workspace(files);
  const pipe = join(root, "pipe");
  execFileSync("mkfifo", [pipe]);
  const box = new Toolbox(root, { journal: false });
  // Who opens it in the ordinary way waits until somebody writes.
  assert.equal((await box.call("Read", { file_path: pipe })).success, false);
  await assert.rejects(box.stat(pipe));
  const large = join(root, "large.txt");
  writeFileSync(large, "");
  truncateSync(large, 2 ** 31);
  await Promise.all([box.call("Read", { file_path: large }), new Promise((done) => setImmediate(done))]);
});

test("a worker thread has a toolbox of its own, and may be ended while it works", async () => {
  const root = workspace(files);
  const source = `
    const { parentPort, workerData } = require("node:worker_threads");
    const { Toolbox } = require(workerData.toolcrib);
    const box = new Toolbox(workerData.root, { journal: false });
    box.register({ name: "never", description: "Never ends", parameters: { type: "object" }, run: () => new Promise(() => {}) });
    box.run("LS", {}).then((result) => parentPort.postMessage(String(result)));
    box.run("never", {});
  `;
  const toolcrib = createRequire(import.meta.url).resolve("toolcrib");
  for (let round = 0; round < 3; round += 1) {
    const worker = new Worker(source, { eval: true, workerData: { root, toolcrib } });
    const listing = await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
    assert.match(listing, /a\.txt/);
    await worker.terminate();
  }
  assert.match(`${await new Toolbox(root, { journal: false }).run("LS", {})}`, /a\.txt/);
});

test("CommonJS and ECMAScript have the same classes", async () => {
  const require = createRequire(import.meta.url);
  const cjs = require("toolcrib");
  assert.equal(cjs.Toolbox, Toolbox);
  assert.equal(cjs.ToolcribError, ToolcribError);
  for (const name of ["anthropic", "openai"]) {
    assert.deepEqual(Object.keys(require(`toolcrib/${name}`)).sort(), Object.keys(await import(`toolcrib/${name}`)).filter((key) => key !== "default" && key !== "module.exports").sort());
  }
});

test("no tool reaches the package itself", async () => {
  const box = new Toolbox(process.cwd(), { journal: false });
  const main = createRequire(import.meta.url).resolve("toolcrib");
  assert.ok(existsSync(main));
  assert.equal((await box.call("Read", { file_path: main })).success, false);
  assert.equal((await box.call("Write", { file_path: main, content: "" })).success, false);
  assert.match(version, /^\d+\.\d+\.\d+/);
});
