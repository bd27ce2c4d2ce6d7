// A board as the server describes it. The page knows no rules: which moves there are, and where to click for them, it is told.

export type Color = "white" | "black";

export interface Piece {
  color: Color;
  /** A letter for its picture: see pieces.svg of the report. Others are drawn as a letter on a disc. */
  picture: string;
  /** What to call it. */
  name: string;
}

export interface Square {
  dark: boolean;
  /** What players call it. */
  name: string;
  /** The number that is written on it, on boards that show numbers. */
  number?: number | null;
  piece?: Piece | null;
}

export interface Board {
  rows: number;
  columns: number;
  /** Whether Black sees it turned by half a circle. */
  turns: boolean;
  row_labels: string[];
  column_labels: string[];
  /** Row by row from the top, as White sees them. */
  squares: Square[];
}

export interface Move {
  text: string;
  /** The squares to click, in order. */
  clicks: number[];
  /** What tells it from other moves with the same clicks. */
  choice?: { label: string; picture?: string | null } | null;
}

export interface Arrow {
  from: number;
  to: number;
  kind: string;
}

/** What has come of a click: the clicks of a move so far, or the moves that they may mean. */
export interface Picked {
  clicks: number[];
  done: Move[];
}

function startsWith(move: Move, clicks: number[]): boolean {
  return clicks.every((square, index) => move.clicks[index] === square);
}

/** The squares that may be clicked next. */
export function targets(moves: Move[], clicks: number[]): number[] {
  const next = new Set<number>();
  for (const move of moves) {
    const square = move.clicks[clicks.length];
    if (square !== undefined && startsWith(move, clicks)) next.add(square);
  }
  return [...next];
}

/** Adds a click to those before, or begins anew where no move goes on so. */
export function pick(moves: Move[], clicks: number[], square: number): Picked {
  const longer = [...clicks, square];
  const going = moves.filter((move) => startsWith(move, longer));
  if (going.length > 0) {
    const done = going.filter((move) => move.clicks.length === longer.length);
    if (done.length === going.length) return { clicks: longer, done: [...new Map(done.map((move) => [move.text, move])).values()] };
    return { clicks: longer, done: [] };
  }
  // The last square of a long move will do if only one way leads there.
  if (clicks.length > 0) {
    const ending = moves.filter((move) => startsWith(move, clicks) && move.clicks.at(-1) === square);
    if (ending.length === 1) return { clicks: ending[0]!.clicks, done: ending };
  }
  const last = clicks.at(-1);
  const anew = square !== last && moves.some((move) => move.clicks[0] === square);
  return anew ? pick(moves, [], square) : { clicks: [], done: [] };
}

/** The board as it is while a move is half made: its piece stands where it was led to. */
export function halfway(board: Board, clicks: number[]): Board {
  const [from, to] = [clicks[0], clicks.at(-1)];
  if (from === undefined || to === undefined || from === to || clicks.length < 2) return board;
  const squares = board.squares.slice();
  squares[to] = { ...squares[to]!, piece: squares[from]!.piece };
  squares[from] = { ...squares[from]!, piece: null };
  return { ...board, squares };
}

/** Where a square stands as it is seen, as row and column. */
export function place(board: Board, square: number, turned: boolean): [number, number] {
  const seen = turned && board.turns ? board.squares.length - 1 - square : square;
  return [Math.floor(seen / board.columns), seen % board.columns];
}

/** A square in words. */
export function describe(square: Square): string {
  return square.piece ? `${square.name}, ${square.piece.color} ${square.piece.name}` : square.name;
}
