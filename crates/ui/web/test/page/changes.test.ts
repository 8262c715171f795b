// The timeline, file histories, rules and undo against the real `toolcrib ui`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, until } from "./browser";
import { call, Place, real_browser, with_page } from "./real";

const chromium = real_browser();

test("the timeline shows what an agent does while it does it, as fast as it can", async () => {
  await with_page(chromium(), async (place, { page }) => {
    const { client } = await place.agent();
    const started = Date.now();
    for (let at = 1; at <= 100; at++) await call(client, "Write", { file_path: place.at(`file-${at}.txt`), content: `${at}\n` });
    const took = Date.now() - started;
    await page.getByText("file-100.txt").first().waitFor();
    console.log(`100 changes in ${took} ms; the last was on the page ${Date.now() - started - took} ms later`);
    await page.keyboard.press("j");
    await page.locator(".change-view .diff-row.added").getByText("100").first().waitFor();
    await page.getByRole("searchbox").fill("file-42");
    await until(page, "document.querySelectorAll('.change').length === 1");
    await page.getByText("file-42.txt").first().waitFor();
  });
});

test("a link works once, and without its secrets nothing is shown", async () => {
  const place = new Place();
  try {
    place.write("a.txt", "one\n");
    const link = await place.ui();
    const first = await open(chromium(), link);
    await first.page.waitForSelector(".connection.live");
    assert.ok(!first.page.url().includes("key"), first.page.url());
    const second = await open(chromium(), link).catch(() => undefined);
    if (second) {
      await second.page.waitForTimeout(300);
      assert.equal(await second.page.locator(".connection.live").count(), 0);
    }
    const bare = await open(chromium(), new URL(link).origin);
    await bare.page.getByText("toolcrib ui").first().waitFor();
    assert.equal(await bare.page.locator(".change").count(), 0);
  } finally {
    await place.close();
  }
});

test("a file's history and the difference between two versions", async () => {
  await with_page(chromium(), async (place, { page }) => {
    const { client } = await place.agent();
    for (const text of ["one", "two", "three"]) await call(client, "Write", { file_path: place.at("a.txt"), content: `${text}\n` });
    await page.getByText("a.txt").first().waitFor();
    await page.evaluate("location.hash = '#/file?path=a.txt'");
    await until(page, "document.querySelectorAll('.versions tbody tr').length === 5");
    await page.locator(".diff-row.removed").getByText("two").waitFor();
    await page.locator(".diff-row.added").getByText("three").waitFor();
    await page.locator(".versions input[name=a]").nth(3).check();
    await page.locator(".diff-row.removed").getByText("one").waitFor();
  });
});

test("why a path is denied, and a rule added as a shown diff", async () => {
  await with_page(chromium(), async (place, { page }) => {
    await page.evaluate("location.hash = '#/rules'");
    await page.getByLabel("Path to explain").fill("secret.txt");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.locator(".why .verdict.deny").waitFor();
    await page.getByLabel("Pattern").fill("deploy/**");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("dialog .diff-row.added").getByText("deploy/**").waitFor();
    await page.getByRole("button", { name: "Write it" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { readFileSync } = await import("node:fs");
    assert.match(readFileSync(`${place.home}/config/toolcrib/config.toml`, "utf8"), /deploy\/\*\*/);
  });
});
