import symbols from "../../../crates/gamete-report/src/pieces.svg?raw";

/** The symbols of the pieces, once for the whole page. */
export const SYMBOLS = symbols;

const drawn = new Set([...symbols.matchAll(/id="piece-(\w)"/g)].map(([, picture]) => picture));

/** Whether a picture is drawn; others are a letter on a disc. */
export function isDrawn(picture: string): boolean {
  return drawn.has(picture);
}
