// How long the page of an experiment takes to be seen, and how evenly its charts are panned: `node tests/speed.mjs`, GAMETE names the program.
// Generations may be given, as in `node tests/speed.mjs 500 16000`; 16,000 of them are evolved in some three minutes.
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser } from "./browser.mjs";
import { gamete, Server } from "./lab.mjs";

const TIMES = 3;
const STEPS = 120;
const CHART = "[data-chart=genes] [role=img]";
const counts = process.argv.slice(2).map(Number);
const wanted = counts.length > 0 ? counts : [500, 16_000];

const directory = mkdtempSync(join(tmpdir(), "gamete-speed-"));
const lab = join(directory, "lab");
const set = (...changes) => changes.flatMap((change) => ["--set", change]);
const say = (text) => console.log(text);
const round = (values) => values.map((value) => Math.round(value)).join(", ");

let server, browser;
try {
  say(`${cpus().length} cores of ${cpus()[0].model}; ${loadavg()[0].toFixed(1)} processes at work in the last minute`);
  for (const [index, generations] of wanted.entries()) {
    const begun = performance.now();
    gamete(
      ["evolve", "kendall-whitwell", "--seed", String(index + 1), ...set("population=4", `generations=${generations}`, "limits=depth=1", "max_moves=10"),
        "--verify", "0", "--lab", lab],
      directory,
      3_600_000,
    );
    say(`${generations} generations evolved in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  server = await Server.start(lab);
  const { experiments } = await server.get("/api/experiments");
  browser = await openBrowser();
  // What a chart says when all generations are in it is looked for at each frame.
  await browser.context.addInitScript((chart) => {
    const look = () => {
      const label = document.querySelector(chart)?.getAttribute("aria-label") ?? "";
      if (/ to \d+;/.test(label)) window.chartsAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, CHART);
  for (const [index, generations] of wanted.entries()) {
    const { id } = experiments.find((one) => one.seed === index + 1);
    const [paints, charts, frames] = [[], [], []];
    for (let time = 0; time < TIMES; time++) {
      const page = await browser.context.newPage();
      await page.goto(`${server.base}/experiments/${encodeURIComponent(id)}`);
      await page.waitForFunction(() => window.chartsAt !== undefined && performance.getEntriesByName("first-contentful-paint").length > 0);
      paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
      charts.push(await page.evaluate(() => window.chartsAt));
      const zoomIn = page.getByRole("group", { name: "Zoom" }).getByRole("button", { name: "Zoom in" });
      for (let zooms = 0; zooms < 3; zooms++) await zoomIn.click();
      await page.locator(`${CHART} canvas`).first().scrollIntoViewIfNeeded();
      const box = await page.locator(CHART).first().boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.waitForTimeout(1000);
      await page.evaluate(() => {
        window.frameTimes = [];
        const look = (now) => {
          window.frameTimes.push(now);
          window.isPanning !== false && requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      const shown = page.getByRole("group", { name: "Generations shown" }).locator("span");
      const before = await shown.textContent();
      for (let step = 0; step < STEPS; step++) {
        await page.mouse.wheel(step < STEPS / 2 ? -30 : 30, 0);
        if (step === 10 && (await shown.textContent()) === before) throw new Error("the chart is not panned");
      }
      const seen = await page.evaluate(() => {
        window.isPanning = false;
        return window.frameTimes;
      });
      frames.push(...seen.slice(1).map((now, index) => now - seen[index]));
      await page.close();
    }
    frames.sort((one, other) => one - other);
    const at = (part) => frames[Math.min(frames.length - 1, Math.floor(frames.length * part))].toFixed(1);
    say(`${generations} generations: first paint after ${round(paints)} ms, charts after ${round(charts)} ms; ` +
      `panning ${frames.length} frames, the median ${at(0.5)} ms, 99 % at most ${at(0.99)} ms, the longest ${at(1)} ms`);
  }
} finally {
  await browser?.close();
  await server?.end();
  rmSync(directory, { recursive: true, force: true });
}
