// What the engine has said of positions of this game, from black's point of view.

import { textOf } from "./notation.js";
import { WIN } from "./units.js";

export class Evaluations {
  constructor() {
    this.known = new Map();
  }

  clear() {
    this.known.clear();
  }

  // Remembers a report on the position after these moves, unless a deeper one is known.
  add(moves, { depth, score, line }) {
    const before = this.known.get(textOf(moves));
    if (before && before.depth > depth) return;
    this.known.set(textOf(moves), { depth, score: moves.length % 2 ? -score : score, line });
  }

  // A finished game: won by a colour, or drawn.
  addEnd(moves, winner) {
    const score = winner === null ? 0 : winner === 0 ? WIN : -WIN;
    this.known.set(textOf(moves), { depth: Infinity, score, line: [] });
  }

  of(moves) {
    return this.known.get(textOf(moves)) ?? null;
  }

  // Scores by the number of stones, null where nothing is known.
  scores(moves) {
    return Array.from({ length: moves.length + 1 }, (_, stones) => this.of(moves.slice(0, stones))?.score ?? null);
  }
}
