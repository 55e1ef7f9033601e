// The engine's worker: an engine that answers one question after the other, or a helper that searches beside it.

import { Engine } from "./engine.js";
import { Kernel, memoryFor } from "./kernel.js";
import { help } from "./smp.js";
import { TASKS } from "./tasks.js";

let engine = null;

async function start({ module, description, memory, places, thread, learned }) {
  const own = memory ?? memoryFor(places, false);
  const kernel = await Kernel.start(module, description, own, places.threads[thread].stackTop);
  if (thread > 0) {
    help(kernel, places, thread);
    return;
  }
  engine = new Engine(kernel, places, learned);
  postMessage({ kind: "ready" });
}

function answer({ id, task, question }) {
  const value = TASKS[task](engine, question, (report) => postMessage({ kind: "report", id, report }));
  postMessage({ kind: "answer", id, value });
}

addEventListener("message", async ({ data }) => {
  try {
    await (data.start ? start(data.start) : answer(data));
  } catch (error) {
    postMessage({ kind: "failed", reason: String(error?.message ?? error) });
  }
});
