// Positions from the fragment of an address: #moves=h8i9&size=15&rule=0&shown=2. Only the moves must be there.

import { GameError, newGame, withMoves } from "./game.js";
import { parseMoves, shortened } from "./notation.js";
import { isRule } from "./rules.js";

const KNOWN = new Set(["moves", "size", "rule", "shown"]);

export function isFragment(text) {
  return /(^|#)moves=/.test(text.trim());
}

// The game of a fragment, or of an address with one; GameError if it is malformed.
export function parseFragment(text) {
  const fields = new URLSearchParams(text.slice(text.indexOf("#") + 1));
  for (const name of fields.keys()) {
    if (!KNOWN.has(name)) throw new GameError(`A link to a position has no “${shortened(name)}”.`);
  }
  const number = (name, otherwise) => {
    const value = fields.get(name);
    if (value === null) return otherwise;
    if (!/^\d{1,3}$/.test(value)) throw new GameError(`“${shortened(value)}” is not a number for ${name}.`);
    return Number(value);
  };
  const rule = number("rule", 0);
  if (!isRule(rule)) throw new GameError(`There is no rule ${rule}.`);
  const [width, height] = sizeOf(fields.get("size") ?? "15");
  const moves = parseMoves(fields.get("moves") ?? "");
  return withMoves(newGame({ width, height, rule }), moves, number("shown", moves.length));
}

function sizeOf(text) {
  const found = /^(\d{1,3})(?:x(\d{1,3}))?$/.exec(text);
  if (found === null) throw new GameError(`“${shortened(text)}” is not the size of a board.`);
  return [Number(found[1]), Number(found[2] ?? found[1])];
}
