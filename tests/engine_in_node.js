// The page's engine and referee in node, from the values that tests/test_web_modules.py passes.

import { BestLines } from "../pbrain/web/best_lines.js";
import { Engine } from "../pbrain/web/engine.js";
import { Kernel, compiled, heapBaseOf, memoryFor, placesIn } from "../pbrain/web/kernel.js";
import { FULL, LEVELS, drawn } from "../pbrain/web/levels.js";
import { Referee } from "../pbrain/web/referee.js";
import { TASKS } from "../pbrain/web/tasks.js";

const TABLE_BYTES = 32 << 20;

function bytesOf(text) {
  return new Uint8Array(Buffer.from(text, "base64"));
}

// `startHelper` is called for each further thread, with what it needs to share the memory.
export async function startEngine({ wasm, flag, description, learned }, threads = 1, startHelper = null) {
  const own = await compiled(bytesOf(wasm), flag, false);
  const isShared = threads > 1;
  const module = isShared ? await compiled(bytesOf(wasm), flag, true) : own;
  const places = placesIn(description, await heapBaseOf(own), threads, TABLE_BYTES);
  const memory = memoryFor(places, isShared);
  const tables = Object.entries(learned).map(([rule, fields]) => {
    const unpacked = Object.entries(fields).map(([name, text]) => [name, bytesOf(text)]);
    return [rule, Object.fromEntries(unpacked)];
  });
  for (let thread = 1; thread < threads; thread++) startHelper({ module, description, memory, places, thread });
  const kernel = await Kernel.start(module, description, memory, places.threads[0].stackTop);
  return new Engine(kernel, places, Object.fromEntries(tables));
}

export function refereeOf(engine) {
  return new Referee(engine.position);
}

export function task(engine, name, question, tell) {
  return TASKS[name](engine, question, tell);
}

// A game between two levels from an opening: the winner, or null. Full strength has `nodes` to a move.
export function levelGame(engine, game, opening, levels, nodes, random) {
  const moves = [...opening];
  for (;;) {
    engine.setMoves(game, moves);
    const verdict = refereeOf(engine).judge({ ...game, moves, shown: moves.length });
    if (verdict.isOver) return verdict.winner;
    const level = levels[moves.length % 2];
    const best = new BestLines();
    const limits = level === FULL ? { nodes } : { depth: LEVELS[level].depth };
    const question = { game, moves, limits, lines: LEVELS[level].lines };
    const found = task(engine, "think", question, (report) => best.add(report));
    moves.push((best.whole.length > 1 ? drawn(best.whole, level, random()) : found).line[0]);
  }
}
