// The pieces of the static report as a style sheet for chessground, which draws pieces as backgrounds.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const MODULE = "virtual:pieces.css";
const FILE = fileURLToPath(new URL("../crates/gamete-report/src/pieces.svg", import.meta.url));
const COLORS = {
  white: { fill: "#ffffff", stroke: "#23272d", detail: "#23272d" },
  black: { fill: "#33383f", stroke: "#14171a", detail: "#e9ecef" },
};

export function pieces(): Plugin {
  return {
    name: "pieces",
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? styleSheet(readFileSync(FILE, "utf8")) : undefined),
  };
}

function styleSheet(svg: string): string {
  const drawn = new Map<string, string>();
  for (const [, picture, shape] of svg.matchAll(/<symbol id="piece-(\w)"[^>]*>(.*?)<\/symbol>/g)) drawn.set(picture, shape);
  const disc = drawn.get("o");
  if (disc === undefined) throw new Error(`${FILE}: no symbol for a disc`);
  // A picture that is not drawn is a letter on a disc.
  for (const letter of "abcdefghijklmnopqrstuvwxyz") {
    if (!drawn.has(letter)) drawn.set(letter, `${disc}<text x="20" y="25" class="letter">${letter.toUpperCase()}</text>`);
  }
  const rules = [];
  for (const [color, { fill, stroke, detail }] of Object.entries(COLORS)) {
    for (const [picture, shape] of drawn) {
      const lines = `fill="none" stroke="${detail}" stroke-width="1.3"`;
      const letter = `fill="${detail}" stroke="none" font-family="sans-serif" font-size="15" text-anchor="middle"`;
      const image =
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" fill="${fill}" stroke="${stroke}" stroke-width="1.5" ` +
        `stroke-linejoin="round" stroke-linecap="round">` +
        shape.replaceAll('class="detail"', lines).replaceAll('class="letter"', letter) +
        "</svg>";
      rules.push(`piece.${color}.${picture}{background-image:url("data:image/svg+xml,${encode(image)}")}`);
    }
  }
  return rules.join("\n");
}

function encode(image: string): string {
  return image.replaceAll('"', "'").replace(/[<>#%{}]/g, (letter) => encodeURIComponent(letter));
}
