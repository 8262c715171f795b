// The npm package beside what agents in TypeScript use today: the reference MCP server through its SDK's client, Mastra's LocalFilesystem
// with the tools of its workspace, and plain `fs/promises`.
//
// usage: node.mjs   (`cargo xtask bench node` builds the package and runs it in a project with all of them)
//
// Everybody does the same work on the same tree of 10,000 files in turns, and is checked to have done it; figures are the medians of
// the rounds, and what counts are the ratios.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { LocalFilesystem, Workspace, createWorkspaceTools } from "@mastra/core/workspace";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Toolbox } from "toolcrib";
import { ToolcribFilesystem } from "toolcrib/mastra";

const ROUNDS = 15;
const SMALL_CALLS = 3000;
const RARE = "needle_in_the_tree";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-node-")));
const root = join(folder, "tree");
const file = join(root, "package_50/module_5001.py");
makeTree();
const { candidates, close } = await contestants();
console.log("milliseconds, median of the rounds; in brackets, how many times as long as Toolcrib without a journal");
for (const work of ["read", "edit", "glob", "grep"]) {
  const times = await inTurns(work);
  const own = times.get("toolcrib");
  for (const [name, time] of times) {
    console.log(`${work.padEnd(6)} ${name.padEnd(34)} ${time.toFixed(3).padStart(9)}  (${(time / own).toFixed(1)})`);
  }
}
await smallCalls();
await close();
rmSync(folder, { recursive: true });

/** 100 directories of 100 files, 60 lines each; every twentieth is a test, and 20 files hold the rare word. */
function makeTree() {
  const text = Array.from({ length: 20 }, (_, line) => `def function_${line}(argument):\n    return argument + ${line}\n\n`).join("");
  for (let number = 0; number < 10_000; number += 1) {
    const package_ = join(root, `package_${String(Math.floor(number / 100)).padStart(2, "0")}`);
    mkdirSync(package_, { recursive: true });
    const name = number % 20 === 0 ? `test_${number}.py` : `module_${number}.py`;
    const word = number % 500 === 7 ? RARE : "value";
    writeFileSync(join(package_, name), `${text}${word} = ${number}\n`);
  }
}

/** For each of them the works; one that cannot do a work has none. Each gives back what can be checked. */
async function contestants() {
  const state = join(folder, "state");
  const fast = { journal: { durability: "fast" } };
  const all = new Map([
    ["toolcrib", ofToolbox(new Toolbox(root, { journal: false }))],
    ["toolcrib, recorded", { edit: ofToolbox(new Toolbox(root, { journal: state })).edit }],
    ["toolcrib, recorded, fast", { edit: ofToolbox(new Toolbox(root, { journal: join(state, "fast"), config: fast })).edit }],
    ["Mastra on ToolcribFilesystem", await ofMastra(new ToolcribFilesystem({ basePath: root, journal: false }))],
    ["Mastra on LocalFilesystem", await ofMastra(new LocalFilesystem({ basePath: root }))],
    ["fs/promises", plain()],
  ]);
  const client = new Client({ name: "bench", version: "1" });
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("@modelcontextprotocol/server-filesystem/package.json");
  const server = join(dirname(manifest), "dist/index.js");
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, root], stderr: "ignore" }));
  all.set("server-filesystem over MCP", ofServer(client));
  return { candidates: all, close: () => client.close() };
}

function ofToolbox(box) {
  const checked = async (tool, parameters) => (await box.call(tool, parameters)).check();
  return {
    read: async () => (await checked("Read", { file_path: file })).output.includes("function_19"),
    edit: edited((from, to) => checked("Edit", { file_path: file, old_string: from, new_string: to })),
    glob: async () => (await checked("Glob", { pattern: "**/test_*.py", path: root, limit: 1000 })).output.split("\n").length,
    grep: async () => (await checked("Grep", { pattern: RARE, path: root })).output.split("\n").length,
  };
}

