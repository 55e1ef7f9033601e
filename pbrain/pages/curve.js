// The evaluation curve of a game: what each side thinks of the position, from black's point of view.
//
// Brains score in units of their own, from tens to hundreds of thousands. So the scale is logarithmic to both sides of
// 0, and proven wins are at its ends.

import { svg } from "./dom.js";

export const PROVEN = 1e9; // a score of this size is a proof
const WIDTH = 420;
const HEIGHT = 200;
const LEFT = 46;
const RIGHT = 10;
const TOP = 26; // the legend is above
const BOTTOM = 22;
const NEAR = 10; // scores up to this size are drawn in proportion
const INSIDE = 0.84; // of the way to a proof, where the largest score is
const LEAST_TOP = 1000;
const TICKS = 6;
const MAX_NAME = 20;
const SIDES = ["black", "white"];

// The score, of any size, as a number from -1 to 1; `top` is the largest that is no proof.
export function height(score, top) {
  const size = Math.abs(score);
  if (size >= PROVEN) return Math.sign(score);
  return INSIDE * Math.sign(score) * Math.min(1, Math.log1p(size / NEAR) / Math.log1p(top / NEAR));
}

// The power of ten that holds all scores.
export function topOf(scores) {
  const sizes = scores.filter((score) => score !== null && Math.abs(score) < PROVEN).map(Math.abs);
  return Math.max(LEAST_TOP, 10 ** Math.ceil(Math.log10(Math.max(1, ...sizes))));
}

export function scoreText(score) {
  if (score === null) return "";
  if (Math.abs(score) >= PROVEN) return score > 0 ? "black wins" : "white wins";
  return score > 0 ? `+${score}` : String(score);
}

// The plies at which a side has told a score; `colour` is 0 for black, whose plies are even.
export function toldPlies(scores, colour) {
  return scores.map((_, ply) => ply).filter((ply) => ply % 2 === colour && scores[ply] !== null);
}

// The number of stones on the board whose place on the curve is nearest to a share of its width.
export function stonesAt(share, count) {
  return Math.max(0, Math.min(count, Math.round(share * count)));
}

export function tickStep(count) {
  return [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => count / step <= TICKS) ?? 1000;
}

export class Curve {
  // `picked` is called with a number of stones when the curve is clicked or dragged over.
  constructor(host, picked) {
    this.count = 0;
    this.picked = picked;
    this.drawn = svg("g");
    this.cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM });
    const frame = { class: "curve", role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
    this.picture = svg("svg", frame, this.drawn, this.cursor);
    host.replaceChildren(this.picture);
    this.picture.addEventListener("pointerdown", (event) => {
      this.picture.setPointerCapture(event.pointerId);
      this.pick(event);
    });
    this.picture.addEventListener("pointermove", (event) => {
      if (event.buttons) this.pick(event);
    });
  }

  // `scores[ply]` is what the mover at that ply thought, from black's point of view, or null.
  show(scores, names) {
    this.count = scores.length;
    const top = topOf(scores);
    const sides = [0, 1].map((colour) => this.side(scores, toldPlies(scores, colour), SIDES[colour], top));
    this.drawn.replaceChildren(...legend(names), ...this.grid(top), ...sides);
    const told = scores.filter((score) => score !== null).length;
    const lines = `${names[0]} as black, solid with full dots, and ${names[1]} as white, dashed with hollow dots`;
    this.picture.setAttribute("aria-label", told ? `Evaluations by ${lines}.` : "No brain told a score.");
    if (!told) this.drawn.append(svg("text", { class: "empty", x: WIDTH / 2, y: TOP + 36 }, "no brain told a score"));
  }

  // `scores[stones]` is what one engine thinks of the position with so many stones, from black's point of view, or
  // null; `mistakes` are the stones to mark.
  showOne(scores, mistakes) {
    this.count = scores.length - 1;
    const top = topOf(scores);
    const told = scores.map((_, stones) => stones).filter((stones) => scores[stones] !== null);
    const line = this.side(scores, told.map((stones) => stones - 1), SIDES[0], top, 1);
    const marked = mistakes.filter((stones) => scores[stones] !== null).map((stones) => {
      const [x, y] = [this.across(stones), up(height(scores[stones], top))];
      return svg("path", { class: "mistake", d: `M${x} ${y - 6}l5 10h-10z` });
    });
    this.drawn.replaceChildren(...this.grid(top), line, ...marked);
    const words = `Evaluation after each of ${this.count} stones; ${mistakes.length} mistakes are marked.`;
    this.picture.setAttribute("aria-label", told.length ? words : "No position has been evaluated yet.");
    const empty = { class: "empty", x: WIDTH / 2, y: TOP + 36 };
    if (!told.length) this.drawn.append(svg("text", empty, "not evaluated yet"));
  }

  mark(stones) {
    const x = this.across(stones);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }

  grid(top) {
    const lines = [];
    const label = (value, text) => {
      const y = up(height(value, top));
      lines.push(svg("line", { class: value ? "grid" : "zero", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }));
      lines.push(svg("text", { class: "tick up", x: LEFT - 5, y, dy: "0.35em" }, text));
    };
    label(0, "0");
    for (const [sign, word] of [[1, "B wins"], [-1, "W wins"]]) {
      label(sign * PROVEN, word);
      label(sign * 100, scoreText(sign * 100));
      label(sign * top, shortened(sign * top));
    }
    const step = tickStep(this.count);
    for (let stones = 0; stones <= this.count; stones += step) {
      lines.push(svg("text", { class: "tick", x: this.across(stones), y: HEIGHT - 6 }, String(stones)));
    }
    return lines;
  }

  // A line through the scores of these plies; `offset` is the place of a ply's score in `scores` less the ply.
  side(scores, plies, kind, top, offset = 0) {
    const places = plies.map((ply) => [this.across(ply + 1), up(height(scores[ply + offset], top))]);
    const path = svg("polyline", { points: places.map((place) => place.join(",")).join(" ") });
    const dots = places.map(([cx, cy]) => svg("circle", { cx, cy, r: 3 }));
    return svg("g", { class: `side ${kind}` }, path, ...dots);
  }

  across(stones) {
    return LEFT + ((WIDTH - LEFT - RIGHT) * stones) / Math.max(1, this.count);
  }

  pick(event) {
    const frame = this.picture.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * WIDTH;
    this.picked(stonesAt((x - LEFT) / (WIDTH - LEFT - RIGHT), this.count));
  }
}

// Which line is whose.
function legend(names) {
  return names.flatMap((name, colour) => {
    const x = LEFT + (colour * (WIDTH - LEFT)) / 2;
    const line = svg("polyline", { points: `${x},14 ${x + 24},14` });
    const dot = svg("circle", { cx: x + 12, cy: 14, r: 3 });
    const side = SIDES[colour];
    const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
    return [svg("g", { class: `side ${side}` }, line, dot), svg("text", { x: x + 30, y: 18 }, `${shown}, ${side}`)];
  });
}

function up(share) {
  return TOP + ((HEIGHT - TOP - BOTTOM) * (1 - share)) / 2;
}

function shortened(value) {
  const sign = value > 0 ? "+" : "-";
  const size = Math.abs(value);
  if (size >= 1e6) return `${sign}${size / 1e6}M`;
  return size >= 1e4 ? `${sign}${size / 1e3}k` : `${sign}${size}`;
}
