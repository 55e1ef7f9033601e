// Several workers search the same position to the same depth, with one table, as in pbrain/engine/smp.py.
//
// Whoever is done ends the iteration of the others, and they go on from its result. All of it is in shared memory,
// behind a lock.

import { LINE } from "./kernel.js";
import { WIN, WIN_BOUND } from "./units.js";

const VOTE_BASE = 20; // a score in which the vote of the thread with the worst score counts
const RESULT = ["root_moves", "root_scores", "root_count", "score", "line", "line_length", "has_line"];
const TAKEN_OVER = ["parameters", "table", "table_clusters", "busy", "deadline_ns"];
const ROOT = ["age", "root_moves", "root_scores", "root_count", "root_total"];

// Words of the shared block: a cache line for all, in which the deadline takes two words, then one for each thread,
// then the result of the deepest finished iteration, laid out as the beginning of a worker.
const WORDS = LINE / 4;
const [LOCK, RUNNING, DONE, LAST, DEADLINE] = [0, 1, 2, 3, 4];
const [IS_READY, GO, DEPTH] = [0, 1, 2];
const [FREE, HELD] = [0, 1];

// Whether a result is proven, and a deeper iteration would find nothing better.
export function isSettled(depth, score) {
  return score >= WIN_BOUND || (score <= -WIN_BOUND && depth > WIN + score);
}

// The report to believe, the first being the main thread's: the shortest proven win; otherwise the deepest report of
// the move with the most votes.
export function vote(reports) {
  const best = reports.reduce((one, other) => (other.score > one.score ? other : one));
  if (best.score >= WIN_BOUND) return best;
  const worst = Math.min(...reports.map((report) => report.score));
  const votes = new Map();
  const mover = (report) => String(report.line[0]);
  for (const report of reports) {
    votes.set(mover(report), (votes.get(mover(report)) ?? 0) + report.depth * (report.score - worst + VOTE_BASE));
  }
  const isBetter = (one, other) => {
    const more = votes.get(mover(one)) - votes.get(mover(other));
    return more > 0 || (more === 0 && one.depth > other.depth);
  };
  return reports.reduce((one, other) => (isBetter(other, one) ? other : one));
}

// What threads tell each other; thread 0 is the main one.
class Team {
  constructor(kernel, places) {
    const { buffer } = kernel.memory;
    const count = places.threads.length;
    this.kernel = kernel;
    this.threads = places.threads;
    this.words = new Int32Array(buffer, places.shared, WORDS * (1 + count));
    this.deadline = new BigInt64Array(buffer, places.shared + 4 * DEADLINE, 1);
    this.workers = places.threads.map(({ worker }) => kernel.record("worker", worker));
    this.result = kernel.record("worker", places.shared + LINE * (1 + count));
    this.busy = kernel.record("busy", places.busy);
  }

  own(thread, word) {
    return WORDS * (1 + thread) + word;
  }

  locked(act) {
    while (Atomics.compareExchange(this.words, LOCK, FREE, HELD) !== FREE) Atomics.wait(this.words, LOCK, HELD);
    try {
      return act();
    } finally {
      Atomics.store(this.words, LOCK, FREE);
      Atomics.notify(this.words, LOCK, 1);
    }
  }

  // One iteration, or the result of the thread that has finished it first.
  search(thread, depth) {
    const worker = this.workers[thread];
    const isDone = this.locked(() => {
      if (this.words[DONE] >= depth) {
        this.adopt(worker);
        return true;
      }
      this.words[this.own(thread, DEPTH)] = depth;
      worker.set("deadline_ns", this.deadline[0]);
      return false;
    });
    if (isDone) return;
    this.kernel.call("iterate", this.threads[thread].state, worker.at, depth, 0);
    this.locked(() => this.finish(thread, depth));
  }

  finish(thread, depth) {
    const worker = this.workers[thread];
    if (this.words[DONE] >= depth) this.adopt(worker);
    else if (worker.get("is_stopped")) return;
    else {
      this.words[DONE] = depth;
      copyFields(RESULT, worker, this.result);
      this.workers.forEach((other, i) => {
        const searched = this.words[this.own(i, DEPTH)];
        if (i !== thread && searched > 0 && searched <= depth) other.set("deadline_ns", 0n); // ends its iteration
      });
    }
    this.words[this.own(thread, DEPTH)] = 0;
  }

  // Goes on from another thread's result; if there is another reason to stop, the next iteration will see it.
  adopt(worker) {
    copyFields(RESULT, this.result, worker);
    worker.set("is_stopped", 0);
    worker.set("next_check", 0n);
    worker.set("deadline_ns", this.deadline[0]);
  }
}

