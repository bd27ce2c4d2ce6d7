// The page in a real browser, on a real server over a real lab. `npm test`; GAMETE names the program.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertAccessible, assertQuiet, clickPlace, clickSquare, openBrowser, openPage, waitForPly } from "./browser.mjs";
import { makeLab, Server } from "./lab.mjs";

const PICTURES = new URL("../../target/page/", import.meta.url).pathname;
let lab, server, browser;

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

const open = (path) => openPage(browser, server.base + path);
const session = (id) => server.get(`/api/play/${id}`);
const idOf = (page) => new URL(page.url()).pathname.split("/").at(-1);
async function experiment(part) {
  const { experiments } = await server.get("/api/experiments");
  return experiments.find((one) => one.id.startsWith(part)).id;
}

/** Begins a game by the form. */
async function begin(page, { game = "chess", white = "human", black = "human", depth = 1, fen }) {
  await page.goto(`${server.base}/play`);
  await page.locator('[data-side="game"]').selectOption(game);
  for (const [side, player] of Object.entries({ white, black })) {
    const select = page.locator(`[data-side="${side}"]`);
    await select.locator(`option[value="${player}"]`).waitFor({ state: "attached" });
    await select.selectOption(player);
  }
  await page.getByLabel("Computers think").selectOption("depth");
  await page.getByLabel("Plies").fill(String(depth));
  if (fen) {
    await page.getByText("From another position").click();
    await page.getByLabel("FEN").fill(fen);
  }
  await page.getByRole("button", { name: "Begin" }).click();
  await page.locator(".playing").waitFor();
  return idOf(page);
}

/** Plays a person's side by clicks until the game is over, each move as the server advises. */
async function playOut(page, id, { player, nodes, prefer = () => false, most = 300 }) {
  const clicked = [];
  for (let move = 0; move < most; move++) {
    await page.waitForFunction(() => ["your-turn", "over"].includes(document.querySelector(".playing")?.dataset.status ?? ""));
    const now = await session(id);
    if (now.end) break;
    assert.equal(now.status, "your-turn");
    let chosen = now.legal.find(prefer);
    if (!chosen) {
      const position = now.positions.at(-1);
      const { move: best } = await server.post("/api/analyse", { game: now.game, fen: now.start_fen, moves: now.moves.map((one) => one.text), player, nodes });
      chosen = now.legal.find((one) => one.text === best.text);
      assert.ok(chosen, `${best.text} in ${position.fen}`);
    }
    await page.waitForFunction((ply) => Number(document.querySelector(".playing").dataset.ply) >= ply, now.moves.length);
    for (const place of chosen.clicks) await clickPlace(page, place, now.geometry.columns);
    if (chosen.choice) await page.locator("dialog button").first().click();
    clicked.push(chosen);
    await waitForPly(page, now.moves.length + 1);
  }
  return clicked;
}

test("the bundle is small", () => {
  const dist = new URL("../../crates/gamete-web/dist/assets/", import.meta.url);
  const bytes = readdirSync(dist).reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, dist))).length, 0);
  console.log(`bundle: ${(bytes / 1024).toFixed(0)} KB compressed`);
  assert.ok(bytes <= 300 * 1024, `${bytes} bytes`);
});

test("an experiment is started from the page, its chart grows, and it is paused and resumed", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "New experiment" }).click();
  await page.getByRole("link", { name: "kendall-whitwell", exact: true }).click();
  await page.getByLabel("population", { exact: true }).fill("1");
  await page.locator(".bottom .state").filter({ hasText: "population" }).waitFor();
  assert.ok(await page.getByRole("button", { name: "Start" }).isDisabled());
  page.problems.length = 0; // The browser tells of the refused check.
  await page.getByLabel("population", { exact: true }).fill("10");
  await page.getByLabel("generations", { exact: true }).fill("400");
  await page.getByLabel("Seed", { exact: true }).fill("77");
  await page.locator(".bottom .note").filter({ hasText: "kendall-whitwell" }).waitFor();
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/experiments\//);
  const label = () => page.locator("[data-chart=genes] [role=img]").first().getAttribute("aria-label");
  await page.locator("[data-chart=genes] [role=img]").first().waitFor();
  const last = async () => Number(/to (\d+);/.exec(await label())?.[1] ?? 0);
  const first = await last();
  await page.waitForFunction((before) => Number(/to (\d+);/.exec(document.querySelector("[data-chart=genes] [role=img]").getAttribute("aria-label"))?.[1] ?? 0) > before + 2, first);
  assert.ok(await page.locator("[data-chart=genes] canvas").first().isVisible());
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".live.paused").first().waitFor();
  const stood = await last();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.waitForFunction((before) => Number(/to (\d+);/.exec(document.querySelector("[data-chart=genes] [role=img]").getAttribute("aria-label"))?.[1] ?? 0) > before, stood);
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

