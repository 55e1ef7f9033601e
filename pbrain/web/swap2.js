// Swap2: three stones whose position the engine scores as balanced, and the choice of a side.

import { partOf } from "./timing.js";
import { WIN } from "./units.js";

// White is to move after three stones and after five; up to this score for white, either side is as good.
const BALANCED = 60;

// Black, white and black stones as offsets from the centre.
const SHAPES = [
  [[0, 0], [1, 1], [-3, 2]],
  [[0, 0], [1, 0], [-3, -3]],
  [[0, 0], [0, -2], [4, -2]],
  [[0, 0], [-1, 3], [-2, -4]],
  [[0, 0], [2, -1], [-2, -4]],
  [[0, 0], [-2, 0], [2, -3]],
  [[0, 0], [-1, 1], [1, 4]],
  [[0, 0], [-3, 2], [-3, 4]],
];

// The engine's answer after 0, 3 or 5 stones: { stones } to place, or { swap: true } to take black. One stone means
// that it stays white; two after three stones leave the choice to the other side.
export function swap2Answer(engine, game, moves, limits) {
  if (!moves.length) return { stones: balancedThree(engine, game, limits) };
  engine.setMoves(game, moves);
  const report = engine.think(limits, () => {});
  if (report.score < -BALANCED) return { swap: true };
  const isBalanced = moves.length === 3 && report.score <= BALANCED && report.line.length >= 2;
  return { stones: report.line.slice(0, isBalanced ? 2 : 1) };
}

// Of the shapes that fit, the one whose score is nearest to zero; each gets an equal part of the time.
function balancedThree(engine, game, limits) {
  const { width, height } = game;
  const placed = SHAPES.map((shape) =>
    shape.map(([dx, dy]) => [Math.floor(width / 2) + dx, Math.floor(height / 2) + dy]));
  const fitting = placed.filter((shape) => shape.every(([x, y]) => x >= 0 && y >= 0 && x < width && y < height));
  const offers = fitting.length ? fitting : [[[0, 0], [width - 1, 0], [0, height - 1]]];
  let best = offers[0];
  let least = 2 * WIN;
  offers.forEach((offer, i) => {
    engine.setMoves(game, offer);
    const { score } = engine.think(partOf(limits, i + 1, offers.length), () => {});
    if (Math.abs(score) < least) [best, least] = [offer, Math.abs(score)];
  });
  return best;
}
