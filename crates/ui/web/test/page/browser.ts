// A browser for the tests: Debian's chromium, with nothing that calls anywhere.

import { chromium, type Browser, type Page } from "playwright-core";

export async function browser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-quic",
      "--disable-component-update", "--disable-sync",
    ],
  });
}

export type Watched = { page: Page; troubles: string[]; strangers: string[] };

/** A page that notes what it must not do: report errors, open dialogs, or ask another server. */
export async function open(of: Browser, address: string, options: { width?: number; dark?: boolean } = {}): Promise<Watched> {
  const context = await of.newContext({
    viewport: { width: options.width ?? 1280, height: 800 },
    colorScheme: options.dark ? "dark" : "light",
    reducedMotion: "reduce",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
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
  await page.goto(address);
  return { page, troubles, strangers };
}
