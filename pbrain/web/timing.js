// How long to think: pure arithmetic in milliseconds.

const BASE_MARGIN = 14; // between the kernel's last look at its clock and the move on the board
const MARGIN_OF_TURN = 0.01;
const MAX_MARGIN_OF_TURN = 60;

// How much of a turn to think.
export function budget(turn) {
  return Math.max(1, turn - BASE_MARGIN - Math.min(MARGIN_OF_TURN * turn, MAX_MARGIN_OF_TURN));
}

// The limits of the search number `part`, from 1, of so many that follow each other in equal parts of the time.
export function partOf(limits, part, parts) {
  if (limits.deadline === null) return limits;
  return { ...limits, deadline: limits.began + ((limits.deadline - limits.began) * part) / parts };
}