test("a whole game of chess is played by clicks to mate against the computer", async () => {
  const page = await open("/play");
  const id = await begin(page, { black: "chess/material" });
  await playOut(page, id, { player: "chess/classic", nodes: 8000 });
  const { end, moves } = await session(id);
  assert.deepEqual([end?.result, end?.reason], ["1-0", "checkmate"], `${moves.length} plies`);
  await page.locator(".now", { hasText: "White wins" }).waitFor();
  assertQuiet(page);
});

test("a whole game of checkers is played by clicks, with a multi-jump", async () => {
  const page = await open("/play");
  const id = await begin(page, { game: "checkers", black: "human", white: "checkers/material" });
  const clicked = await playOut(page, id, { player: "checkers/squares", nodes: 4000, prefer: (move) => move.clicks.length > 2 });
  const { end } = await session(id);
  assert.ok(end, "the game is over");
  assert.ok(clicked.some((move) => move.clicks.length > 2), `a multi-jump in ${clicked.map((move) => move.text).join(" ")}`);
  assertQuiet(page);
});

test("people play each other by clicks, drags and keys; a reload and taking back lose nothing", async () => {
  const page = await open("/play");
  const id = await begin(page, {});
  await clickSquare(page, "f2");
  await page.locator("square.move-dest").first().waitFor();
  assert.equal(await page.locator("square.move-dest").count(), 2);
  await clickSquare(page, "f3");
  await waitForPly(page, 1);
  const [from, to] = [await page.locator('[data-name="e7"]').boundingBox(), await page.locator('[data-name="e5"]').boundingBox()];
  await page.mouse.move(from.x + 20, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 25, to.y + 25, { steps: 4 });
  await page.mouse.up();
  await waitForPly(page, 2);
  await page.reload();
  await waitForPly(page, 2);
  await page.getByRole("button", { name: "Take back" }).click();
  await page.waitForFunction(() => document.querySelector(".playing").dataset.ply === "1");
  // By the keyboard: from the square that has the focus to e7, and on to e5.
  await page.locator('[data-name="e7"]').focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await waitForPly(page, 2);
  await page.getByLabel("Move", { exact: true }).fill("g4");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await waitForPly(page, 3);
  await clickSquare(page, "d8");
  await clickSquare(page, "h4");
  await page.locator(".now", { hasText: "Black wins" }).waitFor();
  assert.match(await page.locator("[aria-live=polite]").textContent(), /Black: Qh4#.*Black wins/);
  const { end } = await session(id);
  assert.deepEqual([end.result, end.reason], ["0-1", "checkmate"]);
  await page.getByRole("button", { name: "Copy FEN" }).click();
  const { positions } = await session(id);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), positions.at(-1).fen);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "PGN" }).click()]);
  assert.match(readFileSync(await download.path(), "utf8"), /1\. f3 e5 2\. g4 Qh4# .*0-1/);
  assertQuiet(page);
});

test("a pawn is promoted to what was chosen, and a king castles", async () => {
  const page = await open("/play");
  const id = await begin(page, { fen: "4k3/P7/8/8/8/8/8/4K2R w K - 0 1" });
  await clickSquare(page, "a7");
  await clickSquare(page, "a8");
  await page.locator('[data-choice="knight"]').click();
  await waitForPly(page, 1);
  await clickSquare(page, "e8");
  await clickSquare(page, "e7");
  await waitForPly(page, 2);
  await clickSquare(page, "e1");
  await clickSquare(page, "g1");
  await waitForPly(page, 3);
  assert.deepEqual((await session(id)).moves.map((move) => move.text), ["a8=N", "Ke7", "O-O"]);
  assert.match(await page.locator('[data-name="f1"]').getAttribute("aria-label"), /white rook/);
  assertQuiet(page);
});

