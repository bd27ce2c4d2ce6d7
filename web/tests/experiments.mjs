// Experiments: started, watched, and looked at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet, openPage } from "./browser.mjs";
import { Server } from "./lab.mjs";
import { browser, chartEnd, chartGrows, experiment, lab, open, pathOf, server } from "./world.mjs";

const GENES = "[data-chart=genes] [role=img]";

test("an experiment is started from the page, its chart grows, and it is paused and resumed", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "New experiment" }).click();
  await page.getByRole("link", { name: "kendall-whitwell", exact: true }).click();
  await page.getByLabel("population", { exact: true }).fill("1");
  await page.locator(".bottom .state").filter({ hasText: "population" }).waitFor();
  assert.ok(await page.getByRole("button", { name: "Start" }).isDisabled());
  await page.getByLabel("population", { exact: true }).fill("10");
  await page.getByLabel("generations", { exact: true }).fill("400");
  await page.getByLabel("Seed", { exact: true }).fill("77");
  await page.locator(".bottom .note").filter({ hasText: "kendall-whitwell" }).waitFor();
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/experiments\//);
  await page.locator(GENES).first().waitFor();
  await chartGrows(page, GENES, (await chartEnd(page, GENES)) + 2);
  assert.ok(await page.locator("[data-chart=genes] canvas").first().isVisible());
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".live.paused").first().waitFor();
  const stood = await chartEnd(page, GENES);
  await page.getByRole("button", { name: "Resume" }).click();
  await chartGrows(page, GENES, stood);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".live.stopped").first().waitFor();
  assertQuiet(page);
});

test("a finished experiment shows its population, a family and another one beside it", async () => {
  const id = await experiment("kendall-whitwell");
  const page = await open(`/experiments/${encodeURIComponent(id)}`);
  const rows = page.getByRole("region", { name: "Population" }).locator("tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 8);
  const heads = page.getByRole("region", { name: "Population" }).locator("thead th");
  await heads.nth(1).getByRole("button").click();
  assert.equal(await heads.nth(1).getAttribute("aria-sort"), "descending");
  const column = await rows.locator("td:nth-child(2)").allTextContents();
  const values = column.map((text) => Number(text.replace("−", "-")));
  assert.deepEqual(values, [...values].sort((one, other) => other - one));
  // A part of a chart made larger, and along it.
  await page.locator("[data-chart=genes] canvas").first().scrollIntoViewIfNeeded();
  const chart = await page.locator("[data-chart=genes] canvas").first().boundingBox();
  await page.mouse.move(chart.x + chart.width * 0.4, chart.y + 60);
  await page.mouse.down();
  await page.mouse.move(chart.x + chart.width * 0.6, chart.y + 60, { steps: 5 });
  await page.mouse.up();
  const shown = page.getByRole("group", { name: "Generations shown" });
  const part = await shown.locator("span").textContent();
  await shown.getByRole("button", { name: "Later" }).click();
  await page.waitForFunction((before) => document.querySelector("[aria-label='Generations shown'] span").textContent !== before, part);
  await shown.getByRole("button", { name: "All" }).click();
  await shown.waitFor({ state: "detached" });
  await page.getByLabel("Generation", { exact: true }).fill("3");
  await page.getByText("Table of generation 3").waitFor();
  await rows.first().getByRole("button").click();
  await page.getByRole("heading", { name: /Family of individual/ }).waitFor();
  // Ancestors below, descendants above, as many as the server knows.
  const number = Number((await rows.first().locator("th").textContent()).trim());
  const { nodes } = await server.get(`/api${pathOf(id)}/family?generation=3&individual=${number}&depth=6&ahead=3`);
  const count = (is) => nodes.filter(is).length;
  const [before, after] = [count((node) => node.generation < 3), count((node) => node.generation > 3)];
  assert.ok(before > 0, "an individual of generation 3 has ancestors");
  await page.getByRole("img", { name: `${before} ancestors and ${after} descendants of individual ${number} of generation 3` }).waitFor();
  await page.getByLabel("Generation", { exact: true }).fill("0");
  await page.getByText("Table of generation 0").waitFor();
  await page.getByRole("img", { name: new RegExp(`^0 ancestors and \\d+ descendants of individual ${number} of generation 0`) }).waitFor();
  const beside = page.getByLabel("Beside it");
  const other = (await beside.locator("option").allTextContents()).find((text) => text !== "nothing" && text !== id);
  await beside.selectOption(other);
  await page.locator("[data-chart=genes] .legend", { hasText: id }).first().waitFor();
  assertQuiet(page);
});

test("a study shows its arms, a pipeline its stages, checkers the squares, and a tune its parameters", async () => {
  const page = await open(`/experiments/${encodeURIComponent(await experiment("mutation-study"))}`);
  const arms = page.locator("[data-part=arms] tbody tr");
  await arms.first().waitFor();
  const { experiment: study } = await server.get(`/api/experiments/${encodeURIComponent(await experiment("mutation-study"))}`);
  assert.ok(study.arms.length > 1);
  for (const arm of study.arms) await page.locator("[data-part=arms] tbody").getByText(arm.name, { exact: false }).first().waitFor();
  await page.goto(`${server.base}/experiments/${encodeURIComponent(await experiment("weights-then-search"))}`);
  for (const stage of ["weights", "search"]) await page.locator(`[data-stage="${stage}"]`).waitFor();
  await page.goto(`${server.base}/experiments/${encodeURIComponent(await experiment("piece-difference"))}`);
  await page.locator("svg.heat .value").first().waitFor();
  const { experiments } = await server.get("/api/experiments");
  await page.goto(`${server.base}/experiments/${encodeURIComponent(experiments.find((one) => one.is_tune).id)}`);
  await page.getByRole("heading", { name: "Parameters" }).waitFor();
  assertQuiet(page);
});

/** Starts an experiment with small games. */
const start = async (preset, seed, set, verify = 0) => (await server.post("/api/experiments", { preset, seed, verify, threads: 1, set })).id;

/** Whether the page believes that somebody sees it. */
const hide = (page, hidden) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);

