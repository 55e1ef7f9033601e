// What may be drawn on a board beside its stones: forbidden points, candidates, a line of play, a stone to come.

import { CELL, at } from "./board.js";
import { svg } from "./dom.js";

const COLOURS = ["black", "white"];
const ARM = CELL * 0.2;
const READABLE = 0.7; // the least share of a disc with a number in it
const RADIUS = CELL * 0.45;

export class BoardMarks {
  constructor(board) {
    this.forbidden = svg("g", { class: "forbidden" });
    this.candidates = svg("g", { class: "candidates" });
    this.line = svg("g", { class: "variation" });
    this.pointer = svg("g", { class: "ghost" });
    board.under.append(this.candidates, this.forbidden);
    board.over.append(this.line, this.pointer);
  }

  // Crosses on the points that black may not play.
  showForbidden(cells) {
    const cross = ([x, y]) => {
      const [cx, cy] = [at(x), at(y)];
      const d = `M${cx - ARM} ${cy - ARM}l${2 * ARM} ${2 * ARM}m0 ${-2 * ARM}l${-2 * ARM} ${2 * ARM}`;
      return svg("path", { d });
    };
    this.forbidden.replaceChildren(...cells.map(cross));
  }

  // Discs whose size and strength is a share from 0 to 1; the best have a rank.
  showCandidates(candidates) {
    const disc = ({ move: [x, y], share, rank }) => {
      const shown = rank ? Math.max(share, READABLE) : share;
      const place = { cx: at(x), cy: at(y), r: CELL * (0.14 + 0.3 * shown), "fill-opacity": 0.25 + 0.7 * shown };
      const label = rank ? [svg("text", { x: at(x), y: at(y), dy: "0.35em" }, String(rank))] : [];
      return svg("g", {}, svg("circle", place), ...label);
    };
    this.candidates.replaceChildren(...candidates.map(disc));
  }

  // A line of play as pale stones, numbered from 1; `colour` moves first.
  showLine(moves, colour) {
    const stone = ([x, y], ply) =>
      svg(
        "g",
        { class: `stone ${COLOURS[(colour + ply) % 2]}` },
        svg("circle", { cx: at(x), cy: at(y), r: RADIUS }),
        svg("text", { x: at(x), y: at(y), dy: "0.35em" }, String(ply + 1)),
      );
    this.line.replaceChildren(...moves.map(stone));
  }

  // The stone that a click would place; null for none. `isAsking` shows that it waits to be confirmed.
  showPointer(cell, colour, isAsking = false) {
    if (cell === null) {
      this.pointer.replaceChildren();
      return;
    }
    const [cx, cy] = [at(cell[0]), at(cell[1])];
    const disc = svg("circle", { cx, cy, r: RADIUS });
    const ring = isAsking ? [svg("circle", { class: "asking", cx, cy, r: CELL * 0.85 })] : [];
    this.pointer.replaceChildren(svg("g", { class: `stone ${COLOURS[colour]}` }, disc), ...ring);
  }
}
