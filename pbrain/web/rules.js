// The rules by their protocol numbers.

export const RULES = [
  { number: 0, name: "Freestyle", text: "Five or more in a row win." },
  { number: 1, name: "Exactly five", text: "Exactly five in a row win; six do not." },
  {
    number: 4,
    name: "Renju",
    text: "Black needs exactly five, and may not make a double three, a double four or an overline: such points have "
      + "a cross. White wins with five or more.",
  },
  { number: 8, name: "Caro", text: "Five win unless the other side blocks both ends; six or more win, too." },
  { number: 9, name: "Caro with exactly five", text: "Exactly five win unless the other side blocks both ends." },
];
const [EXACT_FIVE, RENJU, CARO, CARO_EXACT_FIVE] = [1, 4, 8, 9];
const FIVE = 5;

export function ruleName(number) {
  return RULES.find((rule) => rule.number === number).name;
}

export function isRule(number) {
  return RULES.some((rule) => rule.number === number);
}

// Whether a row of five or more wins, given all stones.
export function isWinningRow(rule, moves, row) {
  const isBlack = moves.length % 2 === 1;
  const isExact = rule === EXACT_FIVE || rule === CARO_EXACT_FIVE || (rule === RENJU && isBlack);
  if (row.length > FIVE) return !isExact;
  return !(rule === CARO || rule === CARO_EXACT_FIVE) || !isBlockedTwice(moves, row);
}

function isBlockedTwice(moves, row) {
  const others = new Set(moves.filter((_, ply) => (moves.length - 1 - ply) % 2 === 1).map(String));
  const sorted = [...row].sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const [first, second] = sorted;
  const last = sorted.at(-1);
  const step = [second[0] - first[0], second[1] - first[1]];
  const ends = [[first[0] - step[0], first[1] - step[1]], [last[0] + step[0], last[1] + step[1]]];
  return ends.every((end) => others.has(String(end)));
}
