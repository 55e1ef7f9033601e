// What the rules say of a position; the kernel decides, on an instance of its own, so that nothing waits for a search.

import { cellName } from "../pages/cells.js";
import { cellsOf, rowsOfFive } from "../pages/rows.js";
import { GameError, boardOf, shownMoves } from "./game.js";
import { Kernel, memoryFor, placesIn } from "./kernel.js";
import { BLACK, Position } from "./position.js";
import { isWinningRow } from "./rules.js";

const NAMES = ["black", "white"];

export class Referee {
  static async start(module, description, heapBase, learned) {
    const places = placesIn(description, heapBase, 1, 0);
    const kernel = await Kernel.start(module, description, memoryFor(places, false));
    return new Referee(new Position(kernel, places, learned));
  }

  constructor(position) {
    this.position = position;
  }

  setUp({ width, height, rule }, moves) {
    this.position.clear(width, height, rule);
    this.position.play(moves);
  }

  // { toMove, winner, winning, isDrawn, isOver, forbidden } of the position that is shown.
  judge(game) {
    const moves = shownMoves(game);
    this.setUp(boardOf(game), moves);
    const { winner, toMove } = this.position;
    const rows = winner === null ? [] : rowsOfFive(moves).filter((row) => isWinningRow(game.rule, moves, row));
    const empty = winner === null ? this.position.emptyCells() : [];
    const forbidden = toMove === BLACK ? empty.filter((move) => this.position.isForbidden(move)) : [];
    const isDrawn = winner === null && forbidden.length === empty.length;
    return { toMove, winner, winning: cellsOf(rows), isDrawn, isOver: winner !== null || isDrawn, forbidden };
  }

  // Why the side to move cannot play there, as a sentence; null if it can.
  refusal(game, move) {
    this.setUp(boardOf(game), shownMoves(game));
    return this.refusalHere(move);
  }

  refusalHere(move) {
    const { position } = this;
    const [width, height] = position.size;
    if (!position.has(move)) return `${cellName(move)} is not on the board of ${width} by ${height}.`;
    if (position.winner !== null) return `The game is over: ${NAMES[position.winner]} has won.`;
    if (!position.isEmpty(move)) return `${cellName(move)} is taken.`;
    if (position.toMove === BLACK && position.isForbidden(move)) return `${cellName(move)} is forbidden to black.`;
    return null;
  }

  // GameError with a sentence unless every move of the game is legal.
  check(game) {
    this.setUp(boardOf(game), []);
    game.moves.forEach((move, ply) => {
      const reason = this.refusalHere(move);
      if (reason !== null) throw new GameError(`Stone ${ply + 1} cannot be placed: ${reason}`);
      this.position.play([move]);
    });
  }
}
