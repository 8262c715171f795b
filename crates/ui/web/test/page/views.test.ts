// The views over made-up data: accessibility, a large diff, the keyboard, what is sent. What the real server shows is in the other tests.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { Mock } from "../../mock/server";
import { hunkOf, project, World } from "../../mock/world";
import { browser, open, until, type Watched } from "./browser";

let chromium: Browser;
before(async () => {
  chromium = await browser();
});
after(async () => {
  await chromium?.close();
});

/** A page over a world; fails if the page reported an error, opened a dialog or asked another server. */
async function over(world: World, hash: string, act: (watched: Watched, mock: Mock) => Promise<void>, options = {}): Promise<void> {
  const mock = new Mock(world);
  const address = await mock.start();
  const watched = await open(chromium, `${address}/${hash}`, options);
  try {
    await act(watched, mock);
    assert.deepEqual(watched.troubles, []);
    assert.deepEqual(watched.strangers, []);
  } finally {
    await watched.page.context().close();
    mock.stop();
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
type Violation = { id: string; nodes: { html: string; failureSummary?: string }[] };

async function violations(page: Page): Promise<string[]> {
  // The test may evaluate what the page's own policy forbids the page.
  await page.evaluate(AXE);
  const found = await page.evaluate<Violation[]>("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(r => r.violations)");
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`).join("\n  ")}`);
}

const VIEWS: [name: string, hash: string, ready: string, act?: (page: Page) => Promise<void>][] = [
  ["desk", "#/desk", ".diff-row .t-keyword"],
  ["refusing", "#/desk", ".diff-row .t-keyword", async (page) => page.keyboard.press("n")],
  ["timeline", "#/timeline/400", ".diff-row .t-keyword"],
  ["side by side", "#/timeline/400", ".diff-row", async (page) => page.getByRole("button", { name: "Side by side" }).click()],
  ["undo", "#/timeline/400", ".diff-row", async (page) => { await page.keyboard.press("u"); await page.waitForSelector("dialog .diff-row"); }],
  ["help", "#/timeline", ".change", async (page) => page.keyboard.press("?")],
  ["file", "#/file?path=src%2Frouter.rs", ".diff-row .t-keyword"],
  ["files", "#/file", ".plain"],
  ["running", "#/running", ".calls"],
  ["rules", "#/rules", ".rules"],
];

for (const dark of [false, true]) {
  test(`axe finds no violation in any view (${dark ? "dark" : "light"})`, async () => {
    for (const [name, hash, ready, act] of VIEWS) {
      await over(project(), hash, async ({ page }) => {
        await page.waitForSelector(ready);
        await act?.(page);
        assert.deepEqual(await violations(page), [], name);
      }, { dark });
    }
  });
}

test("empty views say what to do, and have no violation", async () => {
  for (const [hash, text] of [["#/desk", "Nobody is waiting"], ["#/timeline", "toolcrib init"], ["#/running", "toolcrib init"], ["#/file", "No file was changed"]] as const) {
    await over(new World(), hash, async ({ page }) => {
      await page.getByText(text).first().waitFor();
      assert.deepEqual(await violations(page), []);
    });
  }
});

test("at 380 px nothing is wider than the page", async () => {
  for (const [, hash, ready] of VIEWS) {
    await over(project(), hash, async ({ page }) => {
      await page.waitForSelector(ready);
      assert.ok((await page.evaluate("document.documentElement.scrollWidth")) as number <= 380, hash);
    }, { width: 380 });
  }
});

test("a diff of 100,000 lines can be read to its end", async () => {
  const world = project();
  const rows = Array.from({ length: 100_000 }, (_, at) => (at % 7 === 3 ? `+    let line_${at} = ${at};` : ` line ${at}`));
  world.diffs.set("400/1", { hunks: [hunkOf("big", 1, rows)] });
  await over(world, "#/timeline/400", async ({ page }) => {
    await page.waitForSelector(".diff-row");
    // At the end of what is there, more is fetched; how fast is the machine's affair.
    await until(page, "(() => { const e = document.querySelector('.diff-scroll'); e.scrollTop = e.scrollHeight; return e.scrollHeight > 2000000; })()", 120_000);
    await page.locator(".diff-scroll").evaluate((element) => {
      element.scrollTop = 1_998_800;
    });
    await page.getByText("line 99910").waitFor();
    const elements = (await page.evaluate("document.querySelectorAll('*').length")) as number;
    assert.ok(elements < 2500, `${elements} elements`);
  });
});

test("everything with the keyboard alone", async () => {
  await over(project(), "", async ({ page }, mock) => {
    // Questions that wait come first.
    await page.waitForSelector(".question-view");
    await page.keyboard.press("2");
    await page.waitForSelector(".change");
    await page.keyboard.press("j");
    await page.waitForSelector("#change-400.chosen");
    await page.keyboard.press("j");
    await page.waitForSelector("#change-399.chosen");
    await page.keyboard.press("k");
    await page.waitForSelector("#change-400.chosen");
    await page.keyboard.press("/");
    await page.keyboard.type("Cargo");
    await until(page, "(names => names.length > 0 && names.every(e => e.textContent === 'Cargo.toml'))([...document.querySelectorAll('.change .name')])");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("1");
    await page.waitForSelector(".question-view .diff-row");
    await page.waitForTimeout(450);
    await page.keyboard.press("y");
    await page.waitForSelector(".settled");
    await page.waitForSelector(".question-view .diff-row");
    await page.waitForTimeout(450);
    await page.keyboard.press("n");
    await page.keyboard.type("not in this release");
    await page.keyboard.press("Enter");
    await until(page, "document.querySelectorAll('.settled').length === 2");
    assert.deepEqual(mock.answers.map(({ answer }) => [answer.verdict, answer.reason]), [["once", undefined], ["no", "not in this release"]]);
    await page.keyboard.press("2");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Clear" }).press("Enter");
    await page.waitForSelector("#change-400");
    await page.keyboard.press("j");
    await page.waitForSelector("#change-400.chosen");
    await page.waitForSelector(".pick input");
    await page.locator(".pick input").nth(1).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Undo 1 hunk" }).waitFor();
    await page.keyboard.press("u");
    await page.getByRole("button", { name: "Undo in 1 file" }).press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual((mock.undos[0] as { what: unknown }).what, { change: 400, hunks: [{ file: 0, hunk: "a2" }] });
  });
});

test("every control can be reached with Tab, and shows it", async () => {
  await over(project(), "#/desk", async ({ page }) => {
    await page.waitForSelector(".question-view .diff-row");
    const controls = await page.locator("a[href]:visible, button:enabled:visible, input:visible, select:visible").count();
    const seen = new Set<string>();
    for (let at = 0; at < controls + 10; at++) {
      await page.keyboard.press("Tab");
      seen.add((await page.evaluate("(() => { const e = document.activeElement; return e === document.body ? '' : getComputedStyle(e).outlineStyle + ' ' + [...document.querySelectorAll('*')].indexOf(e); })()")) as string);
    }
    seen.delete("");
    assert.ok(seen.size >= controls, `${seen.size} of ${controls}`);
    assert.ok([...seen].every((one) => one.startsWith("solid")), [...seen].join());
  });
});

test("what is kept and edited is what is sent", async () => {
  await over(project(), "#/desk/1", async ({ page }, mock) => {
    await page.waitForSelector(".pick input");
    await page.locator(".pick input").nth(0).uncheck();
    await page.locator(".pick input").nth(2).uncheck();
    await page.waitForTimeout(450);
    await page.getByRole("button", { name: /Yes, 1 of 3 hunks/ }).click();
    await page.waitForSelector(".settled");
    assert.deepEqual(mock.answers[0]?.answer, { digest: "digest of 1", verdict: "once", keep: { 0: ["q2"] } });
    await page.evaluate("location.hash = '#/desk/2'");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.locator("textarea.editor").fill("other\n");
    await page.waitForTimeout(450);
    await page.getByRole("button", { name: /Yes, as edited/ }).click();
    await until(page, "document.querySelectorAll('.settled').length === 2");
    assert.deepEqual(mock.answers[1]?.answer, { digest: "digest of 2", verdict: "once", edited: { 0: "other\n" } });
  });
});

test("a key that was meant for the question before does not answer the next", async () => {
  await over(project(), "#/desk", async ({ page }, mock) => {
    await page.waitForSelector(".question-view .diff-row");
    await page.waitForTimeout(450);
    for (let at = 0; at < 3; at++) await page.keyboard.press("y");
    await page.waitForSelector(".settled");
    await page.waitForTimeout(100);
    assert.equal(mock.answers.length, 1);
  });
});

test("a conflict shows its three texts and no button that carries it out", async () => {
  const world = project();
  world.conflicts = [{ path: "src/router.rs", change: 400, reason: "line 43 was changed later by change 402", base: "the change's", ours: "what is there", theirs: "what undo wants" }];
  await over(world, "#/timeline/400", async ({ page }, mock) => {
    await page.waitForSelector(".pick input");
    await page.locator(".pick input").first().check();
    await page.keyboard.press("u");
    for (const text of ["the change's", "what is there", "what undo wants", "line 43 was changed later"]) await page.getByText(text).waitFor();
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.getByRole("button", { name: /^Undo in/ }).count(), 0);
    assert.equal(mock.undos.length, 0);
  });
});

test("a denied file's content is fetched only when asked for", async () => {
  await over(project(), "#/timeline/400", async ({ page }) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.waitForSelector(".diff-row");
    await page.locator(".diff-scroll").evaluate((element) => {
      element.scrollTop = element.scrollHeight;
    });
    await page.getByText("A rule denies reading this file").waitFor();
    assert.ok(!asked.some((url) => url.includes("reveal")));
    await page.getByRole("button", { name: "Show it" }).click();
    await page.getByText("A rule denies reading this file").waitFor({ state: "detached" });
  });
});
