// Panels of which one is shown, chosen by tabs as https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ has them.

import { html } from "../pages/dom.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

export class Tabs {
  // `panels` are [id, title, node]; `chosen` is called with an id.
  constructor(host, panels, chosen = () => {}) {
    this.chosen = chosen;
    this.panels = panels.map(([id, title, node]) => {
      const attributes = { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` };
      const tab = html("button", attributes, title);
      const panel = html("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, node);
      tab.addEventListener("click", () => this.show(id));
      return { id, tab, panel };
    });
    const list = html("div", { role: "tablist", "aria-label": "What to do" }, ...this.panels.map(({ tab }) => tab));
    list.addEventListener("keydown", (event) => this.onKey(event));
    host.replaceChildren(list, ...this.panels.map(({ panel }) => panel));
    this.show(panels[0][0]);
  }

  show(id) {
    if (id === this.shown) return;
    this.shown = id;
    for (const { id: each, tab, panel } of this.panels) {
      const isShown = each === id;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      panel.hidden = !isShown;
    }
    this.chosen(id);
  }

  onKey(event) {
    if (!STEPS[event.key]) return;
    const place = this.panels.findIndex(({ id }) => id === this.shown);
    const { id, tab } = this.panels.at((place + STEPS[event.key]) % this.panels.length);
    this.show(id);
    tab.focus();
    event.preventDefault();
  }
}