function copyFields(names, from, to) {
  for (const name of names) to.bytes(name).set(from.bytes(name));
}

// All threads but the main one, as the main one sees them.
export class Helpers {
  constructor(kernel, places) {
    this.team = new Team(kernel, places);
    this.active = [];
  }

  get all() {
    return this.team.threads.map((_, thread) => thread).slice(1);
  }

  get nodes() {
    return this.all.reduce((sum, thread) => sum + Number(this.team.workers[thread].get("nodes")), 0);
  }

  // What each helper has found in the iteration in which it was stopped. Only a whole iteration proves a loss.
  found() {
    const { team } = this;
    return this.all
      .map((thread) => ({ depth: team.words[team.own(thread, DEPTH)], worker: team.workers[thread] }))
      .map(({ depth, worker }) => ({ depth, worker, score: worker.get("score") }))
      .filter(({ depth, worker, score }) => depth > 0 && worker.get("has_line") && score > -WIN_BOUND);
  }

  // What was found and counted in the last search.
  forget() {
    for (const thread of this.all) {
      this.team.words[this.team.own(thread, DEPTH)] = 0;
      this.team.workers[thread].set("nodes", 0n);
    }
  }

  // All that helpers have learned.
  reset() {
    for (const thread of this.all) this.team.workers[thread].all().fill(0);
  }

  // What `act` returns, while the helpers that are ready search up to a depth.
  searching(state, worker, last, act) {
    const { team } = this;
    const { words } = team;
    this.active = this.all.filter((thread) => Atomics.load(words, team.own(thread, IS_READY)));
    if (!this.active.length) return act();
    const left = worker.get("node_limit") - worker.get("nodes");
    worker.set("node_limit", worker.get("nodes") + (left > 0n ? left : 0n) / BigInt(1 + this.active.length));
    worker.set("next_check", 0n);
    team.busy.all().fill(0);
    worker.set("busy", BigInt(team.busy.at));
    words[DONE] = 0;
    words[LAST] = last;
    team.deadline[0] = worker.get("deadline_ns");
    for (const thread of this.active) this.takeOver(thread, state, worker);
    Atomics.store(words, RUNNING, this.active.length);
    for (const thread of this.active) {
      Atomics.add(words, team.own(thread, GO), 1);
      Atomics.notify(words, team.own(thread, GO));
    }
    try {
      return act();
    } finally {
      this.join();
      worker.set("busy", 0n);
    }
  }

  join() {
    const { words, workers } = this.team;
    for (const thread of this.active) workers[thread].set("stop", 1n);
    for (let left = Atomics.load(words, RUNNING); left > 0; left = Atomics.load(words, RUNNING)) {
      Atomics.wait(words, RUNNING, left);
    }
    this.active = [];
  }

  // Makes a helper ready for the search that the main thread has begun.
  takeOver(thread, state, worker) {
    const own = this.team.workers[thread];
    const at = this.team.threads[thread].state;
    new Uint8Array(this.team.kernel.memory.buffer).copyWithin(at, state.at, state.at + state.size);
    copyFields(TAKEN_OVER, worker, own);
    own.set("stop", 0n);
    own.set("node_limit", worker.get("node_limit") - worker.get("nodes"));
    this.team.kernel.call("begin_search", at, own.at);
    copyFields(ROOT, worker, own);
  }

  // The kernel's `iterate` on the main thread; a helper that is done with this depth before it ends it.
  iterate(state, worker, depth, skipped) {
    if (this.active.length && skipped === 0) this.team.search(0, depth);
    else this.team.kernel.call("iterate", state.at, worker.at, depth, skipped);
  }
}

// A helper's life: it sleeps until the main thread wants it.
export function help(kernel, places, thread) {
  const team = new Team(kernel, places);
  const { words } = team;
  const go = team.own(thread, GO);
  let seen = Atomics.load(words, go);
  Atomics.store(words, team.own(thread, IS_READY), 1);
  for (;;) {
    Atomics.wait(words, go, seen);
    seen = Atomics.load(words, go);
    searchOn(team, thread);
    Atomics.sub(words, RUNNING, 1);
    Atomics.notify(words, RUNNING);
  }
}

// One iteration after the other, until it is stopped or the result is proven.
function searchOn(team, thread) {
  const worker = team.workers[thread];
  const last = team.words[LAST];
  while (team.words[DONE] < last) {
    team.search(thread, team.words[DONE] + 1);
    if (worker.get("is_stopped") || isSettled(team.words[DONE], worker.get("score"))) return;
  }
}
