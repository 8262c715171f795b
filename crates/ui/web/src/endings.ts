// Line endings of a text that is edited in the browser, which knows only one kind.

/** How its lines end, if all in one way; `mixed` cannot be edited without changing lines that nobody touched. */
export function endings(text: string): "lf" | "crlf" | "mixed" {
  if (!text.includes("\r")) return "lf";
  const all = text.split("\n").length - 1;
  const crlf = text.split("\r\n").length - 1;
  const cr = text.split("\r").length - 1;
  return crlf === all && crlf === cr ? "crlf" : "mixed";
}

/** What was edited, with the line endings of what it was made from. */
export function restored(edited: string, original: string): string {
  return endings(original) === "crlf" ? edited.replaceAll("\n", "\r\n") : edited;
}

/** As the browser's editor has it. */
export function plainLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
