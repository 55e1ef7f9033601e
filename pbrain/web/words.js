// Scores and speeds in words; scores are from black's point of view.

import { winIn } from "./units.js";

const SIDES = ["Black", "White"];
const DEGREES = [
  [100, null],
  [300, "is slightly better"],
  [800, "is better"],
  [Infinity, "is much better"],
];
const HALF = 400; // points at which the better side has three quarters of the bar

// "Black is slightly better", "White wins in 7".
export function scoreWords(score) {
  const plies = winIn(score);
  const side = SIDES[score < 0 ? 1 : 0];
  if (plies !== null) return plies === 0 ? `${side} has won` : `${side} wins in ${Math.abs(plies)}`;
  const [, words] = DEGREES.find(([most]) => Math.abs(score) < most);
  return words === null ? "Both sides are about equal" : `${side} ${words}`;
}

export function scoreText(score) {
  const plies = winIn(score);
  if (plies !== null) return `${score > 0 ? "B" : "W"} wins in ${Math.abs(plies)}`;
  return score > 0 ? `+${score}` : String(score);
}

// Black's share of the evaluation bar, from 0 to 1.
export function blackShare(score) {
  if (winIn(score) !== null) return score > 0 ? 1 : 0;
  return 1 / (1 + 3 ** (-score / HALF));
}

// 1234567 → 1.2M.
export function shortCount(number) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${(number / size).toFixed(number < 10 * size ? 1 : 0)}${letter}`;
  }
  return String(Math.round(number));
}

export function perSecond({ nodes, elapsed }) {
  return (1000 * nodes) / Math.max(elapsed, 0.001);
}
