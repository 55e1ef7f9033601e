// Rows of five: which stones the last move has completed.

const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];
const WINNING_LENGTH = 5;

function rowThrough(own, [x, y], [dx, dy]) {
  const row = [[x, y]];
  for (const sign of [1, -1]) {
    let cell = [x + sign * dx, y + sign * dy];
    while (own.has(String(cell))) {
      row.push(cell);
      cell = [cell[0] + sign * dx, cell[1] + sign * dy];
    }
  }
  return row;
}

// Every row of five or more that the last of these moves, by turns, is part of.
export function rowsOfFive(moves) {
  if (!moves.length) return [];
  const last = moves.length - 1;
  const own = new Set(moves.filter((_, ply) => (last - ply) % 2 === 0).map(String));
  const rows = DIRECTIONS.map((direction) => rowThrough(own, moves[last], direction));
  return rows.filter((row) => row.length >= WINNING_LENGTH);
}

// The cells of these rows, each once.
export function cellsOf(rows) {
  return [...new Map(rows.flat().map((cell) => [String(cell), cell])).values()];
}

export function winningCells(moves) {
  return cellsOf(rowsOfFive(moves));
}
