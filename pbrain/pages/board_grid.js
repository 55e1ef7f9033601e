// Lets people choose cells of a board: mouse, touch, and a grid that keyboards and screen readers can walk through.

import { CELL, at } from "./board.js";
import { cellName } from "./cells.js";
import { svg } from "./dom.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ENDS = { Home: 0, End: Infinity };
const NAMES = ["black", "white"];

export class BoardGrid {
  // `chosen` is called with a cell and the kind of pointer, "key" for a keyboard; `pointed` with a cell or null.
  constructor(board, { chosen, pointed }) {
    this.board = board;
    this.chosen = chosen;
    const [width, height] = board.size;
    this.focused = [Math.floor(width / 2), Math.floor(height / 2)];
    this.cells = new Map();
    const rows = Array.from({ length: height }, (_, y) =>
      svg("g", { role: "row" }, ...Array.from({ length: width }, (_, x) => this.cell([x, y]))));
    this.grid = svg("g", { class: "grid", role: "grid", "aria-label": "Cells of the board" }, ...rows);
    board.picture.setAttribute("role", "group");
    board.picture.append(this.grid);
    this.at(this.focused).setAttribute("tabindex", "0");
    this.grid.addEventListener("keydown", (event) => this.onKey(event));
    this.grid.addEventListener("click", (event) => this.onClick(event));
    this.grid.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") pointed(this.cellOf(event.target));
    });
    this.grid.addEventListener("pointerleave", () => pointed(null));
    this.grid.addEventListener("focusin", (event) => pointed(this.isByKey(event.target) ? this.focused : null));
    this.grid.addEventListener("focusout", () => pointed(null));
  }

  cell([x, y]) {
    const place = { x: at(x) - CELL / 2, y: at(y) - CELL / 2, width: CELL, height: CELL };
    const made = svg("rect", { ...place, class: "cell", role: "gridcell", tabindex: -1, "data-cell": `${x},${y}` });
    this.cells.set(`${x},${y}`, made);
    return made;
  }

  at(cell) {
    return this.cells.get(String(cell));
  }

  cellOf(target) {
    return target.dataset?.cell?.split(",").map(Number) ?? null;
  }

  isByKey(target) {
    return target.matches(":focus-visible");
  }

  // Tells screen readers what is on each cell; `notes` has more words for some of them.
  describe(moves, notes) {
    const stones = new Map(moves.map((cell, ply) => [String(cell), ply]));
    for (const [key, made] of this.cells) {
      const ply = stones.get(key);
      const what = ply === undefined ? "empty" : `${NAMES[ply % 2]}, stone ${ply + 1}`;
      const note = notes.get(key);
      const label = `${cellName(this.cellOf(made))}, ${note ? `${what}, ${note}` : what}`;
      if (made.getAttribute("aria-label") !== label) made.setAttribute("aria-label", label);
    }
  }

  onClick(event) {
    const cell = this.cellOf(event.target);
    if (cell === null) return;
    this.move(cell, false);
    this.chosen(cell, event.pointerType || "mouse");
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const [x, y] = this.focused;
    const [width] = this.board.size;
    if (STEPS[event.key]) this.move([x + STEPS[event.key][0], y + STEPS[event.key][1]], true);
    else if (event.key in ENDS) this.move([Math.min(ENDS[event.key], width - 1), y], true);
    else if (event.key === "Enter" || event.key === " ") this.chosen(this.focused, "key");
    else return;
    event.preventDefault();
  }

  // Moves the one cell that Tab reaches; beyond the edge it stays.
  move(cell, takesFocus) {
    if (!this.at(cell)) return;
    this.at(this.focused).setAttribute("tabindex", "-1");
    this.focused = cell;
    this.at(cell).setAttribute("tabindex", "0");
    if (takesFocus) this.at(cell).focus();
  }
}
