// The games as rows, and which of them a filter lets through. A row is an array, as the runner writes it.

export const NUMBER = 0;
export const BLACK = 1;
export const WHITE = 2;
export const WINNER = 3; // 0 black, 1 white, 2 nobody
export const ENDING = 4;
export const OPENING = 5;
export const PLIES = 6;
export const SECONDS = 7;
export const WARNINGS = 8;

export const NO_FILTER = { brain: "", opponent: "", colour: "", result: "", ending: "", opening: "" };

// The colour of the filter's brain in a game; null if it does not play as the filter wants.
export function colourOf(row, { brain, opponent, colour }) {
  for (const side of [0, 1]) {
    const isBrain = brain === "" || row[BLACK + side] === Number(brain);
    const isOpponent = opponent === "" || row[WHITE - side] === Number(opponent);
    if (isBrain && isOpponent && (colour === "" || side === Number(colour))) return side;
  }
  return null;
}

export function isResult(row, result, side) {
  const winner = row[WINNER];
  const wanted = { won: side, lost: 1 - side, drawn: 2, black: 0, white: 1 };
  return result === "" || winner === wanted[result];
}

// An opening's whole name means that opening; anything else, all whose names contain it.
export function isOpening(name, wanted, names) {
  return wanted === "" || (names.has(wanted) ? name === wanted : name.toLowerCase().includes(wanted.toLowerCase()));
}

export function filtered(rows, filter, openings) {
  return rows.filter((row) => {
    const side = colourOf(row, filter);
    if (side === null) return false;
    const isEnding = filter.ending === "" || row[ENDING] === filter.ending;
    return isEnding && isResult(row, filter.result, side) && isOpening(row[OPENING], filter.opening, openings);
  });
}

// "1-0", "0-1" or "½-½", black's points first, since black moves first.
export function resultText(row) {
  return ["1-0", "0-1", "½-½"][row[WINNER]];
}
