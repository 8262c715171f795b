// Mastra's Workspace on ToolcribFilesystem and on its own LocalFilesystem, step by step: where they differ, the difference is named
// here and explained in docs/node.md.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Agent } from "@mastra/core/agent";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import { LocalFilesystem, StaleFileError, Workspace, createWorkspaceTools } from "@mastra/core/workspace";
import { ToolcribFilesystem } from "toolcrib/mastra";

import { PIXEL, REPOSITORY, journal, workspace } from "./support.mjs";

const LONG_AGO = 1_704_067_200;

function laidOut() {
  const root = workspace({
    "a.txt": "one\ntwo\n",
    "src/b.js": "let x = 1;\n",
    "src/deep/c.js": "c\n",
    "a.png": PIXEL,
    "latin.txt": Buffer.from("caf\xe9\r\n", "latin1"),
    ".hidden": "h\n",
  });
  mkdirSync(join(root, "empty"));
  symlinkSync("a.txt", join(root, "link"));
  symlinkSync("src", join(root, "linked"));
  symlinkSync("/etc", join(root, "outside"));
  symlinkSync("loop", join(root, "loop"));
  utimesSync(join(root, "a.txt"), LONG_AGO, LONG_AGO);
  return root;
}

const both = { local: {}, toolcrib: {} };
for (const [name, it] of Object.entries(both)) {
  it.root = laidOut();
  const options = { basePath: it.root };
  it.filesystem = name === "local" ? new LocalFilesystem(options) : new ToolcribFilesystem({ ...options, journal: journal() });
}

/** What a step leads to: a value, or the name of an error. */
async function outcome({ root, filesystem }, step) {
  try {
    return plain(await step(filesystem, root), root);
  } catch (error) {
    return { error: error.name === "Error" ? (error.code ?? error.message) : error.name };
  }
}

function plain(value, root) {
  if (value instanceof Date) return "a date";
  if (Buffer.isBuffer(value)) return `bytes ${value.toString("hex")}`;
  if (Array.isArray(value)) return value.map((each) => plain(each, root)).sort((a, b) => (`${a.name}` < `${b.name}` ? -1 : 1));
  if (typeof value === "string") return value.replaceAll(root, "$ROOT");
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, plain(field, root)]).sort());
}

const text = { encoding: "utf8" };

