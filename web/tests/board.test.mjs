// What clicks mean, and how numbers are written, without a browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createServer } from "vite";

let vite, board, view, text;
before(async () => {
  vite = await createServer({ server: { middlewareMode: true, hmr: false, ws: false }, appType: "custom", logLevel: "error" });
  board = await vite.ssrLoadModule("/src/boards/board.ts");
  view = await vite.ssrLoadModule("/src/lib/view.ts");
  text = await vite.ssrLoadModule("/src/lib/text.ts");
});
after(() => vite?.close());

const move = (text, ...clicks) => ({ text, clicks });
const texts = (picked) => picked.done.map((one) => one.text);

test("two clicks are a move, and another piece begins anew", () => {
  const moves = [move("e4", 52, 36), move("e3", 52, 44), move("Nf3", 62, 45)];
  let picked = board.pick(moves, [], 52);
  assert.deepEqual(picked, { clicks: [52], done: [] });
  assert.deepEqual(board.targets(moves, picked.clicks), [36, 44]);
  assert.deepEqual(texts(board.pick(moves, [52], 36)), ["e4"]);
  assert.deepEqual(board.pick(moves, [52], 62), { clicks: [62], done: [] });
  assert.deepEqual(board.pick(moves, [52], 52), { clicks: [], done: [] });
  assert.deepEqual(board.pick(moves, [], 0), { clicks: [], done: [] });
});

test("a move of many squares is clicked one by one, or at its end if only one way leads there", () => {
  const moves = [move("1x10x19", 0, 18, 36), move("1x10x17", 0, 18, 32)];
  assert.deepEqual(board.pick(moves, [0], 18), { clicks: [0, 18], done: [] });
  assert.deepEqual(texts(board.pick(moves, [0, 18], 32)), ["1x10x17"]);
  assert.deepEqual(texts(board.pick(moves, [0], 36)), ["1x10x19"]);
  const round = [move("a", 0, 1, 3), move("b", 0, 2, 3)];
  assert.deepEqual(board.pick(round, [0], 3), { clicks: [], done: [] });
});

test("moves with the same clicks are all offered, and one click can be a move", () => {
  const promotions = ["q", "r"].map((picture) => ({ ...move(`a8=${picture}`, 8, 0), choice: { label: picture, picture } }));
  assert.deepEqual(texts(board.pick(promotions, [8], 0)), ["a8=q", "a8=r"]);
  assert.deepEqual(texts(board.pick([move("d", 38)], [], 38)), ["d"]);
});

test("half a move shows its piece where it was led to, and a turned board its squares from the other side", () => {
  const geometry = {
    rows: 1, columns: 3, turns: true, row_labels: [], column_labels: ["a", "b", "c"], dark: ["101"], numbers: null,
    pieces: { x: { color: "white", picture: "o", symbol: "○" } },
  };
  const drawn = view.boardOf(geometry, ["x.."]);
  assert.equal(board.describe(drawn.squares[0]), "a, white disc");
  const half = board.halfway(drawn, [0, 2]);
  assert.deepEqual(half.squares.map((square) => Boolean(square.piece)), [false, false, true]);
  assert.deepEqual(board.place(drawn, 0, true), [0, 2]);
  const legal = [{ text: "b", clicks: [[0, 1]], also: [[0, 2]], choice: null, captures: false }];
  assert.deepEqual(view.movesOf(geometry, legal).map((one) => one.clicks), [[1], [2]]);
});

test("numbers of an axis have the same places", () => {
  assert.deepEqual(text.alike([2.5, 5, 7.5, 10]), ["2.5", "5.0", "7.5", "10.0"]);
  assert.deepEqual(text.alike([-20, 0, 20]), ["−20", "0", "20"]);
  assert.deepEqual(text.alike([0, 0.001, 0.002]), ["0.000", "0.001", "0.002"]);
  assert.deepEqual(text.alike([0, 2e6, 4e6]), ["0", "2.00e+6", "4.00e+6"]);
});
