// The choice that Swap2 leaves to a person.

import { html } from "../pages/dom.js";
import { button } from "./controls.js";
import { choices } from "./swap2_phases.js";

export class Swap2View {
  constructor(chosen) {
    this.chosen = chosen;
    this.node = html("div", { class: "row swap2", role: "group", "aria-label": "Swap2", hidden: true });
  }

  // `swap2` is null when there is nothing to choose.
  show(swap2) {
    const open = swap2 ? choices(swap2) : [];
    this.node.hidden = !open.length;
    this.node.replaceChildren(...open.map(([choice, text]) => button(text, () => this.chosen(choice))));
  }
}
