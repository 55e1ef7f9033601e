// The engine as the page sees it: one question at a time, in a worker; an answer can be had at once.
//
// Where pages may share memory, a word in it stops the search, and helpers search beside it. Elsewhere the worker is
// ended and another one started, and the answer is what was reported last.

import { memoryFor, placesIn } from "./kernel.js";

export class EngineClient {
  // `parts`: { module, description, heapBase, learned, script, tableBytes, threads, failed }; more than one thread
  // means sharing; `failed` is called with a reason if the engine cannot go on.
  constructor(parts) {
    this.parts = parts;
    this.isShared = parts.threads > 1;
    this.places = placesIn(parts.description, parts.heapBase, parts.threads, parts.tableBytes);
    this.memory = this.isShared ? memoryFor(this.places, true) : null;
    this.question = null; // the one that is being answered
    this.lastId = 0;
    this.ready = this.startMain();
    if (this.isShared) for (let thread = 1; thread < parts.threads; thread++) this.startWorker(thread);
  }

  startWorker(thread) {
    const { script, module, description, learned } = this.parts;
    const worker = new Worker(script);
    worker.postMessage({ start: { module, description, memory: this.memory, places: this.places, thread, learned } });
    return worker;
  }

  startMain() {
    this.worker = this.startWorker(0);
    return new Promise((resolve) => {
      this.worker.addEventListener("message", ({ data }) => {
        if (data.kind === "ready") resolve();
        else if (data.kind === "failed") this.parts.failed(data.reason);
        else if (data.id === this.question?.id) this.hear(data);
      });
    });
  }

  hear({ kind, report, value }) {
    const { question } = this;
    if (kind === "answer") this.settle(question.isCancelled ? null : value);
    else if (!question.isCancelled) {
      if (report.isFirst || report.rank === 1) question.best = report;
      if (!report.isFirst) question.tell(report);
    }
  }

  settle(value) {
    const { resolve } = this.question;
    this.question = null;
    resolve(value);
  }

  get isBusy() {
    return this.question !== null;
  }

  // The value of a task, or null if it was cancelled; what is being asked already is cancelled. `tell` hears of
  // reports.
  async ask(task, question, tell = () => {}) {
    const id = ++this.lastId;
    await this.cancel();
    await this.ready;
    if (id !== this.lastId) return null; // another question has come meanwhile
    return new Promise((resolve) => {
      this.question = { id, resolve, tell, best: null, isCancelled: false };
      this.question.done = new Promise((done) => {
        this.question.resolve = (value) => {
          resolve(value);
          done();
        };
      });
      this.setStop(0n);
      this.worker.postMessage({ id, task, question });
    });
  }

  // Ends the search with the best move so far.
  finish() {
    if (!this.question) return;
    if (this.isShared) this.setStop(1n);
    else if (this.question.best) {
      const { best } = this.question;
      this.replaceWorker();
      this.settle(best);
    }
  }

  // Ends the search without an answer; resolves when the engine can be asked again.
  async cancel() {
    const { question } = this;
    if (!question) return;
    question.isCancelled = true;
    if (this.isShared) this.setStop(1n);
    else {
      this.replaceWorker();
      this.settle(null);
    }
    await question.done;
  }

  // Forgets a question that waits for the engine, too.
  async drop() {
    this.lastId += 1;
    await this.cancel();
  }

  replaceWorker() {
    this.worker.terminate();
    this.ready = this.startMain();
  }

  setStop(value) {
    if (!this.isShared) return;
    const at = this.places.threads[0].worker + this.parts.description.worker.fields.stop.offset;
    Atomics.store(new BigUint64Array(this.memory.buffer, at, 1), 0, value);
  }
}
