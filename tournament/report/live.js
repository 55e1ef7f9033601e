// A running event: the server sends what is new, and the page puts it in its place.

import { Board, stoneSign } from "../../pbrain/pages/board.js";
import { html } from "../../pbrain/pages/dom.js";

const NOBODY = {
  true: "no game is running",
  false: "Games appear when they have ended; the page of the run itself (--serve) also shows those that are played.",
};

export function followEvent(data, games, changed) {
  const state = document.getElementById("live-state");
  const running = new RunningGames(document.getElementById("running-games"), data.size);
  const sections = new Sections();
  const source = new EventSource(`/updates?games=${games.rows.length}`);
  const on = (kind, act) => source.addEventListener(kind, (event) => act(event.data ? JSON.parse(event.data) : null));
  on("games", (news) => {
    sections.put(news.sections);
    games.add(news.rows, news.packed);
    changed();
  });
  on("running", ({ games: shown, count }) => {
    const cut = count > shown.length ? `${count} games, of which the first ${shown.length} are shown` : "";
    state.textContent = count ? cut : NOBODY[data.isPlaying];
    running.show(shown);
  });
  on("ended", () => {
    source.close();
    state.textContent = "The event has ended; this page is complete.";
    running.show([]);
  });
  on("left", () => {
    source.close();
    state.textContent = "The page is no longer served; reload it when it is again.";
  });
  on("error", () => {
    state.textContent = "The runner does not answer; trying again.";
  });
}

// The parts of the page that change. One that somebody is using is replaced as soon as it is left.
class Sections {
  constructor() {
    this.waiting = new Map();
    document.addEventListener("focusout", () => setTimeout(() => this.replace()));
    document.addEventListener("selectionchange", () => this.replace());
  }

  put(texts) {
    for (const [id, text] of Object.entries(texts)) this.waiting.set(document.getElementById(id), text);
    this.replace();
  }

  replace() {
    for (const [place, text] of this.waiting) {
      if (isInUse(place)) continue;
      this.waiting.delete(place);
      replaceSection(place, text);
    }
  }
}

function isInUse(place) {
  const selection = document.getSelection();
  const isSelected = !selection.isCollapsed && selection.containsNode(place, true);
  return isSelected || (place.contains(document.activeElement) && place !== document.activeElement);
}

// What was unfolded stays so.
function replaceSection(place, text) {
  const open = new Map([...place.querySelectorAll("details[id]")].map((each) => [each.id, each.open]));
  place.innerHTML = text;
  for (const each of place.querySelectorAll("details[id]")) {
    if (open.has(each.id)) each.open = open.get(each.id);
  }
  place.hidden = text.trim() === "";
}

// Each running game has a board, which stays in place while the game goes on.
class RunningGames {
  constructor(list, size) {
    this.list = list;
    this.size = size;
    this.items = new Map(); // by number
  }

  show(games) {
    const items = games.map((game) => {
      const item = this.items.get(game.number) ?? new RunningItem(this.size);
      item.show(game);
      return [game.number, item];
    });
    this.items = new Map(items);
    const places = items.map(([, item]) => item.place);
    const isSame = places.length === this.list.children.length && places.every((each, i) => each === this.list.children[i]);
    if (!isSame) this.list.replaceChildren(...places);
  }
}

class RunningItem {
  constructor(size) {
    this.text = html("p");
    const picture = html("div");
    this.board = new Board(picture, ...size);
    this.place = html("li", {}, this.text, picture);
    this.shown = "";
  }

  show({ number, black, white, stones, colour, leftMs }) {
    const left = leftMs === null ? "" : `, ${Math.round(leftMs / 1000)} s left`;
    const thinker = [black, white][colour];
    this.text.replaceChildren(
      html("strong", {}, `game ${number}`), " ", stoneSign(0), ` ${black} – `, stoneSign(1), ` ${white}: `,
      `${stones.length} stones, ${thinker} thinks${left}`,
    );
    if (String(stones) === this.shown) return;
    this.shown = String(stones);
    this.board.show(stones);
  }
}