/** Steps in an order: what they do, and where ToolcribFilesystem has another outcome, that outcome or how to make it. */
const STEPS = [
  ["read text", (fs) => fs.readFile("a.txt", text)],
  ["read bytes", (fs) => fs.readFile("a.png")],
  ["read by an absolute path", (fs, root) => fs.readFile(join(root, "a.txt"), text)],
  ["read bytes that are no UTF-8", (fs) => fs.readFile("latin.txt")],
  ["read through a link", (fs) => fs.readFile("link", text)],
  ["read what is missing", (fs) => fs.readFile("none.txt")],
  ["read a directory", (fs) => fs.readFile("src")],
  ["read outside", (fs) => fs.readFile("../secret")],
  ["read outside, absolute", (fs) => fs.readFile("/etc/hostname")],
  ["read outside through a link", (fs) => fs.readFile("outside/hostname")],
  ["read a link to itself", (fs) => fs.readFile("loop"), { error: "ToolcribError" }],
  ["list", (fs) => fs.readdir("."), ledOut],
  ["list a directory", (fs) => fs.readdir("src")],
  ["list recursively", (fs) => fs.readdir("src", { recursive: true })],
  ["list to a depth", (fs) => fs.readdir("src", { recursive: true, maxDepth: 0 })],
  ["list by extension", (fs) => fs.readdir("src", { recursive: true, extension: ".js" })],
  ["list by other extensions", (fs) => fs.readdir("src", { extension: ["md", "ts"] })],
  ["list through a link", (fs) => fs.readdir("linked")],
  ["list what is missing", (fs) => fs.readdir("none")],
  ["list a file", (fs) => fs.readdir("a.txt")],
  ["list outside", (fs) => fs.readdir("..")],
  ["look at a file", async (fs) => facts(await fs.stat("a.txt"))],
  ["look at a directory", async (fs) => facts(await fs.stat("src"))],
  ["look at what is missing", (fs) => fs.stat("none")],
  ["a file exists", (fs) => fs.exists("a.txt")],
  ["a directory exists", (fs) => fs.exists("src")],
  ["what is missing exists", (fs) => fs.exists("none")],
  ["write a new file", (fs) => fs.writeFile("new/deep.txt", "new\n")],
  ["read it", (fs) => fs.readFile("new/deep.txt", text)],
  ["write over it", (fs) => fs.writeFile("new/deep.txt", Buffer.from([0, 255]))],
  ["read it again", (fs) => fs.readFile("new/deep.txt")],
  ["write without its directory", (fs) => fs.writeFile("x/y.txt", "", { recursive: false })],
  ["write over nothing only", (fs) => fs.writeFile("a.txt", "lost", { overwrite: false })],
  ["write to a directory", (fs) => fs.writeFile("src", ""), { error: "IsDirectoryError" }],
  ["write outside", (fs) => fs.writeFile("../out.txt", "")],
  ["write outside through a link", (fs) => fs.writeFile("outside/out.txt", "")],
  ["write what is not stale", async (fs) => fs.writeFile("a.txt", "1\n", { expectedMtime: (await fs.stat("a.txt")).modifiedAt })],
  ["write what is stale", (fs) => fs.writeFile("a.txt", "lost", { expectedMtime: new Date(LONG_AGO * 1000) })],
  ["write what is gone", (fs) => fs.writeFile("gone.txt", "g", { expectedMtime: new Date(0) })],
  ["append", (fs) => fs.appendFile("a.txt", "2\n")],
  ["append to nothing", (fs) => fs.appendFile("log/new.txt", "2\n")],
  ["read both", async (fs) => [await fs.readFile("a.txt", text), await fs.readFile("log/new.txt", text)].join("|")],
  ["copy a file", (fs) => fs.copyFile("a.txt", "copies/a.txt")],
  ["copy over nothing only", (fs) => fs.copyFile("a.png", "copies/a.txt", { overwrite: false })],
  ["copy over", (fs) => fs.copyFile("a.png", "copies/a.txt")],
  ["copy what is missing", (fs) => fs.copyFile("none", "copies/none")],
  ["copy a directory as a file", (fs) => fs.copyFile("src", "copies/src")],
  ["copy a directory", (fs) => fs.copyFile("src", "copies/src", { recursive: true })],
  ["list the copies", (fs) => fs.readdir("copies", { recursive: true })],
  ["move a file", (fs) => fs.moveFile("copies/a.txt", "moved/b.txt")],
  ["move over nothing only", (fs) => fs.moveFile("a.txt", "moved/b.txt", { overwrite: false })],
  ["move over", (fs) => fs.moveFile("copies/src/b.js", "moved/b.txt")],
  ["move a directory", (fs) => fs.moveFile("moved", "moved again")],
  ["move what is missing", (fs) => fs.moveFile("none", "moved/none")],
  ["move outside", (fs) => fs.moveFile("a.txt", "../a.txt")],
  ["read the moved", (fs) => fs.readFile("moved again/b.txt", text)],
  ["make a directory", (fs) => fs.mkdir("made/deep")],
  ["make it again", (fs) => fs.mkdir("made/deep")],
  ["make one where a file is", (fs) => fs.mkdir("a.txt")],
  ["make one without its parent", (fs) => fs.mkdir("p/q", { recursive: false })],
  ["remove a directory that is not empty", (fs) => fs.rmdir("made")],
  ["remove a directory with all", (fs) => fs.rmdir("made", { recursive: true })],
  ["remove an empty one", (fs) => fs.rmdir("empty")],
  ["remove a missing one", (fs) => fs.rmdir("empty")],
  ["remove a missing one by force", (fs) => fs.rmdir("empty", { force: true })],
  ["remove a file as a directory", (fs) => fs.rmdir("a.txt")],
  ["delete a file", (fs) => fs.deleteFile("log/new.txt")],
  ["delete it again", (fs) => fs.deleteFile("log/new.txt")],
  ["delete it by force", (fs) => fs.deleteFile("log/new.txt", { force: true })],
  ["delete a directory as a file", (fs) => fs.deleteFile("src")],
  ["delete a link", (fs) => fs.deleteFile("link")],
  ["what it led to stays", (fs) => fs.exists("a.txt")],
  ["delete outside", (fs) => fs.deleteFile("../x")],
  ["where a path lies", async (fs) => fs.resolveAbsolutePath("src/b.js")],
  ["where a path outside lies", async (fs) => fs.resolveAbsolutePath("../x") ?? "nowhere"],
  ["everything in the end", (fs) => fs.readdir(".", { recursive: true, maxDepth: 0 }), inTheEnd],
];

