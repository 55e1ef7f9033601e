// A game on a kernel's state: stones, whose turn it is, who has won, what is forbidden.

export const BLACK = 0;
export const WHITE = 1;
const STRIDE = 32;
const MARGIN = 5;
const EMPTY = 0;

export function cellOf([x, y]) {
  return (y + MARGIN) * STRIDE + x + MARGIN;
}

export function moveOf(cell) {
  return [(cell % STRIDE) - MARGIN, Math.floor(cell / STRIDE) - MARGIN];
}

export class Position {
  constructor(kernel, places, learned) {
    this.kernel = kernel;
    this.tables = kernel.record("tables", places.tables);
    this.state = kernel.record("state", places.threads[0].state);
    this.learned = learned;
    this.rule = null;
  }

  // An empty board; the tables are made anew only for another rule.
  clear(width, height, rule) {
    if (rule !== this.rule) {
      this.kernel.call("prepare", this.tables.at, rule);
      for (const [field, bytes] of Object.entries(this.learned[rule])) this.tables.bytes(field).set(bytes);
      this.rule = rule;
    }
    this.kernel.call("clear", this.state.at, this.tables.at, width, height);
    this.size = [width, height];
  }

  // Black, white, black …; every move must be legal.
  play(moves) {
    for (const move of moves) this.kernel.call("make", this.state.at, cellOf(move), this.toMove);
  }

  undo() {
    this.kernel.call("undo", this.state.at);
  }

  get toMove() {
    return this.state.get("to_move");
  }

  get moves() {
    return this.state.get("moves");
  }

  get isFull() {
    return this.moves === this.size[0] * this.size[1];
  }

  // The colour that has made a winning line, or null.
  get winner() {
    const stone = this.state.get("winner");
    return stone === EMPTY ? null : stone - 1;
  }

  // The static evaluation for the side to move.
  get value() {
    return this.kernel.call("evaluate", this.state.at);
  }

  has([x, y]) {
    return x >= 0 && y >= 0 && x < this.size[0] && y < this.size[1];
  }

  isEmpty(move) {
    return this.state.get("stones", cellOf(move)) === EMPTY;
  }

  isForbidden(move) {
    return this.kernel.call("is_forbidden", this.state.at, cellOf(move)) !== 0;
  }

  // Every empty cell, row by row.
  emptyCells() {
    const [width, height] = this.size;
    const all = Array.from({ length: width * height }, (_, i) => [i % width, Math.floor(i / width)]);
    return all.filter((move) => this.isEmpty(move));
  }
}
