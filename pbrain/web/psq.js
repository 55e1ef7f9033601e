// Games in the file format of Piskvork: a header, a line for each stone, then names and a code that are not needed
// here.

import { GameError, newGame, withMoves } from "./game.js";
import { shortened } from "./notation.js";

const HEADER = /^Piskvor\w*\s+(\d{1,3})\s*x\s*(\d{1,3})\s*,/i;
const MOVE = /^(\d{1,3}),(\d{1,3}),(-?\d+)$/;
const LINE_END = "\r\n";
const LEVELS = "0:0";
const BLACK_STARTS = 0;
const NORMAL_END = 0;

export function isPsq(text) {
  return /^\s*Piskvor/i.test(text);
}

// The game of a file; the format has no rule, so it is given.
export function parsePsq(text, rule) {
  const [first, ...lines] = text.replace(/^\uFEFF/, "").trim().split(/\r?\n/);
  const size = HEADER.exec(first.trim());
  if (size === null) {
    throw new GameError(`A psq file begins with “Piskvorky 15x15, …”, not with “${shortened(first)}”.`);
  }
  const moves = [];
  for (const [i, line] of lines.entries()) {
    const found = MOVE.exec(line.trim());
    if (found === null) {
      if (/^-?\d+,/.test(line.trim())) throw new GameError(`Line ${i + 2} is no stone: “${shortened(line)}”.`);
      break; // the names of the players
    }
    moves.push([Number(found[1]) - 1, Number(found[2]) - 1]);
  }
  return withMoves(newGame({ width: Number(size[1]), height: Number(size[2]), rule }), moves);
}

export function psqText({ width, height, moves }) {
  const header = `Piskvorky ${width}x${height}, ${LEVELS}, ${BLACK_STARTS}`;
  const stones = moves.map(([x, y]) => `${x + 1},${y + 1},0`);
  return [header, ...stones, String(NORMAL_END), ""].join(LINE_END);
}
