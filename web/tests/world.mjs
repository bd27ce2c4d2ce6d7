// What all tests of the page share: a lab, a server over it, a browser, and how a game is begun.
import { mkdirSync } from "node:fs";
import { after, afterEach, before } from "node:test";
import { openBrowser, openPage } from "./browser.mjs";
import { makeLab, Server } from "./lab.mjs";

export const PICTURES = new URL("../../target/page/", import.meta.url).pathname;
export let lab, server, browser;

before(async () => {
  mkdirSync(PICTURES, { recursive: true });
  lab = makeLab();
  server = await Server.start(lab.lab);
  browser = await openBrowser();
});

// A browser has few connections to one server, and every page listens to events.
afterEach(async () => {
  for (const page of browser?.context.pages() ?? []) {
    if (page.problems?.length) console.log(page.url(), page.problems);
    if (page.problems) await page.close();
  }
});

after(async () => {
  await browser?.close();
  await server?.end();
  lab?.remove();
});

export const open = (path) => openPage(browser, server.base + path);
export const session = (id) => server.get(`/api/play/${id}`);
export const idOf = (page) => new URL(page.url()).pathname.split("/").at(-1);
export const pathOf = (id) => `/experiments/${encodeURIComponent(id)}`;

/** The name of the first experiment that begins so. */
export async function experiment(part) {
  const { experiments } = await server.get("/api/experiments");
  return experiments.find((one) => one.id.startsWith(part)).id;
}

/** The last x of a chart, as its description has it. */
export async function chartEnd(page, selector) {
  const label = await page.locator(selector).first().getAttribute("aria-label");
  return Number(/ to (\d+);/.exec(label)?.[1] ?? 0);
}

/** Waits until a chart goes on beyond an x; gives how far it goes. */
export async function chartGrows(page, selector, beyond) {
  await page.waitForFunction(
    ([chart, least]) => Number(/ to (\d+);/.exec(document.querySelector(chart)?.getAttribute("aria-label") ?? "")?.[1] ?? 0) > least,
    [selector, beyond],
  );
  return chartEnd(page, selector);
}

/** Begins a game by the form. A limit is one of `depth`, `nodes`, `seconds` a move, and `clock`, minutes and seconds added. */
export async function begin(page, { game = "chess", white = "human", black = "human", limit = { depth: 1 }, fen }) {
  await page.goto(`${server.base}/play`);
  await page.locator('[data-side="game"]').selectOption(game);
  for (const [side, player] of Object.entries({ white, black })) {
    const select = page.locator(`[data-side="${side}"]`);
    await select.locator(`option[value="${player}"]`).waitFor({ state: "attached" });
    await select.selectOption(player);
  }
  const think = page.getByLabel("Computers think");
  if (limit.depth) {
    await think.selectOption("depth");
    await page.getByLabel("Plies").fill(String(limit.depth));
  } else if (limit.nodes) {
    await think.selectOption("nodes");
    await page.getByLabel("Nodes a move").fill(String(limit.nodes));
  } else if (limit.seconds) {
    await think.selectOption("movetime");
    await page.getByLabel("Seconds a move").fill(String(limit.seconds));
  } else {
    await think.selectOption("clock");
    await page.getByLabel("Minutes").fill(String(limit.clock[0]));
    await page.getByLabel("Seconds a move added").fill(String(limit.clock[1]));
  }
  if (fen) {
    await page.getByText("From another position").click();
    await page.getByLabel("FEN").fill(fen);
  }
  await page.getByRole("button", { name: "Begin" }).click();
  await page.locator(".playing").waitFor();
  return idOf(page);
}
