// Which moves of an analysed game were mistakes; scores are from black's point of view, by the number of stones.

import { winIn } from "./units.js";

const MISTAKE = 300; // points: an open three to come is worth about 100

// What was wrong with the move that led to `stones` stones, or null.
export function verdict(scores, stones) {
  const [before, after] = [scores[stones - 1], scores[stones]];
  if (before === null || before === undefined || after === null || after === undefined) return null;
  const sign = stones % 2 === 1 ? 1 : -1; // black has moved
  const [mine, then] = [sign * before, sign * after];
  const [had, has] = [winIn(mine), winIn(then)];
  if (had > 0 && !(has > 0)) return "misses a win";
  if (had < 0) return null; // it was lost before
  if (has < 0) return "loses";
  return mine - then >= MISTAKE ? "gives away much" : null;
}

export function mistakesIn(scores) {
  const all = scores.map((_, stones) => ({ stones, what: stones ? verdict(scores, stones) : null }));
  return all.filter(({ what }) => what !== null);
}
