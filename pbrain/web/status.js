// What the page says above the board: whose turn it is, or how the game ended.

import { cellName } from "../pages/cells.js";

const SIDES = ["Black", "White"];

// The engine's last move, if it made the newest one; a person knows their own.
function lastMove({ game, players }) {
  const ply = game.shown - 1;
  return ply >= 0 && players[ply % 2] === "engine" ? `Kaname: ${cellName(game.moves[ply])}. ` : "";
}

function swap2Words({ phase }, isEngine, stones) {
  if (isEngine) return "Swap2: Kaname is thinking.";
  if (phase === "open") return `Swap2: place stone ${stones + 1} of 3, ${stones % 2 ? "white" : "black"}.`;
  if (phase === "extend") return `Swap2: place stone ${stones + 1} of 5, ${stones % 2 ? "white" : "black"}.`;
  return "Swap2: choose below how to go on.";
}

// `state`: { game, verdict, players, swap2, isSwap2Engine, isThinking }.
export function statusText(state) {
  const { game, verdict, players, swap2 } = state;
  const side = SIDES[verdict.toMove];
  if (verdict.winner !== null) {
    const winner = SIDES[verdict.winner];
    const isMixed = players[0] !== players[1];
    const who = isMixed ? (players[verdict.winner] === "engine" ? "Kaname wins" : "You win") : `${winner} wins`;
    return `${lastMove(state)}${who}${isMixed ? ` as ${winner.toLowerCase()}` : ""}: five in a row.`;
  }
  if (verdict.isDrawn) return "The game is drawn: there is no move left.";
  if (swap2) return swap2Words(swap2, state.isSwap2Engine, game.shown);
  const past = game.shown < game.moves.length ? `Stone ${game.shown} of ${game.moves.length}. ` : lastMove(state);
  if (players[verdict.toMove] === "engine") {
    return state.isThinking ? `${past}Kaname is thinking…` : `${past}Kaname's move (${side.toLowerCase()}).`;
  }
  return players[0] === players[1] ? `${past}${side} to move.` : `${past}Your move (${side.toLowerCase()}).`;
}
