// Lists of changes put together.

import type { Change } from "./types";

/** Both lists by number, newest first; of two with one number, the one of the second list. */
export function merged(old: Change[], more: Change[]): Change[] {
  const newest = old[0]?.id ?? 0;
  if (more.every((change) => change.id > newest)) return [...[...more].sort((a, b) => b.id - a.id), ...old];
  const all = new Map(old.map((change) => [change.id, change]));
  for (const change of more) all.set(change.id, change);
  return [...all.values()].sort((a, b) => b.id - a.id);
}
