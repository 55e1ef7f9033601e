// What this page is, and whether its engine is the one that plays tournaments.

import { html } from "../pages/dom.js";
import { button } from "./controls.js";
import { shortCount } from "./words.js";

const KEYS = "On the board: arrow keys move, Enter or Space plays, Home and End go to the ends of a row.";
const SCORES = "“Wins in 7” counts the stones of both sides. Scores are for black; an open three to come is about 100.";

export class AboutView {
  // `measure` resolves to { nodes, seconds, signature }.
  constructor({ version, signature, threads, measure }) {
    this.result = html("p", { role: "status" });
    const check = button("Check the engine", async () => {
      check.disabled = true;
      this.result.textContent = "Searching twelve fixed positions…";
      const found = await measure();
      this.result.textContent = found ? checkText(found, signature) : "The check was interrupted.";
      check.disabled = false;
    });
    const workers = threads > 1
      ? `${threads} workers search together.`
      : "One worker searches. Served by python -m pbrain web --serve, several share memory.";
    this.node = html(
      "div",
      { class: "panel" },
      html("p", {}, `Kaname ${version}: the tournament engine, compiled for browsers. Nothing leaves this page.`),
      html("p", {}, workers),
      html("p", {}, KEYS),
      html("p", {}, SCORES),
      html("div", { class: "row" }, check),
      this.result,
    );
  }
}

function checkText({ signature, nodes, seconds }, wanted) {
  const is = signature === wanted ? "the same as the tournament engine's" : `not ${wanted} as it should be`;
  return `Signature ${signature}, ${is}; ${nodes} nodes, ${shortCount(nodes / seconds)} per second.`;
}
