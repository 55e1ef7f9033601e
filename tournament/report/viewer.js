// One game: the board, the evaluation curve, and everything that was said.

import { Board, stoneSign } from "../../pbrain/pages/board.js";
import { cellName } from "../../pbrain/pages/cells.js";
import { Curve, scoreText } from "../../pbrain/pages/curve.js";
import { html } from "../../pbrain/pages/dom.js";
import { fragmentOf } from "../../pbrain/pages/position_link.js";
import { BLACK, ENDING, NUMBER, WHITE, WINNER } from "./filters.js";

const COLOURS = ["black", "white"];
const SWIPE = 30; // pixels

export class Viewer {
  constructor(host, data, { moved, beside }) {
    this.data = data;
    this.moved = moved;
    this.stones = 0;
    this.title = html("h3", {}, "No game");
    this.now = html("div", { class: "move-now" });
    this.slider = html("input", { type: "range", min: 0, max: 0, "aria-label": "Stones on the board" });
    this.numbered = html("input", { type: "checkbox" });
    this.moves = html("ol", { class: "moves", "aria-label": "Moves" });
    this.facts = html("div");
    const place = html("div");
    const curve = html("div");
    const button = (text, label, act) => {
      const made = html("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    const controls = html(
      "div",
      { class: "controls" },
      button("|◀", "First stone (Home)", () => this.goTo(0)),
      button("◀", "One stone back (left arrow)", () => this.goTo(this.stones - 1)),
      button("▶", "One stone on (right arrow)", () => this.goTo(this.stones + 1)),
      button("▶|", "Last stone (End)", () => this.goTo(this.count)),
      this.slider,
    );
    const others = html(
      "div",
      { class: "controls" },
      button("previous game", "Previous game of the list (p)", () => beside(-1)),
      button("next game", "Next game of the list (n)", () => beside(1)),
      html("label", {}, this.numbered, " numbers"),
    );
    host.replaceChildren(this.title, place, controls, curve, this.now, others, this.moves, this.facts);
    this.board = new Board(place, ...data.size);
    this.curve = new Curve(curve, (stones) => this.goTo(stones));
    this.slider.addEventListener("input", () => this.goTo(Number(this.slider.value)));
    this.numbered.addEventListener("change", () => this.goTo(this.stones));
    this.moves.addEventListener("click", (event) => {
      const chosen = event.target.closest("button");
      if (chosen) this.goTo(Number(chosen.dataset.stones));
    });
    onSwipe(place, (step) => this.goTo(this.stones + step));
    document.addEventListener("keydown", (event) => this.onKey(event, beside));
  }

  get count() {
    return this.game?.stones.length ?? 0;
  }

  // Shows a game after so many stones; at its end by default.
  show(row, game, stones = game.stones.length) {
    this.row = row;
    this.game = game;
    this.names = [BLACK, WHITE].map((side) => this.data.brains[row[side]]);
    this.scores = [...Array(game.opening).fill(null), ...game.scores];
    const result = row[WINNER] === 2 ? "drawn" : `${COLOURS[row[WINNER]]} won`;
    this.title.replaceChildren(
      `Game ${row[NUMBER]}: `, stoneSign(0), ` ${this.names[0]} – `, stoneSign(1), ` ${this.names[1]}, ${result}: `,
      `${this.data.endings[row[ENDING]]}`,
    );
    this.slider.max = this.count;
    this.curve.show(this.scores, this.names);
    this.moves.replaceChildren(...game.stones.map((cell, ply) => this.moveItem(cell, ply)));
    this.facts.replaceChildren(...this.factsOf(game));
    this.goTo(stones);
  }

  goTo(stones) {
    if (!this.game) return;
    this.stones = Math.max(0, Math.min(this.count, stones));
    this.board.show(this.game.stones.slice(0, this.stones), { isNumbered: this.numbered.checked });
    this.slider.value = this.stones;
    this.slider.setAttribute("aria-valuetext", this.words());
    this.curve.mark(this.stones);
    this.now.replaceChildren(...this.nowShown());
    this.moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.moves.children[this.stones - 1]?.firstChild;
    current?.setAttribute("aria-current", "true");
    if (current) this.moves.scrollTop = current.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
    this.moved(this.row[NUMBER], this.stones);
  }

  words() {
    if (!this.stones) return "empty board";
    const ply = this.stones - 1;
    return `stone ${this.stones}: ${COLOURS[ply % 2]} on ${cellName(this.game.stones[ply])}`;
  }

  nowShown() {
    if (!this.stones) return ["The empty board."];
    const ply = this.stones - 1;
    const move = ply - this.game.opening;
    const cell = html("strong", {}, cellName(this.game.stones[ply]));
    const head = html("div", {}, stoneSign(ply % 2), ` ${this.stones} of ${this.count}: `, cell);
    if (move < 0) {
      head.append(" (opening)");
      return [head];
    }
    const score = scoreText(this.scores[ply]);
    const evaluation = score ? `, evaluation ${score} for black` : "";
    head.append(` by ${this.names[ply % 2]} in ${this.game.ms[move]} ms${evaluation}`);
    return [head, html("div", { class: "said" }, this.game.said[move])];
  }

  moveItem(cell, ply) {
    const words = ` ${ply + 1} ${cellName(cell)}${ply < this.game.opening ? " (o)" : ""}`;
    return html("li", {}, html("button", { type: "button", "data-stones": ply + 1 }, stoneSign(ply % 2), words));
  }

  factsOf(game) {
    const opening = `Opening ${game.name || "without a name"}, ${game.opening} stones.`;
    const started = game.started ? ` Started ${game.started}.` : "";
    const sides = [0, 1].map((colour) => {
      const start = game.start_ms[colour] === null ? "" : `, ready after ${Math.round(game.start_ms[colour])} ms`;
      return `${this.names[colour]}: ${Math.round(game.memory[colour] / 1048576)} MB${start}`;
    });
    const nodes = [html("p", { class: "note" }, `${opening}${started} ${sides.join("; ")}.`)];
    const [width, height] = this.data.size;
    const link = fragmentOf({ width, height, rule: this.data.rule, moves: game.stones });
    const text = game.stones.map(cellName).join("");
    nodes.push(html(
      "details", {},
      html("summary", {}, "Moves as text"),
      html("code", { class: "moves-text" }, text),
      html("p", { class: "note" }, "For the page of python -m pbrain web: ", html("code", { class: "moves-text" }, link)),
    ));
    const { enginePage } = this.data;
    if (enginePage) nodes.push(html("p", {}, html("a", { href: `${enginePage}${link}` }, "Open this game in Kaname’s page")));
    if (game.warnings.length) nodes.push(html("ul", {}, ...game.warnings.map((text) => html("li", {}, text))));
    if (game.detail) nodes.push(html("h4", {}, "Evidence"), html("pre", { tabindex: 0 }, game.detail));
    return nodes;
  }

  onKey(event, beside) {
    const isTyping = event.target.closest("input, select, textarea, summary") !== null;
    if (event.altKey || event.ctrlKey || event.metaKey || isTyping) return;
    const acts = {
      ArrowLeft: () => this.goTo(this.stones - 1),
      ArrowRight: () => this.goTo(this.stones + 1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.count),
      n: () => beside(1),
      p: () => beside(-1),
    };
    const isScrolling = ["Home", "End"].includes(event.key) && !event.target.closest("#browser");
    if (acts[event.key] && !isScrolling) {
      event.preventDefault();
      acts[event.key]();
    }
  }
}

// Calls `act` with 1 for a swipe to the left, which turns forward as in a book, and with -1 for one to the right.
function onSwipe(host, act) {
  let start = null;
  host.addEventListener("touchstart", (event) => {
    start = event.touches[0].clientX;
  }, { passive: true });
  host.addEventListener("touchmove", (event) => {
    const moved = event.touches[0].clientX - start;
    if (Math.abs(moved) < SWIPE) return;
    act(moved < 0 ? 1 : -1);
    start = event.touches[0].clientX;
  }, { passive: true });
}
