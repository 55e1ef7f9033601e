// Who plays, how strongly, and the next game.

import { html } from "../pages/dom.js";
import { button, checkbox, select } from "./controls.js";
import { FULL, LEVELS, TIMES } from "./levels.js";
import { RULES } from "./rules.js";
import { MAX_SIZE, MIN_SIZE } from "./units.js";

const PLAYERS = [["person", "You"], ["engine", "Kaname"]];
const SIZES = Array.from({ length: MAX_SIZE - MIN_SIZE + 1 }, (_, i) => MIN_SIZE + i);

const SWAP2 = "Swap2: who has black places three stones, black, white, black; the other side then chooses a colour, "
  + "or places two more stones and leaves the choice to the first.";
const TIME_IS_FOR_FULL = "Only full strength asks for a time.";

export class PlayView {
  // `changed` is called when the players, the level or the time change, `started` with the next game's settings.
  constructor({ players, level, turn, asksTwice }, { changed, started }) {
    const told = () => {
      this.explain();
      changed(this.settings);
    };
    this.players = ["Black", "White"].map((name, colour) => select(name, PLAYERS, players[colour], told));
    this.level = select("Strength", LEVELS.map(({ name }, i) => [i, name]), level, told);
    this.turn = select("Time per move", TIMES.map((ms) => [ms, `${ms / 1000} s`]), turn, told);
    this.asksTwice = checkbox("Tap twice to play where cells are small", asksTwice, told);
    this.levelText = html("p", { class: "note" });
    this.rule = select("Rule", RULES.map(({ number, name }) => [number, name]), 0, () => this.explain());
    this.size = select("Size", SIZES.map((size) => [size, `${size} by ${size}`]), 15, () => {});
    this.swap2 = checkbox("Swap2 opening", false, () => this.explain());
    this.ruleText = html("p", { class: "note" });
    this.node = html(
      "div",
      { class: "panel" },
      html("div", { class: "row" }, ...this.players.map(({ node }) => node), this.level.node, this.turn.node),
      this.levelText,
      this.asksTwice.node,
      html("h2", {}, "New game"),
      html("div", { class: "row" }, this.rule.node, this.size.node, this.swap2.node),
      this.ruleText,
      html("div", { class: "row" }, button("Start a new game", () => started(this.nextGame), { class: "main" })),
    );
    this.explain();
  }

  explain() {
    const { text: strength } = LEVELS[this.level.value];
    const isTimed = this.level.value === FULL;
    this.turn.isDisabled = !isTimed;
    this.levelText.textContent = isTimed ? strength : `${strength} ${TIME_IS_FOR_FULL}`;
    const { text } = RULES.find(({ number }) => number === this.rule.value);
    this.ruleText.textContent = this.swap2.value ? `${text} ${SWAP2}` : text;
  }

  get settings() {
    return {
      players: this.players.map((each) => each.value),
      level: this.level.value,
      turn: this.turn.value,
      asksTwice: this.asksTwice.value,
    };
  }

  get nextGame() {
    return { width: this.size.value, height: this.size.value, rule: this.rule.value, isSwap2: this.swap2.value };
  }

  showPlayers(players) {
    players.forEach((player, colour) => {
      this.players[colour].value = player;
    });
  }
}