test("a move ahead of time is played when the turn comes; hints, reasons, draws and resigning", async () => {
  const page = await open("/play");
  const id = await begin(page, { black: "chess/classic", depth: 9 });
  // The computer may have moved before the button is hit.
  const hurry = () => page.getByRole("button", { name: "Move now" }).click({ timeout: 2000 }).catch(() => {});
  await clickSquare(page, "e2");
  await clickSquare(page, "e4");
  // While the computer thinks.
  await clickSquare(page, "d2");
  await clickSquare(page, "d3");
  await waitForPly(page, 1);
  await hurry();
  await waitForPly(page, 3);
  assert.equal((await session(id)).moves[2].text, "d3");
  await hurry();
  await waitForPly(page, 4);
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".arrows .hint").first().waitFor();
  await page.getByRole("button", { name: "Why?" }).click();
  await page.getByRole("region", { name: "The evaluation, term by term" }).waitFor();
  await page.getByRole("button", { name: "Offer draw" }).click();
  await page.getByText(/draw was refused|Drawn/).first().waitFor();
  if (!(await session(id)).end) await page.getByRole("button", { name: "Resign" }).click();
  await page.waitForFunction(() => document.querySelector(".playing").dataset.status === "over");
  await page.getByRole("button", { name: "Again, colours swapped" }).click();
  await page.waitForFunction((old) => !location.pathname.endsWith(old), id);
  await page.locator('.playing[data-result=""]').waitFor();
  assertQuiet(page);
});

test("computers play each other: one move, pause, and to the end, on a board of another shape", async () => {
  const page = await open("/play");
  const { games } = await server.get("/api/server");
  const model = games.find((one) => one.name === "connect-four").default_model;
  const id = await begin(page, { game: "connect-four", white: model, black: model, depth: 2 });
  await page.getByRole("button", { name: "One move", exact: true }).click();
  await waitForPly(page, 1);
  assert.equal((await session(id)).moves.length, 1);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.waitForFunction(() => document.querySelector(".playing").dataset.status === "over");
  assert.ok((await session(id)).end.result);
  // A person there, too: a disc falls where it was clicked.
  const own = await begin(page, { game: "connect-four" });
  const { legal, geometry } = await session(own);
  await clickPlace(page, legal[0].clicks[0], geometry.columns);
  await waitForPly(page, 1);
  assertQuiet(page);
});

test("a kept game is replayed, evaluated and copied", async () => {
  const page = await open("/games");
  await page.locator("main select").selectOption(`experiments:${await experiment("kendall-whitwell")}`);
  await page.getByRole("region", { name: /^Games of/ }).getByRole("link").first().click();
  await page.getByRole("button", { name: "One move on" }).click();
  await page.keyboard.press("ArrowRight");
  await page.locator(".moves [aria-current]").waitFor();
  await page.locator(".arrows .best").first().waitFor();
  await page.locator(".graph .line").waitFor();
  const id = await experiment("kendall-whitwell");
  const number = Number(idOf(page));
  const replay = await server.get(`/api/experiments/${encodeURIComponent(id)}/games/${number}`);
  await page.getByRole("button", { name: "Copy FEN" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), replay.positions[2].fen);
  await page.getByRole("button", { name: "Last position" }).click();
  assert.equal(await page.locator(".moves [aria-current]").textContent(), replay.moves.at(-1).text);
  assertQuiet(page);
});

test("a match shows Elo, the test and pairs", async () => {
  const page = await open("/matches");
  await page.getByRole("link", { name: "classic-material.db" }).click();
  await page.getByText("Pairs of", { exact: false }).first().waitFor();
  await page.getByRole("img", { name: /^Elo of/ }).waitFor();
  await page.getByRole("img", { name: /^LLR/ }).waitFor();
  await page.getByRole("region", { name: /^Games of/ }).getByRole("link").first().click();
  await page.locator(".viewer").waitFor();
  assertQuiet(page);
});

