// How strong the engine plays, from beginner to full strength.

import { WIN_BOUND } from "./units.js";

// `depth` in plies; among the `lines` best moves one is drawn, a move that is `spread` points worse being e times
// rarer.
export const LEVELS = [
  { name: "Beginner", text: "Looks one move ahead, often errs, takes any five.", depth: 1, lines: 10, spread: 450 },
  { name: "Easy", text: "Looks two moves ahead and errs now and then.", depth: 2, lines: 8, spread: 200 },
  { name: "Medium", text: "Looks four moves ahead and seldom errs.", depth: 4, lines: 4, spread: 60 },
  { name: "Strong", text: "Looks six moves ahead, sees wins by fours, never errs on purpose.", depth: 6, lines: 1 },
  { name: "Full strength", text: "The tournament engine, as long as you let it think.", lines: 1 },
];
export const FULL = LEVELS.length - 1;
export const TIMES = [100, 200, 500, 1000, 2000, 5000, 10_000, 30_000]; // milliseconds per move
const WEAKER_TURN = 2000; // more than a fixed depth ever takes
const MOST_LOSS = 1500; // a lost move counts as this much worse, however surely it loses

// What the search of a level may use; `turn` counts for full strength alone.
export function limitsOf(level, turn) {
  return level === FULL ? { turn } : { turn: WEAKER_TURN, depth: LEVELS[level].depth };
}

// The report to play among the best lines, the best first; `random` is from 0 to 1.
export function drawn(lines, level, random) {
  const { spread } = LEVELS[level];
  if (!spread || lines[0].score >= WIN_BOUND) return lines[0];
  const best = lines[0].score;
  const weights = lines.map(({ score }) => Math.exp(-Math.min(best - score, MOST_LOSS) / spread));
  let left = random * weights.reduce((sum, weight) => sum + weight, 0);
  return lines.find((_, i) => (left -= weights[i]) < 0) ?? lines[0];
}