/** Of a link that leads out, nothing is told. */
function ledOut(local) {
  return local.map((entry) => (entry.name === "outside" ? { ...entry, type: "file" } : entry));
}

/** LocalFilesystem makes the directory of a target also when there is nothing to move. */
function inTheEnd(local) {
  return ledOut(local).filter(({ name }) => name !== "moved");
}

const facts = ({ name, path, type, size, modifiedAt }) => ({ name, path, type, size: type === "file" ? size : 0, modifiedAt });

const table = [];
for (const [name, step, ...other] of STEPS) {
  test(`the same as LocalFilesystem: ${name}`, async () => {
    const local = await outcome(both.local, step);
    const toolcrib = await outcome(both.toolcrib, step);
    table.push([name, shown(local), shown(toolcrib)]);
    if (other.length === 0) return assert.deepEqual(toolcrib, local);
    assert.deepEqual(toolcrib, typeof other[0] === "function" ? other[0](local) : other[0]);
    // A difference that is none any more is to be taken out of the list.
    assert.notDeepEqual(toolcrib, local);
  });
}

function shown(outcome) {
  if (outcome?.error !== undefined) return `\`${outcome.error}\``;
  if (outcome === undefined) return "done";
  if (Array.isArray(outcome)) return `${outcome.length} entries`;
  if (typeof outcome === "object" && outcome !== null) return "its facts";
  return outcome.length > 40 ? `${outcome.length} characters` : `\`${JSON.stringify(outcome)}\``;
}

test("the table of both is the one in docs/node.md", () => {
  const line = ([name, local, toolcrib]) => `| ${name} | ${local} | ${local === toolcrib ? "the same" : toolcrib} |`;
  const differing = STEPS.filter((step) => step.length > 2).map(([name]) => name);
  const documented = readFileSync(join(REPOSITORY, "docs/node.md"), "utf8");
  const missing = table.map(line).filter((line) => !documented.includes(line));
  assert.equal(missing.join("\n"), "", "docs/node.md lacks these lines");
  for (const name of differing) assert.ok(documented.includes(`**${name}**`), `docs/node.md does not explain: ${name}`);
});

test("what a rule denies is neither read nor listed nor changed, and a change can be undone", async () => {
  const root = laidOut();
  const rules = [{ kind: "read", pattern: "src/**", action: "deny" }];
  const filesystem = new ToolcribFilesystem({ basePath: root, rules, journal: journal() });
  await assert.rejects(filesystem.readFile("src/b.js"), { name: "PermissionError" });
  await assert.rejects(filesystem.writeFile("src/b.js", ""), { name: "PermissionError" });
  assert.deepEqual((await filesystem.readdir("src")).filter(({ type }) => type === "file"), []);
  await filesystem.writeFile("a.txt", "lost\n");
  await filesystem.rmdir("empty");
  await filesystem.box.undo();
  await filesystem.box.undo();
  assert.equal(readFileSync(join(root, "a.txt"), "utf8"), "one\ntwo\n");
  assert.equal(await filesystem.exists("empty"), true);
  const frozen = new ToolcribFilesystem({ basePath: root, readOnly: true, journal: false });
  for (const change of [frozen.writeFile("a.txt", ""), frozen.deleteFile("a.txt"), frozen.mkdir("x")]) {
    await assert.rejects(change, { name: "WorkspaceReadOnlyError" });
  }
});

test("a file that another program changes between the look and the write is never lost", async () => {
  const root = laidOut();
  const filesystem = new ToolcribFilesystem({ basePath: root, journal: false });
  const { modifiedAt: expectedMtime } = await filesystem.stat("a.txt");
  writeFileSync(join(root, "a.txt"), "another program\n");
  const stale = filesystem.writeFile("a.txt", "mine\n", { expectedMtime });
  await assert.rejects(stale, (error) => error instanceof StaleFileError && error.actualMtime > expectedMtime);
  assert.equal(readFileSync(join(root, "a.txt"), "utf8"), "another program\n");
});

