// Ten thousand changes in a real journal, and many that arrive at once: the page against the real `toolcrib ui`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Page, Response } from "playwright-core";
import { open, until } from "./browser";
import { call, Place, real_browser } from "./real";

const CHANGES = 10_000;
/** Calls that an agent makes at once. */
const AT_ONCE = 64;

const chromium = real_browser();
const place = new Place();
let agent: Client;
before(async () => {
  ({ client: agent } = await place.agent());
  const started = Date.now();
  let next = 1;
  const write = async () => {
    while (next <= CHANGES) await create(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, write));
  console.log(`${CHANGES} changes made in ${Date.now() - started} ms`);
});
after(() => place.close());

async function create(number: number): Promise<void> {
  const said = await call(agent, "Write", { file_path: place.at(`${number % 100}/${number}.txt`), content: `${number}\n` });
  assert.equal(said.isError, false, said.text);
}

/** The first change of the list that can be seen. */
const FIRST_SEEN = `(box => [...document.querySelectorAll('.change')].find(row => row.getBoundingClientRect().bottom > box.top + 1)?.id)
  (document.querySelector('.changes').getBoundingClientRect())`;

async function elements(page: Page): Promise<number> {
  return (await page.evaluate("document.querySelectorAll('*').length")) as number;
}

test("10,000 changes: the page asks for the first of them alone, and holds only what is seen", async () => {
  const lists: Promise<{ changes: unknown[] }>[] = [];
  const onResponse = (response: Response) => {
    if (response.url().includes("/api/changes?")) lists.push(response.json() as Promise<{ changes: unknown[] }>);
  };
  const { page, troubles } = await open(chromium(), await place.ui(), { onResponse });
  await page.waitForSelector(".change");
  const [painted, listed] = (await page.evaluate("[performance.getEntriesByName('first-contentful-paint')[0]?.startTime, performance.now()]")) as [number, number];
  console.log(`10,000 changes: first paint after ${Math.round(painted)} ms, the list after ${Math.round(listed)} ms`);
  // Many times what it takes: that it does not grow with the journal is seen by what was asked for.
  assert.ok(listed < 30_000, `${listed} ms`);
  assert.deepEqual((await Promise.all(lists)).map(({ changes }) => changes.length), [200]);

  // To the oldest of all, page by page.
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return ((await page.evaluate("performance.memory.usedJSHeapSize")) as number) / 1e6;
  };
  const few = await heap();
  const bottom = "(box => { box.scrollTop = box.scrollHeight; return box.scrollHeight >= 54 * 10000; })(document.querySelector('.changes'))";
  await until(page, bottom, 120_000);
  await page.locator(".changes").evaluate((box) => {
    box.scrollTop = box.scrollHeight;
  });
  await page.locator(".change").getByText(/^\d+\.txt$/).last().waitFor();
  assert.equal(lists.length, CHANGES / 200);
  const all = await heap();
  console.log(`memory of the page: ${few.toFixed(1)} MB with 200 changes, ${all.toFixed(1)} MB with all; of the server at most ${place.most_memory} kB`);
  assert.ok(await elements(page) < 1500, `${await elements(page)} elements`);
  assert.ok(all < 60, `${all} MB`);
  assert.ok(place.most_memory < 150_000, `${place.most_memory} kB`);
  // The counts of lines that were asked for are those of what was seen.
  await until(page, "[...document.querySelectorAll('.change')].every(row => row.querySelector('.counts'))");
  assert.deepEqual(troubles, []);
  await page.context().close();
});

test("the timeline is live while 50 changes a second arrive, and stays where one looks", async () => {
  const { page, troubles } = await place.page(chromium());
  await page.waitForSelector(".change");
  const first = (await page.evaluate("document.querySelector('.change').id")) as string;
  await page.locator(".changes").evaluate((box) => {
    box.scrollTop = 54 * 20 + 26;
  });
  await page.locator(".change").nth(10).click();
  await page.waitForSelector(".change-view .diff-row.added");
  const chosen = await page.locator(".change-view h2").textContent();
  const seen = await page.evaluate(FIRST_SEEN);
  const started = Date.now();
  const made: Promise<void>[] = [];
  for (let number = CHANGES + 1; number <= CHANGES + 100; number++) {
    made.push(create(number));
    const due = started + made.length * 20;
    await new Promise((done) => setTimeout(done, Math.max(0, due - Date.now())));
  }
  await Promise.all(made);
  const took = Date.now() - started;
  // All are there, without one having asked for the list again, and nothing has moved.
  const rows = (await page.evaluate(`Number('${first}'.split('-')[1]) + 100`)) as number;
  await until(page, `document.querySelector('.changes').scrollHeight >= 54 * 300`);
  console.log(`100 changes in ${took} ms; all on the page ${Date.now() - started - took} ms later`);
  assert.equal(await page.evaluate(FIRST_SEEN), seen);
  assert.equal(await page.locator(".change-view h2").textContent(), chosen);
  await page.locator(".changes").evaluate((box) => {
    box.scrollTop = 0;
  });
  await page.waitForSelector(`#change-${rows}`);
  const shown = (await page.evaluate("[...document.querySelectorAll('.change')].slice(0, 12).map(row => Number(row.id.split('-')[1]))")) as number[];
  assert.deepEqual(shown, Array.from({ length: 12 }, (_, at) => rows - at), "none is missing");
  assert.deepEqual(troubles, []);
  await page.context().close();
});
