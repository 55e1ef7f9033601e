// Positions as people write them: h8i9, h8 i9 or h8,i9.

import { cellName } from "../pages/cells.js";
import { GameError } from "./game.js";

const CELL = /[a-z][1-9]\d?(?!\d)/gy;
const MAX_TEXT = 4000; // far more than a full board has

export function textOf(moves) {
  return moves.map(cellName).join("");
}

// The moves of a text; GameError for anything else.
export function parseMoves(text) {
  if (text.length > MAX_TEXT) throw new GameError("That is too long to be a list of cells such as h8i9.");
  const packed = text.toLowerCase().replace(/[\s,;.]+/g, "");
  const cells = packed.match(CELL) ?? [];
  if (cells.join("").length !== packed.length) {
    throw new GameError(`“${shortened(text)}” is not a list of cells such as h8i9.`);
  }
  return cells.map((cell) => [cell.charCodeAt(0) - 97, Number(cell.slice(1)) - 1]);
}

export function shortened(text, most = 40) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
