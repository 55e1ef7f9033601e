// A game as a value: its board and rule, all its moves, and how many of them are shown. Functions return new games.

import { MAX_SIZE, MIN_SIZE } from "./units.js";

export class GameError extends Error {} // its message is one sentence for people

export function newGame({ width = 15, height = 15, rule = 0 } = {}) {
  const isSize = (size) => Number.isInteger(size) && size >= MIN_SIZE && size <= MAX_SIZE;
  if (!isSize(width) || !isSize(height)) {
    throw new GameError(`A board has ${MIN_SIZE} to ${MAX_SIZE} cells in each direction, not ${width} by ${height}.`);
  }
  return { width, height, rule, moves: [], shown: 0 };
}

export function boardOf({ width, height, rule }) {
  return { width, height, rule };
}

export function shownMoves(game) {
  return game.moves.slice(0, game.shown);
}

// One more stone after those shown; what came after them before is dropped.
export function played(game, move) {
  const moves = [...shownMoves(game), move];
  return { ...game, moves, shown: moves.length };
}

export function withMoves(game, moves, shown = moves.length) {
  return { ...game, moves, shown: Math.max(0, Math.min(shown, moves.length)) };
}

export function goTo(game, stones) {
  return withMoves(game, game.moves, stones);
}

export function isAtEnd(game) {
  return game.shown === game.moves.length;
}

// How many stones `step` (-1 or 1) leads to, so that afterwards it is a person's turn, if any plays; `isPerson` is by
// colour.
export function stonesAfterStep(game, step, isPerson) {
  const last = step < 0 ? 0 : game.moves.length;
  const isStop = (stones) => stones === last || isPerson[stones % 2] || !isPerson.some(Boolean);
  let stones = game.shown;
  if (stones === last) return stones;
  do stones += step;
  while (!isStop(stones));
  return stones;
}
