// Puzzles: positions of our own games in which the side to move wins.

import { newGame, withMoves } from "./game.js";
import { parseMoves } from "./notation.js";

const COLOURS = ["Black", "White"];

// The puzzles of the file: rule, size, moves, kind, plies, solution; separated by tabs.
export function parsePuzzles(text) {
  return text.trim().split("\n").filter((line) => !line.startsWith("#")).map((line, i) => {
    const [rule, size, moves, kind, plies, solution] = line.split("\t");
    return {
      number: i + 1,
      game: withMoves(newGame({ width: Number(size), height: Number(size), rule: Number(rule) }), parseMoves(moves)),
      isByFours: kind === "fours",
      plies: Number(plies),
      solution: parseMoves(solution),
    };
  });
}

export function attacker({ game }) {
  return game.moves.length % 2;
}

export function task(puzzle) {
  const side = COLOURS[attacker(puzzle)];
  const moves = Math.ceil(puzzle.plies / 2);
  return `${side} wins ${puzzle.isByFours ? "by fours" : "by threes and fours"} in ${moves} moves. Find it.`;
}

// The line of the solution that goes on after these moves, or null if they are another way.
export function restOf({ game, solution }, moves) {
  const line = [...game.moves, ...solution];
  const isOnIt = moves.every((move, ply) => String(move) === String(line[ply]));
  return isOnIt ? line.slice(moves.length) : null;
}
