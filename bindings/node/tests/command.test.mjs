// The command line of the package: the same program, in place of Node.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import { Toolbox, version } from "toolcrib";

import { workspace } from "./support.mjs";

const command = join(process.cwd(), "node_modules/.bin/toolcrib");

test("the command, the package and the module have one version", () => {
  assert.equal(execFileSync(command, ["--version"], { encoding: "utf8" }).trim(), `toolcrib ${version}`);
});

// The test of the wheel compares that with the same program.
test("the command and the module have the same schemas, to the order of their keys", () => {
  const root = workspace();
  const env = { ...process.env, HOME: root, XDG_CONFIG_HOME: root };
  const { dialects } = createRequire(import.meta.url)("@toolcrib/linux-x64-gnu");
  for (const dialect of dialects()) {
    const box = new Toolbox(root, { dialect, journal: false });
    for (const format of ["openai", "openai-strict", "anthropic", "mcp", "langchain"]) {
      const arguments_ = ["schemas", "--format", format, "--dialect", dialect, "--root", root];
      const printed = JSON.parse(execFileSync(command, arguments_, { encoding: "utf8", env }));
      assert.equal(JSON.stringify(box.schemas(format)), JSON.stringify(printed), `${dialect}, ${format}`);
    }
  }
});

test("streams and the exit status are those of the program", () => {
  const root = workspace({ "a.txt": "one\n" });
  const read = spawnSync(command, ["call", "Read", "-", "--root", root], {
    input: JSON.stringify({ file_path: join(root, "a.txt") }),
    encoding: "utf8",
  });
  assert.deepEqual([read.status, read.stdout], [0, "     1\tone\n"]);
  const wrong = spawnSync(command, ["no-such-command"], { encoding: "utf8" });
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /no-such-command/);
});

test("the process that was started is the program itself", async () => {
  const child = spawn(command, ["mcp", "--root", workspace()], { stdio: ["pipe", "pipe", "inherit"] });
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`);
  const [answer] = await once(child.stdout, "data");
  assert.equal(JSON.parse(answer).result.serverInfo.version, version);
  assert.match(readlinkSync(`/proc/${child.pid}/exe`), /@toolcrib\/linux-x64-gnu\/toolcrib$/);
  child.kill("SIGTERM");
  const [code, signal] = await once(child, "exit");
  assert.ok(code === 0 || signal === "SIGTERM", `${code} ${signal}`);
});
