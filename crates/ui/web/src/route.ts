// Where one is on the page: the part of the address after `#`, so that links, back and reload work.

import { signal } from "@preact/signals";

export type View = "desk" | "timeline" | "file" | "running" | "rules";
export type Route = { view: View; id: string; values: URLSearchParams };

const VIEWS: View[] = ["desk", "timeline", "file", "running", "rules"];

export const route = signal<Route>(read(location.hash));
window.addEventListener("hashchange", () => {
  route.value = read(location.hash);
});

export function read(hash: string): Route {
  const [path = "", values = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id = ""] = path.split("/", 2);
  const known = VIEWS.find((one) => one === view);
  return { view: known ?? "timeline", id: known ? decode(id) : "", values: new URLSearchParams(values) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function link(view: View, id: string | number = "", values: Record<string, string> = {}): string {
  const rest = new URLSearchParams(values).toString();
  return `#/${view}${id === "" ? "" : `/${encodeURIComponent(id)}`}${rest ? `?${rest}` : ""}`;
}

export function go(view: View, id: string | number = "", values: Record<string, string> = {}): void {
  location.hash = link(view, id, values);
}

/** The same, without a step to go back to: for moving up and down a list. */
export function replace(view: View, id: string | number = "", values: Record<string, string> = {}): void {
  history.replaceState(null, "", link(view, id, values));
  route.value = read(location.hash);
}