async function until(holds) {
  for (let tries = 0; tries < 1200; tries++) {
    const found = await holds();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("it never was so");
}

test("a tab that was hidden shows what happened meanwhile", async () => {
  const id = await start("kendall-whitwell", 81, { population: 6, generations: 100_000, limits: "depth=1", max_moves: 20 });
  const path = `/api${pathOf(id)}`;
  const state = async () => (await server.get(path)).live;
  const page = await open(pathOf(id));
  await chartGrows(page, GENES, 2);
  await server.post(`${path}/pause`);
  await page.locator(".live.paused").first().waitFor();
  const { generation } = await until(async () => ((await state()).status === "paused" ? state() : null));
  await hide(page, true);
  // Connections are given up after some seconds, and what happens then nobody is told.
  await page.waitForTimeout(6000);
  await server.post(`${path}/resume`);
  await until(async () => (await state()).generation > generation + 20);
  await server.post(`${path}/stop`);
  const last = await until(async () => ((await state()).status === "stopped" ? (await state()).generation : null));
  // Not even of the end.
  await page.waitForTimeout(2000);
  assert.ok((await chartEnd(page, GENES)) <= generation);
  await hide(page, false);
  await chartGrows(page, GENES, last - 1);
  await page.locator(".live.stopped").first().waitFor();
  assertQuiet(page);
});

test("a population that is looked at is asked for once, and charts beside it grow", async () => {
  const id = await start("kendall-whitwell", 82, { population: 6, generations: 100_000, limits: "depth=1", max_moves: 20 });
  const path = pathOf(id);
  try {
    const page = await open(path);
    await chartGrows(page, GENES, 5);
    await page.getByLabel("Generation", { exact: true }).fill("2");
    await page.getByText("Table of generation 2", { exact: true }).waitFor();
    let asked = 0;
    page.on("request", (request) => (asked += request.url().includes("/population") ? 1 : 0));
    await chartGrows(page, GENES, (await chartEnd(page, GENES)) + 20);
    assert.equal(asked, 0);
    // Only what happens is read out, not how far it is.
    assert.equal((await page.locator(".actions [role=status]").textContent()).trim(), "running");
    const list = page.locator("section", { has: page.getByRole("region", { name: `Games of ${id}` }) });
    await list.waitFor();
    // The first hundred are listed, and all are counted.
    const kept = async () => Number(/ of (\d+)\s/.exec(await list.textContent())?.[1] ?? (await list.locator("tbody tr").count()));
    const games = await kept();
    await until(async () => (await kept()) > games);
    assertQuiet(page);
    const other = await open(`${pathOf(await experiment("kendall-whitwell-1"))}?with=${encodeURIComponent(id)}`);
    await other.locator("[data-chart=genes] .legend", { hasText: id }).first().waitFor();
    await chartGrows(other, GENES, (await chartEnd(other, GENES)) + 5);
    assertQuiet(other);
  } finally {
    await server.post(`/api${path}/stop`);
  }
});

test("an individual that was chosen is that of the generation shown, and all its genes can be seen", async () => {
  const id = await experiment("piece-difference");
  const page = await open(pathOf(id));
  const table = page.getByRole("region", { name: "Population" });
  await table.getByRole("button", { name: "Individual 1, family" }).click();
  const drawn = () => page.locator("svg.heat").first().locator(".value").first().textContent();
  for (const generation of [1, 3]) {
    await page.getByLabel("Generation", { exact: true }).fill(String(generation));
    await page.getByText(`The weights of individual 1 of generation ${generation}.`).waitFor();
    const { experiment: { squares } } = await server.get(`/api${pathOf(id)}`);
    const { individuals } = await server.get(`/api${pathOf(id)}/population?generation=${generation}`);
    const gene = squares.boards[0].cells.flat().find((one) => one !== null);
    const weight = individuals.find((one) => one.number === 1).genome[gene];
    assert.ok(Math.abs(Number((await drawn()).replace("−", "-")) - weight) <= 0.0051 * Math.max(1, Math.abs(weight)), `${await drawn()} and ${weight}`);
  }
  const { genes } = await server.get(`/api${pathOf(id)}/population?generation=3`);
  assert.ok(genes.length > 60);
  for (let seen = 40; seen < genes.length; seen += 40) await page.getByRole("button", { name: "Next genes" }).click();
  await table.getByRole("columnheader", { name: genes.at(-1), exact: true }).waitFor();
  assert.ok(await page.getByRole("button", { name: "Next genes" }).isDisabled());
  await page.getByText(`Its ${genes.length} values`).click();
  await page.getByRole("button", { name: `${genes.length - 60} more` }).click();
  await page.getByRole("region", { name: "The values of the champion" }).getByRole("rowheader", { name: genes.at(-1), exact: true }).waitFor();
  assertQuiet(page);
});

test("a pipeline shows how far it is and what came of it, and its stages have its controls", async () => {
  const id = await start("weights-then-search", 83, {
    "stages.weights.population": 4, "stages.weights.generations": 100_000, "stages.weights.limits": "depth=1", "stages.weights.max_moves": 20,
  });
  const page = await open(pathOf(`${id}/weights`));
  await page.getByRole("button", { name: "Pause the pipeline" }).click();
  await page.locator(".live.paused").first().waitFor();
  await page.getByRole("button", { name: "Resume the pipeline" }).click();
  await page.locator(".live.running").first().waitFor();
  await page.goto(server.base + pathOf(id));
  await page.locator(".actions progress").waitFor();
  await page.locator(".actions .rate", { hasText: "left" }).waitFor();
  const games = async () => Number((await page.locator(".tiles div", { hasText: /games$/ }).locator("b").first().textContent()).replaceAll(",", ""));
  const before = await until(games);
  await until(async () => (await games()) > before);
  await page.goto(server.base);
  await page.getByRole("row", { name: /^weights running/ }).first().waitFor();
  await page.goto(server.base + pathOf(id));
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".live.stopped").first().waitFor();
  const finished = (await server.get("/api/experiments")).experiments.find((one) => one.is_pipeline && one.finished).id;
  await page.goto(server.base + pathOf(finished));
  await page.getByRole("heading", { name: "Champion", exact: true }).waitFor();
  await page.getByRole("heading", { name: "Verified by games" }).waitFor();
  await page.getByRole("region", { name: `Games of ${finished}` }).getByRole("link").first().click();
  await page.locator(".viewer").waitFor();
  assertQuiet(page);
});

