// The views over made-up data: accessibility, hostile text, large amounts, the keyboard. The real server is in real.test.ts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { Mock } from "../../mock/server";
import { change, hunkOf, project, question, World } from "../../mock/world";
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

const HOSTILE = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<iframe src=//evil.example></iframe>", "\"><b>bold</b>",
  "'-alert(1)-'", "javascript:alert(1)", "</textarea><script>alert(1)</script>", "</title><h1>hi", "<style>*{display:none}</style>", "<base href=//evil.example>",
  "<meta http-equiv=refresh content=0;url=//evil.example>", "<link rel=stylesheet href=//evil.example/x.css>", "{{constructor.constructor('alert(1)')()}}", "${alert(1)}",
  "\u001b[31mred\u001b[0m", "\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007", "\u001b[2J\u001b[H", "user\u202Etxt.exe", "\u2066isolate\u2069", "zero\u200Bwidth", "\uFEFFbom",
  "tab\tand\nline", "nul\u0000byte", "carriage\rreturn", "\u{E0041}\u{E0042}tags", "half\uD800surrogate", "__proto__", "constructor", `${"long/".repeat(200)}name`,
];

test("30 hostile names, agents and contents are shown as text", async () => {
  assert.equal(HOSTILE.length, 30);
  const world = new World();
  HOSTILE.forEach((text, at) => {
    const id = at + 1;
    world.changes.unshift(change(id, {
      agent: text, tool: text, session: text,
      files: [{ n: 0, action: "move", kind: "file", path: `${text}${at % 2 ? ".html" : ".js"}`, from: text, added: 1, removed: 1 }],
    }));
    world.diffs.set(`${id}/0`, { hunks: [hunkOf("h", 1, [` ${text}`, `-${text} ‹${text}›`, `+${"x".repeat(at === 3 ? 1_000_000 : 5)}${text}`], text)] });
    world.questions.push(question(String(id), { agent: text, tool: text, rule: text, patterns: [text], paths: [text], files: [{ n: 0, path: text, action: "update", hunks: [hunkOf("h", 1, [`+${text}`], text)], after_text: text }] }));
    world.failures.push({ time: world.now, tool: text, agent: text, session: text, path: text, message: text });
  });
  world.conflicts = HOSTILE.map((text) => ({ path: text, change: 1, reason: text, base: text, ours: text, theirs: text }));
  await over(world, "#/timeline", async ({ page }) => {
    const strange = () => page.evaluate("document.querySelectorAll('#page script, #page img, #page iframe, #page b, #page style, #page base, #page meta, #page link, [onerror], [onload]').length");
    for (let id = 1; id <= HOSTILE.length; id++) {
      await page.evaluate(`location.hash = '#/timeline/${id}'`);
      await page.waitForSelector(`#change-${id}.chosen`);
      await page.waitForSelector(".diff-row.added");
      assert.equal(await strange(), 0, HOSTILE[id - 1]);
      await page.evaluate(`location.hash = '#/desk/${id}'`);
      await page.waitForSelector(".question-view .diff-row");
      assert.equal(await strange(), 0, HOSTILE[id - 1]);
    }
    await page.evaluate("location.hash = '#/desk/19'");
    await until(page, "document.querySelector('.question-view h2').textContent.includes('userRLOtxt.exe')");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    assert.equal(await page.locator("textarea.editor").inputValue(), HOSTILE[18]);
    await page.evaluate("location.hash = '#/running'");
    await page.waitForSelector(".failures");
    assert.equal(await strange(), 0);
    await page.evaluate("location.hash = '#/timeline/1'");
    await page.waitForSelector(".diff-row.added");
    await page.keyboard.press("u");
    await page.waitForSelector(".conflict");
    assert.equal(await strange(), 0);
    // What was looked for is found where it is: the test can fail.
    await page.evaluate("document.querySelector('#page').append(document.createElement('b'))");
    assert.equal(await strange(), 1);
  });
});

test("10,000 changes: the first are there at once, and the page holds only what is seen", async () => {
  const world = new World();
  for (let id = 10_000; id > 0; id--) world.changes.push(change(id));
  await over(world, "#/timeline", async ({ page }) => {
    await page.waitForSelector(".change");
    const paint = (await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()")) as number;
    console.log(`10,000 changes: first paint after ${Math.round(paint)} ms`);
    const list = page.locator(".changes");
    for (let at = 0; at < 60; at++) {
      await list.evaluate((element) => {
        element.scrollTop = element.scrollHeight;
      });
      await page.waitForTimeout(25);
    }
    await until(page, "document.querySelector('.changes').scrollHeight > 200000");
    const elements = (await page.evaluate("document.querySelectorAll('*').length")) as number;
    assert.ok(elements < 1500, `${elements} elements`);
  });
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

test("the timeline is live while 50 changes a second arrive, and stays where one looks", async () => {
  const world = new World();
  for (let id = 300; id > 0; id--) world.changes.push(change(id));
  await over(world, "#/timeline/290", async ({ page }, mock) => {
    await page.waitForSelector("#change-290.chosen");
    for (let id = 301; id <= 400; id++) {
      mock.arrive(change(id));
      await new Promise((done) => setTimeout(done, 20));
    }
    await page.locator(".changes").evaluate((element) => {
      element.scrollTop = 0;
    });
    await page.waitForSelector("#change-400");
    await page.waitForSelector("#change-395");
    assert.equal(await page.locator(".change-view h2").textContent(), "apply_patch change 290".replace("apply_patch", change(290).tool));
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
