// The game of a text in any of the forms that people have: psq, SGF, a link, or cells such as h8i9.

import { GameError, newGame, withMoves } from "./game.js";
import { isFragment, parseFragment } from "./fragment.js";
import { parseMoves } from "./notation.js";
import { isPsq, parsePsq } from "./psq.js";
import { isSgf, parseSgf } from "./sgf.js";

export const MAX_FILE = 1 << 20; // bytes

// What a text does not say is as on `board`: { width, height, rule }.
export function readGame(text, board) {
  if (!text.trim()) throw new GameError("There is no position in an empty text.");
  if (text.length > MAX_FILE) throw new GameError("That is too large to be a game.");
  if (isPsq(text)) return parsePsq(text, board.rule);
  if (isSgf(text)) return parseSgf(text, board.rule);
  if (isFragment(text)) return parseFragment(text.trim());
  const moves = parseMoves(text);
  return withMoves(newGame(board), moves);
}
