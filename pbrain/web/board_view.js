// The board of the page: stones, marks, and cells to choose.

import { Board } from "../pages/board.js";
import { BoardGrid } from "../pages/board_grid.js";
import { BoardMarks } from "../pages/board_marks.js";

const SMALL = 32; // pixels of a cell below which a finger may miss it

export class BoardView {
  // `chosen` is called with a cell to play; `asked` with a cell that has to be tapped once more.
  constructor(host, { chosen, asked }) {
    this.host = host;
    this.chosen = chosen;
    this.asked = asked;
    this.pending = null;
  }

  // `state`: { game, moves, verdict, isNumbered, mayPlay, asksTwice }.
  show(state) {
    const { game, moves, verdict } = state;
    if (String(this.board?.size) !== String([game.width, game.height])) this.build(game);
    this.state = state;
    this.pending = null;
    this.board.show(moves, { isNumbered: state.isNumbered, winning: verdict.winning });
    this.marks.showForbidden(verdict.forbidden);
    this.marks.showPointer(null);
    const notes = new Map(verdict.forbidden.map((cell) => [String(cell), "forbidden to black"]));
    for (const cell of verdict.winning) notes.set(String(cell), "part of the winning row");
    this.grid.describe(moves, notes);
  }

  // Candidates, and a line of play for the side to move.
  showThoughts(candidates, line) {
    this.marks.showCandidates(candidates);
    this.marks.showLine(line, this.state.verdict.toMove);
  }

  build({ width, height }) {
    this.board = new Board(this.host, width, height);
    this.marks = new BoardMarks(this.board);
    this.grid = new BoardGrid(this.board, {
      chosen: (cell, pointer) => this.choose(cell, pointer),
      pointed: (cell) => this.point(cell),
    });
  }

  choose(cell, pointer) {
    const isSmall = this.host.clientWidth / this.state.game.width < SMALL;
    const isAsking = pointer === "touch" && isSmall && this.state.asksTwice && this.isPlayable(cell);
    if (isAsking && String(this.pending) !== String(cell)) {
      this.pending = cell;
      this.marks.showPointer(cell, this.state.verdict.toMove, true);
      this.asked(cell);
      return;
    }
    this.chosen(cell);
  }

  point(cell) {
    if (this.pending !== null) return;
    this.marks.showPointer(cell !== null && this.isPlayable(cell) ? cell : null, this.state.verdict.toMove);
  }

  isPlayable(cell) {
    return this.state.mayPlay && !this.state.moves.some((move) => String(move) === String(cell));
  }
}