async function ofMastra(filesystem) {
  const workspace = new Workspace({ filesystem });
  await workspace.init();
  const tools = await createWorkspaceTools(workspace);
  const run = (name, input) => tools[`mastra_workspace_${name}`].execute(input, { workspace });
  const path = file.slice(root.length + 1);
  return {
    read: async () => String(await run("read_file", { path })).includes("function_19"),
    // The tool for edits wants a read before each; this is what it does then.
    edit: edited(async (from, to) => {
      const text = await filesystem.readFile(path, { encoding: "utf8" });
      await filesystem.writeFile(path, text.replace(from, to));
    }),
    // The tool for lists shows a model no more than a part of them; this is what it does before.
    glob: async () => (await filesystem.readdir(".", { recursive: true })).filter(({ name }) => /\/test_[^/]*\.py$/.test(name)).length,
    grep: async () => new Set(String(await run("grep", { pattern: RARE, path: "." })).match(/module_\d+\.py/g)).size,
  };
}

function ofServer(client) {
  const call = async (name, arguments_) => {
    const { content, isError } = await client.callTool({ name, arguments: arguments_ });
    assert.ok(!isError, content[0].text);
    return content[0].text;
  };
  return {
    read: async () => (await call("read_text_file", { path: file })).includes("function_19"),
    edit: edited((oldText, newText) => call("edit_file", { path: file, edits: [{ oldText, newText }] })),
    glob: async () => (await call("search_files", { path: root, pattern: "**/test_*.py" })).split("\n").length,
  };
}

function plain() {
  const below = async (folder) => (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return {
    read: async () => (await readFile(file, "utf8")).includes("function_19"),
    edit: edited(async (from, to) => writeFile(file, (await readFile(file, "utf8")).replace(from, to))),
    glob: async () => (await below(root)).filter(({ name }) => /^test_.*\.py$/.test(name)).length,
    grep: async () => {
      let found = 0;
      for (const { parentPath, name } of await below(root)) {
        if ((await readFile(join(parentPath, name), "utf8")).includes(RARE)) found += 1;
      }
      return found;
    },
  };
}

function edited(edit) {
  const words = ["value = 5001", "value = 1005"];
  return async () => {
    const text = readFileSync(file, "utf8");
    if (!text.includes(words[0])) words.reverse();
    await edit(words[0], words[1]);
    words.reverse();
    return readFileSync(file, "utf8").includes(words[0]);
  };
}

async function inTurns(work) {
  const expected = { read: true, edit: true, glob: 500, grep: 20 }[work];
  const times = new Map();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, works] of candidates) {
      if (works[work] === undefined) continue;
      const started = performance.now();
      const done = await works[work]();
      const time = performance.now() - started;
      assert.equal(done, expected, `${work} by ${name}`);
      times.set(name, [...(times.get(name) ?? []), time]);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

/**
 * What the binding adds to a small call: the time that the caller waits, without the time that the engine reports. In a row, and after a
 * pause, when the threads sleep.
 */
async function smallCalls() {
  const path = join(root, "small/a.txt");
  mkdirSync(dirname(path));
  writeFileSync(path, "one\ntwo\n");
  const box = new Toolbox(root, { journal: false });
  const small = {
    "Read of two lines": () => box.call("Read", { file_path: path }),
    "LS of a small directory": () => box.call("LS", { path: join(root, "small") }),
    "an unknown tool": () => box.run("None", {}),
    "fs/promises readFile": () => readFile(path, "utf8"),
  };
  console.log("\nmicroseconds of a small call, median: the caller waits, the engine works, the binding adds; the call holds the event loop (and 99 in 100)");
  for (const [name, call] of Object.entries(small)) {
    await smallCall(name, call, SMALL_CALLS, async () => {});
    await smallCall(`${name}, after 5 ms`, call, SMALL_CALLS / 10, () => new Promise((done) => setTimeout(done, 5)));
  }
}

async function smallCall(name, call, rounds, pause) {
  const [waits, works, holds] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    await pause();
    const started = performance.now();
    const promise = call();
    holds.push((performance.now() - started) * 1000);
    const result = await promise;
    waits.push((performance.now() - started) * 1000);
    works.push((result.durationMs ?? 0) * 1000);
  }
  const adds = waits.map((wait, index) => wait - works[index]);
  const figures = [median(waits), median(works), median(adds), median(holds), quantile(holds, 0.99)];
  console.log(`${name.padEnd(38)} ${figures.map((figure) => figure.toFixed(1).padStart(7)).join(" ")}`);
}

function median(values) {
  return quantile(values, 0.5);
}

function quantile(values, part) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];
}