test("a weight is kept or sought, and a switch of the search is set", async () => {
  const page = await open("/");
  // A server may tell more of a weight.
  await page.route("**/api/presets/kendall-whitwell", async (route) => {
    const response = await route.fetch();
    const form = await response.json();
    const king = form.sections.flatMap((section) => section.keys).find((key) => key.path === "weights.king");
    Object.assign(king, { about: "kings", min: 0, max: 12 });
    await route.fulfill({ response, json: form });
  });
  await page.goto(`${server.base}/new/kendall-whitwell`);
  const file = page.locator("pre");
  const sought = (name) => page.getByRole("checkbox", { name: `weights.${name}: search a range`, exact: true });
  const box = (name) => page.getByRole("spinbutton", { name: `weights.${name}`, exact: true });
  await page.getByText("The file", { exact: true }).click();
  assert.equal(await box("king").inputValue(), "0");
  await page.locator(".key", { has: box("king") }).getByText("kings; from 0 to 12").waitFor();
  assert.equal(await sought("king").isChecked(), false);
  await sought("king").press("Space");
  assert.deepEqual([await box("king").inputValue(), await box("king, to").inputValue()], ["0", "12"]);
  await box("king").fill("1");
  await box("king, to").fill("4");
  await file.getByText(/^king = \[1(\.0)?, 4(\.0)?\]/m).waitFor();
  await sought("king").press("Space");
  await box("king, to").waitFor({ state: "detached" });
  assert.equal(await box("king").inputValue(), "0");
  // It is as in the preset again.
  await page.getByRole("button", { name: "All as in the preset" }).waitFor({ state: "detached" });
  // Of others nothing is told.
  assert.ok(await sought("pawn").isChecked());
  await sought("pawn").uncheck();
  await box("pawn").fill("1");
  await file.getByText(/^pawn = 1(\.0)?\b/m).waitFor();
  await sought("center").check();
  await box("center, to").fill("2");
  await file.getByText(/^center = \[0(\.0)?, 2(\.0)?\]/m).waitFor();

  await page.goto(`${server.base}/new/piece-difference`);
  await page.getByText("The file", { exact: true }).click();
  const pruning = page.getByLabel("search.alpha_beta", { exact: true });
  assert.equal(await pruning.inputValue(), "true");
  await pruning.selectOption("false");
  await file.getByText(/^alpha_beta = false/m).waitFor();
  await pruning.selectOption("search both");
  await file.getByText(/^alpha_beta = \[false, true\]/m).waitFor();
  await pruning.selectOption("true");
  await page.getByRole("button", { name: "All as in the preset" }).waitFor({ state: "detached" });
  assertQuiet(page);
});