test("64 appends at once are all there", async () => {
  const root = laidOut();
  const filesystem = new ToolcribFilesystem({ basePath: root, journal: journal() });
  await Promise.all(Array.from({ length: 64 }, (_, n) => filesystem.appendFile("log.txt", `${n}\n`)));
  assert.equal(readFileSync(join(root, "log.txt"), "utf8").trim().split("\n").length, 64);
});

test("the workspace's own tools stand on the engine", async () => {
  const root = laidOut();
  const filesystem = new ToolcribFilesystem({ basePath: root, journal: journal() });
  const space = new Workspace({ filesystem });
  await space.init();
  const tools = await createWorkspaceTools(space);
  const run = (name, input) => tools[`mastra_workspace_${name}`].execute(input, { workspace: space });
  assert.match(JSON.stringify(await run("read_file", { path: "a.txt" })), /one/);
  await run("write_file", { path: "tools.txt", content: "from a tool\n" });
  await run("edit_file", { path: "tools.txt", old_string: "a tool", new_string: "an edit" });
  assert.equal(readFileSync(join(root, "tools.txt"), "utf8"), "from an edit\n");
  assert.match(JSON.stringify(await run("list_files", { path: "." })), /tools\.txt/);
  assert.match(JSON.stringify(await run("grep", { pattern: "an edit", path: "." })), /tools\.txt/);
  assert.match(JSON.stringify(await run("file_stat", { path: "tools.txt" })), /13/);
  await run("mkdir", { path: "made" });
  await run("delete", { path: "tools.txt" });
  const changes = await filesystem.box.log();
  assert.equal(changes.length, 4);
  await filesystem.box.undo(changes.find(({ tool }) => tool === "delete").id);
  assert.equal(readFileSync(join(root, "tools.txt"), "utf8"), "from an edit\n");
});

test("the tool for searches finds the same, and searches in the engine", async () => {
  const files = { "a.txt": "one\ntwo\nthree\nfour\n", "b/c.txt": "  two two\nTWO\n", ".gitignore": "skipped\n", "skipped/d.txt": "two\n", ".h": "two\n" };
  const [local, toolcrib] = await Promise.all(
    [LocalFilesystem, ToolcribFilesystem].map(async (Filesystem) => {
      const filesystem = new Filesystem({ basePath: workspace(files), journal: false });
      const space = new Workspace({ filesystem });
      await space.init();
      const tools = await createWorkspaceTools(space);
      return { space, filesystem, run: (input) => tools.mastra_workspace_grep.execute(input, { workspace: space }) };
    }),
  );
  for (const input of [
    { pattern: "two", path: "." },
    { pattern: "two", path: ".", caseSensitive: false },
    { pattern: "two", path: ".", contextLines: 1 },
    { pattern: "t(?=h)", path: "." },
    { pattern: "^\\s+two", path: "b" },
    { pattern: "two", path: ".", includeHidden: true },
    { pattern: "two", path: ".", maxCount: 1 },
    { pattern: "none", path: "." },
    { pattern: "two", path: "a.txt" },
  ]) {
    assert.equal(await toolcrib.run(input), await local.run(input), JSON.stringify(input));
  }
  assert.ok(toolcrib.filesystem.box.executions().some(({ tool }) => tool === "grep"));
});

test("an agent works in the workspace", async () => {
  const root = laidOut();
  const filesystem = new ToolcribFilesystem({ basePath: root, journal: journal() });
  const calls = [
    ["mastra_workspace_read_file", { path: "a.txt" }],
    ["mastra_workspace_edit_file", { path: "a.txt", old_string: "one", new_string: "eins" }],
  ];
  let step = 0;
  const doGenerate = async () => {
    const next = calls[step++];
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    if (next === undefined) return { content: [{ type: "text", text: "done" }], finishReason: "stop", usage, warnings: [] };
    const call = { type: "tool-call", toolCallId: `${step}`, toolName: next[0], input: JSON.stringify(next[1]) };
    return { content: [call], finishReason: "tool-calls", usage, warnings: [] };
  };
  const model = new MastraLanguageModelV2Mock({ doGenerate });
  const agent = new Agent({ id: "a", name: "A", instructions: "Edit", model, workspace: new Workspace({ filesystem }) });
  const { text } = await agent.generate("Translate", { maxSteps: 5 });
  assert.equal(text, "done");
  assert.equal(readFileSync(join(root, "a.txt"), "utf8"), "eins\ntwo\n");
});
