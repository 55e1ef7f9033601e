// The list of games: filters above it, and only as many rows in the page as are asked for.

import { stoneSign } from "../../pbrain/pages/board.js";
import { html } from "../../pbrain/pages/dom.js";
import { BLACK, ENDING, NUMBER, OPENING, PLIES, SECONDS, WARNINGS, WHITE, WINNER } from "./filters.js";
import { NO_FILTER, filtered, resultText } from "./filters.js";

const PAGE = 100;

export class GameList {
  constructor(data, games, chosen) {
    this.data = data;
    this.games = games;
    this.chosen = chosen;
    this.current = null;
    this.form = document.getElementById("filters");
    this.list = document.getElementById("list");
    this.more = document.getElementById("more");
    this.offerChoices();
    this.form.addEventListener("input", () => this.show());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("reset", () => setTimeout(() => this.show()));
    this.more.addEventListener("click", () => this.showMore());
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.chosen(Number(button.dataset.number));
    });
    this.show();
  }

  offerChoices() {
    const brains = this.data.brains.map((name, place) => [String(place), name]);
    this.offer("brain", brains);
    this.offer("opponent", brains);
    this.offerOpeningsAndEndings();
  }

  offerOpeningsAndEndings() {
    const seen = new Set(this.games.rows.map((row) => row[ENDING]));
    this.offer("ending", Object.entries(this.data.endings).filter(([kind]) => seen.has(kind)));
    const names = [...this.games.openings].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
    document.getElementById("opening-names").replaceChildren(...names.map((value) => html("option", { value })));
  }

  offer(field, choices) {
    const select = this.form.elements[field];
    const before = select.value;
    const options = choices.map(([value, text]) => html("option", { value }, text));
    select.replaceChildren(html("option", { value: "" }, "any"), ...options);
    select.value = before;
  }

  // What the form says.
  get filter() {
    return { ...NO_FILTER, ...Object.fromEntries(new FormData(this.form)) };
  }

  // Games with these values, whatever was filtered before.
  filterBy(values) {
    this.form.reset();
    for (const [field, value] of Object.entries(values)) this.form.elements[field].value = value;
    this.show();
  }

  // More games have ended.
  refresh() {
    const length = this.list.children.length;
    this.offerOpeningsAndEndings();
    this.show(Math.max(PAGE, length));
  }

  show(length = PAGE) {
    this.found = filtered(this.games.rows, this.filter, this.games.openings);
    this.list.replaceChildren();
    this.showMore(length);
    const all = this.games.rows.length;
    const count = this.found.length === all ? `${all} games` : `${this.found.length} of ${all} games`;
    document.getElementById("count").textContent = count;
  }

  showMore(length = PAGE) {
    const from = this.list.children.length;
    this.list.append(...this.found.slice(from, from + length).map((row) => this.item(row)));
    const left = this.found.length - this.list.children.length;
    this.more.hidden = left === 0;
    this.more.textContent = `Show ${Math.min(PAGE, left)} more of ${left}`;
  }

  item(row) {
    const names = [BLACK, WHITE].map((side, colour) => {
      const name = ` ${this.data.brains[row[side]]}`;
      return html("span", { class: row[WINNER] === colour ? "winner" : "" }, stoneSign(colour), name);
    });
    const isFault = this.data.faults.includes(row[ENDING]);
    const how = [
      isFault ? html("strong", { class: "fault" }, "fault") : "",
      ` ${this.data.endings[row[ENDING]]}, ${row[PLIES]} stones, ${row[SECONDS]} s, ${row[OPENING] || "no opening"}`,
      row[WARNINGS] ? `, warnings: ${row[WARNINGS]}` : "",
    ];
    const button = html(
      "button",
      { type: "button", "data-number": row[NUMBER], "aria-current": row[NUMBER] === this.current ? "true" : null },
      html("span", {}, `#${row[NUMBER]}`),
      html("span", { class: "who" }, names[0], " – ", names[1]),
      html("span", {}, resultText(row)),
      html("span", { class: "how" }, ...how),
    );
    return html("li", {}, button);
  }

  // Marks the game that the board shows.
  mark(number) {
    this.current = number;
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.list.querySelector(`[data-number="${number}"]`)?.setAttribute("aria-current", "true");
  }

  // The number of the next game of the list, or of the one before.
  beside(number, step) {
    const place = this.found.findIndex((row) => row[NUMBER] === number);
    return this.found[place + step]?.[NUMBER];
  }
}
