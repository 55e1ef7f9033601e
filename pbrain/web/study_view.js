// The whole game: its evaluation curve, its mistakes, its moves; a click on any of them goes there.

import { stoneSign } from "../pages/board.js";
import { cellName } from "../pages/cells.js";
import { Curve, PROVEN } from "../pages/curve.js";
import { html } from "../pages/dom.js";
import { button, select } from "./controls.js";
import { mistakesIn } from "./mistakes.js";
import { winIn } from "./units.js";

const TIMES = [[100, "0.1 s"], [300, "0.3 s"], [1000, "1 s"], [3000, "3 s"]];
const COLOURS = ["Black", "White"];

export class StudyView {
  // `picked` is called with a number of stones, `started` with milliseconds per move, `stopped` without anything.
  constructor({ picked, started, stopped }) {
    const place = html("div", { class: "curve-place" });
    this.curve = new Curve(place, picked);
    this.time = select("Time per move", TIMES, 300, () => {});
    this.start = button("Analyse the whole game", () => (this.isRunning ? stopped() : started(this.time.value)));
    this.progress = html("progress", { max: 1, value: 0, hidden: true, "aria-label": "Positions analysed" });
    this.mistakes = html("ul", { class: "mistakes" });
    this.moves = html("ol", { class: "moves", "aria-label": "Moves" });
    const go = (event) => {
      const chosen = event.target.closest("[data-stones]");
      if (chosen) picked(Number(chosen.dataset.stones));
    };
    this.mistakes.addEventListener("click", go);
    this.moves.addEventListener("click", go);
    this.node = html(
      "div",
      { class: "panel" },
      html("h2", {}, "The game so far"),
      html("div", { class: "row" }, this.start, this.time.node),
      this.progress,
      place,
      this.mistakes,
      this.moves,
    );
  }

  // `job` is { done, all } while the game is analysed, else null.
  show(game, evaluations, job) {
    const scores = evaluations.scores(game.moves);
    const found = mistakesIn(scores);
    const wrong = new Map(found.map(({ stones, what }) => [stones, what]));
    this.curve.showOne(scores.map(forCurve), [...wrong.keys()]);
    this.curve.mark(game.shown);
    this.isRunning = job !== null;
    this.start.textContent = job ? "Stop" : "Analyse the whole game";
    this.start.disabled = !game.moves.length;
    this.progress.hidden = job === null;
    if (job) this.progress.value = job.done / job.all;
    this.showLists(game, found.map((each) => mistakeText(game, evaluations, each)), wrong);
  }

  // Rebuilt only when something in them changes, so that what is pointed at stays.
  showLists(game, mistakes, wrong) {
    const key = JSON.stringify([game.moves, game.shown, mistakes]);
    if (key === this.listed) return;
    this.listed = key;
    this.mistakes.replaceChildren(...mistakes.map(mistakeItem));
    this.moves.replaceChildren(...game.moves.map((move, ply) => moveItem(move, ply, game.shown, wrong)));
    const current = this.moves.querySelector("[aria-current]");
    if (current) this.moves.scrollTop = current.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
  }
}

// A proof has a place of its own on the curve.
function forCurve(score) {
  return score !== null && winIn(score) !== null ? Math.sign(score) * PROVEN : score;
}

function mistakeText(game, evaluations, { stones, what }) {
  const better = evaluations.of(game.moves.slice(0, stones - 1)).line[0];
  const instead = better && String(better) !== String(game.moves[stones - 1]) ? `; ${cellName(better)} was better` : "";
  const side = COLOURS[(stones - 1) % 2];
  return [stones, `${stones}. ${side} ${cellName(game.moves[stones - 1])} ${what}${instead}`];
}

function mistakeItem([stones, words]) {
  return html("li", {}, html("button", { type: "button", class: "link", "data-stones": stones - 1 }, words));
}

function moveItem(move, ply, shown, wrong) {
  const isCurrent = ply + 1 === shown;
  const words = ` ${ply + 1} ${cellName(move)}${wrong.has(ply + 1) ? " ?" : ""}`;
  const attributes = { type: "button", "data-stones": ply + 1, "aria-current": isCurrent ? "true" : null };
  return html("li", {}, html("button", attributes, stoneSign(ply % 2), words));
}
