// What the tests share: a workspace, and a call of every tool in an order that makes sense.

import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const binary = process.env.TOOLCRIB_BIN;
if (!binary) throw new Error('TOOLCRIB_BIN is not set: run `cargo xtask test clients`');

// One pixel, as small as a PNG can be.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

export function workspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'clients-')));
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(root, 'a.conf'), 'old\n');
  writeFileSync(join(root, 'a.png'), Buffer.from(PIXEL, 'base64'));
  return root;
}

/** Every tool once: its name, its arguments, and what stands in the answer. */
export function everyTool(root) {
  const file = join(root, 'a.txt');
  const patch = `--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-new\n+patched\n`;
  return [
    ['Read', { file_path: file }, '     1\tone'],
    ['Edit', { file_path: file, old_string: 'one', new_string: 'eins' }, '+eins'],
    ['MultiEdit', { file_path: file, edits: [{ old_string: 'two', new_string: 'zwei' }] }, '+zwei'],
    ['Write', { file_path: join(root, 'b.txt'), content: 'new\n' }, 'Created'],
    ['ApplyPatch', { patch_text: patch }, 'b.txt'],
    ['LS', { path: root }, 'b.txt'],
    ['Glob', { pattern: '*.txt', path: root }, 'a.txt'],
    ['Grep', { pattern: 'patched', path: root }, 'b.txt'],
  ];
}
