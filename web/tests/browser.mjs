// Debian's Chromium, and what is asked of every page.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "gamete-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync",
    ],
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    hasTouch: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(60_000);
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** A page that remembers what went wrong on it. */
export async function openPage(browser, url) {
  const page = await browser.context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.problems = problems;
  await page.goto(url);
  return page;
}

/** What the browser itself tells of connections that were refused. */
export const OFFLINE = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|Failed to load resource/;

/** What the browser tells of names that the server does not know. */
export const UNKNOWN = /responded with a status of 404/;

export function assertQuiet(page, but = /^$/) {
  assert.deepEqual(page.problems.filter((text) => !but.test(text)), []);
}

/** No serious violation of the rules of accessibility. */
export async function assertAccessible(page, name) {
  // The policy of the server forbids foreign scripts; the debugger may run them.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  const told = serious.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(told, [], name);
}

export async function clickSquare(page, name) {
  const box = await page.locator(`[data-name="${name}"]`).boundingBox();
  assert.ok(box, `square ${name}`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/** Clicks squares one after the other, without waiting for anything between. */
export async function clickAtOnce(page, ...names) {
  const points = [];
  for (const name of names) {
    const box = await page.locator(`[data-name="${name}"]`).boundingBox();
    points.push({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  }
  const debug = await page.context().newCDPSession(page);
  const event = (type, point) => debug.send("Input.dispatchMouseEvent", { type, ...point, button: "left", clickCount: 1 });
  await Promise.all(points.flatMap((point) => [event("mousePressed", point), event("mouseReleased", point)]));
  await debug.detach();
}

/** Clicks a square by row and column, as the server names it. */
export async function clickPlace(page, [row, column], columns) {
  const box = await page.locator(`[data-square="${row * columns + column}"]`).boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

export async function waitForPly(page, ply) {
  await page.waitForFunction((least) => Number(document.querySelector(".playing")?.dataset.ply ?? -1) >= least, ply);
}
