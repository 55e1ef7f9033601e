// The games of the page: rows at once, and the moves and messages of a game when it is looked at.

import { NUMBER, OPENING } from "./filters.js";

export class Games {
  constructor(rows, packed) {
    this.rows = [];
    this.openings = new Set();
    this.packed = new Map();
    this.add(rows, packed);
  }

  add(rows, packed) {
    rows.forEach((row, place) => {
      this.packed.set(row[NUMBER], packed[place]);
      this.openings.add(row[OPENING]);
    });
    this.rows = [...this.rows, ...rows].sort((one, other) => one[NUMBER] - other[NUMBER]);
  }

  row(number) {
    return this.rows.find((row) => row[NUMBER] === number);
  }

  // Everything that is known of a game.
  async details(number) {
    return unpacked(this.packed.get(number));
  }
}

export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
