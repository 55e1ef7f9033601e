// The report's script: the list of games, the board, links between the tables and the list.

import { NUMBER } from "./filters.js";
import { GameList } from "./list.js";
import { followEvent } from "./live.js";
import { Games } from "./store.js";
import { Viewer } from "./viewer.js";

const data = JSON.parse(document.getElementById("data").textContent);
const games = new Games(data.rows, document.getElementById("packed").textContent.split("\n"));
const browser = document.getElementById("browser");
const section = document.getElementById("games");
let isUsed = false; // the address says which game is shown once a person has chosen one

const list = new GameList(data, games, (number) => open(number, { isScrolling: true }));
const viewer = new Viewer(document.getElementById("viewer"), data, {
  moved: (number, stones) => {
    if (isUsed) history.replaceState(null, "", `#game=${number}&stones=${stones}`);
  },
  beside: (step) => {
    const number = list.beside(viewer.row?.[NUMBER], step);
    if (number !== undefined) open(number);
  },
});
browser.hidden = games.rows.length === 0;

async function open(number, { stones, isScrolling = false } = {}) {
  const row = games.row(number);
  if (!row) return;
  const game = await games.details(number);
  list.mark(number);
  viewer.show(row, game, stones);
  if (isScrolling) bringIntoView(document.getElementById("viewer"));
}

function bringIntoView(element) {
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) element.scrollIntoView({ block: "start" });
}

// Buttons in the tables show the games behind a number.
document.addEventListener("click", (event) => {
  const button = event.target.closest("main button");
  if (!button || browser.contains(button)) return;
  const { brain, opponent, opening, ending, game } = button.dataset;
  if (game !== undefined) {
    open(Number(game));
  } else {
    const wanted = Object.entries({ brain, opponent, opening, ending }).filter(([, value]) => value !== undefined);
    list.filterBy(Object.fromEntries(wanted));
    if (list.found.length) open(list.found[0][NUMBER]);
  }
  section.scrollIntoView({ block: "start" });
  section.focus({ preventScroll: true });
});

// `#game=12&stones=34` in the address, else the first game.
async function openFirst() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const first = Number(asked.get("game")) || games.rows[0]?.[NUMBER];
  await open(first, { stones: asked.has("stones") ? Number(asked.get("stones")) : undefined });
  isUsed = true;
  performance.mark("ready");
  document.documentElement.dataset.ready = "true";
}

openFirst();
if (data.isLive) {
  followEvent(data, games, () => {
    browser.hidden = false;
    list.refresh();
    if (!viewer.game) open(games.rows[0][NUMBER]);
  });
}
