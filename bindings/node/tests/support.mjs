// What the tests share.

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The top folder of the repository. */
export const REPOSITORY = process.env.TOOLCRIB_REPOSITORY;
if (REPOSITORY === undefined) throw new Error("TOOLCRIB_REPOSITORY is not set: run `cargo xtask test npm`");

/** A new directory with these files. */
export function workspace(files = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-npm-")));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

/** A folder for a journal. */
export function journal() {
  return mkdtempSync(join(tmpdir(), "toolcrib-journal-"));
}

/** One pixel, as small as a PNG can be. */
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64",
);
