// Starts the page: what it carries is unpacked, the engine's worker is started, and the game begins.

import { AboutView } from "./about_view.js";
import { App } from "./app.js";
import { learnedTables, unpacked } from "./assets.js";
import { EngineClient } from "./client.js";
import { compiled, heapBaseOf } from "./kernel.js";
import { parsePuzzles } from "./puzzles.js";
import { Referee } from "./referee.js";
import { MIB } from "./units.js";

const TABLE_BYTES = 64 * MIB;
const MAX_THREADS = 8;
const PLACES = ["board", "status", "message", "bar", "controls", "side"];

function textOf(id) {
  return document.getElementById(id).textContent;
}

async function start() {
  const data = JSON.parse(textOf("data"));
  const parts = await unpacked(textOf("assets"), data.parts);
  const learned = learnedTables(parts, data.families);
  const threads = self.crossOriginIsolated ? Math.max(1, Math.min(MAX_THREADS, navigator.hardwareConcurrency ?? 1)) : 1;
  const bytes = parts.get("wasm");
  const own = await compiled(bytes, data.memoryFlag, false);
  const module = threads > 1 ? await compiled(bytes, data.memoryFlag, true) : own;
  const heapBase = await heapBaseOf(own);
  const script = URL.createObjectURL(new Blob([textOf("worker-script")], { type: "text/javascript" }));
  const { description } = data;
  const client = new EngineClient({
    module, description, heapBase, learned, script, threads, tableBytes: TABLE_BYTES, failed: fail,
  });
  const referee = await Referee.start(own, description, heapBase, learned);
  const measure = async () => {
    const found = await client.ask("measure", { fixed: data.bench });
    if (found) app.proceed(); // the check may have interrupted a move
    return found;
  };
  const about = new AboutView({ version: data.version, signature: data.signature, threads, measure });
  const place = (id) => document.getElementById(id);
  const places = Object.fromEntries(PLACES.map((id) => [id, place(id)]));
  const app = new App(places, { referee, client, puzzles: parsePuzzles(data.puzzles), about: about.node });
  app.openFragment(location.hash);
  addEventListener("hashchange", () => app.openFragment(location.hash));
  await client.ready;
  performance.mark("ready");
  document.documentElement.dataset.ready = "true";
}

function fail(error) {
  document.getElementById("message").textContent = `This browser cannot run the engine: ${error.message ?? error}`;
}

start().catch(fail);