test("a number is left alone while it is typed, and a token has the form checked", async () => {
  const token = "50%-of-all-secrets";
  const closed = await Server.start(lab.lab, "--token", token);
  try {
    const page = await openPage(browser, `${closed.base}/new/kendall-whitwell`);
    const population = page.getByLabel("population", { exact: true });
    await population.press("End");
    await population.press("Backspace");
    await population.press("Backspace");
    assert.equal(await population.inputValue(), "");
    await population.pressSequentially("12");
    assert.equal(await population.inputValue(), "12");
    assert.ok(await page.getByRole("button", { name: "Start" }).isDisabled());
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Use" }).click();
    await page.locator(".bottom .note", { hasText: "kendall-whitwell" }).waitFor();
    await page.getByText("The file", { exact: true }).click();
    await page.locator("pre", { hasText: "population = 12" }).waitFor();
    await population.fill("");
    await population.press("Tab");
    assert.equal(await population.inputValue(), "50");
    await page.locator("pre", { hasText: "population = 50" }).waitFor();
    assertQuiet(page);
    // The address that is printed, and the token as somebody may type it.
    const printed = /http\S+/.exec(closed.said())[0];
    for (const address of [printed, `${closed.base}/#token=${token}`]) {
      const other = await openPage(browser, address);
      await other.goto(`${closed.base}/new/kendall-whitwell`);
      await other.locator("button.primary:enabled", { hasText: "Start" }).waitFor();
      await other.close();
    }
    await page.close();
  } finally {
    await closed.end();
  }
});
