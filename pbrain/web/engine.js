// The engine's search, as pbrain/engine/engine.py has it: what is best within limits, on one thread or several.

import { now, nanoseconds } from "./kernel.js";
import { firstMove } from "./opening.js";
import { Position, moveOf } from "./position.js";
import { Helpers, isSettled, vote } from "./smp.js";
import { CLUSTER_BYTES, MAX_DEPTH, WIN } from "./units.js";

const UNLIMITED = (1n << 62n) - 1n;
const ROOT_FOURS = 40;
const ROOT_VCF_NODES = 100_000;
const GUARD_NODES = 2_000;
const SHARE = 0.25; // of the time that is left: neither the VCF at the root nor the guard may use more
const CANDIDATES = 24; // root moves in a report

const LEARNED = ["history", "continuation", "killers", "counter_moves", "corrections"];

export class Engine {
  constructor(kernel, places, learned) {
    this.kernel = kernel;
    this.places = places;
    this.position = new Position(kernel, places, learned);
    this.state = this.position.state;
    this.worker = kernel.record("worker", places.threads[0].worker);
    this.helpers = new Helpers(kernel, places);
    this.setTable(places.tableBytes);
  }

  // -- the game -------------------------------------------------------------------------------------------------------

  // Another game; what was searched is forgotten.
  newGame(width, height, rule) {
    this.position.clear(width, height, rule);
    this.forget();
  }

  // The same game after these moves; another size or rule begins a new one.
  setMoves({ width, height, rule }, moves) {
    const [w, h] = this.position.size ?? [];
    if (this.position.rule !== rule || w !== width || h !== height) this.newGame(width, height, rule);
    else this.position.clear(width, height, rule);
    this.position.play(moves);
    this.moves = moves;
  }

  setTable(bytes) {
    this.tableBytes = bytes;
    this.worker.set("table", BigInt(this.places.table));
    this.worker.set("table_clusters", BigInt(bytes / CLUSTER_BYTES));
  }

  forget() {
    if (this.worker.get("age") === 0) return; // nothing was searched
    new Uint8Array(this.kernel.memory.buffer, this.places.table, this.places.tableBytes).fill(0);
    for (const field of LEARNED) this.worker.bytes(field).fill(0);
    this.helpers.reset();
    this.worker.set("age", 0);
  }

  // -- thinking -------------------------------------------------------------------------------------------------------

  // Alpha-beta to a fixed depth and nothing else, for bench.
  search(depth) {
    this.worker.set("stop", 0n);
    this.setLimits(null, null);
    this.call("begin_search");
    for (let iteration = 1; iteration <= depth; iteration++) this.call("iterate", iteration, 0);
    return [Number(this.worker.get("nodes")), this.worker.get("score"), this.worker.get("root_moves")];
  }

  // In how many plies the side to move wins by fours alone, and how; null if no such win was found in so many nodes.
  winByFours(nodes) {
    this.began = now();
    this.helpers.forget();
    this.setLimits(null, null);
    this.call("begin_search");
    const plies = this.call("root_vcf", ROOT_FOURS, nodes);
    return plies === 0 ? null : this.report(plies, WIN - plies);
  }

  // The best move within the limits { began, deadline, depth, nodes, isAnalysis }, moments being on the kernel's clock
  // and null meaning none. `tell` hears of each finished iteration, for each of the `lines` best moves.
  think(limits, tell, lines = 1) {
    this.limits = limits;
    this.began = limits.began;
    this.lines = lines;
    this.setLimits(limits.deadline, limits.nodes);
    this.helpers.forget();
    this.call("begin_search");
    const best = this.firstRootMove();
    if (!limits.isAnalysis) {
      const first = firstMove(this.position.size, this.moves);
      if (first !== null) return { ...best, line: [first] };
      if (this.worker.get("root_count") === 1) return { ...best, isForced: true };
    }
    tell({ ...best, isFirst: true });
    return this.searchAll(best, tell);
  }

  searchAll(first, tell) {
    let best = first;
    if (this.lines === 1) {
      const win = this.findVcf();
      if (win !== null) {
        tell(win);
        return win;
      }
      best = this.guard();
      if (this.worker.get("root_count") === 1 && !this.limits.isAnalysis) return best;
    }
    const deepest = Math.min(this.limits.depth ?? MAX_DEPTH, MAX_DEPTH);
    best = this.helpers.searching(this.state, this.worker, deepest, () => this.iterateTo(deepest, best, tell));
    return this.elect(best, tell);
  }

