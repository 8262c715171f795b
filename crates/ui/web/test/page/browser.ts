// A browser for the tests: Debian's chromium, with nothing that calls anywhere.

import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { chromium, type Browser, type Page, type Response } from "playwright-core";

export async function browser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-quic",
      "--disable-component-update", "--disable-sync",
    ],
  });
}

/** Waits until an expression is true in the page. The browser's own way to wait is forbidden by the page's policy. */
export async function until(page: Page, expression: string, patience = 20_000): Promise<void> {
  for (const end = Date.now() + patience; ; await page.waitForTimeout(20)) {
    if (await page.evaluate(expression)) return;
    if (Date.now() > end) throw new Error(`still not true: ${expression}`);
  }
}

export type Options = { width?: number; dark?: boolean; onResponse?: (response: Response) => void };

export type Watched = { page: Page; troubles: string[]; strangers: string[] };

/** A page that notes what it must not do: report errors, open dialogs, or ask another server. */
export async function open(of: Browser, address: string, options: Options = {}): Promise<Watched> {
  const context = await of.newContext({
    viewport: { width: options.width ?? 1280, height: 800 },
    colorScheme: options.dark ? "dark" : "light",
    reducedMotion: "reduce",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  await withBuild(page, address);
  const troubles: string[] = [];
  const strangers: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    // What the server refuses on purpose (409, 404) is reported by the browser as well; that is no fault of the page.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) troubles.push(message.text());
  });
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(new URL(address).origin) && !url.startsWith("data:")) strangers.push(url);
  });
  if (options.onResponse) page.on("response", options.onResponse);
  await page.goto(address);
  return { page, troubles, strangers };
}

/** `PAGE_ASSETS=DIR`: the files of a build that the program does not have yet, with the program's own headers. */
async function withBuild(page: Page, address: string): Promise<void> {
  const folder = process.env.PAGE_ASSETS;
  if (!folder) return;
  await page.route(`${new URL(address).origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const name = pathname === "/" ? "index.html" : pathname.slice(1);
    if (pathname.startsWith("/api/") || route.request().url().includes("key=")) return route.continue();
    await route.fulfill({ response: await route.fetch(), body: await readFile(join(folder, name)), status: 200, contentType: MIME[extname(name)] ?? "" });
  });
}

const MIME: Record<string, string> = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
