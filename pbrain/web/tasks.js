// What the engine can be asked to do: each task is a function of the engine, its question and a listener.

import { bench } from "./bench.js";
import { now } from "./kernel.js";
import { swap2Answer } from "./swap2.js";
import { budget } from "./timing.js";

// The turn begins when the page says so: a message may take its time.
function limitsOf({ began = now(), turn = null, depth = null, nodes = null, isAnalysis = false }) {
  return { began, deadline: turn === null ? null : began + budget(turn), depth, nodes, isAnalysis };
}

function think(engine, { game, moves, limits, lines }, tell) {
  const asked = limitsOf(limits);
  engine.setMoves(game, moves);
  return engine.think(asked, tell, lines);
}

function swap2(engine, { game, moves, limits }) {
  return swap2Answer(engine, game, moves, limitsOf(limits));
}

// The shortest win by fours of the side to move, or null.
function fours(engine, { game, moves, nodes }) {
  engine.setMoves(game, moves);
  return engine.winByFours(nodes);
}

function measure(engine, { fixed }) {
  return bench(engine, fixed, now);
}

export const TASKS = { think, swap2, fours, measure };
