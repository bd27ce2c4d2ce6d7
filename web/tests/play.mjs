// Games on the page: by clicks, drags and keys, with clocks, against computers and between them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertQuiet, clickAtOnce, clickPlace, clickSquare, OFFLINE, waitForPly } from "./browser.mjs";
import { begin, experiment, idOf, open, server, session } from "./world.mjs";

const standing = (page) => page.locator(".now");
const isOver = (page) => page.waitForFunction(() => document.querySelector(".playing").dataset.status === "over");
const isPly = (page, ply) => page.waitForFunction((wanted) => document.querySelector(".playing").dataset.ply === wanted, String(ply));

async function clickSquares(page, ...names) {
  for (const name of names) await clickSquare(page, name);
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
    await waitForPly(page, now.moves.length);
    for (const place of chosen.clicks) await clickPlace(page, place, now.geometry.columns);
    if (chosen.choice) await page.locator("dialog button").first().click();
    clicked.push({ ply: now.moves.length, ...chosen });
    await waitForPly(page, now.moves.length + 1);
  }
  return clicked;
}

/** How many pieces stand in each position of a game. */
const pieces = ({ positions }) => positions.map(({ squares }) => squares.join("").replaceAll(".", "").length);

/** The game as the file has it that the page offers: its tags, and its moves with the result behind them. */
async function downloaded(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name, exact: true }).click()]);
  assert.equal(download.suggestedFilename().split(".").at(-1), name.toLowerCase());
  const text = readFileSync(await download.path(), "utf8");
  const tags = Object.fromEntries([...text.matchAll(/^\[(\w+) "(.*)"\]$/gm)].map(([, tag, value]) => [tag, value]));
  const body = text.replace(/^\[.*\]$/gm, "").replace(/\{[^}]*\}/g, " ");
  return { tags, words: body.split(/\s+/).filter((word) => word && !/^\d+\.+$/.test(word)) };
}

test("a whole game of chess is played by clicks to mate against the computer", async () => {
  const page = await open("/play");
  const id = await begin(page, { black: "chess/material" });
  const clicked = await playOut(page, id, { player: "chess/classic", nodes: 8000 });
  const game = await session(id);
  assert.deepEqual([game.end?.result, game.end?.reason], ["1-0", "checkmate"], `${game.moves.length} plies`);
  assert.equal(game.moves.length, 2 * clicked.length - 1, "the person has played every second move");
  await standing(page).getByText("White wins, checkmate (1-0)", { exact: true }).waitFor();
  // The king that is mated is marked, and nothing else is.
  const [[row, column], ...others] = game.positions.at(-1).threatened;
  assert.deepEqual(others, []);
  await page.locator(`[data-square="${row * 8 + column}"][aria-label$="black king, threatened"]`).waitFor();
  assert.equal(await page.locator(".ground .threatened").count(), 1);
  const { tags, words } = await downloaded(page, "PGN");
  assert.deepEqual([tags.White, tags.Black, tags.Result], ["Human", "chess/material", "1-0"]);
  assert.deepEqual(words, [...game.moves.map((move) => move.text), "1-0"]);
  assertQuiet(page);
});

test("a whole game of checkers is played by clicks, with a multi-jump", async () => {
  const page = await open("/play");
  const id = await begin(page, { game: "checkers", black: "human", white: "checkers/material" });
  const clicked = await playOut(page, id, { player: "checkers/squares", nodes: 4000, prefer: (move) => move.clicks.length > 2 });
  const game = await session(id);
  assert.ok(game.end, "the game is over");
  const jumps = clicked.filter((move) => move.clicks.length > 2);
  assert.ok(jumps.length > 0, `a multi-jump in ${clicked.map((move) => move.text).join(" ")}`);
  const left = pieces(game);
  for (const { ply, text, clicks } of jumps) assert.equal(left[ply] - left[ply + 1], clicks.length - 1, `${text} takes a man a jump`);
  await standing(page).getByText(game.end.reason).waitFor();
  const { tags, words } = await downloaded(page, "PDN");
  assert.deepEqual([tags.GameType, tags.Black, tags.White], ["21", "Human", "checkers/material"]);
  assert.deepEqual(words, [...game.moves.map((move) => move.text), game.end.result]);
  assertQuiet(page);
});

