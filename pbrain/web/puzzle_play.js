// Answers to a person's moves in a puzzle: does the move still win, and what does the other side play?

import { boardOf } from "./game.js";
import { restOf } from "./puzzles.js";
import { WIN_BOUND } from "./units.js";

const TURN = 1500; // milliseconds to refute or to prove a move that is not in the solution
const NODES = 300_000; // for a win by fours

// { isWinning, reply } after the attacker's last move; null if another question came meanwhile.
export async function answerTo(client, puzzle, moves) {
  const rest = restOf(puzzle, moves);
  if (rest !== null) return { isWinning: true, reply: rest[0] };
  const game = boardOf(puzzle.game);
  const defence = await client.ask("think", { game, moves, limits: { turn: TURN }, lines: 1 });
  if (defence === null) return null;
  const reply = defence.line[0];
  if (defence.score <= -WIN_BOUND) return { isWinning: true, reply };
  if (!defence.isForced) return { isWinning: false, reply };
  const win = await client.ask("fours", { game, moves: [...moves, reply], nodes: NODES });
  return { isWinning: win !== null, reply };
}
