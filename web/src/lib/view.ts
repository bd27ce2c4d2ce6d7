// Boards as the page draws them, made of what the server says.
import type { Board, Move } from "../boards/board.ts";
import type { Geometry, LegalMove, Place } from "./types.ts";

/** What the pictures show; see `DiagramPiece`. */
const PICTURES: Record<string, string> = {
  p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king", o: "disc", d: "double disc",
};

export function pictureName(picture: string): string {
  return PICTURES[picture] ?? picture.toUpperCase();
}

export function boardOf(geometry: Geometry, rows: string[]): Board {
  const { columns, row_labels, column_labels } = geometry;
  const squares = rows.flatMap((letters, row) =>
    [...letters].map((letter, column) => {
      const number = geometry.numbers?.[row]?.[column] ?? null;
      const labels = `${column_labels[column] ?? ""}${row_labels[row] ?? ""}`;
      const drawn = geometry.pieces[letter];
      return {
        dark: geometry.dark[row]?.[column] === "1",
        number,
        name: number !== null ? String(number) : labels || `row ${row + 1}, column ${column + 1}`,
        piece: drawn ? { color: drawn.color, picture: drawn.picture, name: pictureName(drawn.picture) } : null,
      };
    }),
  );
  return { rows: geometry.rows, columns, turns: geometry.turns, row_labels, column_labels, squares };
}

export function squareOf(geometry: Geometry, [row, column]: Place): number {
  return row * geometry.columns + column;
}

export function movesOf(geometry: Geometry, legal: LegalMove[]): Move[] {
  return legal.flatMap(({ text, clicks, also = [], choice: letter }) => {
    const picture = letter ? (geometry.pieces[letter]?.picture ?? null) : null;
    const choice = letter ? { label: picture ? pictureName(picture) : letter, picture } : null;
    const ways = [clicks, ...also.map((place) => [place])];
    return ways.map((way) => ({ text, clicks: way.map((place) => squareOf(geometry, place)), choice }));
  });
}
