// Makes characters that do not show, or that turn text around, visible: what is approved must be what is read.
// Works on strings alone; the parts draw what comes out of it.

export type Piece = { text: string; hidden: boolean };

// Controls, soft hyphen, zero-width and joiners, line separators, bidi marks, embeddings, overrides and isolates,
// fillers, invisible operators, variation selectors, interlinear marks, tags, lone surrogates and private use.
const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB]|[\u00A0\u2000-\u200A\u202F\u205F\u3000]|[\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]|[\uD800-\uDFFF]|[\uE000-\uF8FF]/gu;

const NAMES: Record<number, string> = {
  0x07: "BEL",
  0x08: "BS",
  0x0d: "CR",
  0x0a: "LF",
  0x09: "TAB",
  0x1b: "ESC",
  0x7f: "DEL",
  0xa0: "NBSP",
  0xad: "SHY",
  0x61c: "ALM",
  0x200b: "ZWSP",
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x2028: "LS",
  0x2029: "PS",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: "WJ",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0xfeff: "BOM",
};

/** Cuts text into what is shown as it is and what is shown by its name. */
export function pieces(text: string, oneLine = false): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(oneLine ? HIDDEN_IN_NAMES : HIDDEN)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), hidden: false });
    found.push({ text: label(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), hidden: false });
  return found;
}

// In a name, a tab or a line break hides as well.
const HIDDEN_IN_NAMES = new RegExp(`[\\t\\n]|${HIDDEN.source}`, "gu");

export function label(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const known = NAMES[code];
  if (known) return known;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The same as plain text, for where no elements can be: titles, labels, alerts. */
export function plain(text: string): string {
  return pieces(text, true)
    .map((piece) => (piece.hidden ? `‹${piece.text}›` : piece.text))
    .join("");
}