test("a jump over two men is clicked square by square, takes both and ends the game", async () => {
  const page = await open("/play");
  const id = await begin(page, { game: "checkers", black: "human", white: "checkers/material", fen: "B:W18,26:B15" });
  await standing(page).getByText("Your move, must jump").waitFor();
  await clickSquares(page, "15", "22");
  // Half way: the man stands where it was led to, and the game has not gone on.
  await page.locator('[data-name="22"][aria-label="22, black disc"]').waitFor();
  assert.equal((await session(id)).moves.length, 0);
  await clickSquare(page, "31");
  await isOver(page);
  const game = await session(id);
  assert.deepEqual(pieces(game), [3, 1]);
  assert.deepEqual([game.end.outcome, game.end.result], ["black", "0-1"]);
  await standing(page).getByText(`Black wins, ${game.end.reason} (0-1)`, { exact: true }).waitFor();
  // The man has become a king.
  await page.locator('[data-name="31"][aria-label="31, black double disc"]').waitFor();
  assertQuiet(page);
});

test("a jump over several men may be clicked as quickly as one can", async () => {
  const page = await open("/play");
  for (const [fen, ...names] of [["B:W18,26:B15", "15", "22", "31"], ["B:W10,18,26:B6", "6", "15", "22", "31"], ["B:W10,18,26:BK6", "6", "15", "22", "31"]]) {
    const { id } = await server.post("/api/play", { game: "checkers", white: "human", black: "human", fen });
    await page.goto(`${server.base}/play/${id}`);
    await page.locator('.playing[data-status="your-turn"]').waitFor();
    await clickAtOnce(page, ...names);
    await waitForPly(page, 1);
    const game = await session(id);
    assert.deepEqual(pieces(game), [names.length, 1], fen);
    await page.locator('[data-name="31"][aria-label="31, black double disc"]').waitFor();
  }
  assertQuiet(page);
});

