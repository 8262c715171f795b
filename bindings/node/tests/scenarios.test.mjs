// Every scenario through the package: the same data as for the other doors.

import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { test } from "node:test";

import { Toolbox } from "toolcrib";

import { REPOSITORY, workspace } from "./support.mjs";

const SCENARIOS = join(REPOSITORY, "scenarios");
/** When everything was last changed that has no time of its own: the start of 2024. */
const LONG_AGO = 1_704_067_200;

const folders = readdirSync(SCENARIOS).flatMap((tool) =>
  readdirSync(join(SCENARIOS, tool)).map((name) => join(SCENARIOS, tool, name)),
);
const cases = folders.filter((folder) => existsSync(join(folder, "call.json"))).sort();

test("there are scenarios of every tool and every dialect that has its own", () => {
  const tools = new Set(cases.map((folder) => basename(dirname(folder))));
  for (const tool of ["apply_patch", "delete", "edit", "glob", "grep", "ls", "memory", "read", "text_editor", "write"]) {
    assert.ok(tools.has(tool), tool);
  }
  assert.ok(cases.length > 300, `${cases.length}`);
});

for (const folder of cases) {
  test(relative(SCENARIOS, folder), async () => {
    const root = workspace();
    layOut(folder, root);
    const before = tree(root);
    const call = JSON.parse(readFileSync(join(folder, "call.json"), "utf8").replaceAll("$ROOT", root));
    const config = join(workspace(), "config.toml");
    writeFileSync(config, call.config ?? "");
    const { dialect = "standard", session, dry_run: dryRun = false } = call;
    const box = new Toolbox(root, { config, dialect, session, dryRun, journal: false });
    const result = await box.run(call.tool, call.parameters);
    const expected = readFileSync(join(folder, "output.txt"), "utf8").replace(/\n$/, "");
    assert.equal(result.toString().replaceAll(root, "$ROOT"), expected);
    if (result.success) assert.equal(typeof result.output, dialect === "ekacode" ? "object" : "string");
    const facts = join(folder, "metadata.json");
    if (existsSync(facts)) {
      const wanted = JSON.parse(readFileSync(facts, "utf8").replaceAll("$ROOT", root));
      for (const [key, value] of Object.entries(wanted)) {
        // Null stands for a fact that is absent.
        assert.deepEqual(withoutImages(key, result.metadata[key]) ?? null, withoutImages(key, value) ?? null, key);
        const [image] = result.images;
        if (key === "base64_data") assert.equal(image && Buffer.from(image.data).toString("base64"), value ?? undefined);
      }
    }
    const after = join(folder, "expected");
    assert.deepEqual(tree(root), existsSync(after) ? withoutEmpty(tree(after)) : before);
  });
}

/** Images are bytes beside the metadata here. */
function withoutImages(key, value) {
  if (key === "base64_data") return undefined;
  if (key !== "images" || !Array.isArray(value)) return value;
  return value.map(({ base64_data: _, ...rest }) => rest);
}

function layOut(folder, root) {
  if (existsSync(join(folder, "input"))) cpSync(join(folder, "input"), root, { recursive: true, verbatimSymlinks: true });
  for (const made of json(join(folder, "make.json")) ?? []) {
    for (let number = 1; number <= (made.files ?? 1); number += 1) {
      const numbered = (text) => text.replaceAll("{n}", `${number}`);
      const path = join(root, numbered(made.path));
      mkdirSync(made.path.endsWith("/") ? path : dirname(path), { recursive: true });
      if (!made.path.endsWith("/")) writeFileSync(path, numbered(made.text ?? "").repeat(made.lines ?? 1));
    }
  }
  const times = json(join(folder, "times.json")) ?? {};
  for (const name of below(root).reverse()) {
    const seconds = times[name] ?? LONG_AGO;
    lutimesSync(join(root, name), seconds, seconds);
  }
  lutimesSync(root, LONG_AGO, LONG_AGO);
}

function json(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

function below(root, folder = "") {
  return readdirSync(join(root, folder)).sort().flatMap((name) => {
    const path = join(folder, name);
    return lstatSync(join(root, path)).isDirectory() ? [path, ...below(root, path)] : [path];
  });
}

function tree(root) {
  const node = (path) => {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return { link: readlinkSync(path) };
    if (stat.isDirectory()) return "directory";
    return { content: readFileSync(path).toString("latin1"), executable: (stat.mode & 0o100) !== 0 };
  };
  return Object.fromEntries(below(root).map((name) => [name, node(join(root, name))]));
}

/** Git keeps no empty directory, so one that is expected holds a file. */
function withoutEmpty(nodes) {
  return Object.fromEntries(Object.entries(nodes).filter(([name]) => basename(name) !== ".empty"));
}
