// What this browser remembers of the person's taste.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

function kept<T extends string>(name: string, otherwise: T) {
  let first = otherwise;
  try {
    first = (localStorage.getItem(`toolcrib.${name}`) as T | null) ?? otherwise;
  } catch {
    // Storage may be turned off: then it lasts as long as the page.
  }
  const value = signal<T>(first);
  effect(() => {
    try {
      localStorage.setItem(`toolcrib.${name}`, value.value);
    } catch {
      // As above.
    }
  });
  return value;
}

export const theme = kept<Theme>("theme", "system");
export const layout = kept<"inline" | "split">("layout", "inline");

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
