// What the engine thinks: a bar, words, numbers, and the best lines, which are drawn on the board when pointed at.

import { html } from "../pages/dom.js";
import { cellName } from "../pages/cells.js";
import { button, checkbox, select } from "./controls.js";
import { blackShare, perSecond, scoreText, scoreWords, shortCount } from "./words.js";

const MOST_LINES = 5;

export class ScoreBar {
  constructor(host) {
    this.black = html("div", { class: "bar-black" });
    this.words = html("span", { class: "bar-words" });
    this.bar = html("div", { class: "bar" }, this.black);
    host.replaceChildren(this.bar, this.words);
  }

  // `score` is from black's point of view; null for none.
  show(score, note) {
    this.black.style.width = `${100 * blackShare(score ?? 0)}%`;
    this.bar.classList.toggle("unknown", score === null);
    this.words.textContent = score === null ? note : `${scoreWords(score)}${note ? `, ${note}` : ""}`;
  }
}

export class ThinkingView {
  // `pointed` is called when another line is pointed at, or none.
  constructor({ toggled, linesChanged, heatChanged, pointed }) {
    this.told = pointed;
    this.pointed = null; // an item of the list
    this.toggle = button("Analyse this position", () => toggled(), { "aria-pressed": "false" });
    this.lines = select("Best moves", range(1, MOST_LINES).map((n) => [n, String(n)]), 1, linesChanged);
    this.heat = checkbox("Candidates on the board", false, heatChanged);
    this.numbers = html("p", { class: "numbers" });
    this.list = html("ol", { class: "lines" });
    this.node = html(
      "div",
      { class: "panel" },
      html("div", { class: "row" }, this.toggle, this.lines.node, this.heat.node),
      this.numbers,
      this.list,
    );
  }

  // `reports` are the best lines for the side to move, `sign` is -1 if that is white.
  show(reports, sign, { isAnalysing }) {
    this.toggle.setAttribute("aria-pressed", String(isAnalysing));
    this.toggle.textContent = isAnalysing ? "Stop the analysis" : "Analyse this position";
    const [best] = reports;
    this.numbers.textContent = best ? numbersOf(best) : "No search yet.";
    while (this.list.children.length > reports.length) this.list.lastChild.remove();
    if (!this.list.contains(this.pointed)) this.pointed = null;
    reports.forEach((report, i) => this.showLine(report, sign, this.list.children[i] ?? this.newItem()));
  }

  // Items stay as they are while new iterations come, so that pointing at one goes on.
  newItem() {
    const made = html("button", { type: "button", class: "line" });
    const item = html("li", {}, made);
    for (const kind of ["pointerenter", "focus", "click"]) made.addEventListener(kind, () => this.point(item));
    for (const kind of ["pointerleave", "blur"]) made.addEventListener(kind, () => this.point(null));
    this.list.append(item);
    return item;
  }

  point(item) {
    this.pointed = item;
    this.told();
  }

  // The moves of the line that is pointed at, or null.
  get pointedLine() {
    return this.pointed?.moves ?? null;
  }

  showLine({ score, line }, sign, item) {
    item.moves = line;
    const moves = html("span", { class: "line-moves" }, line.map(cellName).join(" "));
    item.firstChild.replaceChildren(html("strong", {}, scoreText(sign * score)), moves);
  }
}

function numbersOf(report) {
  const [nodes, speed] = [report.nodes, perSecond(report)].map(shortCount);
  const seconds = (report.elapsed / 1000).toFixed(1);
  return `Depth ${report.depth}-${report.selective}, ${nodes} nodes, ${speed} per second, ${seconds} s`;
}

function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
