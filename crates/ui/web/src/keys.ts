// The keyboard: views say which keys they know while they are shown, and the help lists exactly those.

import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

export type Key = { key: string; about: string; act: () => void };

export const known = signal<Key[]>([]);

/** The keys of a view or a dialog, for as long as it is drawn. A later one goes before an earlier one. */
export function useKeys(keys: Key[]): void {
  useLayoutEffect(() => {
    known.value = [...keys, ...known.value];
    return () => {
      known.value = known.value.filter((key) => !keys.includes(key));
    };
  });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target as HTMLElement | null;
  if (target?.closest("input:not([type=checkbox]):not([type=radio]), textarea, select")) {
    if (event.key === "Escape") target.blur();
    return;
  }
  // What an open dialog does not know does not reach the view behind it.
  const dialog = document.querySelector("dialog[open]");
  if (dialog && !dialog.hasAttribute("data-keys")) return;
  const key = known.value.find((one) => one.key === event.key);
  if (!key || event.repeat && !"jk".includes(key.key)) return;
  event.preventDefault();
  key.act();
});
