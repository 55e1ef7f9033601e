// The engine's numbers: scores, depths, the table.

export const WIN = 30_000; // a win n plies from now is WIN - n
export const WIN_BOUND = 29_000; // what lies above is proven
export const MAX_DEPTH = 99;
export const CLUSTER_BYTES = 64;
export const MIB = 1 << 20;
export const MIN_SIZE = 5;
export const MAX_SIZE = 22;

// Plies to a proven win, negative for a proven loss, else null.
export function winIn(score) {
  if (Math.abs(score) < WIN_BOUND) return null;
  return score > 0 ? WIN - score : -WIN - score;
}
