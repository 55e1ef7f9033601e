// Games from files and texts, and games as files and links.

import { html } from "../pages/dom.js";
import { fragmentOf } from "../pages/position_link.js";
import { button } from "./controls.js";
import { MAX_FILE } from "./reading.js";
import { psqText } from "./psq.js";
import { sgfText } from "./sgf.js";

const LINK_NOTE = "The link has the whole position in it. It opens wherever this file is at the same place.";

export class FilesView {
  // `opened` is called with a text, `told` with a sentence; `current` gives the game.
  constructor({ opened, told, current }) {
    this.told = told;
    this.file = html("input", { type: "file", accept: ".psq,.sgf,.txt", id: "file" });
    this.file.addEventListener("change", async () => {
      const [file] = this.file.files;
      if (!file) return;
      if (file.size > MAX_FILE) told(`${file.name} is too large to be a game.`);
      else opened(await file.text());
      this.file.value = "";
    });
    this.text = html("textarea", { id: "position", rows: 3, spellcheck: "false", autocapitalize: "off" });
    const link = () => `${location.href.split("#")[0]}${fragmentOf(current())}`;
    this.link = html("input", { type: "text", readonly: true, id: "link" });
    this.node = html(
      "div",
      { class: "panel" },
      html("h2", {}, "Open"),
      html("label", { class: "field wide" }, html("span", {}, "A psq or SGF file"), this.file),
      html("label", { class: "field wide" }, html("span", {}, "Or cells such as h8i9, a link, a file's text"), this.text),
      html("div", { class: "row" }, button("Set up", () => opened(this.text.value))),
      html("h2", {}, "Save and share"),
      html(
        "div",
        { class: "row" },
        button("Save as psq", () => save("game.psq", psqText(current()))),
        button("Save as SGF", () => save("game.sgf", sgfText(current()))),
        button("Copy the link", () => this.copy(link())),
      ),
      html("label", { class: "field wide" }, html("span", {}, "Link to this position"), this.link),
      html("p", { class: "note" }, LINK_NOTE),
    );
    this.linkOf = link;
  }

  show() {
    this.link.value = this.linkOf();
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.told("The link is copied.");
    } catch {
      this.link.select();
      this.told("The browser does not let this page copy: the link is selected, so copy it yourself.");
    }
  }
}

function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
