// The grid: an experiment whose games are played by a worker of a real broker.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertAccessible, assertQuiet, openPage } from "./browser.mjs";
import { background, freePort, Server } from "./lab.mjs";
import { browser, chartGrows, lab, PICTURES } from "./world.mjs";

const broker = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map((folder) => join(folder, "nats-server")).find(existsSync);
const skip = broker ? false : "there is no nats-server; `make broker` installs it";

test("an experiment is started on a grid, and the grid shows who plays it", { skip }, async () => {
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  const up = background(["grid", "up", "--port", String(port), "--folder", join(lab.directory, "broker"), "--program", broker], lab.directory);
  let worker, server;
  try {
    server = await Server.start(lab.lab, "--grid", url);
    const page = await openPage(browser, `${server.base}/grid`);
    await page.getByText("Nobody works.").waitFor();
    worker = background(["worker", url, "--concurrency", "1", "--name", "attic", "--cache", join(lab.directory, "cache")], lab.directory);
    const workers = page.getByRole("region", { name: "Workers" });
    await workers.getByText("attic").waitFor();

    await page.goto(`${server.base}/new/kendall-whitwell`);
    await page.getByLabel("Seed", { exact: true }).fill("78");
    await page.getByLabel("population", { exact: true }).fill("8");
    await page.getByLabel("generations", { exact: true }).fill("100000");
    await page.getByLabel("Games are played by").selectOption("grid");
    await page.locator(".bottom .note").filter({ hasText: "kendall-whitwell" }).waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.waitForURL(/\/experiments\//);
    const id = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1));
    await page.locator(".live.running", { hasText: "running on the grid" }).waitFor();
    const genes = "[data-chart=genes] [role=img]";
    await page.locator(genes).first().waitFor();
    const far = await chartGrows(page, genes, 1);
    // What was paused goes on where it was: on the grid.
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator(".live.paused").first().waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".live.running", { hasText: "running on the grid" }).waitFor();
    await chartGrows(page, genes, far);

    await page.getByRole("link", { name: "Grid" }).click();
    await page.getByRole("region", { name: "Queue" }).getByText(id, { exact: true }).waitFor();
    await workers.getByText(id, { exact: true }).waitFor();
    const done = workers.locator("tbody tr td:nth-child(4)");
    const before = Number((await done.textContent()).replaceAll(",", ""));
    assert.ok(before > 0, "the worker has played");
    await page.waitForFunction((least) => Number(document.querySelector("[aria-label=Workers] tbody td:nth-child(4)").textContent.replaceAll(",", "")) > least, before);
    await assertAccessible(page, "grid");
    await page.screenshot({ path: `${PICTURES}grid-busy-light.png`, fullPage: true });
    await page.goto(`${server.base}/experiments/${encodeURIComponent(id)}`);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".live.stopped").first().waitFor();
    assertQuiet(page);
  } finally {
    await worker?.end();
    await server?.end();
    await up.end();
  }
});
