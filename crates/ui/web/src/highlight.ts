// Colours for code, by highlight.js: its grammars, with our own output, which is ranges and never markup.
// The grammars are loaded when the first diff is drawn.

import { signal } from "@preact/signals";
import type { Hunk } from "./types";

export type Token = { text: string; kind: string };

type Highlighter = typeof import("./grammars");
const loaded = signal<Highlighter | null>(null);
let loading = false;

/** Longer lines stay plain: grammars are regular expressions, and a hostile line must not hold up the page. */
const LONGEST_LINE = 1000;
const CHUNK = 400;

const cache = new WeakMap<Hunk, Map<string, Token[][]>>();

/** The tokens of one row of a hunk, or nothing while there are none. */
export function tokens(hunk: Hunk, row: number, path: string): Token[] | undefined {
  const grammars = loaded.value;
  if (!grammars) {
    if (!loading) {
      loading = true;
      void import("./grammars").then((module) => {
        loaded.value = module;
      });
    }
    return undefined;
  }
  const language = grammars.languageOf(path);
  if (!language) return undefined;
  let chunks = cache.get(hunk);
  if (!chunks) cache.set(hunk, (chunks = new Map()));
  const first = row - (row % CHUNK);
  const key = `${language}:${first}:${Math.min(hunk.rows.length, first + CHUNK)}`;
  let lines = chunks.get(key);
  if (!lines) chunks.set(key, (lines = chunk(grammars, hunk, first, language)));
  return lines[row - first];
}

/** Old and new text apart, so that a removed opening quote does not colour what was added. */
function chunk(grammars: Highlighter, hunk: Hunk, first: number, language: string): Token[][] {
  const rows = hunk.rows.slice(first, first + CHUNK);
  const result: Token[][] = rows.map(() => []);
  for (const side of ["-", "+"] as const) {
    const index = rows.flatMap((row, at) => (row.t === " " || row.t === side ? [at] : []));
    const text = index.map((at) => short(rows[at]?.s ?? "")).join("\n");
    const lines = grammars.lines(text, language);
    index.forEach((at, line) => {
      const row = rows[at];
      if (row && row.s.length <= LONGEST_LINE) result[at] = lines[line] ?? [];
    });
  }
  return result;
}

function short(line: string): string {
  return line.length > LONGEST_LINE ? "" : line;
}