  iterateTo(deepest, first, tell) {
    let best = first;
    for (let depth = 1; depth <= deepest; depth++) {
      best = this.searchLines(depth, best, tell);
      if (this.worker.get("is_stopped")) return { ...best, nodes: this.nodes, elapsed: now() - this.began };
      if (isSettled(depth, best.score)) break;
      if (this.limits.deadline !== null && now() >= this.limits.deadline) break;
    }
    return best;
  }

  // One iteration for each line, the moves of better lines being left out; what is best then.
  searchLines(depth, before, tell) {
    let best = before;
    const found = [];
    for (let rank = 0; rank < Math.min(this.lines, this.worker.get("root_count")); rank++) {
      this.helpers.iterate(this.state, this.worker, depth, rank);
      if (this.worker.get("has_line")) {
        const line = this.report(depth, this.worker.get("score"));
        if (rank === 0 || line.score > best.score) best = line;
        found.push(line);
      }
      if (this.worker.get("is_stopped")) return best;
    }
    const places = this.sortLines(found.map((line) => line.score));
    const candidates = this.candidates();
    places.forEach((place, rank) => tell({ ...found[place], rank: rank + 1, of: found.length, candidates }));
    return best;
  }

  // Sorts the first root moves by these scores; their old places.
  sortLines(scores) {
    const places = scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a]);
    const moves = places.map((place) => this.worker.get("root_moves", place));
    const known = places.map((place) => this.worker.get("root_scores", place));
    moves.forEach((move, rank) => {
      this.worker.set("root_moves", move, rank);
      this.worker.set("root_scores", known[rank], rank);
    });
    return places;
  }

  // What is best by the vote of all threads.
  elect(best, tell) {
    if (this.lines > 1) return best;
    const others = this.helpers.found().map(({ depth, score, worker }) => this.report(depth, score, worker));
    const elected = vote([best, ...others]);
    if (String(elected.line[0]) !== String(best.line[0])) tell({ ...elected, rank: 1, of: 1 });
    return { ...elected, nodes: this.nodes };
  }

  findVcf() {
    const plies = this.withShare(() => this.call("root_vcf", ROOT_FOURS, ROOT_VCF_NODES));
    return plies === 0 ? null : { ...this.report(plies, WIN - plies), rank: 1, of: 1 };
  }

  guard() {
    this.withShare(() => this.call("guard_root", ROOT_FOURS, GUARD_NODES));
    return this.firstRootMove();
  }

  // -- the kernel -----------------------------------------------------------------------------------------------------

  call(name, ...values) {
    return this.kernel.call(name, this.state.at, this.worker.at, ...values);
  }

  // When the kernel stops from now on; if it had already stopped, it goes on.
  setLimits(deadline, nodes) {
    this.worker.set("deadline_ns", deadline === null ? UNLIMITED : nanoseconds(deadline));
    this.worker.set("node_limit", nodes === null ? UNLIMITED : BigInt(nodes));
    this.worker.set("is_stopped", 0);
    this.worker.set("next_check", 0n);
  }

  // Lets the kernel use no more than a share of what is left of the limits.
  withShare(act) {
    const { deadline, nodes } = this.limits;
    const used = Number(this.worker.get("nodes"));
    const share = (end, begin) => (end === null ? null : begin + SHARE * Math.max(0, end - begin));
    const allowed = share(nodes, used);
    this.setLimits(share(deadline, now()), allowed === null ? null : Math.floor(allowed));
    const result = act();
    this.setLimits(deadline, nodes);
    return result;
  }

  get nodes() {
    return Number(this.worker.get("nodes")) + this.helpers.nodes;
  }

  firstRootMove() {
    return this.report(0, this.position.value, null, [moveOf(this.worker.get("root_moves"))]);
  }

  report(depth, score, worker = this.worker, line = lineOf(worker)) {
    const selective = Math.max(depth, this.worker.get("selective_depth"));
    return { depth, selective, score, nodes: this.nodes, elapsed: now() - this.began, line };
  }

  // The best root moves with what the last iteration says of them: for all but the best lines, an upper bound.
  candidates() {
    const count = this.worker.get("root_count");
    const all = Array.from({ length: count }, (_, i) => ({
      move: moveOf(this.worker.get("root_moves", i)),
      score: this.worker.get("root_scores", i),
    }));
    return all.filter(({ score }) => score > -WIN).sort((a, b) => b.score - a.score).slice(0, CANDIDATES);
  }
}

function lineOf(worker) {
  return Array.from({ length: worker.get("line_length") }, (_, i) => moveOf(worker.get("line", i)));
}