test("a piece that is chosen shows where it may go, and one of a move ahead of time where it was sent", async () => {
  const page = await open("/play");
  const background = (selector) => page.locator(`cg-board ${selector}`).filter({ visible: true }).first().evaluate((square) => {
    const { backgroundImage, backgroundColor } = getComputedStyle(square);
    return { image: backgroundImage, color: backgroundColor };
  });
  const TRANSPARENT = { image: "none", color: "rgba(0, 0, 0, 0)" };
  for (const [game, from] of [["chess", "g1"], ["checkers", "11"]]) {
    const white = game === "chess" ? "human" : "checkers/material";
    await begin(page, { game, white, black: game === "chess" ? "chess/material" : "human", limit: { seconds: 30 } });
    await clickSquare(page, from);
    await page.locator("square.move-dest").first().waitFor();
    await page.mouse.move(0, 0);
    assert.match((await background("square.move-dest")).image, /^radial-gradient/, game);
    assert.notEqual((await background("square.selected")).color, TRANSPARENT.color, game);
    // Nothing else on the board is coloured.
    const others = "square:not(.move-dest, .selected)";
    if (await page.locator(`cg-board ${others}`).filter({ visible: true }).count()) assert.deepEqual(await background(others), TRANSPARENT, game);
  }
  // While the computer thinks.
  await begin(page, { black: "chess/material", limit: { seconds: 30 } });
  await clickSquares(page, "e2", "e4");
  await waitForPly(page, 1);
  await clickSquare(page, "d2");
  await page.locator("cg-board square.selected").waitFor();
  assert.notEqual((await background("square.selected")).color, TRANSPARENT.color);
  assert.equal(await page.locator("square.move-dest").filter({ visible: true }).count(), 0);
  await clickSquare(page, "d3");
  await page.locator('[data-name="d3"][aria-selected=true]').waitFor();
  assert.notEqual((await background("square.current-premove")).color, TRANSPARENT.color);
  assert.equal(await page.locator("cg-board square.current-premove").filter({ visible: true }).count(), 2);
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
  await isPly(page, 1);
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
  await clickSquares(page, "d8", "h4");
  await standing(page).getByText("Black wins, checkmate (0-1)", { exact: true }).waitFor();
  assert.match(await page.locator("[aria-live=polite]").textContent(), /Black: Qh4#.*Black wins/);
  const { end, positions } = await session(id);
  assert.deepEqual([end.result, end.reason], ["0-1", "checkmate"]);
  await page.getByRole("button", { name: "Copy FEN" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), positions.at(-1).fen);
  const { words } = await downloaded(page, "PGN");
  assert.deepEqual(words, ["f3", "e5", "g4", "Qh4#", "0-1"]);
  assertQuiet(page);
});

test("a pawn becomes what was chosen, a check is marked, and kings castle to both sides", async () => {
  const page = await open("/play");
  const id = await begin(page, { fen: "4k3/P7/8/8/8/8/8/4K2R w K - 0 1" });
  for (const [piece, text, gives] of [["queen", "a8=Q+", true], ["rook", "a8=R+", true], ["bishop", "a8=B", false], ["knight", "a8=N", false]]) {
    await clickSquares(page, "a7", "a8");
    await page.locator("dialog").waitFor();
    assert.equal(await page.locator("dialog button").count(), 4);
    await page.locator(`[data-choice="${piece}"]`).click();
    await isPly(page, 1);
    assert.equal((await session(id)).moves[0].text, text);
    await page.locator(`[data-name="a8"][aria-label="a8, white ${piece}"]`).waitFor();
    await page.locator(`[data-name="e8"][aria-label="e8, black king${gives ? ", threatened" : ""}"]`).waitFor();
    assert.equal(await page.locator(".ground .threatened").count(), gives ? 1 : 0, text);
    if (gives) await standing(page).getByText("Black to move, in check").waitFor();
    await page.getByRole("button", { name: "Take back" }).click();
    await isPly(page, 0);
  }
  // Whoever does not choose has not moved.
  await clickSquares(page, "a7", "a8");
  await page.locator("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal((await session(id)).moves.length, 0);

  const other = await begin(page, { fen: "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" });
  await clickSquares(page, "e1", "g1");
  await isPly(page, 1);
  await clickSquares(page, "e8", "c8");
  await isPly(page, 2);
  assert.deepEqual((await session(other)).moves.map((move) => move.text), ["O-O", "O-O-O"]);
  for (const place of ["f1, white rook", "g1, white king", "d8, black rook", "c8, black king"]) await page.locator(`[aria-label="${place}"]`).waitFor();
  assertQuiet(page);
});

test("a move ahead of time is played when the turn comes; hints, reasons, draws and resigning", async () => {
  const page = await open("/play");
  const id = await begin(page, { black: "chess/classic", limit: { depth: 9 } });
  // The computer may have moved before the button is hit.
  const hurry = () => page.getByRole("button", { name: "Move now" }).click({ timeout: 2000 }).catch(() => {});
  await clickSquares(page, "e2", "e4");
  // While the computer thinks.
  await clickSquares(page, "d2", "d3");
  await waitForPly(page, 1);
  await hurry();
  await waitForPly(page, 3);
  assert.equal((await session(id)).moves[2].text, "d3");
  await hurry();
  await waitForPly(page, 4);
  // One's own move is taken back with the computer's answer.
  await page.getByRole("button", { name: "Take back" }).click();
  await isPly(page, 2);
  await page.reload();
  await isPly(page, 2);
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".arrows .hint").first().waitFor();
  assert.match(await page.locator("[role=status][data-part=note]").textContent(), /^Hint: /);
  await page.getByRole("button", { name: "Why?" }).click();
  await page.getByRole("region", { name: "The evaluation, term by term" }).waitFor();
  await page.getByRole("button", { name: "Offer draw" }).click();
  await page.getByText(/draw was refused|Drawn/).first().waitFor({ state: "attached" });
  if (!(await session(id)).end) await page.getByRole("button", { name: "Resign" }).click();
  await isOver(page);
  await page.getByRole("button", { name: "Again, colours swapped" }).click();
  await page.waitForFunction((old) => !location.pathname.endsWith(old), id);
  await page.locator('.playing[data-result=""]').waitFor();
  const { seats } = await session(idOf(page));
  assert.deepEqual([seats.white.computer, seats.black.computer], [true, false]);
  assertQuiet(page);
});

test("a move ahead of time is made and told of by the keyboard, too", async () => {
  const page = await open("/play");
  const id = await begin(page, { black: "chess/material", limit: { seconds: 30 } });
  await clickSquares(page, "e2", "e4");
  await waitForPly(page, 1);
  await page.locator('[data-name="d2"]').focus();
  await page.keyboard.press("Enter");
  await page.locator('[data-name="d2"][aria-selected=true]').waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.locator('[data-name="d3"][aria-selected=true]').waitFor();
  await page.locator("[role=status][data-part=ahead]").getByText("Move ahead of time: d2 to d3").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Move now" }).click();
  await waitForPly(page, 3);
  assert.equal((await session(id)).moves[2].text, "d3");
  await page.locator('[data-name="d3"][aria-selected=false]').waitFor();
  assertQuiet(page);
});

test("an individual of a generation is chosen as the opponent", async () => {
  const page = await open("/play");
  const id = await experiment("kendall-whitwell");
  await page.locator('[data-side="black"]').selectOption({ label: "Any individual …" });
  await page.getByLabel("Experiment").selectOption(id);
  await page.getByLabel("Generation", { exact: true }).fill("3");
  await page.getByLabel("Generation", { exact: true }).press("Tab");
  await page.getByLabel("Black: individual").selectOption(`${id}@3#2`);
  // Of another generation nobody was chosen yet, but its mean.
  const meant = () => page.getByLabel("Black: individual").inputValue();
  await page.getByLabel("Generation", { exact: true }).fill("4");
  await page.getByLabel("Generation", { exact: true }).press("Tab");
  assert.equal(await meant(), `${id}@4`);
  // Whoever changes sides takes an individual along.
  await page.getByRole("button", { name: "Swap sides" }).click();
  await page.locator(".field p", { hasText: `${id}@4` }).waitFor();
  assert.equal(await page.locator('[data-side="black"]').inputValue(), "human");
  await page.locator('[data-side="black"]').selectOption({ label: "Any individual …" });
  await page.locator('[data-side="white"]').selectOption("human");
  assert.equal(await meant(), `${id}@4`);
  await page.getByLabel("Generation", { exact: true }).fill("3");
  await page.getByLabel("Generation", { exact: true }).press("Tab");
  await page.getByLabel("Black: individual").selectOption(`${id}@3#2`);
  await page.getByLabel("Computers think").selectOption("depth");
  await page.getByLabel("Plies").fill("1");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.locator(".playing").waitFor();
  await clickSquares(page, "e2", "e4");
  await waitForPly(page, 2);
  assert.equal((await session(idOf(page))).seats.black.player, `${id}@3#2`);
  assertQuiet(page);
});

test("the mean of the last generation plays where no individual was chosen", async () => {
  const page = await open("/play");
  const id = await experiment("kendall-whitwell");
  await page.locator('[data-side="black"]').selectOption({ label: "Any individual …" });
  await page.getByLabel("Experiment").selectOption(id);
  await page.getByText("the mean of generation 12").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Begin" }).click();
  await page.locator(".playing").waitFor();
  assert.equal((await session(idOf(page))).seats.black.player, `${id}@12`);
  assertQuiet(page);
});

test("nobody accepts their own offer of a draw", async () => {
  const page = await open("/play");
  await begin(page, {});
  await page.getByRole("button", { name: "Offer draw" }).click();
  await page.locator("button:disabled", { hasText: "Offer draw" }).waitFor();
  await clickSquares(page, "e2", "e4");
  await waitForPly(page, 1);
  await page.getByRole("button", { name: "Accept draw" }).click();
  await standing(page).getByText("Drawn, by agreement (1/2-1/2)").waitFor();
  assertQuiet(page);
});

test("games that were played are deleted, one by one and all that are over", async () => {
  const page = await open("/play");
  const id = await begin(page, { game: "checkers" });
  const other = await begin(page, {});
  await page.getByRole("button", { name: "Resign" }).click();
  await isOver(page);
  await page.goto(`${server.base}/games?of=played`);
  const row = (id) => page.locator("tr", { has: page.locator(`a[href="/play/${id}"]`) });
  await row(id).getByRole("button", { name: /^Delete/ }).click();
  await row(id).getByRole("button", { name: /^Really delete/ }).click();
  await row(id).waitFor({ state: "detached" });
  await row(other).waitFor();
  await page.getByRole("button", { name: /^Delete finished games/ }).click();
  await page.getByRole("button", { name: /^Really delete finished games/ }).click();
  await page.getByRole("button", { name: /finished games/ }).waitFor({ state: "detached" });
  assert.equal(await row(other).count(), 0);
  const { sessions } = await server.get("/api/play");
  assert.deepEqual(sessions.filter((one) => one.id === id || one.status === "over"), []);
  assertQuiet(page);
});

test("a game that is deleted while the list of games is asked for does not come back", async () => {
  const begun = async () => (await server.post("/api/play", { game: "chess" })).id;
  const [id, other] = [await begun(), await begun()];
  const page = await open("/matches");
  await page.getByRole("link", { name: "classic-material.db" }).waitFor();
  await page.route("**/api/play", async (route) => {
    const response = await route.fetch();
    await server.remove(`/api/play/${id}`);
    // The page is told before it has the answer.
    await page.waitForTimeout(1000);
    await route.fulfill({ response });
  });
  await page.evaluate(() => document.querySelector('nav a[href="/play"]').click());
  await page.locator(`a[href="/play/${other}"]`).waitFor();
  await page.locator(`a[href="/play/${id}"]`).waitFor({ state: "detached" });
  assertQuiet(page);
});

test("clocks run for whoever is to move, also over a reload, and who has no time left loses", async () => {
  const page = await open("/play");
  const id = await begin(page, { limit: { clock: [0.05, 0] } });
  const shown = async (color) => Number(await page.getByRole("timer", { name: `Clock of ${color}` }).textContent());
  assert.deepEqual([await shown("white"), await shown("black")], [3, 3], "no clock runs before the first move");
  await clickSquares(page, "e2", "e4");
  await waitForPly(page, 1);
  await page.waitForFunction(() => Number(document.querySelector("[aria-label='Clock of black']").textContent) < 2.8);
  assert.equal(await shown("white"), 3);
  await page.reload();
  await waitForPly(page, 1);
  assert.ok((await shown("black")) < 2.8, "a reload gives no time back");
  await standing(page).getByText("White wins, Black lost on time (1-0)", { exact: true }).waitFor();
  assert.equal(await shown("black"), 0);
  const { end, clock } = await session(id);
  assert.deepEqual([end.result, end.reason, clock.black_ms, clock.running], ["1-0", "Black lost on time", 0, null]);
  const { tags } = await downloaded(page, "PGN");
  assert.deepEqual([tags.TimeControl, tags.Result], ["3+0", "1-0"]);
  assertQuiet(page);
});

test("computers play each other: one move, paused, and to mate", async () => {
  const page = await open("/play");
  const id = await begin(page, { white: "chess/classic", black: "chess/material", limit: { seconds: 0.2 }, fen: "8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1" });
  await standing(page).getByText("Paused, White to move").waitFor();
  await page.getByRole("button", { name: "One move", exact: true }).click();
  await isPly(page, 1);
  await standing(page).getByText(/^Paused, Black to move/).waitFor();
  await page.getByRole("button", { name: "Go on" }).click();
  await waitForPly(page, 2);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator('.playing[data-status="paused"]').waitFor();
  const { moves } = await session(id);
  await page.waitForTimeout(400);
  assert.equal((await session(id)).moves.length, moves.length, "nobody moves while it is paused");
  await page.getByRole("button", { name: "One move", exact: true }).click();
  await isPly(page, moves.length + 1);
  await page.locator('.playing[data-status="paused"]').waitFor();
  await page.getByRole("button", { name: "Go on" }).click();
  await isOver(page);
  await standing(page).getByText("White wins, checkmate (1-0)", { exact: true }).waitFor();
  assert.equal(await page.locator(".ground .threatened").count(), 1);
  assertQuiet(page);
});

test("a computer searches as many nodes as the form says", async () => {
  const page = await open("/play");
  const id = await begin(page, { black: "chess/classic", limit: { nodes: 321 } });
  await clickSquares(page, "e2", "e4");
  await waitForPly(page, 2);
  const { moves, limit } = await session(id);
  assert.equal(limit.nodes, 321);
  assert.ok(moves[1].thought.nodes <= 2 * 321, `${moves[1].thought.nodes} nodes`);
  assertQuiet(page);
});

test("on a phone pieces are tapped", async () => {
  const page = await open("/play");
  await page.setViewportSize({ width: 390, height: 844 });
  const id = await begin(page, { black: "chess/material" });
  for (const name of ["g1", "f3"]) {
    const box = await page.locator(`[data-name="${name}"]`).boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  }
  await waitForPly(page, 2);
  assert.equal((await session(id)).moves[0].text, "Nf3");
  const board = await page.locator(".gboard").boundingBox();
  assert.ok(board.width > 340 && board.x >= 0 && board.x + board.width <= 390, "the board is as wide as the phone");
  assertQuiet(page);
});

test("a board of another shape is watched to the end and played on", async () => {
  const page = await open("/play");
  const { games } = await server.get("/api/server");
  const model = games.find((one) => one.name === "connect-four").default_model;
  const id = await begin(page, { game: "connect-four", white: model, black: model, limit: { depth: 2 } });
  await page.getByRole("button", { name: "One move", exact: true }).click();
  await waitForPly(page, 1);
  assert.equal((await session(id)).moves.length, 1);
  await page.getByRole("button", { name: "Go on" }).click();
  await isOver(page);
  assert.ok((await session(id)).end.result);
  // A person there, too: a disc falls where it was clicked.
  const own = await begin(page, { game: "connect-four" });
  const { legal, geometry } = await session(own);
  await clickPlace(page, legal[0].clicks[0], geometry.columns);
  await waitForPly(page, 1);
  assertQuiet(page);
});

test("a server that is killed and started again finds the page where it was", async () => {
  const page = await open("/play");
  const id = await begin(page, {});
  await clickSquares(page, "e2", "e4");
  await waitForPly(page, 1);
  await server.end("SIGKILL");
  await page.getByText("The server does not answer").waitFor();
  await server.begin();
  await page.getByText("The server does not answer").waitFor({ state: "detached" });
  await clickSquares(page, "e7", "e5");
  await waitForPly(page, 2);
  assert.deepEqual((await session(id)).moves.map((move) => move.text), ["e4", "e5"]);
  assertQuiet(page, OFFLINE);
});
