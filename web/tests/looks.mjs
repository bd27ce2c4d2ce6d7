// How pages look, and how much there is to load.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { assertAccessible, assertQuiet, clickSquare, UNKNOWN } from "./browser.mjs";
import { experiment, open, PICTURES, server } from "./world.mjs";

test("the bundle is small", () => {
  const dist = new URL("../../crates/gamete-web/dist/assets/", import.meta.url);
  const bytes = readdirSync(dist).reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, dist))).length, 0);
  console.log(`bundle: ${(bytes / 1024).toFixed(0)} KB compressed`);
  assert.ok(bytes <= 300 * 1024, `${bytes} bytes`);
});

test("every page is accessible, quiet and in one piece, in light, dark and on a phone", async () => {
  const ids = Object.fromEntries(await Promise.all(["kendall-whitwell", "mutation-study", "piece-difference", "weights-then-search"].map(async (part) => [part, encodeURIComponent(await experiment(part))])));
  const games = {};
  for (const [game, plies] of [["chess", 9], ["checkers", 12], ["connect-four", 8]]) {
    let now = await server.post("/api/play", { game, white: "human", black: "human" });
    for (let ply = 0; ply < plies; ply++) now = await server.post(`/api/play/${now.id}/move`, { move: now.legal[(7 * ply) % now.legal.length].text });
    games[game] = `/play/${now.id}`;
  }
  const { experiments } = await server.get("/api/experiments");
  const over = await server.post("/api/play", { game: "chess", white: "human", black: "human", limit: { clock: { base_ms: 180_000, increment_ms: 2000 } } });
  for (const move of ["f3", "e5", "g4", "Qh4#"]) await server.post(`/api/play/${over.id}/move`, { move });
  const choice = await server.post("/api/play", { game: "chess", white: "human", black: "human", fen: "4k3/P7/8/8/8/8/8/4K2R w K - 0 1" });
  const fresh = async (game) => `/play/${(await server.post("/api/play", { game, white: "human", black: "human" })).id}`;
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
    over: `/play/${over.id}`,
    choice: `/play/${choice.id}`,
    chosen: await fresh("chess"),
    "chosen-checkers": await fresh("checkers"),
    tune: `/experiments/${encodeURIComponent(experiments.find((one) => one.is_tune && one.finished).id)}`,
    matches: "/matches",
    match: "/matches/classic-material.db",
    ratings: "/ratings",
    grid: "/grid",
    "match-game": "/matches/classic-material.db/games/1",
    played: "/games?of=played",
    missing: "/nowhere",
  };
  // What there is not: the server says so, and nothing else goes wrong.
  const unknown = {
    "no-game": "/play/0123456789abcdef",
    "no-experiment": "/experiments/nobody",
    "no-match": "/matches/nobody.db",
    "no-kept-game": `/experiments/${ids["kendall-whitwell"]}/games/99999`,
    "no-match-game": "/matches/classic-material.db/games/99999",
    "no-preset": "/new/nothing",
  };
  // What is seen only after a click, or takes a moment to come.
  const clicks = {
    presets: (page) => page.locator(".card").first().waitFor(),
    new: (page) => page.locator(".bottom .note").waitFor(),
    ratings: (page) => page.locator("tbody tr").first().waitFor(),
    matches: (page) => page.getByRole("link", { name: "classic-material.db" }).waitFor(),
    played: (page) => page.getByRole("region", { name: "Games played here" }).waitFor(),
    experiment: (page) => page.getByRole("button", { name: "Individual 1, family" }).click(),
    replay: (page) => page.getByRole("button", { name: "Last position" }).click(),
    chosen: (page) => clickSquare(page, "g1"),
    "chosen-checkers": (page) => clickSquare(page, "11"),
    choice: async (page) => {
      for (const square of ["a7", "a8"]) await clickSquare(page, square);
    },
  };
  const looks = { light: { colorScheme: "light", width: 1280 }, dark: { colorScheme: "dark", width: 1280 }, phone: { colorScheme: "light", width: 390 } };
  for (const [look, { colorScheme, width }] of Object.entries(looks)) {
    const page = await open("/");
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    for (const [name, path] of [...Object.entries(paths), ...Object.entries(unknown)]) {
      if (name in unknown) assertQuiet(page);
      await page.goto(server.base + path);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("load");
      await clicks[name]?.(page);
      if (name in unknown) {
        await page.getByRole("alert").waitFor();
        assertQuiet(page, UNKNOWN);
        page.problems.length = 0;
      }
      await page.waitForTimeout(200);
      await assertAccessible(page, `${name}, ${look}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name}, ${look}: ${wide} pixels too wide`);
      await page.screenshot({ path: `${PICTURES}${name}-${look}.png`, fullPage: true });
    }
    assertQuiet(page);
    await page.close();
  }
});

test("a board fits into a low window, and no page is wider than a narrow phone", async () => {
  const [id, short] = [await experiment("kendall-whitwell"), await experiment("piece-difference")].map(encodeURIComponent);
  const games = [];
  for (const game of ["chess", "connect-four"]) games.push(`/play/${(await server.post("/api/play", { game, white: "human", black: "human" })).id}`);
  const replays = [`/experiments/${id}/games/1`, "/matches/classic-material.db/games/1"];
  const page = await open("/");
  for (const [width, height] of [[844, 390], [667, 375], [1366, 650], [1024, 600], [390, 844], [320, 640]]) {
    await page.setViewportSize({ width, height });
    for (const path of [...games, ...replays]) {
      await page.goto(server.base + path);
      const board = await page.locator(".gboard").boundingBox();
      const name = `${path}, ${width} × ${height}: ${JSON.stringify(board)}`;
      assert.ok(board.height <= height && board.x >= 0 && board.x + board.width <= width, name);
      assert.ok(board.width >= Math.min(280, width - 40), name);
      if (height >= 600 && width > 760) assert.ok(board.y + board.height <= height, `${name} is seen whole`);
    }
    await page.goto(server.base + games[0]);
    await page.locator(".playing").waitFor();
    await page.screenshot({ path: `${PICTURES}chess-${width}x${height}.png` });
  }
  const paths = [
    ...games, ...replays, "/", `/experiments/${id}`, `/experiments/${id}?with=${short}`, "/new", "/new/kendall-whitwell", "/games", "/games?of=played", "/play",
    "/matches", "/matches/classic-material.db", "/ratings", "/grid",
  ];
  for (const path of paths) {
    await page.goto(server.base + path);
    await page.locator("h1").waitFor();
    await page.waitForLoadState("networkidle", { timeout: 500 }).catch(() => {});
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${path}: ${wide} pixels too wide`);
  }
  assertQuiet(page);
});
