// The board as SVG. Row 1 is at the top, as in Piskvork. Black moves first.

import { cellName, columnName } from "./cells.js";
import { html, svg } from "./dom.js";
import { winningCells } from "./rows.js";

export const CELL = 20;
const EDGE = 22; // for the coordinates
const COLOURS = ["black", "white"];

export class Board {
  constructor(host, width, height) {
    this.size = [width, height];
    this.under = svg("g"); // what others draw beneath the stones
    this.stones = svg("g");
    this.over = svg("g"); // and above them
    this.picture = svg(
      "svg",
      { class: "board", role: "img", viewBox: `0 0 ${EDGE + CELL * width} ${EDGE + CELL * height}` },
      svg("rect", { class: "wood", x: EDGE, y: EDGE, width: CELL * width, height: CELL * height }),
      ...this.lines(),
      ...this.coordinates(),
      this.under,
      this.stones,
      this.over,
    );
    host.replaceChildren(this.picture);
  }

  // Draws the position after these moves. `isNumbered` writes each stone's number on it; `winning` are the cells to
  // ring.
  show(moves, { isNumbered = false, winning = winningCells(moves) } = {}) {
    const won = new Set(winning.map(String));
    const last = moves.length - 1;
    this.stones.replaceChildren(
      ...moves.map((cell, ply) => this.stone(cell, ply, ply === last, won.has(String(cell)), isNumbered)),
    );
    this.picture.setAttribute("aria-label", describe(moves, won.size > 0, this.size));
  }

  lines() {
    const [width, height] = this.size;
    const across = Array.from({ length: height }, (_, y) => [at(0), at(y), at(width - 1), at(y)]);
    const down = Array.from({ length: width }, (_, x) => [at(x), at(0), at(x), at(height - 1)]);
    return [...across, ...down].map(([x1, y1, x2, y2]) => svg("line", { class: "wood-line", x1, y1, x2, y2 }));
  }

  coordinates() {
    const [width, height] = this.size;
    const letters = Array.from({ length: width }, (_, x) => [at(x), EDGE - 8, columnName(x)]);
    const numbers = Array.from({ length: height }, (_, y) => [EDGE / 2, at(y), String(y + 1)]);
    const drawn = ([x, y, text]) => svg("text", { class: "coordinate", x, y, dy: "0.35em" }, text);
    return [...letters, ...numbers].map(drawn);
  }

  stone([x, y], ply, isLast, isWon, isNumbered) {
    const [cx, cy] = [at(x), at(y)];
    const classes = ["stone", COLOURS[ply % 2], isLast && "last", isWon && "won"].filter(Boolean).join(" ");
    const group = svg("g", { class: classes }, svg("circle", { cx, cy, r: CELL * 0.45 }));
    if (isNumbered) group.append(svg("text", { x: cx, y: cy, dy: "0.35em" }, String(ply + 1)));
    if (isWon) group.append(svg("circle", { class: "ring", cx, cy, r: CELL * 0.33 }));
    if (isLast && !isNumbered) group.append(svg("rect", { class: "mark", x: cx - 3, y: cy - 3, width: 6, height: 6 }));
    if (isLast && isNumbered) group.append(svg("rect", { class: "mark", x: cx - 6, y: cy + 5, width: 12, height: 2 }));
    return group;
  }
}

// The middle of a column or row.
export function at(place) {
  return EDGE + CELL * (place + 0.5);
}

// The position in words.
export function describe(moves, isWon, [width, height]) {
  const board = `Board of ${width} by ${height}`;
  if (!moves.length) return `${board}, empty.`;
  const last = moves.length - 1;
  const end = isWon ? ", which makes five in a row" : "";
  return `${board} after ${moves.length} stones; the last is ${COLOURS[last % 2]} on ${cellName(moves[last])}${end}.`;
}

// A stone beside a name, so that its colour is seen; screen readers get the word.
export function stoneSign(colour) {
  return html("span", { class: `sign ${COLOURS[colour]}`, role: "img", "aria-label": COLOURS[colour] });
}
