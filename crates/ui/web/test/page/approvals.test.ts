// The page against the real `toolcrib ui`, with a real agent client: MCP over stdio to `toolcrib mcp`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until, type Watched } from "./browser";
import { call, real_browser, with_page } from "./real";

const chromium = real_browser();

const THREE = Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n") + "\n";
const EDITS = [5, 30, 55].map((at) => ({ old_string: `line ${at}\n`, new_string: `LINE ${at}\n` }));
/** Longer than the page waits before a question that has just appeared can be answered. */
const SETTLE = 450;

/** Waits for the question about a file: one that was answered before may still be in view. */
async function asked({ page }: Watched, file: string): Promise<void> {
  await page.evaluate("location.hash = '#/desk'");
  await page.locator(".question-view", { hasText: file }).locator(".diff-row").first().waitFor();
  await page.waitForTimeout(SETTLE);
}

test("yes, no with a reason, always", async () => {
  await with_page(chromium(), async (place, watched) => {
    const { page } = watched;
    const { client } = await place.agent();
    await page.evaluate("location.hash = '#/desk'");
    const yes = call(client, "Write", { file_path: place.at("asked/a.txt"), content: "one\n" });
    await asked(watched, "a.txt");
    await page.getByRole("button", { name: /^Yes, once/ }).click();
    assert.equal((await yes).isError, false);
    assert.equal(place.read("asked/a.txt"), "one\n");

    const no = call(client, "Write", { file_path: place.at("asked/b.txt"), content: "two\n" });
    await asked(watched, "b.txt");
    await page.keyboard.press("n");
    await page.keyboard.type("put it into docs/ <b>please</b>");
    await page.keyboard.press("Enter");
    const refused = await no;
    assert.ok(refused.isError);
    assert.match(refused.text, /put it into docs\/ <b>please<\/b>/);
    assert.throws(() => place.read("asked/b.txt"));

    const always = call(client, "Write", { file_path: place.at("asked/c.txt"), content: "three\n" });
    await asked(watched, "c.txt");
    await page.getByRole("button", { name: /^Always for/ }).click();
    assert.equal((await always).isError, false);
    assert.equal((await call(client, "Write", { file_path: place.at("asked/c.txt"), content: "four\n" })).isError, false);
    assert.equal(place.read("asked/c.txt"), "four\n");
  });
});

test("a question is on the page at once, and without the page asking for it", async () => {
  await with_page(chromium(), async (place, watched) => {
    const { page } = watched;
    const { client } = await place.agent();
    await page.evaluate("location.hash = '#/desk'");
    await page.getByText("Nobody is waiting").waitFor();
    const paths: string[] = [];
    page.on("request", (request) => paths.push(new URL(request.url()).pathname.replace(/[^/]*-[^/]*/, "ID")));
    const took: number[] = [];
    for (let at = 0; at < 5; at++) {
      const started = Date.now();
      const written = call(client, "Write", { file_path: place.at(`asked/${at}.txt`), content: "one\n" });
      await page.locator(".question-view", { hasText: `${at}.txt` }).locator(".diff-row").first().waitFor();
      took.push(Date.now() - started);
      await page.waitForTimeout(SETTLE);
      await page.keyboard.press("y");
      assert.equal((await written).isError, false);
    }
    console.log(`from the agent's call to the change on the page: ${took.join(", ")} ms`);
    // Whoever asks from time to time is later than that; a busy machine is not, every time.
    assert.ok(Math.min(...took) < 1000, took.join());
    const asking = paths.filter((path) => path.startsWith("/api/questions") || path === "/api/state");
    assert.deepEqual(asking, Array.from({ length: 5 }, () => ["/api/questions/ID", "/api/questions/ID/answer"]).flat());
  });
});

test("one hunk of three is kept; the text is edited before it is written", async () => {
  await with_page(chromium(), async (place, watched) => {
    const { page } = watched;
    place.write("asked/three.txt", THREE);
    const { client } = await place.agent();
    await call(client, "Read", { file_path: place.at("asked/three.txt") });
    const kept = call(client, "MultiEdit", { file_path: place.at("asked/three.txt"), edits: EDITS });
    await asked(watched, "three.txt");
    await page.locator(".pick input").nth(0).uncheck();
    await page.locator(".pick input").nth(2).uncheck();
    await page.getByRole("button", { name: /^Yes, 1 of 3 hunks/ }).click();
    assert.equal((await kept).isError, false);
    assert.equal(place.read("asked/three.txt"), THREE.replace("line 30\n", "LINE 30\n"));

    const edited = call(client, "Write", { file_path: place.at("asked/e.txt"), content: "as proposed\n" });
    await asked(watched, "e.txt");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.locator("textarea.editor").fill("as edited\n");
    await page.getByRole("button", { name: /^Yes, as edited/ }).click();
    assert.equal((await edited).isError, false);
    assert.equal(place.read("asked/e.txt"), "as edited\n");
  });
});

test("two pages answer at once: one answer counts, and the other page is told", async () => {
  await with_page(chromium(), async (place, watched) => {
    const other = await place.page(chromium());
    const { client } = await place.agent();
    const answer = call(client, "Write", { file_path: place.at("asked/a.txt"), content: "one\n" });
    await Promise.all([asked(watched, "a.txt"), asked(other, "a.txt")]);
    await Promise.all([watched.page.keyboard.press("y"), other.page.keyboard.press("y")]);
    assert.equal((await answer).isError, false);
    for (const { page } of [watched, other]) await page.waitForSelector(".settled");
    assert.equal(await watched.page.locator(".question-view").count(), 0);
    assert.equal(await other.page.locator(".question-view").count(), 0);
    await other.page.context().close();
  });
});

test("the page is closed and opened again while a question waits", async () => {
  await with_page(chromium(), async (place, watched) => {
    const { client } = await place.agent();
    const answer = call(client, "Write", { file_path: place.at("asked/a.txt"), content: "one\n" });
    await asked(watched, "a.txt");
    const address = new URL(watched.page.url()).origin;
    const again = await watched.page.context().newPage();
    await watched.page.close();
    await again.goto(address);
    await again.waitForSelector(".question-view .diff-row");
    await again.waitForTimeout(SETTLE);
    await again.keyboard.press("y");
    assert.equal((await answer).isError, false);
  });
});

test("a question goes when its server is killed, and when the client cancels the call", async () => {
  await with_page(chromium(), async (place, watched) => {
    const { page } = watched;
    const killed = await place.agent();
    const lost = call(killed.client, "Write", { file_path: place.at("asked/a.txt"), content: "one\n" }).catch(() => "gone");
    await asked(watched, "a.txt");
    process.kill(killed.pid, "SIGKILL");
    await page.waitForSelector(".settled");
    assert.equal(await lost, "gone");
    assert.throws(() => place.read("asked/a.txt"));

    const { client } = await place.agent();
    const stop = new AbortController();
    const cancelled = call(client, "Write", { file_path: place.at("asked/b.txt"), content: "two\n" }, stop.signal).catch(() => "cancelled");
    await asked(watched, "b.txt");
    stop.abort();
    await until(page, "document.querySelectorAll('.settled').length === 2");
    assert.equal(await cancelled, "cancelled");
    assert.throws(() => place.read("asked/b.txt"));
  });
});
