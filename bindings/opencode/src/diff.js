/** Diffs over several files. */

/**
 * A diff, cut into those of its files. A line of a hunk can look like the header of a file, so the lines of a hunk are counted.
 *
 * @param {string} diff
 */
export function sections(diff) {
  /** @type {string[]} */
  const found = [];
  let [before, after, hunks] = [0, 0, true];
  for (const line of diff.split(/(?<=\n)/)) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (before > 0 || after > 0) {
      if (!line.startsWith("+")) before -= line.startsWith("\\") ? 0 : 1;
      if (!line.startsWith("-")) after -= line.startsWith("\\") ? 0 : 1;
    } else if (hunk) {
      [before, after, hunks] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1), true];
    } else if (line.startsWith("diff --git ") || (hunks && line.startsWith("--- "))) {
      found.push("");
      hunks = false;
    }
    if (found.length === 0) found.push("");
    found[found.length - 1] += line;
  }
  return found;
}
