// `npm run pictures`: the pictures of docs/ui.md, over made-up data. Each view light and dark, and the main ones narrow.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { browser, open } from "../test/page/browser";
import { Mock } from "./server";
import { project } from "./world";

const FOLDER = process.argv[2] ?? fileURLToPath(new URL("../../../../docs/screenshots/", import.meta.url));
const VIEWS: [name: string, hash: string, ready: string, act?: (page: Page) => Promise<void>][] = [
  ["approvals", "#/desk", ".t-keyword", async (page) => page.locator(".pick input").nth(2).uncheck()],
  ["timeline", "#/timeline/400", ".t-keyword"],
  ["side-by-side", "#/timeline/400", ".t-keyword", async (page) => page.getByRole("button", { name: "Side by side" }).click()],
  ["undo", "#/timeline/400", ".diff-row", async (page) => { await page.keyboard.press("u"); await page.waitForSelector("dialog .t-keyword"); }],
  ["conflict", "#/timeline/400", ".diff-row", async (page) => { await page.keyboard.press("u"); await page.waitForSelector(".conflict"); }],
  ["history", "#/file?path=src%2Frouter.rs", ".t-keyword"],
  ["running", "#/running", ".calls"],
  ["rules", "#/rules", ".rules", async (page) => {
    await page.getByLabel("Path to explain").fill(".env");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.waitForSelector(".why");
  }],
];

mkdirSync(FOLDER, { recursive: true });
const chromium = await browser();
for (const [mode, options] of [["light", {}], ["dark", { dark: true }], ["narrow", { width: 380 }]] as const) {
  for (const [name, hash, ready, act] of VIEWS) {
    if (mode === "narrow" && name === "side-by-side") continue;
    const world = project();
    if (name === "conflict") {
      world.conflicts = [{
        path: "src/router.rs", change: 400, reason: "change 402 changed line 45 later",
        base: "        let path = request.path();\n        self.routes.get(path)\n",
        ours: "        let path = request.path().to_lowercase();\n        self.routes.get(&path)\n",
        theirs: "        self.routes.iter().find(|route| route.path == path)\n",
      }];
    }
    const mock = new Mock(world);
    const { page } = await open(chromium, `${await mock.start()}/${hash}`, options);
    await page.waitForSelector(ready);
    await page.waitForTimeout(200);
    await act?.(page);
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${FOLDER}/${name}-${mode}.png` });
    await page.context().close();
    mock.stop();
  }
}
await chromium.close();
