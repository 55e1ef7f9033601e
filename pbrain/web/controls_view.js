// The buttons under the board.

import { button, checkbox } from "./controls.js";

export class ControlsView {
  constructor(host, app) {
    this.undo = button("Undo", () => app.step(-1));
    this.redo = button("Redo", () => app.step(1));
    this.now = button("Move now", () => app.moveNow());
    this.hint = button("Hint", () => app.hint());
    this.here = button("Play on from here", () => app.goOnHere());
    this.numbers = checkbox("Numbers", false, (is) => app.setNumbered(is));
    host.replaceChildren(this.undo, this.redo, this.hint, this.now, this.here, this.numbers.node);
  }

  show({ game, verdict, isThinking, puzzle, swap2, mayPlay }) {
    const isPast = game.shown < game.moves.length;
    this.undo.disabled = game.shown === 0 || puzzle !== null;
    this.redo.disabled = !isPast || puzzle !== null;
    this.hint.hidden = !mayPlay || puzzle !== null || swap2 !== null;
    this.now.hidden = !isThinking || puzzle !== null || swap2 !== null;
    this.here.hidden = !isPast || verdict.isOver || mayPlay || puzzle !== null;
  }
}
