// Turns diffs into rows of known height, so that any number of them can be scrolled. No elements here.

import type { Token } from "./highlight";
import type { DiffRow, FileDiff, Hunk, Mark } from "./types";

export type Pair = { old: number | null; new: number | null };

export type Item<F> =
  | { kind: "file"; height: number; key: string; file: F }
  | { kind: "note"; height: number; key: string; file: F; text: string; reveal?: boolean }
  | { kind: "pending"; height: number; key: string; file: F }
  | { kind: "more"; height: number; key: string; file: F; next: number }
  | { kind: "edit"; height: number; key: string; file: F }
  | { kind: "hunk"; height: number; key: string; file: F; hunk: Hunk }
  | { kind: "row"; height: number; key: string; file: F; hunk: Hunk; row: number }
  | { kind: "pair"; height: number; key: string; file: F; hunk: Hunk; pair: Pair };

export const ROW = 20;
export const HUNK = 30;
export const FILE = 42;
export const NOTE = 40;

/** Removed and added lines beside each other, in the order in which they stand. */
export function pairs(rows: DiffRow[]): Pair[] {
  const result: Pair[] = [];
  let olds: number[] = [];
  let news: number[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(olds.length, news.length); at++) result.push({ old: olds[at] ?? null, new: news[at] ?? null });
    olds = [];
    news = [];
  };
  rows.forEach((row, at) => {
    if (row.t === "-") {
      if (news.length > 0) flush();
      olds.push(at);
    } else if (row.t === "+") news.push(at);
    else {
      flush();
      result.push({ old: at, new: at });
    }
  });
  flush();
  return result;
}

const rowsOf = new WeakMap<Hunk, Map<string, Item<never>[]>>();

/** The items of a hunk; remembered, because a list with 100,000 of them is built again at every click. */
export function hunkItems<F>(file: F, key: string, hunk: Hunk, split: boolean): Item<F>[] {
  const id = split ? `${key}:split:${hunk.rows.length}` : key;
  let known = rowsOf.get(hunk);
  if (!known) rowsOf.set(hunk, (known = new Map()));
  let items = known.get(id) as Item<F>[] | undefined;
  if (!items) {
    const prefix = `${key}/${hunk.id}`;
    items = [{ kind: "hunk", height: HUNK, key: prefix, file, hunk }];
    if (split) pairs(hunk.rows).forEach((pair, at) => items?.push({ kind: "pair", height: ROW, key: `${prefix}/${at}`, file, hunk, pair }));
    known.set(id, items as Item<never>[]);
  }
  // Rows may have come since.
  if (!split) {
    for (let row = items.length - 1; row < hunk.rows.length; row++) {
      items.push({ kind: "row", height: ROW, key: `${key}/${hunk.id}/${row}`, file, hunk, row });
    }
  }
  return items;
}

/** A part of a diff that came later, put behind what is there; a hunk that goes on in it grows. */
export function joined(diff: FileDiff, next: FileDiff): FileDiff {
  const hunks = [...diff.hunks];
  for (const hunk of next.hunks) {
    const last = hunks.at(-1);
    if (last && last.id === hunk.id) for (const row of hunk.rows) last.rows.push(row);
    else hunks.push(hunk);
  }
  return { ...diff, hunks, more: next.more ?? null };
}

/** More of a line is not drawn. */
export const LONGEST = 4000;

export type Segment = { text: string; kind: string; marked: boolean };

/** Where colours and marks of changed words meet. */
export function segments(row: DiffRow, tokens: Token[] | undefined): Segment[] {
  const text = row.s.length > LONGEST ? row.s.slice(0, LONGEST) : row.s;
  const coloured = tokens && tokens.length > 0 && text === row.s ? tokens : [{ text, kind: "" }];
  const marks = row.marks ?? [];
  if (marks.length === 0) return coloured.map((token) => ({ ...token, marked: false }));
  const result: Segment[] = [];
  let at = 0;
  for (const { text: part, kind } of coloured) {
    let from = 0;
    while (from < part.length) {
      const [until, marked] = boundary(marks, at + from, at + part.length);
      result.push({ text: part.slice(from, until - at), kind, marked });
      from = until - at;
    }
    at += part.length;
  }
  return result;
}

/** How far one may go from here without crossing the border of a mark, and whether that part is marked. */
function boundary(marks: Mark[], from: number, end: number): [until: number, marked: boolean] {
  for (const [start, stop] of marks) {
    if (from < start) return [Math.min(start, end), false];
    if (from < stop) return [Math.min(stop, end), true];
  }
  return [end, false];
}

/** The columns of the widest line, a tab counted as four. */
export function columns(diff: FileDiff): number {
  let widest = 0;
  for (const hunk of diff.hunks) {
    for (const { s } of hunk.rows) {
      if (s.length * 4 <= widest) continue;
      let width = Math.min(s.length, LONGEST);
      for (let at = s.indexOf("\t"); at >= 0 && at < LONGEST; at = s.indexOf("\t", at + 1)) width += 3;
      if (width > widest) widest = width;
    }
  }
  return widest;
}