test("a server that is killed and started again finds the page where it was", async () => {
  const page = await open("/play");
  const id = await begin(page, {});
  await clickSquare(page, "e2");
  await clickSquare(page, "e4");
  await waitForPly(page, 1);
  await server.end("SIGKILL");
  await page.getByText("The server does not answer").waitFor();
  await server.begin();
  await page.getByText("The server does not answer").waitFor({ state: "detached" });
  await clickSquare(page, "e7");
  await clickSquare(page, "e5");
  await waitForPly(page, 2);
  assert.deepEqual((await session(id)).moves.map((move) => move.text), ["e4", "e5"]);
  // The browser itself tells of connections that were refused.
  assert.deepEqual(page.problems.filter((text) => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|Failed to load resource/.test(text)), []);
});

test("every page is accessible, quiet and in one piece, in light, dark and on a phone", async () => {
  const ids = Object.fromEntries(await Promise.all(["kendall-whitwell", "mutation-study", "piece-difference", "weights-then-search"].map(async (part) => [part, encodeURIComponent(await experiment(part))])));
  const games = {};
  for (const [game, plies] of [["chess", 9], ["checkers", 12], ["connect-four", 8]]) {
    let now = await server.post("/api/play", { game, white: "human", black: "human" });
    for (let ply = 0; ply < plies; ply++) now = await server.post(`/api/play/${now.id}/move`, { move: now.legal[(7 * ply) % now.legal.length].text });
    games[game] = `/play/${now.id}`;
  }
  const paths = {
    experiments: "/",
    experiment: `/experiments/${ids["kendall-whitwell"]}`,
    study: `/experiments/${ids["mutation-study"]}`,
    squares: `/experiments/${ids["piece-difference"]}`,
    pipeline: `/experiments/${ids["weights-then-search"]}`,
    presets: "/new",
    new: "/new/kendall-whitwell",
    games: "/games",
    replay: `/experiments/${ids["kendall-whitwell"]}/games/1`,
    play: "/play",
    ...games,
    matches: "/matches",
    match: "/matches/classic-material.db",
    ratings: "/ratings",
    grid: "/grid",
    missing: "/nowhere",
  };
  const looks = { light: { colorScheme: "light", width: 1280 }, dark: { colorScheme: "dark", width: 1280 }, phone: { colorScheme: "light", width: 390 } };
  for (const [look, { colorScheme, width }] of Object.entries(looks)) {
    const page = await open("/");
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(server.base + path);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("load");
      await page.waitForTimeout(400);
      await assertAccessible(page, `${name}, ${look}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name}, ${look}: ${wide} pixels too wide`);
      await page.screenshot({ path: `${PICTURES}${name}-${look}.png`, fullPage: true });
    }
    assertQuiet(page);
    await page.close();
  }
});

test("without the token one looks on, and with it one plays", async () => {
  const closed = await Server.start(lab.lab, "--token", "a-secret-of-length");
  try {
    const page = await openPage(browser, `${closed.base}/play`);
    await page.getByLabel("Token").waitFor();
    assert.ok(await page.getByRole("button", { name: "Begin" }).isDisabled());
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Use" }).click();
    await page.getByText("That is not the token.").waitFor();
    await page.getByLabel("Token").fill("a-secret-of-length");
    await page.getByRole("button", { name: "Use" }).click();
    await page.locator("button.primary:enabled", { hasText: "Begin" }).waitFor();
    const other = await openPage(browser, `${closed.base}/play#token=a-secret-of-length`);
    await other.locator("button.primary:enabled", { hasText: "Begin" }).waitFor();
    assert.equal(new URL(other.url()).hash, "");
    await assertAccessible(page, "token");
    assertQuiet(page);
    assertQuiet(other);
    await page.close();
    await other.close();
  } finally {
    await closed.end();
  }
});

test("names from files of others stay text", async () => {
  const page = await open("/play");
  await begin(page, { black: "file:hostile.toml" });
  assert.match(await page.locator("h1").textContent(), /<img src=x/);
  assert.equal(await page.locator("img").count(), 0);
  assertQuiet(page);
});
