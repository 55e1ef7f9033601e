// Puzzles to choose from, and what there is to find.

import { html } from "../pages/dom.js";
import { button, select } from "./controls.js";
import { task } from "./puzzles.js";
import { ruleName } from "./rules.js";

export class PuzzleView {
  // `opened` is called with a puzzle, `solved` to see the solution.
  constructor(puzzles, { opened, solved }) {
    this.puzzles = puzzles;
    this.opened = opened;
    this.solved = new Set(remembered());
    this.number = select("Puzzle", puzzles.map((each) => [each.number, titleOf(each)]), 1, () => this.go());
    this.task = html("p", { class: "task" });
    this.count = html("p", { class: "note" });
    const beside = (step) => {
      const count = puzzles.length;
      this.number.value = ((this.number.value - 1 + step + count) % count) + 1;
      this.go();
    };
    this.node = html(
      "div",
      { class: "panel" },
      html("p", { class: "note" }, "From games of Kaname against itself. Every win is checked by a solver."),
      html("div", { class: "row" }, this.number.node),
      html(
        "div",
        { class: "row" },
        button("Previous", () => beside(-1)),
        button("Start again", () => this.go()),
        button("Next", () => beside(1)),
      ),
      this.task,
      html("div", { class: "row" }, button("Show the solution", solved)),
      this.count,
    );
    this.number.value = (puzzles.find(({ number }) => !this.solved.has(number)) ?? puzzles[0]).number;
    this.showCount();
  }

  // Opens the puzzle that is chosen: at first, the first that is not solved yet.
  go() {
    const puzzle = this.puzzles[this.number.value - 1];
    this.task.textContent = task(puzzle);
    this.opened(puzzle);
  }

  noteSolved(number) {
    this.solved.add(number);
    try {
      localStorage.setItem(KEY, [...this.solved].join(","));
    } catch {
      // The browser keeps nothing for this page: the count is right until it is closed.
    }
    this.showCount();
  }

  showCount() {
    this.count.textContent = `${this.solved.size} of ${this.puzzles.length} solved.`;
  }
}

const KEY = "kaname-puzzles";

function remembered() {
  try {
    return (localStorage.getItem(KEY) ?? "").split(",").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function titleOf({ number, game, isByFours, plies }) {
  const kind = isByFours ? "fours" : "threats";
  return `${number}: ${ruleName(game.rule)}, ${kind}, ${Math.ceil(plies / 2)} moves`;
}
